//! The clauses of JSON functions, and `JSON_TABLE`.
//!
//! What a JSON function is told besides its arguments (types, wrappers, quotes, what to do on errors) is left out; what
//! it is passed, and its defaults, become further arguments. The calls stay opaque. `JSON_TABLE` unfolds a value that is
//! there already, as `UNNEST` does, and becomes one of the document, of what is passed, and of its columns' defaults.

use std::ops::Range;

use super::edit::{Edits, Put};
use super::view::View;
use crate::sql::lexer::TokenKind;

pub(super) const WORDS: &[&str] = &[
    "JSON_ARRAY",
    "JSON_ARRAYAGG",
    "JSON_EXISTS",
    "JSON_OBJECT",
    "JSON_OBJECTAGG",
    "JSON_QUERY",
    "JSON_TABLE",
    "JSON_VALUE",
];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for at in 0..view.len() {
        if !view.is_any(at, WORDS) || !view.symbol(at + 1, "(") {
            continue;
        }
        let Some(closing) = view.closing(at + 1) else { continue };
        if view.is(at, "JSON_TABLE") {
            table(view, at, closing, edits);
        } else {
            let members = view.is_any(at, &["JSON_OBJECT", "JSON_OBJECTAGG"]);
            arguments(view, at + 2..closing, members, edits);
        }
    }
}

/// Commas in the place of what parts arguments otherwise, and no clauses.
fn arguments<'t>(view: &View<'_, 't>, range: Range<usize>, members: bool, edits: &mut Edits<'t>) {
    let mut at = range.start;
    while at < range.end {
        // The parameters of a type look like a call.
        let mut types = edits.notes;
        let clause = after_clause(view, at).map(|end| at..end.min(range.end));
        let next = if let Some(clause) = clause.filter(|clause| view.may_leave_out(clause.clone(), &mut types)) {
            edits.leave_out(clause.clone());
            clause.end.max(at + 1)
        } else {
            if at > range.start && parts_arguments(view, at, members) {
                edits.replace(at..at + 1, &[Put::Symbol(",")]);
            } else if members && is_key_word(view, at) {
                edits.leave_out(at..at + 1);
            }
            view.next(at)
        };
        at = next;
    }
}

/// PASSING and DEFAULT; in objects the colon and VALUE too.
fn parts_arguments(view: &View<'_, '_>, at: usize, members: bool) -> bool {
    if view.follows_symbol(at, &[",", "(", "."]) {
        return false;
    }
    view.is_any(at, &["PASSING", "DEFAULT"])
        || (members && (view.symbol(at, ":") || (view.is(at, "VALUE") && starts_operand(view, at + 1))))
}

/// KEY before the key of a member.
fn is_key_word(view: &View<'_, '_>, at: usize) -> bool {
    view.is(at, "KEY")
        && view.follows_symbol(at, &["(", ","])
        && starts_operand(view, at + 1)
        && !view.is(at + 1, "VALUE")
}

fn starts_operand(view: &View<'_, '_>, at: usize) -> bool {
    match view.kind(at) {
        Some(TokenKind::Symbol) => view.symbol_any(at, &["(", "-", "+"]),
        Some(_) => true,
        None => false,
    }
}

/// The position after a clause that starts at `at` and holds no expression.
fn after_clause(view: &View<'_, '_>, at: usize) -> Option<usize> {
    if view.kind(at) != Some(TokenKind::Word) || view.follows_symbol(at, &[".", "("]) {
        return None;
    }
    if view.are(at, &["FORMAT", "JSON"]) {
        return Some(if view.is(at + 2, "ENCODING") { at + 4 } else { at + 2 });
    }
    if view.is(at, "AS") && view.is_name(at + 1) {
        return Some(at + 2);
    }
    if view.is(at, "RETURNING") {
        return after_type(view, at + 1);
    }
    if view.is_any(at, &["WITH", "WITHOUT"]) {
        if view.is(at + 1, "UNIQUE") {
            return Some(at + 2 + usize::from(view.is(at + 2, "KEYS")));
        }
        let mut end = at + 1;
        end += usize::from(view.is_any(end, &["CONDITIONAL", "UNCONDITIONAL"]));
        end += usize::from(view.is(end, "ARRAY"));
        return view.is(end, "WRAPPER").then_some(end + 1);
    }
    if view.is_any(at, &["KEEP", "OMIT"]) && view.is(at + 1, "QUOTES") {
        let on_scalars = view.are(at + 2, &["ON", "SCALAR", "STRING"]);
        return Some(if on_scalars { at + 5 } else { at + 2 });
    }
    if view.is(at, "ON") && is_event(view, at + 1) {
        // After DEFAULT and its value.
        return Some(at + 2);
    }
    let mut on = at + 1;
    on += usize::from(view.is(at, "EMPTY") && view.is_any(on, &["ARRAY", "OBJECT"]));
    let behaviour = view.is_any(at, &["ABSENT", "EMPTY", "ERROR", "FALSE", "NULL", "TRUE", "UNKNOWN"]);
    let starts = !view.follows_symbol(at, &[",", "=>", ":"]) && !view.follows(at, &["DEFAULT"]);
    (behaviour && starts && view.is(on, "ON") && (is_event(view, on + 1) || view.is(on + 1, "NULL"))).then_some(on + 2)
}

fn is_event(view: &View<'_, '_>, at: usize) -> bool {
    view.is_any(at, &["EMPTY", "ERROR"])
}

/// The position after a type: a name, parameters, and the words that may follow.
fn after_type(view: &View<'_, '_>, at: usize) -> Option<usize> {
    let mut end = view.after_name(at)?;
    end += usize::from(view.is(at, "DOUBLE") && view.is(end, "PRECISION"));
    if view.symbol(end, "(") {
        end = view.closing(end)? + 1;
    }
    if view.is_any(end, &["WITH", "WITHOUT"]) && view.are(end + 1, &["TIME", "ZONE"]) {
        end += 3;
    }
    Some(end)
}

fn table<'t>(view: &View<'_, 't>, at: usize, closing: usize, edits: &mut Edits<'t>) {
    let Some(columns) = view.find(at + 2..closing, |at| view.is(at, "COLUMNS") && view.symbol(at + 1, "(")) else {
        return;
    };
    let Some(columns_end) = view.closing(columns + 1) else {
        return;
    };
    // Types, paths and plans: nothing that reads a table.
    let mut kept = Vec::new();
    let mut position = columns + 2;
    while position < columns_end {
        if view.is(position, "DEFAULT") {
            let event = view.find(position + 1..columns_end, |at| {
                view.is(at, "ON") && is_event(view, at + 1)
            });
            let Some(event) = event else { return };
            kept.push(position..event);
            position = event;
        } else if view.is_any(position, &["SELECT", "VALUES", "TABLE"]) {
            return;
        } else {
            position += 1;
        }
    }
    let mut plan = edits.notes;
    if !view.may_leave_out(columns_end + 1..closing, &mut plan) {
        return;
    }
    edits.replace(at..at + 1, &[Put::Word("UNNEST")]);
    arguments(view, at + 2..columns, false, edits);
    let mut from = columns;
    for default in kept {
        edits.leave_out(from..default.start);
        edits.replace(default.start..default.start + 1, &[Put::Symbol(",")]);
        from = default.end;
    }
    edits.leave_out(from..closing);
}
