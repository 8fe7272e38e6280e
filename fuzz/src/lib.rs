//! What the fuzz targets check, so that a finding can be run again from a test.
//!
//! Each function takes bytes, and panics if a promise of core's is broken. That nothing panics, overflows or takes long
//! is checked by running at all.

#![forbid(unsafe_code)]

pub mod generate;

use lakegate_core::policy::{Overlay, Policy};
use lakegate_core::protocol::trino::Submission;
use lakegate_core::sql::lexer::LexicalRules;
use lakegate_core::sql::parse::{MAX_BYTES, MAX_TABLES, ParseInput, ParseTime, parse};
use lakegate_core::sql::scan::{MAX_SCAN_TOKENS, scan};

/// The engines' rules, by the letter that an input begins with.
const RULES: [(u8, LexicalRules); 4] = [
    (b't', LexicalRules::TRINO),
    (b'p', LexicalRules::PRESTO),
    (b'd', LexicalRules::DREMIO),
    (b's', LexicalRules::SPARK),
];

/// A letter for the engine, then the statement. Other letters stand for some engine too.
fn statement(data: &[u8]) -> Option<(LexicalRules, &str)> {
    let (letter, text) = data.split_first()?;
    let known = RULES.iter().find(|(known, _)| known == letter);
    let (_, rules) = known.or_else(|| RULES.get(usize::from(*letter) % RULES.len()))?;
    Some((*rules, std::str::from_utf8(text).ok()?))
}

/// The scanner answers, and gives the same answer twice.
pub fn scanner(data: &[u8]) {
    if let Some((rules, text)) = statement(data) {
        let first = scan(text, &rules, &[]);
        let again = scan(text, &rules, &[]);
        assert_eq!(first, again);
        // Prepared statements are texts as well.
        let _executed = scan("EXECUTE p USING 1, 'x'", &rules, &[("p", text)]);
    }
}

/// The parser answers within its bounds, and what it says of tables can be written down.
pub fn parser(data: &[u8]) {
    if let Some((rules, text)) = statement(data) {
        read(text, &rules);
    }
}

/// Scans and parses one statement.
pub fn read(text: &str, rules: &LexicalRules) {
    let _scanned = scan(text, rules, &[]);
    let input = ParseInput {
        text,
        rules,
        prepared: &[("p", "SELECT * FROM t WHERE a = ? AND b > ?")],
        now: Some(ParseTime {
            unix_micros: 1_785_578_400_000_000,
            zone_minutes: None,
        }),
    };
    let Ok(parsed) = parse(&input) else {
        return;
    };
    assert!(text.len() <= MAX_BYTES && parsed.tables.len() <= MAX_TABLES);
    assert_eq!(parse(&input).as_ref(), Ok(&parsed));
    for table in &parsed.tables {
        let _json = table.filter.predicate.to_rest_json();
        assert!(!table.name.parts.is_empty());
    }
}

/// Lines of `name: value`.
pub fn headers(data: &[u8]) {
    let lines = data.split(|byte| *byte == b'\n').filter_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = line.split_at(colon);
        Some((std::str::from_utf8(name).ok()?, value.get(1..)?))
    });
    let submission = Submission::from_headers(lines);
    let scanned = submission.scan("EXECUTE p USING 1", MAX_SCAN_TOKENS);
    let _signals = submission.signals(&scanned);
    let _request = submission.facts_request("SELECT 1", "v");
}

/// A policy is accepted or refused with reasons; an accepted one survives the way to the filter.
pub fn policy(data: &[u8]) {
    let check = |policy: &Policy| {
        let json = policy.to_json();
        let again = Policy::from_json(json.as_bytes());
        assert_eq!(again.map(|policy| policy.to_json()).ok(), Some(json));
    };
    match Policy::from_json(data) {
        Ok(policy) => check(&policy),
        Err(problems) => assert!(!problems.is_empty()),
    }
    if let Ok(text) = std::str::from_utf8(data) {
        match Policy::from_yaml("policy.yaml", text, &Overlay::default()) {
            Ok(policy) => check(&policy),
            Err(problems) => assert!(!problems.is_empty()),
        }
    }
}
