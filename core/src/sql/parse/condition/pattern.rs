//! LIKE and `starts_with`: what a pattern's beginning says of a column.

use sqlparser::ast::{CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};

use super::super::literal::{Constant, constant};
use super::compare::{is_for_text, starting};
use super::operand::Operand;
use super::outcome::Outcome;
use super::{Translator, UnusedReason};
use crate::predicate::{Comparison, Literal, Predicate};

impl Translator<'_, '_> {
    pub(super) fn like(&self, whole: &Expr, value: &Expr, pattern: &Expr, negated: bool) -> Outcome {
        let Some(Constant::Literal(Literal::String(text))) = constant(pattern) else {
            return self.unused(whole, UnusedReason::Pattern);
        };
        let pattern = Pattern::of(&text);
        if let Some(of) = self.text_within(value) {
            return match (self.operand(of), pattern) {
                (Operand::Own(column), Pattern::Text(start) | Pattern::Prefix(start) | Pattern::Longer(start))
                    if !negated && is_for_text(start) =>
                {
                    starting(column, start.to_owned())
                }
                _ => self.unused(whole, UnusedReason::Pattern),
            };
        }
        match (self.operand(value), pattern) {
            (Operand::Own(column), Pattern::Text(text)) => {
                let op = if negated { Comparison::NotEq } else { Comparison::Eq };
                Outcome::exactly(Predicate::Compare(column, op, Literal::String(text.to_owned())))
            }
            (Operand::Own(_), Pattern::Prefix(prefix)) => self.prefixed(whole, value, prefix, negated),
            // What starts otherwise does not match; what does not match may start so.
            (Operand::Own(_), Pattern::Longer(prefix)) if !prefix.is_empty() && !negated => Outcome {
                exact: false,
                reason: Some(UnusedReason::Pattern),
                ..self.prefixed(whole, value, prefix, negated)
            },
            (Operand::Elsewhere, _) => Outcome::elsewhere(),
            _ => self.unused(whole, UnusedReason::Pattern),
        }
    }

    /// What `CAST(.. AS varchar)` casts. Only a cast without length changes no text, and only for Trino is it known that
    /// nothing is left of it.
    pub(super) fn text_within<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let mut expr = expr;
        while let Expr::Nested(inner) = expr {
            expr = inner;
        }
        match expr {
            Expr::Cast {
                kind: CastKind::Cast,
                expr: of,
                data_type: DataType::Varchar(None),
                format: None,
                ..
            } if self.scope.session.known_engine => Some(of),
            _ => None,
        }
    }

    /// Trino makes a range of a prefix, and nothing of its negation or of "any text".
    pub(super) fn prefixed(&self, whole: &Expr, value: &Expr, prefix: &str, negated: bool) -> Outcome {
        match self.operand(value) {
            Operand::Own(_) if self.scope.session.known_engine && (negated || prefix.is_empty()) => {
                Outcome::unused(UnusedReason::Pattern)
            }
            Operand::Own(column) if prefix.is_empty() && !negated => {
                Outcome::exactly(Predicate::IsNull { column, negated: true })
            }
            Operand::Own(_) if prefix.is_empty() => Outcome::exactly(Predicate::AlwaysFalse),
            Operand::Own(column) => Outcome::exactly(Predicate::StartsWith {
                column,
                prefix: prefix.to_owned(),
                negated,
            }),
            Operand::Elsewhere => Outcome::elsewhere(),
            _ => self.unused(whole, UnusedReason::Pattern),
        }
    }
}

/// A LIKE pattern without ESCAPE.
enum Pattern<'t> {
    /// No wildcard.
    Text(&'t str),
    /// One `%`, at the end.
    Prefix(&'t str),
    /// This, then something that matches less than everything. A backslash counts: some engines escape with it.
    Longer(&'t str),
}

impl<'t> Pattern<'t> {
    fn of(text: &'t str) -> Self {
        match text.find(['%', '_', '\\']) {
            None => Self::Text(text),
            Some(at) => {
                let (prefix, rest) = text.split_at(at);
                if rest.bytes().all(|byte| byte == b'%') {
                    Self::Prefix(prefix)
                } else {
                    Self::Longer(prefix)
                }
            }
        }
    }
}

/// `starts_with(value, 'prefix')`
pub(super) fn starts_with(call: &Function) -> Option<(&Expr, &str)> {
    let ([name], FunctionArguments::List(list)) = (call.name.0.as_slice(), &call.args) else {
        return None;
    };
    let name = &name.as_ident()?.value;
    let plain = call.over.is_none() && call.filter.is_none() && list.clauses.is_empty();
    if !plain
        || !["starts_with", "startswith"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    {
        return None;
    }
    let [
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(prefix))),
    ] = list.args.as_slice()
    else {
        return None;
    };
    match &prefix.value {
        Value::SingleQuotedString(prefix) => Some((value, prefix)),
        _ => None,
    }
}
