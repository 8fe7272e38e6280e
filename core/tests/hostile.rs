//! What is known to kill or to fool SQL parsers, through the whole of core as filter and service use it.
//!
//! Each text is scanned and parsed, on a stack no larger than the parser says it needs. It must be
//! answered: no panic, no overflow, no waiting. What the parser does not decline, the scanner and it read alike: a table
//! that one of them misses would be scanned without being counted. The fuzz targets (`fuzz/`) look for more of the kind;
//! what they find comes here.
#![cfg(feature = "parser")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use lakegate_core::sql::lexer::LexicalRules;
use lakegate_core::sql::parse::{ParseInput, Parsed, STACK_BYTES, parse};
use lakegate_core::sql::scan::{Scan, scan};

/// A hundred times what the slowest takes without optimisation.
const PATIENCE: Duration = Duration::from_secs(60);

const RULES: [(&str, LexicalRules); 4] = [
    ("trino", LexicalRules::TRINO),
    ("presto", LexicalRules::PRESTO),
    ("dremio", LexicalRules::DREMIO),
    ("spark", LexicalRules::SPARK),
];

/// Scans and parses on a small stack, under a watch.
fn read(sql: &str, rules: LexicalRules) -> (Scan, Option<Parsed>) {
    let (sender, receiver) = mpsc::channel();
    let text = sql.to_owned();
    let reader = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let scanned = scan(&text, &rules, &[]);
        let parsed = parse(&ParseInput {
            text: &text,
            rules: &rules,
            prepared: &[],
            now: None,
        });
        sender.send((scanned, parsed.ok())).unwrap();
    });
    reader.unwrap();
    let head: String = sql.chars().take(80).collect();
    receiver
        .recv_timeout(PATIENCE)
        .unwrap_or_else(|error| panic!("{error}: {head}"))
}

/// Under the rules that differ most.
fn is_answered(sql: &str) {
    for rules in [LexicalRules::TRINO, LexicalRules::SPARK] {
        read(sql, rules);
    }
}

/// Scanner and parser, if it parses, see exactly these tables.
fn reads(sql: &str, engines: &[&str], wanted: &[&str]) {
    for (engine, rules) in RULES.iter().filter(|(engine, _)| engines.contains(engine)) {
        let (scanned, parsed) = read(sql, *rules);
        let seen: Vec<String> = scanned.tables.iter().map(ToString::to_string).collect();
        assert_eq!(seen, wanted, "{engine}: {sql:?}");
        if let Some(parsed) = parsed {
            let seen: Vec<String> = parsed.tables.iter().map(|table| table.name.to_string()).collect();
            assert_eq!(seen, wanted, "{engine}, parsed: {sql:?}");
        }
    }
}

const ALL: [&str; 4] = ["trino", "presto", "dremio", "spark"];

#[test]
fn comments_end_where_the_engine_ends_them() {
    // sqlparser ends a line comment at a line feed only.
    reads("SELECT 1 -- note\rFROM parts", &ALL, &["parts"]);
    reads("SELECT 1 -- note\r\nFROM parts -- more\r", &ALL, &["parts"]);
    reads("SELECT 1 FROM parts -- , orders", &ALL, &["parts"]);
    // Comments nest in Spark alone.
    let engines = ["trino", "presto", "dremio"];
    reads("SELECT 1 /* /* */ FROM parts -- */", &engines, &["parts"]);
    reads("SELECT 1 /* /* */ FROM parts -- */", &["spark"], &[]);
    reads("SELECT 1 FROM parts /*! , orders */", &ALL, &["parts"]);
    reads("SELECT 1 FROM parts /*+ , orders */", &ALL, &["parts"]);
    // Two slashes are a comment in Dremio alone.
    reads("SELECT 1 // note\rFROM parts", &["dremio"], &["parts"]);
}

