//! All fields of a row, `(r).* AS (a, b)`, and names for all columns, `t.* AS (a, b)`.
//!
//! sqlparser knows the fields of an expression, without names for them. All columns under other names are written as the
//! fields of a call with all columns: in the tree either is any number of columns of any name, so that no name outside is
//! taken for a column inside.

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
    let named = view.is(star + 1, "AS") && view.symbol(star + 2, "(");
    let Some(end) = view.closing(star + 2).filter(|_| named) else {
        return;
    };
    if !view.follows_symbol(dot, &[")", "]"]) {
        let Some(start) = view.operand_start(dot) else { return };
        edits.put_all(start, &[Put::Symbol("("), Put::Word(OPAQUE), Put::Symbol("(")]);
        edits.put_all(star + 1, &[Put::Symbol(")"), Put::Symbol(")")]);
        edits.put_all(star + 1, &[Put::Symbol("."), Put::Symbol("*")]);
    }
    edits.leave_out(star + 1..end + 1);
}
