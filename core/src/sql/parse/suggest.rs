//! What to write instead of a condition that prunes nothing, where there is something.

use std::collections::BTreeSet;

use sqlparser::ast::{Expr, InTarget};

use super::UnusedReason;
use super::scope::column;
use super::walk::{Node, walk};

/// A longer name is no help in a message.
const MAX_NAME_CHARS: usize = 80;

/// The rewriting that would prune: a function of one column against constants asks for a range of the column.
pub(super) fn suggestion(condition: &Expr, reason: UnusedReason) -> Option<String> {
    if !matches!(
        reason,
        UnusedReason::Function | UnusedReason::Cast | UnusedReason::Expression
    ) {
        return None;
    }
    let mut condition = condition;
    while let Expr::Nested(inner) = condition {
        condition = inner;
    }
    let sides = match condition {
        Expr::BinaryOp { left, right, .. } => vec![left.as_ref(), right.as_ref()],
        Expr::Between { expr, low, high, .. } => vec![expr.as_ref(), low.as_ref(), high.as_ref()],
        Expr::In {
            expr,
            target: InTarget::List(items),
            ..
        } => std::iter::once(expr.as_ref()).chain(items).collect(),
        _ => return None,
    };
    let mut names = BTreeSet::new();
    let mut with_names = 0_usize;
    let mut plain = true;
    for side in sides {
        let before = names.len();
        walk(side, &mut |node| match node {
            Node::Column(parts) => {
                names.insert(column(parts));
            }
            Node::Call(_) => {}
            Node::Query(_) | Node::Table(_) | Node::AllColumns => plain = false,
        });
        with_names += usize::from(names.len() > before);
        // The column itself is there already: the other side is what is not known.
        plain &= !matches!(side, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
    }
    let mut names = names.into_iter();
    match (names.next(), names.next(), with_names) {
        (Some(name), None, 1) if plain => {
            let name = name.to_string();
            let printable = name.chars().count() <= MAX_NAME_CHARS && !name.chars().any(char::is_control);
            printable.then(|| format!("compare {name} itself with a range of values"))
        }
        _ => None,
    }
}
