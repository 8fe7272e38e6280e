//! What comes out: a table for people, one flat JSON object for programs.

use serde_json::{Map, Value};

/// Figures by key, and the lines of the table.
#[derive(Debug, Default)]
pub(crate) struct Report {
    values: Map<String, Value>,
    lines: String,
}

impl Report {
    /// Adds a figure.
    pub(crate) fn number(&mut self, key: &str, value: f64) {
        let whole = value.fract() == 0.0 && value.abs() < 1e15;
        // What could not be measured is NaN, which JSON has no word for.
        let value = if whole {
            Value::from(value as i64)
        } else {
            Value::from(value)
        };
        self.values.insert(key.to_owned(), value);
    }

    /// Adds a word.
    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.values.insert(key.to_owned(), value.into());
    }

    /// Adds a line to the table.
    pub(crate) fn line(&mut self, line: &str) {
        self.lines.push_str(line.trim_end());
        self.lines.push('\n');
    }

    /// The table.
    pub(crate) fn table(&self) -> &str {
        &self.lines
    }

    /// The JSON object.
    pub(crate) fn json(&self) -> String {
        format!("{:#}\n", Value::Object(self.values.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_is_flat_and_counts_are_whole() {
        let mut report = Report::default();
        report.number("pairs", 21.0);
        report.number("follow_up_ratio", 0.97);
        report.number("missing", f64::NAN);
        report.text("envoy_version", "1.40.0");
        let value: Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(value["pairs"].to_string(), "21");
        assert_eq!(value["follow_up_ratio"], 0.97);
        assert_eq!(value["missing"], Value::Null);
        assert_eq!(value["envoy_version"], "1.40.0");
    }
}
