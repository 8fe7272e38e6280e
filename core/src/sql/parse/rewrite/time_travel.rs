//! A table as of a version or a time, and a branch of a table.
//!
//! `t FOR VERSION AS OF 3`, `t FOR TIMESTAMP BEFORE ..`; Spark's `t VERSION AS OF 3`; Dremio's `t AT BRANCH b`; Trino's
//! `t @ branch` and Spark's `t@v3`. The version is left out and the table stays: its conditions hold for any version. Its files are another
//! matter: the scanner says that the statement travels in time, and then nobody asks for today's files.

use super::edit::Edits;
use super::view::View;
use crate::sql::lexer::TokenKind;

pub(super) const WORDS: &[&str] = &["FOR", "OF", "AT", "@"];

const POINTS: [&str; 4] = ["SYSTEM_TIME", "SYSTEM_VERSION", "TIMESTAMP", "VERSION"];

const REFERENCES: [&str; 6] = ["BRANCH", "COMMIT", "REF", "REFERENCE", "SNAPSHOT", "TAG"];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    let mut at = 0;
    while at < view.len() {
        let end = after_version(view, at).filter(|end| view.may_leave_out(at..*end, &mut edits.notes));
        if let Some(end) = end {
            edits.leave_out(at..end);
            edits.notes.other_rows = true;
        }
        at = end.unwrap_or(at + 1);
    }
}

/// The position after a version that starts at `at`.
fn after_version(view: &View<'_, '_>, at: usize) -> Option<usize> {
    let before = view.before(at)?;
    let relation = view.is_name(before) && !view.is_clause(before) && !view.is_operator(before);
    if !relation && !view.symbol(before, ")") {
        return None;
    }
    if view.is(at, "FOR") && view.is_any(at + 1, &POINTS) {
        return after_point(view, at + 2);
    }
    if view.symbol(at, "@") && (view.rules.dollar_strings || view.rules.double_quoted_strings) {
        let named = view.is_name(at + 1) || view.kind(at + 1) == Some(TokenKind::Number);
        return named.then_some(at + 2);
    }
    // Elsewhere these are plain words: SELECT version AS of.
    if view.rules.double_quoted_strings && view.is_any(at, &POINTS) && is_constant(view, at + 3) {
        return after_point(view, at + 1);
    }
    if view.is(at, "AT") && view.rules.slash_slash_comment {
        return after_reference(view, at + 1);
    }
    None
}

/// `AS OF ..` or `BEFORE ..`
fn after_point(view: &View<'_, '_>, at: usize) -> Option<usize> {
    if view.are(at, &["AS", "OF"]) {
        view.after_value(at + 2)
    } else if view.is(at, "BEFORE") {
        view.after_value(at + 1)
    } else {
        None
    }
}

/// Dremio: a branch or its like, of which a point in time may follow, or a time.
fn after_reference(view: &View<'_, '_>, at: usize) -> Option<usize> {
    if view.is_any(at, &REFERENCES) && (view.is_name(at + 1) || view.is_string(at + 1)) {
        let end = at + 2;
        return if view.are(end, &["AS", "OF"]) {
            view.after_value(end + 2)
        } else {
            Some(end)
        };
    }
    if view.is_any(at, &["TIME", "LOCAL"]) || !(is_constant(view, at) || view.is(at, "TIMESTAMPADD")) {
        return None;
    }
    view.after_value(at)
}

/// A number, a string, a typed string or a call.
fn is_constant(view: &View<'_, '_>, at: usize) -> bool {
    match view.kind(at) {
        Some(TokenKind::Number | TokenKind::String | TokenKind::Parameter) => true,
        Some(TokenKind::Word) => view.is_string(at + 1) || view.symbol(at + 1, "("),
        _ => false,
    }
}
