//! `GROUP BY AUTO`, and ALL or DISTINCT before what is grouped by.
//!
//! Which grouping sets count once says nothing about what is read. AUTO groups by every column that is not aggregated,
//! which sqlparser knows as `GROUP BY ALL`.

use super::edit::{Edits, Put};
use super::view::View;

pub(super) const WORDS: &[&str] = &["GROUP"];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for at in 0..view.len() {
        if view.are(at, &["GROUP", "BY"]) {
            group(view, at + 2, edits);
        }
    }
}

fn group<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let quantified = view.is_any(at, &["ALL", "DISTINCT"]);
    let keys = if quantified { at + 1 } else { at };
    if view.is(keys, "AUTO") && ends_clause(view, keys + 1) {
        edits.replace(at..keys + 1, &[Put::Word("ALL")]);
    } else if quantified && !ends_clause(view, keys) && !view.symbol(keys, ",") {
        edits.leave_out(at..keys);
    }
}

/// Nothing more is grouped by.
fn ends_clause(view: &View<'_, '_>, at: usize) -> bool {
    at >= view.len()
        || view.symbol(at, ")")
        || view.is_clause(at)
        || view.is_any(at, &["CLUSTER", "DISTRIBUTE", "QUALIFY", "SORT", "WITH"])
}
