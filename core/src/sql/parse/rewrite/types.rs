//! Types with parameters: `CAST(x AS ARRAY(INT))`, `CAST(x AS ROW(a INT))`, and Trino's `type::method(..)`.
//!
//! A cast to a structure is one to JSON instead: nothing is concluded from either. Types that a constant may have stay.

use super::edit::{Edits, Put};
use super::view::{OPAQUE, View};
use crate::sql::lexer::TokenKind;

pub(super) const WORDS: &[&str] = &["CAST", "TRY_CAST", "::"];

/// Types that sqlparser reads with their parameters.
const KNOWN: [&str; 16] = [
    "BINARY",
    "CHAR",
    "CHARACTER",
    "DATETIME",
    "DEC",
    "DECIMAL",
    "DOUBLE",
    "FLOAT",
    "INTERVAL",
    "NUMERIC",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
    "VARBINARY",
    "VARCHAR",
    "STRING",
];

/// Tokens of a type; what is longer stays.
const MAX_TYPE: usize = 400;

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for at in 0..view.len() {
        if view.is_any(at, &["CAST", "TRY_CAST"]) && view.symbol(at + 1, "(") {
            cast(view, at + 1, edits);
        } else if view.symbol(at, "::") && view.rules.dollar_strings {
            method(view, at, edits);
        }
    }
}

fn cast<'t>(view: &View<'_, 't>, open: usize, edits: &mut Edits<'t>) {
    let Some(closing) = view.closing(open) else { return };
    let Some(keyword) = view.find(open + 1..closing, |at| view.is(at, "AS")) else {
        return;
    };
    let written = keyword + 1..closing;
    let first = written.start;
    if written.len() > MAX_TYPE {
        return;
    }
    let parameters = written.clone().any(|at| view.symbol(at, "("));
    let precision = view.is_any(first, &KNOWN) && !written.clone().skip(1).any(|at| is_letter_parameter(view, at));
    if parameters && !precision && written.clone().all(|at| in_type(view, at)) {
        edits.replace(written, &[Put::Word("JSON")]);
    }
}

/// `decimal(p, s)`, as in the signature of a function.
fn is_letter_parameter(view: &View<'_, '_>, at: usize) -> bool {
    view.is_name(at) && view.follows_symbol(at, &["(", ","])
}

fn in_type(view: &View<'_, '_>, at: usize) -> bool {
    match view.kind(at) {
        Some(TokenKind::Word) => !view.is_any(at, &["SELECT", "VALUES", "TABLE", "FROM"]),
        Some(TokenKind::QuotedName | TokenKind::Number) => true,
        _ => view.symbol_any(at, &["(", ")", ",", "<", ">", ":"]),
    }
}

/// `varchar::method(x)`. The method is none of the functions that are called without a type.
fn method<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let Some(before) = view.before(at).filter(|before| view.is_name(*before)) else {
        return;
    };
    if view.is_name(at + 1) && view.symbol(at + 2, "(") {
        edits.replace(before..at + 2, &[Put::Word(OPAQUE)]);
    }
}
