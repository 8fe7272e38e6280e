//! No row that a query returns lies in a file that Lakegate prunes: shown against DataFusion, on generated tables.
//!
//! Each case is a text. Lakegate parses it and plans over real Iceberg metadata, by the code that ships; a file's size
//! is a bit of its own, so that the bytes planned say which files survive. DataFusion runs the same text, in its own
//! dialect, over the rows themselves.
//!
//! - [`conditions`]: a WHERE over one table, evaluated on every row. A row for which it is true must lie in a file that
//!   survives.
//! - [`statements`]: joins, derived tables, subqueries and aggregates, run twice: over all files, and over those that
//!   survive. Both must return the same rows.
//!
//! Reading order: `value`, `rows`, `files`, `table` (what is there); `session`, `text`, `literal`, `term`, `predicate`,
//! `query` (what is asked); `engine` and `pruning` (who answers).
//!
//! A failure prints its seed and the table's number; `LAKEGATE_SOUNDNESS_SEED` runs other cases than the usual ones.
//!
//! That it can fail was tried by breaking the code by hand, one thing at a time. Both tests failed for each of: `<=` at a
//! file's lower bound taken for `<`; NaN not let through `>`; negative numbers truncated toward zero. [`conditions`] failed
//! for partitions of early writers before 1970 taken at their word.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests are tests"
)]

mod engine;
mod files;
mod literal;
mod predicate;
mod pruning;
mod query;
mod random;
mod rows;
mod session;
mod table;
mod term;
mod text;
mod value;

use datafusion::common::DFSchema;
use lakegate::planner::Planner;

use random::Random;
use session::Session;
use table::{Lake, Table};
use term::Scope;
use text::Both;

/// Tables, and conditions on each: 21,600 cases.
const TABLES: u64 = 72;
const SESSIONS: usize = 3;
const CONDITIONS: usize = 100;

/// Statements over three tables each.
const GROUPS: u64 = 12;
const STATEMENTS: usize = 60;

/// What came of the cases.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    /// Lakegate pruned something.
    pruning: usize,
    /// Files that could have been pruned, and those that were.
    files: u64,
    pruned: u64,
    /// DataFusion returned rows.
    matching: usize,
    /// DataFusion refused the text.
    refused: usize,
    /// Lakegate's parser did.
    declined: usize,
}

impl Tally {
    fn count(&mut self, tables: &[&Table], kept: &[u64]) {
        let (mut all, mut left) = (0, 0);
        for (table, kept) in tables.iter().zip(kept) {
            all += table.files.len() as u64;
            left += u64::from(kept.count_ones());
        }
        self.files += all;
        self.pruned += all - left;
        self.pruning += usize::from(left < all);
    }

    /// The promise is empty if nothing is pruned, if nothing matches, or if the two never meet.
    fn check(&self) {
        println!("{self:?}");
        assert!(self.pruning * 3 > self.cases, "too few cases prune: {self:?}");
        assert!(self.pruned * 8 > self.files, "too few files are pruned: {self:?}");
        assert!(self.matching * 3 > self.cases, "too few cases match: {self:?}");
        assert!(self.refused * 50 < self.cases, "DataFusion refuses too many: {self:?}");
        assert!(
            self.declined * 100 < self.cases,
            "the parser declines too many: {self:?}"
        );
    }
}

fn seed() -> u64 {
    std::env::var("LAKEGATE_SOUNDNESS_SEED").map_or(2026, |seed| seed.parse().unwrap())
}

