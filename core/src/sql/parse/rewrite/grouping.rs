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
    let after = keys + 1;
    if view.is(keys, "AUTO") && (after == view.len() || view.symbol(after, ")") || view.is_clause(after)) {
        edits.replace(at..after, &[Put::Word("ALL")]);
    } else if quantified && keys < view.len() && !view.symbol_any(keys, &[")", ","]) && !view.is_clause(keys) {
        edits.leave_out(at..keys);
    }
}