#[test]
fn quotes_end_where_the_engine_ends_them() {
    let engines = ["trino", "presto", "dremio"];
    reads(r"SELECT '\' FROM parts WHERE a = '", &["spark"], &[]);
    reads(r"SELECT '\' FROM parts -- '", &engines, &["parts"]);
    reads("SELECT 'a''' FROM parts -- ' FROM orders", &engines, &["parts"]);
    reads(r#"SELECT "a"" FROM orders" FROM parts"#, &engines, &["parts"]);
    reads("SELECT 1 FROM parts WHERE a = U&'d\\0061t' -- '", &engines, &["parts"]);
}

#[test]
fn what_never_ends_is_answered() {
    for start in [
        "'", "\"", "`", "/*", "--", "$$", "$a$", "U&'", "X'", "(", "[", "{", "CASE ", "/*+", "//",
    ] {
        is_answered(&format!("SELECT 1 FROM parts WHERE a = {start}"));
        is_answered(&format!("SELECT 1 FROM parts WHERE a = {start}{}", "x ".repeat(20_000)));
        is_answered(&start.repeat(20_000));
        is_answered(&format!("EXECUTE IMMEDIATE 'SELECT {}", start.replace('\'', "''")));
    }
}

/// What can stand in itself: opening and closing.
const NESTINGS: [(&str, &str); 22] = [
    ("(", ")"),
    ("f(", ")"),
    ("CASE WHEN a THEN ", " END"),
    ("CAST(", " AS int)"),
    ("NOT (", ")"),
    ("a[", "]"),
    ("ARRAY[", "]"),
    ("ROW(", ")"),
    ("(SELECT ", ")"),
    ("EXISTS (SELECT ", ")"),
    ("a IN (SELECT ", ")"),
    ("a IN (", ")"),
    ("x -> ", ""),
    ("- ", ""),
    ("NOT ", ""),
    ("a BETWEEN ", " AND b"),
    ("EXTRACT(YEAR FROM ", ")"),
    ("COALESCE(a, ", ")"),
    ("TRY(", ")"),
    ("(a, ", ")"),
    ("INTERVAL '1' DAY + ", ""),
    ("sum(a) OVER (ORDER BY ", ")"),
];

#[test]
fn nestings_in_pairs_are_answered() {
    for (first, close_first) in NESTINGS {
        for (second, close_second) in NESTINGS {
            for depth in [6, 400] {
                let open = format!("{first}{second}").repeat(depth);
                let close = format!("{close_second}{close_first}").repeat(depth);
                for middle in ["1", "", "%"] {
                    let sql = format!("SELECT 1 FROM parts WHERE {open}{middle}{close}");
                    read(&sql, LexicalRules::TRINO);
                }
            }
        }
    }
}

#[test]
fn relations_nested_in_all_ways_are_answered() {
    let nest = |open: &str, middle: &str, close: &str, depth: usize| {
        is_answered(&format!("{}{middle}{}", open.repeat(depth), close.repeat(depth)));
        is_answered(&format!("{}{middle}", open.repeat(depth)));
    };
    for depth in [12, 39, 60, 3000] {
        nest("SELECT * FROM (", "SELECT 1", ") x", depth);
        nest("WITH c AS (", "SELECT 1", ") SELECT * FROM c", depth);
        nest("SELECT * FROM a JOIN (", "SELECT 1", ") x ON x.a = 1", depth);
        nest("SELECT 1 UNION (", "SELECT 1", ")", depth);
        nest("EXPLAIN ", "SELECT 1 FROM parts", "", depth);
        nest("PREPARE p FROM ", "SELECT 1 FROM parts", "", depth);
        nest("EXECUTE IMMEDIATE '", "SELECT 1", "'", depth);
        nest("SELECT * FROM LATERAL (", "SELECT 1", ")", depth);
        nest("SELECT * FROM TABLE(f(TABLE(", "t", ")))", depth);
        // Row patterns nest without sqlparser counting.
        let pattern = format!("{}A{}", "(".repeat(depth), ")*".repeat(depth));
        is_answered(&format!(
            "SELECT * FROM t MATCH_RECOGNIZE (PATTERN ({pattern}) DEFINE A AS true)"
        ));
        let pattern = "A | ".repeat(depth);
        is_answered(&format!(
            "SELECT * FROM t MATCH_RECOGNIZE (PATTERN ({pattern} B) DEFINE A AS true)"
        ));
        let kind = format!("{}int{}", "array(".repeat(depth), ")".repeat(depth));
        is_answered(&format!("SELECT CAST(a AS {kind}) FROM parts"));
        let kind = format!("{}int{}", "map(int, row(a ".repeat(depth), "))".repeat(depth));
        is_answered(&format!("SELECT CAST(a AS {kind}) FROM parts"));
    }
}

#[test]
fn chains_of_every_operator_are_answered() {
    for operator in [
        " OR a",
        " AND a",
        " + a",
        " || a",
        " = a",
        " IS NULL",
        " IS NOT DISTINCT FROM a",
        " LIKE 'a'",
        " IN (1)",
        " BETWEEN 1 AND 2",
        " AT TIME ZONE 'UTC'",
        "::int",
        "[1]",
        ".a",
        " AND a BETWEEN 1 AND 2",
        " NOT NULL",
        " -> a",
    ] {
        for length in [900, 5_500, 12_000] {
            let chain = operator.repeat(length);
            is_answered(&format!("SELECT 1 FROM parts WHERE a{chain}"));
            // What was parsed is dropped on the way out of an error.
            is_answered(&format!("SELECT 1 FROM parts WHERE a{chain} %%"));
        }
    }
    for joint in [
        " UNION ALL ",
        " UNION ",
        " EXCEPT ",
        " INTERSECT ",
        " JOIN parts ON a = b ",
        ", ",
    ] {
        is_answered(&format!(
            "SELECT 1 FROM parts{}",
            format!("{joint}SELECT 1").repeat(3_000)
        ));
        is_answered(&format!("SELECT * FROM parts{}", format!("{joint}parts").repeat(3_000)));
        is_answered(&format!("SELECT 1 FROM parts{}", joint.repeat(6_000)));
    }
}

#[test]
fn wide_things_and_huge_literals_are_answered() {
    for item in [
        "1",
        "'x'",
        "a",
        "(1, 2)",
        "DATE '2026-08-01'",
        "NULL",
        "-1e400",
        "f(a)",
        "?",
    ] {
        let list = vec![item; 6_000].join(", ");
        is_answered(&format!("SELECT 1 FROM parts WHERE a IN ({list})"));
        is_answered(&format!("SELECT {list} FROM parts"));
        is_answered(&format!("VALUES {list}"));
        is_answered(&format!("SELECT 1 FROM parts GROUP BY {list} ORDER BY {list}"));
    }
    for literal in [
        "9".repeat(60_000),
        format!("0.{}1", "0".repeat(60_000)),
        format!("1e{}", "9".repeat(400)),
        format!("'{}'", "é".repeat(30_000)),
        format!("X'{}'", "0f".repeat(30_000)),
        format!("DATE '{}-01-01'", "9".repeat(500)),
        format!("TIMESTAMP '2026-08-01 00:00:00.{}'", "1".repeat(5_000)),
        format!("INTERVAL '{}' YEAR + DATE '2026-08-01'", "9".repeat(18)),
        format!("date_add('year', {}, DATE '2026-08-01')", i64::MAX),
        format!("date_add('second', {}, TIMESTAMP '2026-08-01 00:00:00')", i64::MIN),
        format!("2147483647 * 2147483647 * {}", i64::MAX),
    ] {
        is_answered(&format!("SELECT 1 FROM parts WHERE a = {literal}"));
        is_answered(&format!(
            "SELECT 1 FROM parts WHERE year(a) = {literal} LIMIT {literal}"
        ));
        is_answered(&format!("SELECT 1 FROM parts WHERE CAST(a AS date) >= {literal}"));
    }
}
