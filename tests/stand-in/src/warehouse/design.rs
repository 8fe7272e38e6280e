//! How a table of the warehouse is described, in either kind.

use datafusion::arrow::array::ArrayRef;
use iceberg::spec::{Datum, Literal, NestedField, PrimitiveType, Schema, Transform, Type, UnboundPartitionSpec};

use super::Kind;
use crate::error::{Context, Result};

/// One mebibyte and one gibibyte: sizes here are 1024-based, as in the routing policy.
pub(crate) const MB: u64 = 1 << 20;
/// See [`MB`].
pub(crate) const GB: u64 = 1 << 30;

/// A row of a stated file is taken to weigh this much, so that row counts are whole numbers too.
pub(crate) const STATED_ROW_BYTES: u64 = 512;

/// A table: its name, shape and files.
pub(crate) struct Design {
    /// The namespace.
    pub(crate) namespace: &'static str,
    /// The name in the namespace.
    pub(crate) name: &'static str,
    /// Names and types; field ids are 1, 2, 3 and so on.
    pub(crate) columns: &'static [(&'static str, PrimitiveType)],
    /// Source column, transform, and the partition field's name.
    pub(crate) partition: &'static [(&'static str, Transform, &'static str)],
    /// Every data file of the table in this kind.
    pub(crate) files: fn(Kind) -> Vec<File>,
}

/// One data file.
pub(crate) struct File {
    /// Where it lies below the table's `data` folder.
    pub(crate) path: String,
    /// One value for each partition field.
    pub(crate) partition: Vec<Literal>,
    /// Real rows, or what the metadata says.
    pub(crate) content: Content,
}

/// What is in a file, or said to be.
pub(crate) enum Content {
    /// Makes the columns, in the schema's order.
    Rows(Box<dyn FnOnce() -> Vec<ArrayRef> + Send>),
    /// Metadata alone.
    Stated(Stated),
}

/// What a manifest states of a file that does not exist.
pub(crate) struct Stated {
    /// The file's size.
    pub(crate) bytes: u64,
    /// For some columns, by name, the lowest and highest value.
    pub(crate) bounds: Vec<(&'static str, Datum, Datum)>,
}

impl Design {
    /// The table's name with its namespace.
    pub(crate) fn full_name(&self) -> String {
        format!("{}.{}", self.namespace, self.name)
    }

    /// The Iceberg schema.
    pub(crate) fn schema(&self) -> Result<Schema> {
        let fields = (1..)
            .zip(self.columns)
            .map(|(id, (name, kind))| NestedField::optional(id, *name, Type::Primitive(kind.clone())).into());
        Schema::builder()
            .with_fields(fields)
            .build()
            .context(|| format!("bad schema of {}", self.full_name()))
    }

    /// The id of a column.
    pub(crate) fn field_id(&self, column: &str) -> Option<i32> {
        (1..)
            .zip(self.columns)
            .find_map(|(id, (name, _))| (*name == column).then_some(id))
    }

    /// The partition spec.
    pub(crate) fn partition_spec(&self) -> Result<UnboundPartitionSpec> {
        let mut spec = UnboundPartitionSpec::builder().with_spec_id(0);
        for (column, transform, name) in self.partition {
            let id = self.field_id(column).unwrap_or_default();
            spec = spec
                .add_partition_field(id, *name, *transform)
                .context(|| format!("bad partition spec of {}", self.full_name()))?;
        }
        Ok(spec.build())
    }
}

/// Deals `total` out by weight, in whole numbers and without a remainder.
pub(crate) fn spread(total: u64, weights: &[u64]) -> Vec<u64> {
    let sum = weights.iter().sum::<u64>().max(1);
    let mut dealt = 0;
    let mut weight_so_far = 0;
    weights
        .iter()
        .map(|weight| {
            weight_so_far += weight;
            let share = total * weight_so_far / sum - dealt;
            dealt += share;
            share
        })
        .collect()
}

/// The first and last day, counted from the span's first day, of part `part` of `parts` of a span of `days`
/// days. With more parts than days several parts share a day.
pub(crate) const fn part_of_span(part: u64, parts: u64, days: u64) -> (u64, u64) {
    let first = part * days / parts;
    let end = ((part + 1) * days).div_ceil(parts);
    (first, if end > first { end - 1 } else { first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_in_dealing_out() {
        let weights = [31, 30, 31, 1];
        for total in [0, 1, 7, 93, 1000] {
            assert_eq!(spread(total, &weights).iter().sum::<u64>(), total);
        }
    }

    #[test]
    fn parts_cover_the_span_whether_days_or_parts_are_more() {
        assert_eq!(part_of_span(0, 1, 31), (0, 30));
        assert_eq!(part_of_span(0, 2, 31), (0, 15));
        assert_eq!(part_of_span(1, 2, 31), (15, 30));
        assert_eq!(part_of_span(61, 62, 31), (30, 30));
    }
}
