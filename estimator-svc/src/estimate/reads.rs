//! Which tables a statement reads, each with what prunes it.
//!
//! The scan always lists the tables; the parser, if it does not decline, gives each a filter. Where the two disagree
//! the larger reading wins: every occurrence that either of them sees is counted, and one that has no filter counts
//! whole.

use std::collections::BTreeSet;

use lakegate_core::predicate::{Column, Predicate, Translated};
use lakegate_core::sql::parse::{Parsed, UnusedCondition};
use lakegate_core::sql::scan::{Scan, TableName};

/// One occurrence of a table.
#[derive(Clone, Debug)]
pub(super) struct Read<'a> {
    pub(super) name: TableName,
    pub(super) filter: &'a Translated,
    pub(super) nan_columns: &'a BTreeSet<Column>,
    pub(super) unused: &'a [UnusedCondition],
}

static WHOLE_TABLE: Translated = Translated {
    predicate: Predicate::AlwaysTrue,
    exact: false,
};
static NO_FILTER: Translated = Translated {
    predicate: Predicate::AlwaysTrue,
    exact: true,
};
static NO_COLUMNS: BTreeSet<Column> = BTreeSet::new();

/// Every occurrence of a table.
pub(super) fn reads<'a>(scan: &Scan, parsed: Option<&'a Parsed>) -> Vec<Read<'a>> {
    let mut reads: Vec<Read<'a>> = parsed
        .map(|parsed| parsed.tables.as_slice())
        .unwrap_or_default()
        .iter()
        .map(|table| Read {
            name: table.name.clone(),
            filter: &table.filter,
            nan_columns: &table.nan_columns,
            unused: &table.unused_conditions,
        })
        .collect();
    let mut unseen = occurrences(scan);
    for read in &reads {
        if let Some(at) = unseen.iter().position(|name| **name == read.name) {
            unseen.swap_remove(at);
        }
    }
    // Without any condition the whole table is exactly what is read.
    let filter = if scan.has_where || parsed.is_some() {
        &WHOLE_TABLE
    } else {
        &NO_FILTER
    };
    reads.extend(unseen.into_iter().map(|name| Read {
        name: name.clone(),
        filter,
        nan_columns: &NO_COLUMNS,
        unused: &[],
    }));
    reads
}

/// What the scan sees: the tables read, and the target if it is read before it is written.
fn occurrences(scan: &Scan) -> Vec<&TableName> {
    let targets = if scan.inner_kind.reads_targets() {
        scan.targets.as_slice()
    } else {
        &[]
    };
    scan.tables.iter().chain(targets).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lakegate_core::sql::lexer::LexicalRules;
    use lakegate_core::sql::parse::{ParseInput, parse};
    use lakegate_core::sql::scan::scan;

    fn names(sql: &str, parse_it: bool) -> Vec<String> {
        let rules = LexicalRules::TRINO;
        let scanned = scan(sql, &rules, &[]);
        let parsed = parse(&ParseInput {
            text: sql,
            rules: &rules,
            prepared: &[],
            now: None,
        });
        let parsed = parsed.ok().filter(|_| parse_it);
        let mut names: Vec<String> = reads(&scanned, parsed.as_ref())
            .iter()
            .map(|read| read.name.to_string())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn every_occurrence_counts_with_and_without_the_parser() {
        for (sql, want) in [
            ("SELECT * FROM a", vec!["a"]),
            ("SELECT * FROM a x JOIN a y ON x.i = y.i", vec!["a", "a"]),
            (
                "WITH c AS (SELECT * FROM a) SELECT * FROM c JOIN b ON c.i = b.i",
                vec!["a", "b"],
            ),
            (
                "MERGE INTO t USING s ON t.i = s.i WHEN MATCHED THEN DELETE",
                vec!["s", "t"],
            ),
            ("DELETE FROM t WHERE i = 1", vec!["t"]),
            ("INSERT INTO t SELECT * FROM s", vec!["s"]),
        ] {
            assert_eq!(names(sql, true), want, "{sql}");
            assert_eq!(names(sql, false), want, "{sql}, not parsed");
        }
    }

    #[test]
    fn a_table_that_the_parser_misses_counts_whole() {
        let rules = LexicalRules::TRINO;
        let sql = "SELECT * FROM a WHERE i = 1";
        let parsed = parse(&ParseInput {
            text: sql,
            rules: &rules,
            prepared: &[],
            now: None,
        })
        .unwrap();
        let scanned = scan("SELECT * FROM a, b, a WHERE i = 1", &rules, &[]);
        let found: Vec<(String, bool)> = reads(&scanned, Some(&parsed))
            .iter()
            .map(|read| (read.name.to_string(), read.filter.predicate == Predicate::AlwaysTrue))
            .collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found.iter().filter(|(_, whole)| *whole).count(), 2);
    }
}
