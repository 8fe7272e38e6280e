//! The bench's statements, all of our own making, and files of anybody else's.
//!
//! A line that holds nothing but `;` ends a statement. A line that starts with `--@` before one says where it is from
//! and is no part of it.

/// What clients send: dashboards, dbt, drivers' questions about metadata, prepared statements in one request.
pub const CLIENTS: &str = include_str!("../../corpus/clients.sql");

/// Long analytic statements over a retail star schema, in the manner of decision-support benchmarks.
pub const ANALYTIC: &str = include_str!("../../corpus/analytic.sql");

/// The statements of a file.
#[must_use]
pub fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line == ";" {
            statements.push(lines.join("\n"));
            lines.clear();
        } else if !(lines.is_empty() && line.starts_with("--@")) {
            lines.push(line);
        }
    }
    statements.retain(|statement| !statement.trim().is_empty());
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semicolon_on_its_own_ends_a_statement() {
        let text = "--@ a driver\nSELECT 1\n;\n--@ another\nSELECT ';'\n--@ kept\n;\n\n;\nunfinished";
        assert_eq!(statements(text), ["SELECT 1", "SELECT ';'\n--@ kept"]);
    }

    fn lengths(text: &str) -> Vec<usize> {
        let mut lengths: Vec<usize> = statements(text).iter().map(String::len).collect();
        lengths.sort_unstable();
        lengths
    }

    #[test]
    fn statements_are_as_long_as_those_they_stand_for() {
        let clients = lengths(CLIENTS);
        assert!((40..=60).contains(&clients.len()), "{}", clients.len());
        let (median, high) = (clients[clients.len() / 2], clients[clients.len() * 95 / 100]);
        assert!((150..=260).contains(&median), "{median}");
        assert!((700..=1400).contains(&high), "{high}");

        let analytic = lengths(ANALYTIC);
        assert!((30..=40).contains(&analytic.len()), "{}", analytic.len());
        assert!(
            analytic.iter().all(|length| (800..=4200).contains(length)),
            "{analytic:?}"
        );
    }
}
