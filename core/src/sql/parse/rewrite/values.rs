//! `VALUES 1, 2`: rows of one column without parentheses.
//!
//! sqlparser wants each row in parentheses. A row that is a parenthesis already, or `ROW(..)`, stays as it is. A row that
//! is any other expression may itself be of a row type, whose fields are then the columns: unless it plainly is a single
//! value, the number of columns is unknown.
//!
//! Rows in parentheses inside an expression get a SELECT around them.

use super::edit::{Edits, Put};
use super::view::View;
use crate::sql::lexer::TokenKind;

pub(super) const WORDS: &[&str] = &["VALUES"];

/// Words after which sqlparser expects a query in parentheses.
const BEFORE_QUERIES: [&str; 10] = [
    "AS",
    "EXCEPT",
    "EXISTS",
    "FROM",
    "IN",
    "INTERSECT",
    "JOIN",
    "LATERAL",
    "UNION",
    "USING",
];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for at in 0..view.len() {
        if view.is(at, "VALUES") && !view.follows_symbol(at, &["."]) {
            rows(view, at + 1, edits);
            in_expression(view, at, edits);
        }
    }
}

/// `x > (VALUES 1)`, `ANY (VALUES ..)`: in an expression sqlparser takes VALUES for a function unless a SELECT is around.
fn in_expression<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let Some(open) = view.before(at).filter(|open| view.symbol(*open, "(")) else {
        return;
    };
    let Some(closing) = view.closing(open) else { return };
    if view.before(open).is_some() && !view.follows(open, &BEFORE_QUERIES) {
        let around = [
            Put::Word("SELECT"),
            Put::Symbol("*"),
            Put::Word("FROM"),
            Put::Symbol("("),
        ];
        edits.put_all(at, &around);
        edits.put(closing, Put::Symbol(")"));
    }
}

fn rows<'t>(view: &View<'_, 't>, first: usize, edits: &mut Edits<'t>) {
    let mut from = first;
    loop {
        let end = view
            .find(from..view.len(), |at| ends_row(view, at))
            .unwrap_or(view.len());
        if end <= from {
            return;
        }
        if is_bare(view, from) {
            edits.put(from, Put::Symbol("("));
            edits.put(end, Put::Symbol(")"));
            edits.notes.width_unknown |= !is_single(view, from, end);
        }
        if !view.symbol(end, ",") {
            return;
        }
        from = end + 1;
    }
}

fn ends_row(view: &View<'_, '_>, at: usize) -> bool {
    // A second VALUES is nobody's row either, and rows that are read once for each VALUES before them would be many.
    view.symbol_any(at, &[",", ")", "]"])
        || view.is_any(at, &["SELECT", "VALUES"])
        || (view.is_clause(at) && !in_case_or_distinct(view, at))
}

/// WHEN of a CASE and FROM of `IS DISTINCT FROM` end no row.
fn in_case_or_distinct(view: &View<'_, '_>, at: usize) -> bool {
    view.is(at, "WHEN") || (view.is(at, "FROM") && view.follows(at, &["DISTINCT"]))
}

/// The row has no parentheses of its own.
fn is_bare(view: &View<'_, '_>, at: usize) -> bool {
    let group = if view.is(at, "ROW") { at + 1 } else { at };
    let Some(closing) = view.symbol(group, "(").then(|| view.closing(group)).flatten() else {
        // An open parenthesis without an end is nobody's row.
        return !view.symbol(group, "(");
    };
    // (SELECT ..) is a value; (a) + 1 goes on.
    view.starts_query(group + 1)
        || view.symbol_any(
            closing + 1,
            &[
                "+", "-", "*", "/", "%", "||", "[", ".", "=", "<", ">", "<=", ">=", "<>", "!=",
            ],
        )
        || view.is_any(closing + 1, &["AND", "OR", "IN", "IS", "LIKE", "BETWEEN"])
}

/// A constant, a list, or constants with operators.
fn is_single(view: &View<'_, '_>, from: usize, end: usize) -> bool {
    let plain = |at: usize| match view.kind(at) {
        Some(TokenKind::Number | TokenKind::String | TokenKind::Parameter) => true,
        Some(TokenKind::Symbol) => !view.symbol_any(at, &["(", "."]),
        Some(TokenKind::Word) => {
            view.is_string(at + 1)
                || view.is_any(at, &["NULL", "TRUE", "FALSE", "ARRAY", "INTERVAL"])
                || view.before(at).is_some_and(|before| view.is_string(before))
        }
        _ => false,
    };
    (from..end).all(plain)
}
