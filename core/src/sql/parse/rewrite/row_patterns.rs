//! Row patterns: `t MATCH_RECOGNIZE (..)`, and windows with MEASURES and PATTERN.
//!
//! A relation whose rows are matched becomes a query of all of it, ordered by everything that the pattern's clauses
//! compute: what they name and read is in the tree. A LIMIT that is no number keeps conditions from outside away from the
//! rows inside, of which any may be part of a match. The pattern itself names nothing but its own variables. In a window
//! the same expressions go into its order. Either way the statement counts as one with a window over any number of rows.

use std::collections::BTreeSet;
use std::ops::Range;

use super::edit::{BARRIER, Edits, Put};
use super::relation::{LATERAL, relation_start};
use super::view::{OPAQUE, View};

pub(super) const WORDS: &[&str] = &["MATCH_RECOGNIZE", "PATTERN"];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    // WINDOW w AS (.. PATTERN ..)
    let mut named = BTreeSet::new();
    for at in 0..view.len() {
        if view.symbol(at, "(") && view.follows(at, &["OVER", "AS"]) && is_row_pattern(view, at) {
            window(view, at, edits);
            let name = view.before(at).filter(|keyword| view.is(*keyword, "AS"));
            named.extend(
                name.and_then(|keyword| view.before(keyword))
                    .map(|name| folded(view, name)),
            );
        }
    }
    for at in 0..view.len() {
        if view.is(at, "MATCH_RECOGNIZE") && view.symbol(at + 1, "(") {
            relation(view, at, edits);
        } else if view.is(at, "OVER") && (is_row_pattern(view, at + 1) || named.contains(&folded(view, at + 1))) {
            measure(view, at, edits);
        }
    }
}

fn folded(view: &View<'_, '_>, at: usize) -> String {
    view.text(at).trim_matches('"').to_lowercase()
}

/// `label OVER w`: a measure by its name. Other functions have parentheses.
fn measure<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let Some(name) = view.before(at).filter(|name| view.is_name(*name)) else {
        return;
    };
    if view.is(name, "NULLS") || view.is_operator(name) || view.is_clause(name) || view.follows_symbol(name, &["."]) {
        return;
    }
    edits.put_all(name, &[Put::Word("max"), Put::Symbol("(")]);
    edits.put(at, Put::Symbol(")"));
}

/// A window with a pattern: in OVER, or named in the WINDOW clause.
fn is_row_pattern(view: &View<'_, '_>, open: usize) -> bool {
    let Some(closing) = view.closing(open).filter(|_| !view.starts_query(open + 1)) else {
        return false;
    };
    let has = |found: &dyn Fn(usize) -> bool| view.find(open + 1..closing, found).is_some();
    has(&|at| view.is(at, "PATTERN") && view.symbol(at + 1, "(")) && has(&|at| view.is(at, "DEFINE"))
}

/// A part of the description: its first word, and all of it.
struct Part {
    word: usize,
    range: Range<usize>,
}

fn parts(view: &View<'_, '_>, range: Range<usize>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let starts = |at: usize| {
        // After a comma, a dot or an operator it is a column's name.
        let in_list = at > range.start && (view.follows(at, &["BY"]) || follows_operator(view, at));
        !in_list
            && match () {
                () if view.is_any(at, &["PARTITION", "ORDER"]) => view.is(at + 1, "BY"),
                () if view.is(at, "ONE") => view.are(at + 1, &["ROW", "PER", "MATCH"]),
                () if view.is(at, "ALL") => view.are(at + 1, &["ROWS", "PER", "MATCH"]),
                () if view.is(at, "ROWS") => !view.follows(at, &["ALL", "UNMATCHED"]),
                () if view.is(at, "AFTER") => view.is(at + 1, "MATCH"),
                () if view.is_any(at, &["INITIAL", "SEEK"]) => view.is(at + 1, "PATTERN"),
                () if view.is(at, "PATTERN") => view.symbol(at + 1, "("),
                () if view.is(at, "SUBSET") => view.symbol(at + 2, "="),
                () => view.is_any(at, &["DEFINE", "GROUPS", "MEASURES", "RANGE"]),
            }
    };
    let mut at = range.start;
    while at < range.end {
        if starts(at) {
            if let Some(last) = parts.last_mut() {
                last.range.end = at;
            }
            parts.push(Part {
                word: at,
                range: at..range.end,
            });
        }
        at = view.next(at);
    }
    parts
}

fn follows_operator(view: &View<'_, '_>, at: usize) -> bool {
    let symbols = [
        ",", ".", "+", "-", "*", "/", "%", "||", "=", "<", ">", "<=", ">=", "<>", "!=",
    ];
    view.follows_symbol(at, &symbols) || view.before(at).is_some_and(|before| view.is_operator(before))
}

/// What the description's parts leave in a list of expressions.
enum Listed {
    /// Not at all: it names variables only.
    Nothing,
    /// After this many words, as it is.
    Keys(usize),
    /// After one word; each with a name for it.
    Measures,
    /// After one word; each behind a name and AS.
    Definitions,
}

