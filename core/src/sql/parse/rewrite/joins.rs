//! `JOIN NEAREST (FROM t WHERE .. MATCH ..)`: for each row on the left the nearest row on the right.
//!
//! It becomes a lateral query of the right side, with its own conditions. What is nearest goes into the order, where its
//! columns count as read. A LIMIT that is no number keeps conditions from outside away: which row is nearest is decided
//! before they are asked.

use super::edit::{BARRIER, Edits, Put};
use super::view::View;

pub(super) const WORDS: &[&str] = &["NEAREST"];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for at in 0..view.len() {
        if view.is(at, "NEAREST") && view.symbol(at + 1, "(") && view.is(at + 2, "FROM") {
            nearest(view, at, edits);
        }
    }
}

fn nearest<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let Some(closing) = view.closing(at + 1) else { return };
    let Some(keyword) = view.find(at + 3..closing, |at| view.is(at, "MATCH")) else {
        return;
    };
    edits.replace(at..at + 1, &[Put::Word("LATERAL")]);
    edits.put_all(at + 2, &[Put::Word("SELECT"), Put::Symbol("*")]);
    edits.replace(keyword..keyword + 1, &[Put::Word("ORDER"), Put::Word("BY")]);
    edits.put_all(closing, &BARRIER);
    edits.notes.width_unknown = true;
    edits.notes.other_rows = true;
}
