//! What to write instead of a condition that prunes nothing, where there is something.
//!
//! | condition | instead |
//! |---|---|
//! | a function, a cast or arithmetic around one column, whatever it is compared with | a range of the column |
//! | a pattern that starts with a wildcard | one that starts with text |
//! | `starts_with(c, 'x')` | LIKE |
//! | OR whose branches restrict different columns or tables | one column in each branch, or several queries |
//! | a scalar subquery | its value |
//! | rows of several columns | the columns one by one |
//! | a name that several tables may have | the table before it |

use std::collections::BTreeSet;

use sqlparser::ast::{Expr, InTarget};

use super::UnusedReason;
use super::scope::column;
use super::walk::{Node, walk};

/// A longer name is no help in a message.
const MAX_NAME_CHARS: usize = 80;

/// The rewriting that would prune.
pub(super) fn suggestion(condition: &Expr, reason: UnusedReason) -> Option<String> {
    let condition = unwrapped(condition);
    match reason {
        UnusedReason::Function if is_call_of(condition, "starts_with") => {
            let name = only_column(&[condition])?;
            Some(format!("write {name} LIKE with the text and % after it"))
        }
        UnusedReason::Function | UnusedReason::Cast | UnusedReason::Expression => match condition {
            Expr::BinaryOp { left, right, .. } if is_tuple(left) && is_tuple(right) => Some(one_by_one()),
            Expr::In { expr, .. } if is_tuple(expr) => Some(one_by_one()),
            _ => range_of(condition),
        },
        UnusedReason::Pattern => pattern(condition),
        UnusedReason::Disjunction => disjunction(condition),
        UnusedReason::Subquery => match condition {
            Expr::BinaryOp { left, right, .. }
                if matches!(unwrapped(left), Expr::Subquery(_)) != matches!(unwrapped(right), Expr::Subquery(_)) =>
            {
                let other = if matches!(unwrapped(left), Expr::Subquery(_)) {
                    right
                } else {
                    left
                };
                let name = is_column(other).then(|| only_column(&[other])).flatten()?;
                Some(format!("run the subquery first and compare {name} with its value"))
            }
            _ => None,
        },
        UnusedReason::AmbiguousColumn => {
            Some("write the table's name before the column; join with ON where USING merges it".to_owned())
        }
        UnusedReason::ColumnComparison | UnusedReason::Parameter | UnusedReason::OuterJoin | UnusedReason::Other => {
            None
        }
    }
}

fn one_by_one() -> String {
    "compare each column with a list of its own as well".to_owned()
}

/// A function of one column against constants asks for a range of the column.
fn range_of(condition: &Expr) -> Option<String> {
    let sides = match condition {
        Expr::BinaryOp { left, right, .. } => vec![left.as_ref(), right.as_ref()],
        Expr::Between { expr, low, high, .. } => vec![expr.as_ref(), low.as_ref(), high.as_ref()],
        Expr::In {
            expr,
            target: InTarget::List(items),
            ..
        } => std::iter::once(expr.as_ref()).chain(items).collect(),
        Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => vec![expr.as_ref(), pattern.as_ref()],
        _ => return None,
    };
    // The column itself is there already: the other side is what is not known.
    if sides.iter().any(|side| is_column(side)) {
        return None;
    }
    let with_names = sides.iter().filter(|side| names_something(side)).count();
    let name = only_column(&sides).filter(|_| with_names == 1)?;
    Some(format!("compare {name} itself with a range of values"))
}

fn pattern(condition: &Expr) -> Option<String> {
    let (value, pattern) = match condition {
        Expr::Like { expr, pattern, .. }
        | Expr::ILike { expr, pattern, .. }
        | Expr::SimilarTo { expr, pattern, .. }
        | Expr::RLike { expr, pattern, .. } => (expr, pattern),
        _ => return None,
    };
    if !is_column(value) {
        return range_of(condition);
    }
    let name = only_column(&[value]).filter(|_| !names_something(pattern))?;
    Some(format!(
        "let the pattern start with text, as in {name} LIKE 'text%', or compare another column with a range as well"
    ))
}

fn disjunction(condition: &Expr) -> Option<String> {
    if let Some(name) = only_column(&[condition]) {
        return Some(format!(
            "compare {name} itself with a range of values in each branch of the OR"
        ));
    }
    Some("compare the same column with constants in each branch of the OR, or write a UNION of its branches".to_owned())
}

fn unwrapped(expr: &Expr) -> &Expr {
    let mut expr = expr;
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}

fn is_column(expr: &Expr) -> bool {
    matches!(unwrapped(expr), Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

fn is_tuple(expr: &Expr) -> bool {
    matches!(unwrapped(expr), Expr::Tuple(_))
}

fn is_call_of(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Function(call) => call.name.to_string().eq_ignore_ascii_case(name),
        _ => false,
    }
}

fn names_something(expr: &Expr) -> bool {
    let mut names = false;
    walk(expr, &mut |node| names |= matches!(node, Node::Column(_)));
    names
}

/// The one column that these expressions name, if they name nothing else and read no table.
fn only_column(exprs: &[&Expr]) -> Option<String> {
    let mut names = BTreeSet::new();
    let mut plain = true;
    for expr in exprs {
        walk(expr, &mut |node| match node {
            Node::Column(parts) => {
                names.insert(column(parts));
            }
            Node::Call(_) => {}
            Node::Query(_) | Node::Table(_) | Node::AllColumns => plain = false,
        });
    }
    let mut names = names.into_iter();
    match (names.next(), names.next()) {
        (Some(name), None) if plain => {
            let name = name.to_string();
            let printable = name.chars().count() <= MAX_NAME_CHARS && !name.chars().any(char::is_control);
            printable.then_some(name)
        }
        _ => None,
    }
}
