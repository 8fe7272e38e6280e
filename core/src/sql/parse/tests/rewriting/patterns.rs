//! Row patterns: every clause's expressions are read, no condition outside reaches the rows, and it counts as a window.

use super::{accepted, all, eq, read, read_as};
use crate::sql::lexer::LexicalRules;

const PATTERN: &str = "PARTITION BY s ORDER BY at DESC MEASURES A.x AS first_x, FINAL LAST(B.y) AS last_y \
                       ONE ROW PER MATCH AFTER MATCH SKIP TO LAST B INITIAL PATTERN (^ A (B+ | {- C -}){2,} PERMUTE(D, E)? $) \
                       SUBSET U = (A, B) DEFINE A AS A.z > 5, B AS RUNNING count(*) > PREV(B.y, 2)";

#[test]
fn any_relation_can_be_matched() {
    for relation in [
        "t",
        "c.s.t",
        "t x",
        "t AS x (a, b)",
        "t FOR VERSION AS OF 3 x",
        "(SELECT * FROM t)",
        "(SELECT * FROM t) x",
        "(SELECT * FROM t) AS x (a, b)",
        "TABLE(f(TABLE(t)))",
        "LATERAL (SELECT * FROM t) x",
    ] {
        for alias in ["", " m", " AS m (k, l)"] {
            let sql = format!("SELECT * FROM {relation} MATCH_RECOGNIZE ({PATTERN}){alias} WHERE k = 1 LIMIT 5");
            let parsed = accepted(&sql);
            let names: Vec<_> = parsed
                .tables
                .iter()
                .map(|table| table.name.parts.last().cloned())
                .collect();
            assert_eq!(names, [Some("t".to_owned())], "{sql}");
            assert!(
                parsed
                    .tables
                    .iter()
                    .all(|table| table.columns == crate::sql::parse::Columns::All),
                "{sql}"
            );
            let pruned = parsed
                .tables
                .iter()
                .any(|table| table.filter.predicate.to_rest_json() != all());
            assert!(!pruned && !parsed.limit_bounds_scan, "{sql}");
            assert!(parsed.has_window_over_large_partition, "{sql}");
            assert_eq!((parsed.output_columns, parsed.aggregate), (None, None), "{sql}");
        }
    }
}

#[test]
fn conditions_inside_the_relation_prune() {
    read_as(
        &format!(
            "SELECT * FROM (SELECT * FROM t WHERE day = 3) MATCH_RECOGNIZE ({PATTERN}) m JOIN u ON u.k = m.k AND u.a = 1"
        ),
        &[("t", eq("day", 3), "*"), ("u", eq("a", 1), "*")],
    );
}

#[test]
fn queries_in_a_patterns_clauses_are_read() {
    read_as(
        "SELECT * FROM v, t MATCH_RECOGNIZE (MEASURES (SELECT max(x) FROM u WHERE y = 1) AS m PATTERN (A) \
         DEFINE A AS EXISTS (SELECT 1 FROM w)) WHERE v.a = 1",
        &[
            ("v", eq("a", 1), "*"),
            ("t", all(), "*"),
            ("u", eq("y", 1), "x y"),
            ("w", all(), ""),
        ],
    );
    for sql in [
        "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) SUBSET U = (SELECT a FROM u) DEFINE A AS true)",
        "SELECT * FROM t MATCH_RECOGNIZE (SOMETHING (SELECT a FROM u) PATTERN (A) DEFINE A AS true)",
    ] {
        assert!(read(sql, &LexicalRules::TRINO).is_err(), "{sql}");
    }
}

#[test]
fn a_window_with_a_pattern_reads_all_columns() {
    let frame = "MEASURES A.x AS mx, (SELECT max(q) FROM u) AS mq ROWS BETWEEN CURRENT ROW AND 5 FOLLOWING \
                 AFTER MATCH SKIP TO NEXT ROW SEEK PATTERN (A B*) SUBSET U = (A, B) DEFINE B AS B.y > A.y";
    for sql in [
        format!("SELECT mx OVER w FROM t WINDOW w AS (PARTITION BY s ORDER BY at {frame}) WHERE"),
        format!("SELECT mx OVER \"W\", mq OVER w FROM t WINDOW w AS ({frame}) WHERE"),
        format!("SELECT array_agg(a) OVER (PARTITION BY s {frame}), mx OVER (ORDER BY at {frame}) FROM t WHERE"),
    ] {
        let (before, window) = sql.split_once(" FROM t").unwrap_or_default();
        let window = window.trim_end_matches(" WHERE");
        let parsed = accepted(&format!("{before} FROM t WHERE day = 3{window}"));
        let mut reads = super::reads(&parsed);
        reads.dedup();
        reads.retain(|(name, ..)| name == "t");
        assert_eq!(reads, [("t".to_owned(), eq("day", 3), "*".to_owned())], "{sql}");
        assert!(parsed.tables.iter().any(|table| table.name.to_string() == "u"), "{sql}");
        assert!(parsed.has_window_over_large_partition, "{sql}");
    }
}

#[test]
fn words_of_patterns_are_names_elsewhere() {
    read_as(
        "SELECT pattern, define, measures FROM t over",
        &[("t", all(), "define measures pattern")],
    );
    read_as(
        "WITH c AS (SELECT pattern(a) FROM t WHERE b = 1 ORDER BY define) SELECT * FROM c",
        &[("t", eq("b", 1), "a b define")],
    );
    read_as(
        "SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY groups)",
        &[("t", all(), "a groups")],
    );
    read_as("SELECT 1 FROM t over (a, b)", &[("t", all(), "*")]);
}