/// Runs a test where DataFusion's planner has the stack that it takes without optimisation.
fn run<F: Future<Output = ()>>(test: impl FnOnce() -> F + Send + 'static) {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let thread = std::thread::Builder::new().stack_size(32 << 20);
    let thread = thread.spawn(move || runtime().block_on(test())).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn conditions() {
    run(|| async {
        let mut tally = Tally::default();
        for number in 0..TABLES {
            conditions_on(number, &mut tally).await;
        }
        tally.check();
        assert!(tally.cases >= 20_000, "{tally:?}");
    });
}

async fn conditions_on(number: u64, tally: &mut Tally) {
    let mut random = Random::new(seed().wrapping_mul(1_000_003).wrapping_add(number));
    let table = Lake::open().await.table(format!("t{number}"), &mut random).await;
    let planner = Planner::new(1 << 20);
    let context = engine::context();
    for _ in 0..SESSIONS {
        let session = Session::new(&mut random);
        let batch = engine::batch(&table.files, u64::MAX, &session);
        let schema = DFSchema::try_from(batch.schema()).unwrap();
        for _ in 0..CONDITIONS {
            tally.cases += 1;
            let scope = Scope::of_table("", &table.rows, session);
            // Small ones show most: in large ones one part hides another.
            let depth = random.of(&[0, 0, 0, 1, 1, 2, 3]);
            let condition = predicate::condition(&scope, depth, &mut random);
            let sql = format!("SELECT * FROM {} WHERE {}", table.name, condition.trino);
            let found = match engine::evaluate(&context, &schema, &batch, &condition.datafusion) {
                Ok(found) => found,
                Err(error) => {
                    tally.refused += 1;
                    refused(&condition, &error);
                    continue;
                }
            };
            let Some(kept) = pruning::survivors(&planner, &[&table], &sql, &session).await else {
                tally.declined += 1;
                continue;
            };
            tally.count(&[&table], &kept);
            tally.matching += usize::from(found.contains(&true));
            let places = table.files.iter().enumerate();
            let places = places.flat_map(|(file, rows)| rows.rows.iter().map(move |row| (file, row)));
            for ((file, row), found) in places.zip(found) {
                assert!(
                    !found || kept[0] & (1 << file) != 0,
                    "seed {}, table {number}, {session:?}: lost {row:?} of file {file}, {:?} in {:?}\n{sql}\n{}",
                    seed(),
                    table.files[file].partition,
                    table.spec,
                    condition.datafusion,
                );
            }
        }
    }
}

#[test]
fn statements() {
    run(|| async {
        let mut tally = Tally::default();
        for number in 0..GROUPS {
            statements_on(number, &mut tally).await;
        }
        tally.check();
    });
}

async fn statements_on(number: u64, tally: &mut Tally) {
    let mut random = Random::new(seed().wrapping_mul(1_000_003).wrapping_add(1_000 + number));
    let lake = Lake::open().await;
    let mut tables = Vec::new();
    for name in ["ta", "tb", "tc"] {
        tables.push(lake.table(name.to_owned(), &mut random).await);
    }
    let planner = Planner::new(1 << 20);
    for _ in 0..STATEMENTS {
        tally.cases += 1;
        let session = Session::new(&mut random);
        let sql = query::statement([&tables[0], &tables[1], &tables[2]], session, &mut random);
        let used: Vec<&Table> = tables.iter().filter(|table| sql.trino.contains(&table.name)).collect();
        let Some(kept) = pruning::survivors(&planner, &used, &sql.trino, &session).await else {
            tally.declined += 1;
            continue;
        };
        tally.count(&used, &kept);
        let of_files = |kept: &dyn Fn(usize) -> u64| {
            let tables = used.iter().enumerate();
            let batches =
                tables.map(|(at, table)| (table.name.clone(), engine::batch(&table.files, kept(at), &session)));
            batches.collect::<Vec<_>>()
        };
        let all = match engine::rows(&of_files(&|_| u64::MAX), &sql.datafusion).await {
            Ok(all) => all,
            Err(error) => {
                tally.refused += 1;
                refused(&sql, &error);
                continue;
            }
        };
        tally.matching += usize::from(!all.is_empty());
        let left = engine::rows(&of_files(&|at| kept[at]), &sql.datafusion).await.unwrap();
        assert!(
            all == left,
            "seed {}, group {number}, {session:?}: {} rows instead of {}, first lost {:?}, first new {:?}\n{}\n{}\n{:?}",
            seed(),
            left.len(),
            all.len(),
            all.iter().find(|row| !left.contains(row)),
            left.iter().find(|row| !all.contains(row)),
            sql.trino,
            sql.datafusion,
            used.iter().map(|table| &table.spec).collect::<Vec<_>>(),
        );
    }
}

/// Says what DataFusion would not run, for whoever asks with `--nocapture`.
fn refused(text: &Both, error: &datafusion::common::DataFusionError) {
    let message = error.to_string();
    let head: String = message.chars().take(300).collect();
    println!("refused: {head}\n  {}", text.datafusion);
}
