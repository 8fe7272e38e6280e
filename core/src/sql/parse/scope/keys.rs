//! Plain columns, told apart as far as the text tells.

use sqlparser::ast::{Expr, Ident};

use super::super::condition::is_context_value;
use super::{Resolved, Scope, column};
use crate::predicate::Column;

/// A column of the relation with this number, or of whichever relation has it.
pub(in super::super) type Key = (Option<usize>, Column);

/// The name of a plain column, parentheses allowed.
pub(in super::super) fn plain(expr: &Expr) -> Option<&[Ident]> {
    let mut expr = expr;
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    match expr {
        Expr::Identifier(name) if is_context_value(name) => None,
        Expr::Identifier(name) => Some(std::slice::from_ref(name)),
        Expr::CompoundIdentifier(names) => Some(names),
        _ => None,
    }
}

impl Scope<'_> {
    /// The column that an expression is.
    pub(in super::super) fn key_of(&self, expr: &Expr) -> Option<Key> {
        let name = column(plain(expr)?);
        match self.resolve(&name) {
            Resolved::Of(relation, column) => Some((Some(relation), column)),
            Resolved::Unclear if self.is_anyones(&name) => Some((None, name)),
            Resolved::Unclear | Resolved::Foreign => None,
        }
    }
}
