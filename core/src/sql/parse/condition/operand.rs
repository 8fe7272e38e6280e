//! One side of a comparison: whose column it is, or what constant.

use sqlparser::ast::{Expr, Ident, Value};

use super::super::fold::{Folded, fold};
use super::super::literal::{Constant, constant};
use super::super::scope::{Resolved, column};
use super::super::walk::{Node, walk};
use super::outcome::Outcome;
use super::{Translator, UnusedReason};
use crate::predicate::{Column, Literal};

/// One side of a comparison.
pub(super) enum Operand {
    /// A column of the relation asked about.
    Own(Column),
    /// A column of another relation, or of another query.
    Elsewhere,
    /// A column that could be anyone's.
    Unclear,
    Constant(Constant),
    /// A constant between these.
    Span(Literal, Literal),
    Other(UnusedReason),
}

impl Translator<'_, '_> {
    pub(super) fn value(&self, expr: &Expr) -> Operand {
        if let Some(value) = constant(expr) {
            return Operand::Constant(value);
        }
        match fold(expr, self.scope.session.now)
            .filter(|value| self.is_exact(*value))
            .and_then(Folded::literals)
        {
            Some((low, high)) if low == high => Operand::Constant(Constant::Literal(low)),
            Some((low, high)) => Operand::Span(low, high),
            None if matches!(expr, Expr::Identifier(_)) => Operand::Other(UnusedReason::Function),
            None => Operand::Other(reason(expr)),
        }
    }

    /// Elsewhere a number with a point may be a double, which is not computed as decimals are.
    fn is_exact(&self, value: Folded) -> bool {
        self.scope.session.known_engine || !matches!(value, Folded::Decimal(_))
    }

    pub(super) fn operand(&self, expr: &Expr) -> Operand {
        let mut expr = expr;
        while let Expr::Nested(inner) = expr {
            expr = inner;
        }
        let names = match expr {
            Expr::Identifier(name) if is_context_value(name) => return self.value(expr),
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(names) => names.as_slice(),
            _ => {
                return self.value(expr);
            }
        };
        let name = column(names);
        match self.scope.resolve(&name) {
            Resolved::Of(relation, column) if relation == self.relation => Operand::Own(column),
            Resolved::Of(..) | Resolved::Foreign => Operand::Elsewhere,
            Resolved::Unclear if self.scope.is_anyones(&name) || self.scope.is_everyones(&name) => {
                self.uncertain.set(true);
                Operand::Own(name)
            }
            Resolved::Unclear => Operand::Unclear,
        }
    }

    pub(super) fn unused(&self, whole: &Expr, reason: UnusedReason) -> Outcome {
        if self.may_be_about(whole) {
            Outcome::unused(reason)
        } else {
            Outcome::elsewhere()
        }
    }

    /// False if every name in it belongs to other relations. What names nothing at all concerns everyone.
    pub(super) fn may_be_about(&self, expr: &Expr) -> bool {
        let mut names = 0_usize;
        let mut about = false;
        walk(expr, &mut |node| match node {
            Node::Column(parts) => {
                names += 1;
                about |= match self.scope.resolve(&column(parts)) {
                    Resolved::Of(relation, _) => relation == self.relation,
                    Resolved::Foreign => false,
                    Resolved::Unclear => true,
                };
            }
            Node::Query(_) | Node::Table(_) | Node::AllColumns => about = true,
            Node::Call(_) => {}
        });
        about || (names == 0 && constant(expr).is_none())
    }
}

/// Words that are values of the session although they look like columns.
pub(in super::super) fn is_context_value(name: &Ident) -> bool {
    const WORDS: [&str; 13] = [
        "current_catalog",
        "current_date",
        "current_path",
        "current_role",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_timezone",
        "current_user",
        "localtime",
        "localtimestamp",
        "session_user",
        "user",
    ];
    name.quote_style.is_none() && WORDS.iter().any(|word| name.value.eq_ignore_ascii_case(word))
}

/// Why an expression is no operand that prunes.
pub(super) fn reason(expr: &Expr) -> UnusedReason {
    match expr {
        Expr::Function(_)
        | Expr::Extract { .. }
        | Expr::Ceil { .. }
        | Expr::Floor { .. }
        | Expr::Position { .. }
        | Expr::Substring { .. }
        | Expr::Trim { .. }
        | Expr::Overlay { .. }
        | Expr::AtTimeZone { .. } => UnusedReason::Function,
        Expr::Cast { .. } | Expr::Convert { .. } => UnusedReason::Cast,
        Expr::Subquery(_) | Expr::AnyOp { .. } | Expr::AllOp { .. } => UnusedReason::Subquery,
        Expr::Value(value) if matches!(value.value, Value::Placeholder(_)) => UnusedReason::Parameter,
        Expr::Value(_) => UnusedReason::Other,
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => UnusedReason::ColumnComparison,
        _ => UnusedReason::Expression,
    }
}
