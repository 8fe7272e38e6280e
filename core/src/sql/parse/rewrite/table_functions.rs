//! Arguments of table functions: `TABLE(t) PARTITION BY .. ORDER BY ..`, `DESCRIPTOR(..)`, `COPARTITION (..)`.
//!
//! A table becomes a query of all of it, in parentheses. How its rows are parted and ordered is left out, as is what the
//! function is told about columns: all columns count as read.

use super::edit::{Edits, Put};
use super::view::View;

pub(super) const WORDS: &[&str] = &["TABLE"];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    let mut in_function = 0;
    for at in 0..view.len() {
        if view.is(at, "TABLE") && view.symbol(at + 1, "(") {
            if is_relation(view, at) {
                // TABLE(f(..)): what an argument may have, it has up to here.
                in_function = view.closing(at + 1).unwrap_or(at).max(in_function);
            } else if at < in_function {
                argument(view, at, edits);
            }
        } else if at < in_function && view.is(at, "DESCRIPTOR") && is_argument(view, at) {
            descriptor(view, at, edits);
        } else if at < in_function && view.is(at, "COPARTITION") && view.symbol(at + 1, "(") && !is_argument(view, at) {
            copartition(view, at, edits);
        }
    }
}

/// `FROM TABLE(`, `JOIN TABLE(`, `, TABLE(f(..))`
fn is_relation(view: &View<'_, '_>, at: usize) -> bool {
    let called = view.after_name(at + 2).filter(|open| view.symbol(*open, "("));
    let ends = called.and_then(|open| view.closing(open)).map(|closing| closing + 1);
    ends.is_some() && ends == view.closing(at + 1)
}

fn is_argument(view: &View<'_, '_>, at: usize) -> bool {
    view.follows_symbol(at, &["(", ",", "=>"])
}

fn argument<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let Some(closing) = view.closing(at + 1).filter(|_| is_argument(view, at)) else {
        return;
    };
    let names_table = view.after_name(at + 2) == Some(closing);
    if !names_table && !view.starts_query(at + 2) {
        return;
    }
    let ends = |at| view.symbol_any(at, &[",", ")"]) || (view.is(at, "COPARTITION") && !view.follows(at, &["AS"]));
    let rest = view.find(closing + 1..view.len(), ends).unwrap_or(view.len());
    if !view.may_leave_out(closing + 1..rest, &mut edits.notes) {
        return;
    }
    edits.leave_out(at..at + 1);
    if names_table && !view.starts_query(at + 2) {
        edits.put_all(at + 2, &[Put::Word("SELECT"), Put::Symbol("*"), Put::Word("FROM")]);
    }
    edits.leave_out(closing + 1..rest);
}

/// `COPARTITION (a, b), (c, d)` after the last argument: names of arguments.
fn copartition<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let mut end = view.next(at + 1);
    while view.symbol(end, ",") && view.symbol(end + 1, "(") {
        end = view.next(end + 1);
    }
    let mut names = edits.notes;
    if view.may_leave_out(at..end, &mut names) {
        edits.leave_out(at..end);
    }
}

fn descriptor<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let Some(closing) = view.symbol(at + 1, "(").then(|| view.closing(at + 1)).flatten() else {
        return;
    };
    // Names and types: what looks like a call is a type.
    let mut types = edits.notes;
    if view.may_leave_out(at..closing + 1, &mut types) {
        edits.replace(at..closing + 1, &[Put::Word("NULL")]);
    }
}
