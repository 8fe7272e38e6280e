//! `lakegate analyze`: one JSON line a statement, from the scan and, for `parsed`, the parser.

use std::io::Read;
use std::path::Path;

use lakegate_core::sql::lexer::LexicalRules;
use lakegate_core::sql::parse::{ParseInput, parse};
use lakegate_core::sql::scan::{TableName, scan};
use serde_json::json;

use super::Dialect;

/// Reads the file's statements and prints a line for each.
pub(crate) fn run(dialect: Dialect, file: &Path) -> Result<(), String> {
    let text = read(file)?;
    let rules = match dialect {
        Dialect::Trino => LexicalRules::TRINO,
        Dialect::Presto => LexicalRules::PRESTO,
        Dialect::Dremio => LexicalRules::DREMIO,
        Dialect::Spark => LexicalRules::SPARK,
    };
    let mut out = String::new();
    for (index, statement) in statements(&text).iter().enumerate() {
        out.push_str(&line(index, statement, &rules));
        out.push('\n');
    }
    super::print(&out)
}

fn read(file: &Path) -> Result<String, String> {
    let name = file.display();
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| format!("standard input: {error}"))?;
    } else {
        bytes = std::fs::read(file).map_err(|error| format!("{name}: {error}"))?;
    }
    String::from_utf8(bytes).map_err(|error| format!("{name}: not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

/// Splits at lines that hold only `;`. A first line `--@ ..` names a source and is not part of the statement.
fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut finish = |lines: &mut Vec<&str>| {
        let from = usize::from(lines.first().is_some_and(|line| line.starts_with("--@")));
        let statement = lines.get(from..).unwrap_or_default().join("\n");
        if !statement.trim().is_empty() {
            statements.push(statement);
        }
        lines.clear();
    };
    for line in text.split('\n') {
        if line == ";" || line == ";\r" {
            finish(&mut lines);
        } else {
            lines.push(line);
        }
    }
    finish(&mut lines);
    statements
}

fn line(index: usize, statement: &str, rules: &LexicalRules) -> String {
    let scan = scan(statement, rules, &[]);
    let names = |tables: &[TableName]| tables.iter().map(ToString::to_string).collect::<Vec<_>>();
    let parsed = parse(&ParseInput {
        text: statement,
        rules,
        prepared: &[],
        now: None,
    });
    json!({
        "i": index,
        "kind": scan.kind.as_str(),
        "inner_kind": scan.inner_kind.as_str(),
        "tables": names(&scan.tables),
        "targets": names(&scan.targets),
        "joins": scan.joins,
        "window": scan.windows > 0,
        "limit": scan.has_limit,
        "group": scan.group_by,
        "setop": scan.set_operation,
        "unnest": scan.unnest,
        "complete": scan.complete,
        "parsed": parsed.is_ok(),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_with_a_line_of_their_own() {
        let text = "--@ source\nSELECT 1\n;\nSELECT ';'\n  ;\nFROM t\n;\n\n;\nSELECT 2";
        assert_eq!(statements(text), ["SELECT 1", "SELECT ';'\n  ;\nFROM t", "SELECT 2"]);
    }
}
