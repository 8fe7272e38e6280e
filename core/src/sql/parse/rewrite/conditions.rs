//! Conditions: `UNIQUE (query)`, `x MATCH (query)`, `BETWEEN SYMMETRIC`, operators in CASE, `AT LOCAL`.
//!
//! None of them may prune by another's rules. A query that is asked whether it is unique, or whether it has a match, goes
//! into a call, which is opaque. `x BETWEEN SYMMETRIC a AND b` becomes `(x BETWEEN a AND b OR x BETWEEN b AND a)`, which
//! means the same. An operator in CASE, `WHEN > 5`, gets an opaque left side, as the operand of CASE is not repeated.

use std::ops::Range;

use super::edit::{Edits, Put};
use super::view::{OPAQUE, View};

pub(super) const WORDS: &[&str] = &["UNIQUE", "MATCH", "SYMMETRIC", "ASYMMETRIC", "WHEN", "LOCAL"];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for at in 0..view.len() {
        if view.is(at, "UNIQUE") {
            unique(view, at, edits);
        } else if view.is(at, "MATCH") {
            matched(view, at, edits);
        } else if view.follows(at, &["BETWEEN"]) && view.is(at, "ASYMMETRIC") {
            edits.leave_out(at..at + 1);
        } else if view.follows(at, &["BETWEEN"]) && view.is(at, "SYMMETRIC") && !view.is(at + 1, "AND") {
            // What is left as it is, sqlparser takes for bounds in order, the first of them a call of SYMMETRIC.
            edits.notes.not_understood |= symmetric(view, at, edits).is_none();
        } else if view.follows(at, &["WHEN"]) && starts_with_operator(view, at) {
            edits.put_all(at, &[Put::Word(OPAQUE), Put::Symbol("("), Put::Symbol(")")]);
        } else if view.is(at, "LOCAL") && view.follows(at, &["AT"]) && view.rules.dollar_strings {
            // The session's zone is not known.
            let zone = [
                Put::Word("TIME"),
                Put::Word("ZONE"),
                Put::Word(OPAQUE),
                Put::Symbol("("),
                Put::Symbol(")"),
            ];
            edits.replace(at..at + 1, &zone);
        }
    }
}

fn unique<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let follows_match = view.follows(at, &["MATCH"]);
    if follows_match || !view.symbol(at + 1, "(") || !view.starts_query(at + 2) {
        return;
    }
    if let Some(closing) = view.closing(at + 1) {
        edits.replace(at..at + 1, &[Put::Word(OPAQUE), Put::Symbol("(")]);
        edits.put(closing, Put::Symbol(")"));
    }
}

/// A match of a row with NULLs may hold without one, so no comparison would do that rejects NULL.
fn matched<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let mut open = at + 1;
    open += usize::from(view.is(open, "UNIQUE"));
    open += usize::from(view.is_any(open, &["SIMPLE", "PARTIAL", "FULL"]));
    if !view.symbol(open, "(") || !view.starts_query(open + 1) {
        return;
    }
    let Some(closing) = view.closing(open) else { return };
    if view.follows(at, &["WHEN"]) {
        edits.put_all(at, &[Put::Word(OPAQUE), Put::Symbol("("), Put::Symbol(")")]);
    }
    let comparison = ["IS", "NOT", "DISTINCT", "FROM", OPAQUE].map(Put::Word);
    edits.replace(at..open, &comparison);
    edits.put(open, Put::Symbol("("));
    edits.put(closing, Put::Symbol(")"));
}

/// `CASE x WHEN > 5`, `WHEN IS NULL`, `WHEN NOT IN (..)`
fn starts_with_operator(view: &View<'_, '_>, at: usize) -> bool {
    let word = if view.is(at, "NOT") { at + 1 } else { at };
    view.symbol_any(at, &["=", "<", ">", "<=", ">=", "<>", "!="])
        || view.is_any(word, &["BETWEEN", "IN", "LIKE"])
        || view.is(at, "IS")
}

/// What stands before `at` is no part of an operand that ends behind it.
fn begins_condition(view: &View<'_, '_>, at: usize) -> bool {
    let words = ["AND", "BY", "CASE", "ELSE", "NOT", "OR", "SELECT", "THEN"];
    let clause = view.before(at).is_some_and(|before| view.is_clause(before));
    clause || view.follows(at, &words) || view.follows_symbol(at, &["(", ",", "->", "=>"])
}

/// No operand goes on at `at`.
fn ends_condition(view: &View<'_, '_>, at: usize) -> bool {
    at == view.len()
        || view.is_clause(at)
        || view.is_any(at, &["AND", "ELSE", "END", "OR", "THEN"])
        || view.symbol_any(at, &[")", ",", "]"])
}

fn symmetric<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) -> Option<()> {
    let between = view.before(at)?;
    let negated = view.follows(between, &["NOT"]);
    let operand_end = if negated { view.before(between)? } else { between };
    let operand = view.operand_start(operand_end);
    let start = operand.filter(|start| begins_condition(view, *start))?;
    let low = at + 1;
    let and = view.after_value(low).filter(|end| view.is(*end, "AND"))?;
    let end = view.after_value(and + 1).filter(|end| ends_condition(view, *end))?;
    // What is written twice must hold no table, which would count twice, and nothing that is written twice itself.
    let twice = ["SYMMETRIC", "SELECT", "TABLE", "VALUES"];
    if twice
        .iter()
        .any(|word| view.is_any_in(start..operand_end, word) || view.is_any_in(low..end, word))
    {
        return None;
    }
    let (low, high) = (low..and, and + 1..end);
    let again = |range: Range<usize>| range.filter_map(|at| view.get(at)).map(Put::Again).collect::<Vec<_>>();
    if negated {
        edits.put(start, Put::Word("NOT"));
    }
    edits.put(start, Put::Symbol("("));
    edits.leave_out(operand_end..between);
    edits.leave_out(at..at + 1);
    edits.put(end, Put::Word("OR"));
    edits.put_all(end, &again(start..operand_end));
    edits.put(end, Put::Word("BETWEEN"));
    edits.put_all(end, &again(high));
    edits.put(end, Put::Word("AND"));
    edits.put_all(end, &again(low));
    edits.put(end, Put::Symbol(")"));
    Some(())
}
