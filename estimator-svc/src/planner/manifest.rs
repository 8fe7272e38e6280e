//! What is kept of a manifest: live files with their sizes, partitions and column statistics, in as little memory as a
//! plain layout allows.
//!
//! iceberg-rust decodes the file; everything of it that planning does not need is dropped here. What it cannot decode
//! is an error, never a shorter list.

use iceberg::spec::{
    DataContentType, DataFile, DataFileFormat, Literal, Manifest, ManifestFile, ManifestStatus, PartitionSpec,
    PrimitiveType, Schema, Transform,
};

use super::value::Value;

/// Statistics of one column in one file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColumnStats {
    pub(crate) id: i32,
    pub(crate) values: Option<u64>,
    pub(crate) nulls: Option<u64>,
    pub(crate) nans: Option<u64>,
    pub(crate) lower: Option<Value>,
    pub(crate) upper: Option<Value>,
}

impl ColumnStats {
    /// Ten values of column 1, none of them NULL, between these two.
    #[cfg(test)]
    pub(crate) fn ints(lower: i64, upper: i64) -> Self {
        Self {
            id: 1,
            values: Some(10),
            nulls: Some(0),
            nans: None,
            lower: Some(Value::Int(lower)),
            upper: Some(Value::Int(upper)),
        }
    }

    /// True if every value is known to be NULL.
    pub(crate) fn only_nulls(&self) -> bool {
        self.nulls.is_some_and(|nulls| nulls > 0) && self.nulls == self.values
    }

    /// True if every value is known to be NaN.
    pub(crate) fn only_nans(&self) -> bool {
        self.nans.is_some_and(|nans| nans > 0) && self.nans == self.values
    }
}

/// What a delete file has beyond a data file.
#[derive(Clone, Debug)]
pub(crate) struct DeleteInfo {
    /// Deletes by equality on these columns, or by position if there are none.
    pub(crate) equality_ids: Option<Vec<i32>>,
    /// The one data file that it is about, if it says so.
    pub(crate) data_file: Option<Box<str>>,
    /// A deletion vector: a part of a Puffin file.
    pub(crate) vector_offset: Option<i64>,
}

/// One live file.
#[derive(Clone, Debug)]
pub(crate) struct FileEntry {
    pub(crate) path: Box<str>,
    /// Its size; for a deletion vector, the size of its own part.
    pub(crate) bytes: u64,
    pub(crate) records: u64,
    /// Data sequence number; `None` if it is not known.
    pub(crate) sequence: Option<i64>,
    pub(crate) partition: Box<[Option<Value>]>,
    /// By field id, ascending.
    pub(crate) columns: Box<[ColumnStats]>,
    pub(crate) delete: Option<Box<DeleteInfo>>,
}

impl FileEntry {
    /// The statistics of a column, if the file has any.
    pub(crate) fn column(&self, field_id: i32) -> Option<&ColumnStats> {
        self.columns
            .binary_search_by_key(&field_id, |stats| stats.id)
            .ok()
            .and_then(|at| self.columns.get(at))
    }

    fn weight(&self) -> usize {
        let strings: usize = self
            .columns
            .iter()
            .flat_map(|stats| [&stats.lower, &stats.upper])
            .flatten()
            .map(Value::heap_bytes)
            .sum();
        size_of::<Self>()
            + self.path.len()
            + size_of_val(self.columns.as_ref())
            + size_of_val(self.partition.as_ref())
            + strings
    }
}

/// A manifest as planning needs it.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) files: Vec<FileEntry>,
}

impl Decoded {
    /// Memory taken, for the cache's bound.
    pub(crate) fn weight(&self) -> usize {
        self.files.iter().map(FileEntry::weight).sum::<usize>() + 256
    }

