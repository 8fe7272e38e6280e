//! Statements cut, mended and mixed up at every token: each must be answered, and what is accepted must keep its tables.

use std::collections::BTreeSet;

use super::{ENGINES, read};
use crate::sql::lexer::{Lexer, LexicalRules};

const STATEMENTS: [&str; 14] = [
    "SELECT x FROM (VALUES 1, (2), ROW(3), CASE 1 WHEN 2 THEN 3 END) v (x) WHERE x > ALL (VALUES 1, 2)",
    "SELECT a FROM t FOR VERSION AS OF 3 x JOIN u FOR TIMESTAMP BEFORE now() - INTERVAL '1' DAY ON x.i = u.i",
    "SELECT a FROM t AT BRANCH dev AS OF TIMESTAMP '2026-01-01 00:00:00' x, u @ dev",
    "SELECT * FROM TABLE(f(one => TABLE(t) AS x (a) PARTITION BY a, two => TABLE(SELECT b FROM u), c => DESCRIPTOR(d) COPARTITION (x, u)))",
    "SELECT json_value(d, 'lax $' PASSING p AS q RETURNING int DEFAULT 1 ON EMPTY), json_object(KEY 'a' VALUE b, 'c' : e NULL ON NULL) FROM t",
    "SELECT * FROM t, JSON_TABLE(d, 'lax $' AS p COLUMNS (a int PATH 'lax $' DEFAULT 1 ON EMPTY, NESTED PATH 'lax $' COLUMNS (b int))) j",
    "SELECT * FROM (SELECT a FROM t) x (a) MATCH_RECOGNIZE (PARTITION BY a ORDER BY b MEASURES FINAL LAST(A.c) AS d PATTERN (A B+) DEFINE A AS A.e > 1) m",
    "SELECT m OVER w FROM t WINDOW w AS (PARTITION BY a MEASURES A.b AS m ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING PATTERN (A) DEFINE A AS true)",
    "WITH FUNCTION f(x int) RETURNS int BEGIN IF x > 1 THEN RETURN CASE x WHEN 1 THEN 2 END; END IF; RETURN x; END SELECT f(a) FROM t",
    "SELECT a, b FROM t UNION ALL CORRESPONDING BY (a) SELECT b, a FROM u EXCEPT TABLE c.s.v",
    "SELECT (r).* AS (a, b), x.* AS (c), CAST(y AS ROW(a int, b array(int))).* FROM t x GROUP BY DISTINCT AUTO",
    "SELECT CASE a WHEN > 5 THEN 1 WHEN MATCH UNIQUE FULL (TABLE u) THEN 2 END FROM t WHERE a NOT BETWEEN SYMMETRIC b AND 1 AND UNIQUE (TABLE v)",
    "SELECT * FROM t LEFT JOIN NEAREST (FROM u WHERE u.a = t.a MATCH u.b < t.b) ON TRUE WHERE varchar::f(a) = U&'!0061' UESCAPE '!'",
    "EXPLAIN ANALYZE INSERT INTO n WITH c AS (SELECT at AT LOCAL FROM t) TABLE c",
];

/// What is put before or in the place of a token.
const PIECES: [&str; 14] = [
    "(", ")", "[", ",", ".", "SELECT", "VALUES", "TABLE", "AS", "MATCH", "OVER", "BETWEEN", "'x'", "1",
];

fn tokens<'a>(text: &'a str, rules: &LexicalRules) -> Vec<&'a str> {
    Lexer::new(text, rules).map(|token| token.text(text)).collect()
}

fn answer(tokens: &[&str], rules: &LexicalRules) {
    // The answer is nobody's business here, only that there is one.
    let _ = read(&tokens.join(" "), rules);
}

#[test]
fn whatever_is_cut_off_or_left_out_is_answered() {
    for rules in &ENGINES {
        for text in STATEMENTS {
            let whole = tokens(text, rules);
            for at in 0..whole.len() {
                let (head, tail) = whole.split_at(at);
                answer(head, rules);
                answer(tail, rules);
                let rest: Vec<&str> = head.iter().chain(tail.iter().skip(1)).copied().collect();
                answer(&rest, rules);
                let twice: Vec<&str> = head.iter().chain(tail.iter().take(1)).chain(tail).copied().collect();
                answer(&twice, rules);
            }
        }
    }
}

#[test]
fn whatever_is_put_in_is_answered() {
    let rules = LexicalRules::TRINO;
    for text in STATEMENTS {
        let whole = tokens(text, &rules);
        for at in 0..=whole.len() {
            let (head, tail) = whole.split_at(at);
            for piece in PIECES {
                let more: Vec<&str> = head.iter().chain([&piece]).chain(tail).copied().collect();
                answer(&more, &rules);
                let other: Vec<&str> = head
                    .iter()
                    .chain([&piece])
                    .chain(tail.iter().skip(1))
                    .copied()
                    .collect();
                answer(&other, &rules);
            }
        }
    }
}

/// Every statement in the place of a table of every other: the tables of both are there.
#[test]
fn a_statement_inside_another_keeps_its_tables() {
    let names = |text: &str| -> Option<BTreeSet<String>> {
        let parsed = read(text, &LexicalRules::TRINO).ok()?;
        Some(parsed.tables.iter().map(|table| table.name.to_string()).collect())
    };
    let queries = STATEMENTS.iter().filter(|text| text.starts_with("SELECT"));
    let mut nested = 0;
    for outer in queries.clone() {
        for inner in queries.clone() {
            for place in ["FROM t", "FROM (SELECT a FROM t)"] {
                let text = outer.replacen(place, &format!("FROM ({inner}) nested_here, ({inner}) again, t"), 1);
                if text == *outer {
                    continue;
                }
                let (Some(found), Some(expected)) = (names(&text), names(inner)) else {
                    continue;
                };
                assert!(found.is_superset(&expected), "{text}");
                nested += 1;
            }
        }
    }
    assert!(nested > 60, "{nested}");
}
