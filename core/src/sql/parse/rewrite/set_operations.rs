//! `UNION CORRESPONDING`, and `TABLE t` as a query.
//!
//! Columns of the two sides correspond by name and not by place: sqlparser knows that as `BY NAME`. Whatever is concluded
//! about columns by their place would be wrong, so nothing is believed to prune such a statement's tables. `TABLE t` becomes
//! `SELECT * FROM t`, which means the same and lets the name have a catalog.

use super::edit::{Edits, Put};
use super::view::View;

pub(super) const WORDS: &[&str] = &["CORRESPONDING", "TABLE"];

const OPERATIONS: [&str; 4] = ["EXCEPT", "INTERSECT", "MINUS", "UNION"];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for at in 0..view.len() {
        if view.is(at, "CORRESPONDING") {
            corresponding(view, at, edits);
        } else if view.is(at, "TABLE") && view.is_name(at + 1) && starts_query(view, at) {
            edits.replace(at..at + 1, &[Put::Word("SELECT"), Put::Symbol("*"), Put::Word("FROM")]);
        }
    }
}

fn corresponding<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let quantified = view.follows(at, &["ALL", "DISTINCT"]);
    let operation = view
        .before(at)
        .and_then(|before| if quantified { view.before(before) } else { Some(before) });
    if !operation.is_some_and(|operation| view.is_any(operation, &OPERATIONS)) {
        return;
    }
    let end = if view.is(at + 1, "BY") && view.symbol(at + 2, "(") {
        view.next(at + 2)
    } else {
        at + 1
    };
    edits.replace(at..end, &[Put::Word("BY"), Put::Word("NAME")]);
    edits.notes.width_unknown = true;
    edits.notes.by_name = true;
}

/// Where a query may begin: at the very beginning, in parentheses, after WITH and after a set operation.
fn starts_query(view: &View<'_, '_>, at: usize) -> bool {
    at == 0
        || view.follows_symbol(at, &["(", ")"])
        || view.follows(at, &OPERATIONS)
        || view.follows(at, &["ALL", "DISTINCT", "CORRESPONDING", "NAME"])
}
