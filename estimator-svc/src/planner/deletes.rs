//! Which delete files a scan reads beside its data files.
//!
//! The rules of Iceberg's specification ("Scan Planning"): an equality delete applies to older files of its partition,
//! or of the whole table if it was written without one; a position delete to files of its partition that are not newer,
//! or to the one file it names; a deletion vector to its one file, in place of all position deletes. A delete file that
//! applies to several data files is counted once.
//!
//! One thing is not known here: a position delete that names its one file only by the bounds of its path column (the
//! decoder drops these). It counts for its whole partition, and the answer is then an upper bound.

use std::collections::HashMap;

use super::manifest::{ColumnStats, DeleteInfo, FileEntry};
use super::value::Value;

/// Beyond this many pairs of files to be compared, every delete file is counted instead.
const MOST_PAIRS: usize = 20_000_000;

/// A partition: the spec that it is of, and its values.
type Partition<'a> = (i32, &'a [Option<Value>]);

/// The delete files that apply to some of the data files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Applied {
    pub(crate) files: u64,
    pub(crate) bytes: Option<u64>,
    /// True if a file may be among them that does not apply.
    pub(crate) upper_bound: bool,
}

/// A file with the id of its partition spec.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) spec_id: i32,
    /// The spec has no fields.
    pub(crate) unpartitioned: bool,
    pub(crate) file: &'a FileEntry,
}

#[derive(Default)]
struct Index<'a> {
    global_equality: Vec<usize>,
    equality: HashMap<Partition<'a>, Vec<usize>>,
    position: HashMap<Partition<'a>, Vec<usize>>,
    position_by_path: HashMap<&'a str, Vec<usize>>,
    vectors: HashMap<&'a str, Vec<usize>>,
}

/// Counts what applies.
pub(crate) fn applied(data: &[Placed<'_>], deletes: &[Placed<'_>], required: &dyn Fn(i32) -> bool) -> Applied {
    if data.is_empty() || deletes.is_empty() {
        return Applied {
            bytes: Some(0),
            ..Applied::default()
        };
    }
    let mut used = vec![false; deletes.len()];
    let mut upper_bound = false;
    if data.len().saturating_mul(deletes.len()) > MOST_PAIRS {
        used.fill(true);
        upper_bound = true;
    } else {
        let index = Index::new(deletes, &mut upper_bound);
        for placed in data {
            index.mark(placed, deletes, required, &mut used);
        }
    }
    let mut applied = Applied {
        files: 0,
        bytes: Some(0),
        upper_bound,
    };
    for (delete, used) in deletes.iter().zip(used) {
        if used {
            applied.files += 1;
            applied.bytes = applied.bytes.and_then(|bytes| bytes.checked_add(delete.file.bytes));
        }
    }
    applied
}

impl<'a> Index<'a> {
    fn new(deletes: &[Placed<'a>], upper_bound: &mut bool) -> Self {
        let mut index = Self::default();
        for (at, placed) in deletes.iter().enumerate() {
            let Some(info) = placed.file.delete.as_deref() else {
                continue;
            };
            let partition = (placed.spec_id, placed.file.partition.as_ref());
            let list = match info {
                DeleteInfo {
                    equality_ids: Some(_), ..
                } if placed.unpartitioned => &mut index.global_equality,
                DeleteInfo {
                    equality_ids: Some(_), ..
                } => index.equality.entry(partition).or_default(),
                DeleteInfo {
                    vector_offset: Some(_),
                    data_file: Some(path),
                    ..
                } => index.vectors.entry(path).or_default(),
                DeleteInfo {
                    data_file: Some(path), ..
                } => index.position_by_path.entry(path).or_default(),
                _ => {
                    *upper_bound = true;
                    index.position.entry(partition).or_default()
                }
            };
            list.push(at);
        }
        index
    }

    fn mark(&self, data: &Placed<'_>, deletes: &[Placed<'_>], required: &dyn Fn(i32) -> bool, used: &mut [bool]) {
        let partition = (data.spec_id, data.file.partition.as_ref());
        let mut consider = |list: Option<&Vec<usize>>, applies: &dyn Fn(&FileEntry) -> bool| {
            for at in list.into_iter().flatten() {
                if let (Some(used), Some(delete)) = (used.get_mut(*at), deletes.get(*at)) {
                    *used = *used || applies(delete.file);
                }
            }
        };
        // What is not known applies.
        let sequence = data.file.sequence.unwrap_or(0);
        let newer = |delete: &FileEntry| delete.sequence.is_none_or(|delete| delete > sequence);
        let not_older = |delete: &FileEntry| delete.sequence.is_none_or(|delete| delete >= sequence);
        let equality = |delete: &FileEntry| newer(delete) && may_delete_from(delete, data.file, required);
        consider(Some(&self.global_equality), &equality);
        consider(self.equality.get(&partition), &equality);
        let path = data.file.path.as_ref();
        match self.vectors.get(path) {
            Some(vectors) => consider(Some(vectors), &not_older),
            None => {
                consider(self.position.get(&partition), &not_older);
                consider(self.position_by_path.get(path), &not_older);
            }
        }
    }
}

