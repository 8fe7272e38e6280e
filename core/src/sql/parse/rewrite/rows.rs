//! All fields of a row, `(r).*`, and names for all columns, `t.* AS (a, b)`.
//!
//! Both become a call with what stood there as its argument: no name outside means a column inside any more, and the
//! number of columns is unknown.

use super::edit::{Edits, Put};
use super::view::{OPAQUE, View};

pub(super) const WORDS: &[&str] = &["*"];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for star in 0..view.len() {
        if view.symbol(star, "*") && view.follows_symbol(star, &["."]) {
            all_fields(view, star, edits);
        }
    }
}

fn all_fields<'t>(view: &View<'_, 't>, star: usize, edits: &mut Edits<'t>) {
    let Some(dot) = view.before(star) else { return };
    let of_row = view.follows_symbol(dot, &[")", "]"]);
    let renamed = view.is(star + 1, "AS") && view.symbol(star + 2, "(");
    if !of_row && !renamed {
        return;
    }
    let Some(start) = view.operand_start(dot) else { return };
    let end = if renamed { view.next(star + 2) } else { star + 1 };
    if renamed && view.closing(star + 2).is_none() {
        return;
    }
    edits.put_all(start, &[Put::Word(OPAQUE), Put::Symbol("(")]);
    // (r).* is r; t.* stays.
    edits.leave_out(if of_row { dot } else { star + 1 }..end);
    edits.put(end, Put::Symbol(")"));
    edits.notes.width_unknown = true;
}
