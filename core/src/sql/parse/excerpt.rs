//! A condition in the statement's own words.
//!
//! The text comes from the source tokens and not from printing the tree, which recurses. The tree gives one point, the
//! condition's leftmost token; from there the tokens are followed to where the condition must end.

use sqlparser::ast::Expr;

use super::tokens::offset;
use crate::sql::lexer::{Token, TokenKind};

/// A longer condition is cut; the text goes into messages.
const MAX_CHARS: usize = 160;

/// Words at which a condition ends, outside its own parentheses.
const ENDS: [&str; 24] = [
    "GROUP",
    "ORDER",
    "HAVING",
    "LIMIT",
    "FETCH",
    "OFFSET",
    "WINDOW",
    "QUALIFY",
    "WHERE",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "MINUS",
    "JOIN",
    "INNER",
    "LEFT",
    "RIGHT",
    "FULL",
    "CROSS",
    "NATURAL",
    "WHEN",
    "THEN",
    "ELSE",
    "LATERAL",
];

/// The source that conditions are quoted from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl<'a> Source<'a> {
    /// The statement's text and its tokens.
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens }
    }

    /// The condition as written; empty if its place is not known.
    pub(super) fn excerpt(&self, condition: &Expr) -> String {
        let Some((anchor, back)) = leftmost(condition) else {
            return String::new();
        };
        let at = self.tokens.partition_point(|token| token.start < anchor);
        let mut first = at.saturating_sub(back);
        // DATE '..', CAST (.., f (..: a word before a parenthesis or a string belongs to what was counted.
        if back > 0 && self.word(first).is_none() && first > 0 && self.word(first - 1).is_some_and(is_operand) {
            first -= 1;
        }
        let whole_clause = matches!(
            condition,
            Expr::BinaryOp {
                op: sqlparser::ast::BinaryOperator::Or,
                ..
            }
        );
        self.quote(first, whole_clause)
    }

    fn word(&self, index: usize) -> Option<&'a str> {
        let token = self.tokens.get(index)?;
        (token.kind == TokenKind::Word).then(|| token.text(self.text))
    }

    fn quote(&self, first: usize, whole_clause: bool) -> String {
        let mut quoted = String::new();
        let mut chars = 0;
        let mut depth = 0_usize;
        let mut betweens = 0_usize;
        let mut end = None;
        for (index, token) in self.tokens.iter().enumerate().skip(first) {
            let written = token.text(self.text);
            let is_word = token.kind == TokenKind::Word;
            let word = |candidate: &str| is_word && written.eq_ignore_ascii_case(candidate);
            match written {
                "(" | "[" => depth += 1,
                ")" | "]" if depth == 0 => break,
                ")" | "]" => depth -= 1,
                "," | ";" if depth == 0 => break,
                _ if word("CASE") => depth += 1,
                _ if word("END") && depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                _ if word("BETWEEN") => betweens += 1,
                _ if word("AND") && betweens > 0 => betweens -= 1,
                _ if (word("AND") || word("OR")) && !whole_clause && index > first => break,
                _ if is_word && index > first && ends(written) && !self.is_call(index) => break,
                _ => {}
            }
            let space = if end.is_some_and(|end| end < token.start) {
                " "
            } else {
                ""
            };
            for character in space.chars().chain(written.chars()) {
                if chars == MAX_CHARS {
                    quoted.push_str("..");
                    return quoted;
                }
                quoted.push(if character.is_control() { ' ' } else { character });
                chars += 1;
            }
            end = Some(token.end);
        }
        quoted
    }

    fn is_call(&self, index: usize) -> bool {
        self.tokens
            .get(index + 1)
            .is_some_and(|next| next.text(self.text) == "(")
    }
}

fn ends(word: &str) -> bool {
    ENDS.iter().any(|end| word.eq_ignore_ascii_case(end))
}

fn is_operand(word: &str) -> bool {
    !["AND", "OR", "NOT", "WHERE", "ON", "WHEN"]
        .iter()
        .any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// The offset of the leftmost token that the tree knows, and how many tokens of the condition stand before it.
fn leftmost(condition: &Expr) -> Option<(usize, usize)> {
    let mut expr = condition;
    let mut back = 0;
    loop {
        let start = match expr {
            Expr::Identifier(name) => name.span.start,
            Expr::CompoundIdentifier(names) => names.first()?.span.start,
            Expr::Value(value) => value.span.start,
            Expr::TypedString(typed) => {
                back += 1;
                typed.value.span.start
            }
            Expr::Function(call) => call.name.0.first()?.as_ident()?.span.start,
            Expr::Case { case_token, .. } => case_token.0.span.start,
            Expr::Nested(inner) => {
                back += 1;
                expr = inner;
                continue;
            }
            Expr::UnaryOp { expr: inner, .. } => {
                back += 1;
                expr = inner;
                continue;
            }
            Expr::Cast { expr: inner, kind, .. } => {
                back += if *kind == sqlparser::ast::CastKind::DoubleColon {
                    0
                } else {
                    2
                };
                expr = inner;
                continue;
            }
            Expr::Extract { expr: inner, .. } => {
                back += 4;
                expr = inner;
                continue;
            }
            Expr::Substring { expr: inner, .. } | Expr::Ceil { expr: inner, .. } | Expr::Floor { expr: inner, .. } => {
                back += 2;
                expr = inner;
                continue;
            }
            Expr::Exists { subquery, negated } => {
                back += 2 + usize::from(*negated);
                query_start(subquery)?
            }
            Expr::Subquery(subquery) => {
                back += 1;
                query_start(subquery)?
            }
            Expr::Tuple(items) => {
                back += 1;
                expr = items.first()?;
                continue;
            }
            Expr::BinaryOp { left: inner, .. }
            | Expr::IsNull(inner)
            | Expr::IsNotNull(inner)
            | Expr::IsTrue(inner)
            | Expr::IsNotTrue(inner)
            | Expr::IsFalse(inner)
            | Expr::IsNotFalse(inner)
            | Expr::IsUnknown(inner)
            | Expr::IsNotUnknown(inner)
            | Expr::IsDistinctFrom(inner, _)
            | Expr::IsNotDistinctFrom(inner, _)
            | Expr::In { expr: inner, .. }
            | Expr::Between { expr: inner, .. }
            | Expr::Like { expr: inner, .. }
            | Expr::ILike { expr: inner, .. }
            | Expr::SimilarTo { expr: inner, .. }
            | Expr::RLike { expr: inner, .. }
            | Expr::AnyOp { left: inner, .. }
            | Expr::AllOp { left: inner, .. }
            | Expr::AtTimeZone { timestamp: inner, .. }
            | Expr::Collate { expr: inner, .. }
            | Expr::CompoundFieldAccess { root: inner, .. } => {
                expr = inner;
                continue;
            }
            _ => return None,
        };
        return Some((offset(start)?, back));
    }
}

fn query_start(query: &sqlparser::ast::Query) -> Option<sqlparser::tokenizer::Location> {
    if let Some(with) = &query.with {
        return Some(with.with_token.0.span.start);
    }
    Some(query.body.as_select()?.select_token.0.span.start)
}
