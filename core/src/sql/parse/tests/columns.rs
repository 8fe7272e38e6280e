//! Which columns a table may be read for.

use super::tables;
use crate::sql::parse::Columns;

fn columns(sql: &str) -> Vec<String> {
    let named = tables(sql).into_iter().map(|table| match table.columns {
        Columns::All => "*".to_owned(),
        Columns::Named(names) => names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
    });
    named.collect()
}

#[test]
fn every_clause_counts() {
    let sql = "SELECT a, f(b), count(*), rank() OVER (PARTITION BY c ORDER BY d) FROM t WHERE e = 1 GROUP BY g HAVING h > 1 ORDER BY i";
    assert_eq!(columns(sql), ["a b c d e g h i"]);
    assert_eq!(columns("SELECT count(*) FROM t"), [""]);
}

#[test]
fn a_star_or_a_whole_row_is_all_columns() {
    assert_eq!(columns("SELECT * FROM t"), ["*"]);
    assert_eq!(columns("SELECT x.*, y.a FROM t x JOIN u y ON x.k = y.k"), ["*", "a k"]);
    assert_eq!(columns("SELECT x FROM t x"), ["*"]);
    assert_eq!(columns("SELECT a FROM t NATURAL JOIN u"), ["*", "*"]);
}

#[test]
fn an_unqualified_name_may_belong_to_any_relation_here_or_further_out() {
    assert_eq!(columns("SELECT a, y.b FROM x JOIN y USING (k)"), ["a k", "a b k"]);
    assert_eq!(
        columns("SELECT a FROM x WHERE EXISTS (SELECT 1 FROM y WHERE y.b = x.c AND d = 1)"),
        // x.c could be a field of a column x of y, as long as nobody knows y's columns.
        ["a c d", "b d x.c"]
    );
}

#[test]
fn what_is_rewritten_or_covered_is_read_whole() {
    assert_eq!(columns("UPDATE t SET a = 1 WHERE b = 2"), ["*"]);
    assert_eq!(columns("SELECT a FROM t AS x (a)"), ["*"]);
    assert_eq!(columns("SELECT a FROM (SELECT b FROM t)"), ["b"]);
}
