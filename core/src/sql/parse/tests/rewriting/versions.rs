//! Tables as of a version, a time or a branch.

use super::{accepted, alike, all, eq, read, read_as, read_by};
use crate::sql::lexer::LexicalRules;
use crate::sql::scan::scan;

const TRINO: [&str; 12] = [
    "SELECT a FROM t FOR VERSION AS OF 3 WHERE a = 1",
    "SELECT a FROM t FOR VERSION AS OF 'tag' AS x WHERE x.a = 1",
    "SELECT a FROM t FOR VERSION AS OF -3 x WHERE a = 1",
    "SELECT a FROM t FOR TIMESTAMP AS OF TIMESTAMP '2026-01-01 00:00:00 UTC' x WHERE a = 1",
    "SELECT a FROM t FOR TIMESTAMP AS OF current_timestamp - INTERVAL '1' DAY x WHERE a = 1",
    "SELECT a FROM t FOR TIMESTAMP AS OF date_add('day', -1, TIMESTAMP '2026-01-01 00:00:00') x WHERE a = 1",
    "SELECT a FROM t FOR TIMESTAMP AS OF x.y AT TIME ZONE 'UTC' WHERE a = 1",
    "SELECT a FROM t FOR SYSTEM_VERSION AS OF ? WHERE a = 1",
    "SELECT a FROM t FOR SYSTEM_TIME AS OF DATE '2026-01-01' WHERE a = 1",
    "SELECT a FROM t FOR VERSION BEFORE 3 WHERE a = 1",
    "SELECT a FROM t FOR TIMESTAMP BEFORE TIMESTAMP '2026-01-01 00:00:00' WHERE a = 1",
    "SELECT a FROM (SELECT a FROM t FOR VERSION AS OF (1 + 2) * 3 WHERE a = 1)",
];

const DREMIO: [&str; 11] = [
    "SELECT a FROM t AT BRANCH dev WHERE a = 1",
    "SELECT a FROM t AT BRANCH \"dev/x\" AS x WHERE x.a = 1",
    "SELECT a FROM t AT TAG q1 x WHERE a = 1",
    "SELECT a FROM t AT COMMIT \"a1b2\" WHERE a = 1",
    "SELECT a FROM t AT REF dev WHERE a = 1",
    "SELECT a FROM t AT REFERENCE dev WHERE a = 1",
    "SELECT a FROM t AT BRANCH dev AS OF TIMESTAMP '2026-01-01 00:00:00' WHERE a = 1",
    "SELECT a FROM t AT SNAPSHOT '4711' WHERE a = 1",
    "SELECT a FROM t AT TIMESTAMP '2026-01-01 00:00:00' x WHERE a = 1",
    "SELECT a FROM t AT TIMESTAMPADD(day, -1, TIMESTAMP '2026-01-01 00:00:00') WHERE a = 1",
    "SELECT a FROM t AT 1.5 * 2 WHERE a = 1",
];

const SPARK: [&str; 7] = [
    "SELECT a FROM t VERSION AS OF 3 WHERE a = 1",
    "SELECT a FROM t TIMESTAMP AS OF '2026-01-01' x WHERE a = 1",
    "SELECT a FROM t TIMESTAMP AS OF current_date() WHERE a = 1",
    "SELECT a FROM t FOR SYSTEM_VERSION AS OF 3 WHERE a = 1",
    "SELECT a FROM t VERSION AS OF \"tag\" WHERE a = 1",
    "SELECT a FROM t@v3 WHERE a = 1",
    "SELECT a FROM t@20260101000000000 x WHERE a = 1",
];

fn forms() -> impl Iterator<Item = (&'static str, LexicalRules)> {
    let trino = TRINO.iter().map(|sql| (*sql, LexicalRules::TRINO));
    let presto = TRINO.iter().map(|sql| (*sql, LexicalRules::PRESTO));
    let dremio = DREMIO.iter().map(|sql| (*sql, LexicalRules::DREMIO));
    let spark = SPARK.iter().map(|sql| (*sql, LexicalRules::SPARK));
    trino.chain(presto).chain(dremio).chain(spark)
}

