//! Does a materialised aggregate (a Dremio reflection, a summary view) answer a statement in place of its table?
//!
//! A statement is covered when it reads one table, and every column that it groups by, filters on or aggregates is
//! there in the reflection, the aggregates being ones that can be computed from stored partial aggregates. When in
//! doubt the answer is no: the engine decides in the end, and a wrong yes sends a large scan to the wrong place.
//!
//! Not here: which reflections exist (the service knows), nor the statement's shape (`sql::parse`).

use crate::predicate::Column;
use crate::sql::scan::TableName;
use serde::{Deserialize, Serialize};

/// One aggregate of a statement: `SUM(revenue_usd)`, `COUNT(*)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateCall {
    /// The function's name in lower case.
    pub function: String,
    /// The one plain column inside; `None` for `COUNT(*)`.
    pub column: Option<Column>,
    /// DISTINCT inside the call.
    pub distinct: bool,
}

/// A statement that is one aggregation over one table, with nothing in it but plain columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateShape {
    /// The table, as written.
    pub table: TableName,
    /// Columns grouped by.
    pub group_columns: Vec<Column>,
    /// The aggregates; at least one unless there are group columns.
    pub aggregates: Vec<AggregateCall>,
    /// Columns in WHERE.
    pub filter_columns: Vec<Column>,
}

/// A materialised aggregate over one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reflection {
    /// The table it is made from, `catalog.schema.table` or a suffix of that.
    pub table: String,
    /// Columns that rows are grouped by.
    pub dimensions: Vec<String>,
    /// Columns with stored SUM, COUNT, MIN and MAX.
    #[serde(default)]
    pub measures: Vec<String>,
    /// What it is called, for messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Aggregates that come out of stored SUM, COUNT, MIN and MAX of the same column.
const DERIVABLE: [&str; 5] = ["sum", "count", "min", "max", "avg"];

impl Reflection {
    /// True if this reflection answers the statement.
    #[must_use]
    pub fn covers(&self, shape: &AggregateShape) -> bool {
        is_suffix(&self.table, &shape.table)
            && shape
                .group_columns
                .iter()
                .chain(&shape.filter_columns)
                .all(|column| self.has_dimension(column))
            && shape.aggregates.iter().all(|call| self.derives(call))
    }

    fn has_dimension(&self, column: &Column) -> bool {
        named_in(&self.dimensions, column)
    }

    fn derives(&self, call: &AggregateCall) -> bool {
        if !DERIVABLE.contains(&call.function.as_str()) {
            return false;
        }
        match &call.column {
            None => call.function == "count",
            // A distinct value set is there only for what rows are grouped by.
            Some(column) if call.distinct => self.has_dimension(column),
            Some(column) => named_in(&self.measures, column) || self.has_dimension(column),
        }
    }
}

fn named_in(names: &[String], column: &Column) -> bool {
    let [name] = column.0.as_slice() else {
        return false;
    };
    names.iter().any(|candidate| candidate.eq_ignore_ascii_case(name))
}

/// True if the shorter of the two dotted names is the end of the longer one.
fn is_suffix(table: &str, name: &TableName) -> bool {
    let declared = table.split('.').rev();
    let written = name.parts.iter().rev();
    declared
        .zip(written)
        .all(|(declared, written)| declared.eq_ignore_ascii_case(written))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> Column {
        Column(vec![name.into()])
    }

    fn call(function: &str, name: Option<&str>) -> AggregateCall {
        AggregateCall {
            function: function.into(),
            column: name.map(column),
            distinct: false,
        }
    }

    fn shape(group: &[&str], filter: &[&str], aggregates: Vec<AggregateCall>) -> AggregateShape {
        AggregateShape {
            table: TableName {
                parts: vec!["sales".into(), "revenue".into()],
            },
            group_columns: group.iter().copied().map(column).collect(),
            aggregates,
            filter_columns: filter.iter().copied().map(column).collect(),
        }
    }

    fn by_segment_and_day() -> Reflection {
        Reflection {
            table: "sales.revenue".into(),
            dimensions: vec!["segment".into(), "order_date".into()],
            measures: vec!["revenue_usd".into()],
            name: None,
        }
    }

    #[test]
    fn an_aggregation_over_dimensions_and_measures_is_covered() {
        let sum = call("sum", Some("revenue_usd"));
        assert!(by_segment_and_day().covers(&shape(&["segment"], &["order_date"], vec![sum, call("count", None)])));
    }

    #[test]
    fn whatever_the_reflection_lacks_makes_it_not_cover() {
        let sum = || call("sum", Some("revenue_usd"));
        let cases = [
            ("group column", shape(&["customer"], &[], vec![sum()])),
            ("filter column", shape(&["segment"], &["customer"], vec![sum()])),
            ("measure", shape(&["segment"], &[], vec![call("sum", Some("tax"))])),
            (
                "holistic aggregate",
                shape(&["segment"], &[], vec![call("approx_percentile", Some("revenue_usd"))]),
            ),
        ];
        for (what, shape) in cases {
            assert!(!by_segment_and_day().covers(&shape), "{what}");
        }
        let mut other_table = shape(&["segment"], &[], vec![sum()]);
        other_table.table.parts = vec!["sales".into(), "orders".into()];
        assert!(!by_segment_and_day().covers(&other_table));
    }

    #[test]
    fn distinct_values_are_known_of_dimensions_only() {
        let distinct = |name| AggregateCall {
            distinct: true,
            ..call("count", Some(name))
        };
        assert!(by_segment_and_day().covers(&shape(&[], &[], vec![distinct("segment")])));
        assert!(!by_segment_and_day().covers(&shape(&[], &[], vec![distinct("revenue_usd")])));
    }
}
