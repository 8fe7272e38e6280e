//! Where a relation of FROM begins, seen from its end.

use super::view::View;
use crate::sql::lexer::TokenKind;

/// Relations that may refer to those before them.
pub(super) const LATERAL: [&str; 3] = ["LATERAL", "TABLE", "UNNEST"];

/// The position where the relation starts that ends before `end`: a table, a parenthesis or a function, with or without
/// an alias and names for its columns.
pub(super) fn relation_start(view: &View<'_, '_>, end: usize) -> Option<usize> {
    let mut last = view.before(end)?;
    // t (a, b): the parenthesis after a name may be columns or arguments.
    if view.symbol(last, ")") {
        let name = view.before(view.opening(last)?)?;
        let columns = is_alias(view, name) && view.before(name).is_some_and(|before| ends_relation(view, before));
        if !columns {
            return primary_start(view, last);
        }
        last = name;
    }
    if is_alias(view, last) {
        let mut before = view.before(last)?;
        if view.is(before, "AS") {
            before = view.before(before)?;
        }
        if ends_relation(view, before) {
            return primary_start(view, before);
        }
    }
    primary_start(view, last)
}

fn is_alias(view: &View<'_, '_>, at: usize) -> bool {
    match view.kind(at) {
        Some(TokenKind::QuotedName) => true,
        Some(TokenKind::Word) => !view.is_clause(at) && !view.is_any(at, &LATERAL),
        _ => false,
    }
}

/// A table's name or a parenthesis ends here.
fn ends_relation(view: &View<'_, '_>, at: usize) -> bool {
    view.is(at, "AS") || view.symbol(at, ")") || is_alias(view, at)
}

fn primary_start(view: &View<'_, '_>, last: usize) -> Option<usize> {
    let mut start = last;
    if view.symbol(start, ")") {
        start = view.opening(start)?;
        let word = view.before(start)?;
        if view.is_any(word, &LATERAL) {
            start = word;
        } else if is_alias(view, word) {
            return None;
        }
    } else {
        if !is_alias(view, start) {
            return None;
        }
        while view.follows_symbol(start, &["."]) {
            start = view.before(view.before(start)?).filter(|name| view.is_name(*name))?;
        }
    }
    let starts = view.follows(start, &["FROM", "JOIN", "USING"]) || view.follows_symbol(start, &[",", "("]);
    starts.then_some(start)
}