#[test]
fn conditions_hold_for_any_version() {
    for (sql, rules) in forms() {
        let parsed = read_by(sql, &rules);
        let names: Vec<String> = parsed.tables.iter().map(|table| table.name.to_string()).collect();
        assert_eq!(names, ["t"], "{sql}");
        let filters: Vec<_> = parsed
            .tables
            .iter()
            .map(|table| table.filter.predicate.to_rest_json())
            .collect();
        assert_eq!(filters, [eq("a", 1)], "{sql}");
    }
}

/// What is accepted here is read with today's files unless the scanner says that it travels in time.
#[test]
fn the_scanner_flags_whatever_is_accepted() {
    for (sql, rules) in forms() {
        assert!(scan(sql, &rules, &[]).time_travel, "{sql}");
    }
    for sql in [
        "DELETE FROM t @ dev WHERE a = 1",
        "UPDATE t @ dev SET b = 2 WHERE a = 1",
        "MERGE INTO t @ dev x USING s ON x.a = s.a WHEN MATCHED THEN DELETE",
        "SELECT * FROM t @ dev WHERE a = 1",
    ] {
        assert!(scan(sql, &LexicalRules::TRINO, &[]).time_travel, "{sql}");
        assert!(read(sql, &LexicalRules::TRINO).is_ok(), "{sql}");
    }
    // What is only written is not read as of anything.
    let sql = "INSERT INTO t @ dev SELECT a FROM u WHERE a = 1";
    assert!(!scan(sql, &LexicalRules::TRINO, &[]).time_travel);
    read_as(sql, &[("u", eq("a", 1), "a")]);
}

#[test]
fn each_table_has_its_own_version() {
    read_as(
        "SELECT x.a FROM t FOR VERSION AS OF 3 x JOIN u FOR TIMESTAMP AS OF DATE '2026-01-01' ON x.i = u.i, v WHERE x.a = 1",
        &[("t", eq("a", 1), "a i"), ("u", all(), "i"), ("v", all(), "")],
    );
}

#[test]
fn a_query_in_a_version_is_not_lost() {
    for sql in [
        "SELECT * FROM t FOR VERSION AS OF (SELECT max(v) FROM versions)",
        "SELECT * FROM t FOR TIMESTAMP AS OF f((TABLE versions))",
    ] {
        assert!(read(sql, &LexicalRules::TRINO).is_err(), "{sql}");
    }
}

#[test]
fn a_reflection_of_today_does_not_cover_yesterday() {
    assert!(accepted("SELECT a, count(*) FROM t GROUP BY a").aggregate.is_some());
    assert_eq!(
        accepted("SELECT a, count(*) FROM t FOR VERSION AS OF 3 GROUP BY a").aggregate,
        None
    );
}

#[test]
fn a_function_of_the_users_in_a_version_is_not_forgotten() {
    let sql = "SELECT a FROM t FOR TIMESTAMP AS OF close_of(DATE '2026-05-01')";
    assert_eq!(accepted(sql).has_udf, None);
}

#[test]
fn words_of_versions_are_names_elsewhere() {
    alike("SELECT version AS of FROM t", "SELECT version AS x FROM t");
    alike("SELECT timestamp FROM t version", "SELECT timestamp FROM t x");
    alike(
        "SELECT substring(a FROM 2 FOR 3) FROM t",
        "SELECT substring(a FROM 2 FOR 3) FROM t",
    );
    assert!(read("SELECT * FROM t AT BRANCH dev", &LexicalRules::TRINO).is_err());
    assert!(read("SELECT a AT TIME ZONE 'UTC' FROM t", &LexicalRules::DREMIO).is_ok());
}
