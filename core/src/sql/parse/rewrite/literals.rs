//! Literals: `U&'..' UESCAPE '!'` and literals of types that sqlparser does not know.
//!
//! Neither is a constant to the analysis: the value behind an escape is not resolved, and a literal of another type is
//! compared by that type's rules.

use super::edit::{Edits, Put};
use super::view::View;

pub(super) const WORDS: &[&str] = &[
    "UESCAPE",
    "NUMBER",
    "IPADDRESS",
    "IPPREFIX",
    "HYPERLOGLOG",
    "QDIGEST",
    "TDIGEST",
    "KHYPERLOGLOG",
    "GEOMETRY",
    "SPHERICALGEOGRAPHY",
    "COLOR",
];

pub(super) fn rewrite<'t>(view: &View<'_, 't>, edits: &mut Edits<'t>) {
    for at in 0..view.len() {
        if !view.is_string(at + 1) || !view.is_any(at, WORDS) || view.follows_symbol(at, &["."]) {
            continue;
        }
        if !view.is(at, "UESCAPE") {
            edits.replace(at..at + 1, &[Put::Word("JSON")]);
        } else if view
            .before(at)
            .is_some_and(|before| view.is_string(before) && is_unicode(view.text(before)))
        {
            edits.leave_out(at..at + 2);
        }
    }
}

fn is_unicode(written: &str) -> bool {
    written.starts_with(['u', 'U'])
}