    /// Takes what planning needs.
    pub(crate) fn from_manifest(manifest: &Manifest, file: &ManifestFile) -> Result<Self, String> {
        let metadata = manifest.metadata();
        let reader = PartitionReader::new(&metadata.partition_spec, &metadata.schema)?;
        let mut files = Vec::with_capacity(manifest.entries().len());
        for entry in manifest.entries() {
            if entry.status() == ManifestStatus::Deleted {
                continue;
            }
            // A number below zero in the file stands for "not assigned yet".
            let sequence = entry.sequence_number().filter(|sequence| *sequence >= 0);
            let partition = reader.read(entry.data_file(), &file.manifest_path)?;
            files.push(file_entry(entry.data_file(), sequence, partition));
        }
        Ok(Self { files })
    }
}

fn file_entry(file: &DataFile, sequence: Option<i64>, partition: Box<[Option<Value>]>) -> FileEntry {
    let delete = (file.content_type() != DataContentType::Data).then(|| {
        let is_vector = file.file_format() == DataFileFormat::Puffin;
        Box::new(DeleteInfo {
            equality_ids: (file.content_type() == DataContentType::EqualityDeletes)
                .then(|| file.equality_ids().unwrap_or_default()),
            data_file: file.referenced_data_file().map(Into::into),
            vector_offset: is_vector.then(|| file.content_offset().unwrap_or_default()),
        })
    });
    let vector_bytes = delete
        .as_ref()
        .filter(|delete| delete.vector_offset.is_some())
        .and_then(|_| u64::try_from(file.content_size_in_bytes()?).ok());
    FileEntry {
        path: file.file_path().into(),
        bytes: vector_bytes.unwrap_or_else(|| file.file_size_in_bytes()),
        records: file.record_count(),
        sequence,
        partition,
        columns: column_stats(file),
        delete,
    }
}

fn column_stats(file: &DataFile) -> Box<[ColumnStats]> {
    let mut ids: Vec<i32> = file
        .value_counts()
        .keys()
        .chain(file.null_value_counts().keys())
        .chain(file.nan_value_counts().keys())
        .chain(file.lower_bounds().keys())
        .chain(file.upper_bounds().keys())
        .copied()
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter()
        .map(|id| {
            let bound = |datum: Option<&iceberg::spec::Datum>| {
                datum.and_then(|datum| Value::of(datum.literal(), datum.data_type()))
            };
            ColumnStats {
                id,
                values: file.value_counts().get(&id).copied(),
                nulls: file.null_value_counts().get(&id).copied(),
                nans: file.nan_value_counts().get(&id).copied(),
                lower: bound(file.lower_bounds().get(&id)),
                upper: bound(file.upper_bounds().get(&id)),
            }
        })
        .collect()
}

/// Reads partition tuples, whose fields have no names or types of their own.
struct PartitionReader {
    /// For each field its transform, and the type of its values.
    fields: Vec<(Transform, Option<PrimitiveType>)>,
}

impl PartitionReader {
    fn new(spec: &PartitionSpec, schema: &Schema) -> Result<Self, String> {
        let kinds = spec
            .partition_type(schema)
            .map_err(|error| format!("partition type: {error}"))?;
        let fields = spec
            .fields()
            .iter()
            .zip(kinds.fields())
            .map(|(field, kind)| (field.transform, kind.field_type.as_primitive_type().cloned()))
            .collect();
        Ok(Self { fields })
    }

    fn read(&self, file: &DataFile, manifest: &str) -> Result<Box<[Option<Value>]>, String> {
        let values = file.partition().fields();
        if values.len() != self.fields.len() {
            return Err(format!(
                "{manifest}: a partition has {} fields instead of {}",
                values.len(),
                self.fields.len()
            ));
        }
        self.fields
            .iter()
            .zip(values)
            .map(|((transform, kind), value)| match value {
                None => Ok(None),
                Some(literal) => partition_value(literal, *transform, kind.as_ref())
                    .map(Some)
                    .ok_or_else(|| format!("{manifest}: a partition value does not fit its type")),
            })
            .collect()
    }
}

/// A partition field's value; what time and bucket transforms give is a whole number.
pub(crate) fn partition_value(literal: &Literal, transform: Transform, kind: Option<&PrimitiveType>) -> Option<Value> {
    let Literal::Primitive(literal) = literal else {
        return None;
    };
    match transform {
        Transform::Identity | Transform::Truncate(_) => Value::of(literal, kind?),
        _ => Value::whole(literal),
    }
}