/// False only if an equality delete's values and the data file's cannot meet, by the statistics of both.
fn may_delete_from(delete: &FileEntry, data: &FileEntry, required: &dyn Fn(i32) -> bool) -> bool {
    let ids = delete
        .delete
        .as_deref()
        .and_then(|info| info.equality_ids.as_deref())
        .unwrap_or_default();
    ids.iter().all(|id| {
        let (Some(deleted), Some(stored)) = (delete.column(*id), data.column(*id)) else {
            return true;
        };
        let has_nulls = |stats: &ColumnStats| !required(*id) && stats.nulls != Some(0);
        let no_nulls = |stats: &ColumnStats| required(*id) || stats.nulls == Some(0);
        if has_nulls(deleted) && has_nulls(stored) {
            return true;
        }
        if (stored.only_nulls() && no_nulls(deleted)) || (deleted.only_nulls() && no_nulls(stored)) {
            return false;
        }
        let above = |low: &Option<Value>, high: &Option<Value>| match (low, high) {
            (Some(low), Some(high)) => low.compare(high) == Some(std::cmp::Ordering::Greater),
            _ => false,
        };
        !above(&stored.lower, &deleted.upper) && !above(&deleted.lower, &stored.upper)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(path: &str, sequence: i64, partition: i64) -> FileEntry {
        FileEntry {
            path: path.into(),
            bytes: 1000,
            records: 10,
            sequence: Some(sequence),
            partition: Box::new([Some(Value::Int(partition))]),
            columns: Box::default(),
            delete: None,
        }
    }

    fn delete(path: &str, sequence: i64, partition: i64, info: DeleteInfo) -> FileEntry {
        FileEntry {
            bytes: 7,
            delete: Some(Box::new(info)),
            ..data(path, sequence, partition)
        }
    }

    fn position(data_file: Option<&str>) -> DeleteInfo {
        DeleteInfo {
            equality_ids: None,
            data_file: data_file.map(Into::into),
            vector_offset: None,
        }
    }

    fn equality() -> DeleteInfo {
        DeleteInfo {
            equality_ids: Some(vec![1]),
            ..position(None)
        }
    }

    fn vector(data_file: &str) -> DeleteInfo {
        DeleteInfo {
            vector_offset: Some(4),
            ..position(Some(data_file))
        }
    }

    fn count(data: &[FileEntry], deletes: &[FileEntry]) -> (u64, bool) {
        let place = |files: &'static [FileEntry]| -> Vec<Placed<'static>> {
            files
                .iter()
                .map(|file| Placed {
                    spec_id: 0,
                    unpartitioned: false,
                    file,
                })
                .collect()
        };
        let data: &'static [FileEntry] = data.to_vec().leak();
        let deletes: &'static [FileEntry] = deletes.to_vec().leak();
        let applied = applied(&place(data), &place(deletes), &|_| false);
        assert_eq!(applied.bytes, Some(applied.files * 7));
        (applied.files, applied.upper_bound)
    }

    #[test]
    fn equality_deletes_apply_to_older_files_of_their_partition() {
        let deletes = [delete("e", 5, 1, equality())];
        assert_eq!(count(&[data("a", 4, 1)], &deletes), (1, false));
        assert_eq!(count(&[data("a", 5, 1)], &deletes), (0, false));
        assert_eq!(count(&[data("a", 4, 2)], &deletes), (0, false));
    }

    #[test]
    fn a_position_delete_applies_to_the_file_it_names_or_to_its_partition() {
        let of_one = [delete("p", 5, 1, position(Some("a")))];
        assert_eq!(count(&[data("a", 5, 1)], &of_one), (1, false));
        assert_eq!(count(&[data("b", 5, 1)], &of_one), (0, false));
        let of_partition = [delete("p", 5, 1, position(None))];
        assert_eq!(count(&[data("b", 5, 1)], &of_partition), (1, true));
        assert_eq!(count(&[data("b", 6, 1)], &of_partition), (0, true));
    }

    #[test]
    fn a_deletion_vector_stands_in_for_all_position_deletes_of_its_file() {
        let deletes = [delete("v", 6, 1, vector("a")), delete("p", 5, 1, position(Some("a")))];
        assert_eq!(count(&[data("a", 4, 1)], &deletes), (1, false));
    }

    #[test]
    fn a_delete_file_counts_once_for_many_data_files() {
        let deletes = [delete("e", 5, 1, equality())];
        assert_eq!(count(&[data("a", 1, 1), data("b", 2, 1)], &deletes), (1, false));
    }

    #[test]
    fn an_unknown_sequence_number_applies() {
        let mut unknown = delete("e", 5, 1, equality());
        unknown.sequence = None;
        assert_eq!(count(&[data("a", 9, 1)], &[unknown]), (1, false));
    }

    #[test]
    fn an_equality_delete_whose_values_lie_elsewhere_does_not_apply() {
        let stats = |lower, upper| Box::new([ColumnStats::ints(lower, upper)]);
        let mut file = data("a", 1, 1);
        file.columns = stats(0, 9);
        let mut far = delete("e", 5, 1, equality());
        far.columns = stats(10, 20);
        let mut near = far.clone();
        near.columns = stats(9, 20);
        assert_eq!(count(&[file.clone()], &[far]), (0, false));
        assert_eq!(count(&[file], &[near]), (1, false));
    }
}