fn listed(view: &View<'_, '_>, word: usize) -> Listed {
    if view.is_any(word, &["PARTITION", "ORDER"]) {
        Listed::Keys(2)
    } else if view.is(word, "MEASURES") {
        Listed::Measures
    } else if view.is(word, "DEFINE") {
        Listed::Definitions
    } else {
        Listed::Nothing
    }
}

fn relation<'t>(view: &View<'_, 't>, at: usize, edits: &mut Edits<'t>) {
    let Some(closing) = view.closing(at + 1) else { return };
    let Some(start) = relation_start(view, at) else { return };
    let parts = parts(view, at + 2..closing);
    if parts.first().map(|part| part.word) != Some(at + 2) || !may_leave_out(view, &parts, edits) {
        return;
    }
    // What refers to the relations before it, must go on doing so.
    if view.is_any(start, &LATERAL) {
        edits.put(start, Put::Word("LATERAL"));
    }
    edits.put_all(
        start,
        &[
            Put::Symbol("("),
            Put::Word("SELECT"),
            Put::Symbol("*"),
            Put::Word("FROM"),
        ],
    );
    edits.replace(at..at + 2, &[Put::Word("ORDER"), Put::Word("BY"), Put::Word(OPAQUE)]);
    edits.put_all(at + 2, &[Put::Symbol("("), Put::Symbol(")")]);
    edits.put_all(closing, &BARRIER);
    for part in &parts {
        list(view, part, edits);
    }
    edits.notes.row_pattern = true;
    edits.notes.width_unknown = true;
    edits.notes.other_rows = true;
}

/// In a window PARTITION BY and ORDER BY stay; measures and definitions join the order.
fn window<'t>(view: &View<'_, 't>, open: usize, edits: &mut Edits<'t>) {
    let Some(closing) = view.closing(open) else { return };
    let parts = parts(view, open + 1..closing);
    if !may_leave_out(view, &parts, edits) {
        return;
    }
    let mut ordered = false;
    let mut all_columns = false;
    for part in &parts {
        match listed(view, part.word) {
            Listed::Keys(_) => ordered |= view.is(part.word, "ORDER"),
            Listed::Nothing => edits.leave_out(part.range.clone()),
            Listed::Measures | Listed::Definitions => {
                if !ordered {
                    edits.put_all(part.word, &[Put::Word("ORDER"), Put::Word("BY")]);
                } else if !all_columns {
                    edits.put(part.word, Put::Symbol(","));
                }
                // A.x is the column x in a row of A: which columns are read, names do not tell.
                if !all_columns {
                    edits.put_all(
                        part.word,
                        &[Put::Word(OPAQUE), Put::Symbol("("), Put::Symbol("*"), Put::Symbol(")")],
                    );
                }
                ordered = true;
                all_columns = true;
                list(view, part, edits);
            }
        }
    }
    edits.notes.row_pattern = true;
    edits.notes.other_rows = true;
}

/// Nothing that is left out holds a query.
fn may_leave_out(view: &View<'_, '_>, parts: &[Part], edits: &mut Edits<'_>) -> bool {
    parts
        .iter()
        .filter(|part| matches!(listed(view, part.word), Listed::Nothing))
        .all(|part| {
            // Quantifiers and groups of the pattern look like calls.
            let mut calls = edits.notes;
            let notes = if view.is_any(part.word, &["PATTERN", "SUBSET"]) {
                &mut calls
            } else {
                &mut edits.notes
            };
            view.may_leave_out(part.range.clone(), notes)
        })
}

/// The part's expressions, each after a comma.
fn list<'t>(view: &View<'_, 't>, part: &Part, edits: &mut Edits<'t>) {
    let kind = listed(view, part.word);
    let words = match kind {
        Listed::Nothing => {
            edits.leave_out(part.range.clone());
            return;
        }
        Listed::Keys(words) => words,
        Listed::Measures | Listed::Definitions => 1,
    };
    edits.leave_out(part.word..part.word + words);
    edits.put(part.word + words, Put::Symbol(","));
    let mut from = part.word + words;
    while from < part.range.end {
        let end = view
            .find(from..part.range.end, |at| view.symbol(at, ","))
            .unwrap_or(part.range.end);
        match kind {
            Listed::Definitions if view.is_name(from) && view.is(from + 1, "AS") => edits.leave_out(from..from + 2),
            Listed::Measures if end >= from + 3 && view.is(end - 2, "AS") => edits.leave_out(end - 2..end),
            _ => {}
        }
        from = end + 1;
    }
    for at in part.range.clone() {
        // RUNNING LAST(x), FINAL count(*)
        if view.is_any(at, &["RUNNING", "FINAL"]) && view.is_name(at + 1) && view.symbol(at + 2, "(") {
            edits.leave_out(at..at + 1);
        }
    }
}
