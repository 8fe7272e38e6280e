//! Where an operand begins and where it ends, as far as tokens tell.

use super::view::View;
use crate::sql::lexer::TokenKind;

/// Words between or before operands, and before a list of them.
const OPERATORS: [&str; 17] = [
    "ALL", "AND", "ANY", "BETWEEN", "BY", "DISTINCT", "ELSE", "IN", "IS", "LIKE", "NOT", "OR", "SELECT", "SET", "SOME",
    "THEN", "VALUES",
];

/// Types before a string.
const TYPED: [&str; 3] = ["DATE", "TIME", "TIMESTAMP"];

impl View<'_, '_> {
    /// The position where the operand starts that ends before `end`: a constant, a name with dots, a parenthesis, a
    /// call, an element of one of these.
    pub(super) fn operand_start(&self, end: usize) -> Option<usize> {
        let mut start = self.before(end)?;
        loop {
            if self.symbol(start, "]") {
                let open = self.opening(start)?;
                start = self.before(open)?;
                if self.is(start, "ARRAY") {
                    return Some(start);
                }
                continue;
            }
            if self.symbol(start, ")") {
                start = self.opening(start)?;
                match self.before(start) {
                    Some(name) if self.is_name(name) && !self.is_operator(name) && !self.is_clause(name) => {
                        start = name
                    }
                    _ => return Some(start),
                }
            }
            match self.kind(start)? {
                TokenKind::Word if self.is_clause(start) || self.is_operator(start) => return None,
                TokenKind::Word | TokenKind::QuotedName => {}
                // A typed literal would have to be told from a list of words.
                TokenKind::String if self.before(start).is_some_and(|before| self.is_any(before, &TYPED)) => {
                    return self.before(start);
                }
                TokenKind::Number | TokenKind::String | TokenKind::Parameter => return Some(start),
                TokenKind::Symbol | TokenKind::Nul => return None,
            }
            if !self.follows_symbol(start, &["."]) {
                return Some(start);
            }
            start = self.before(self.before(start)?)?;
        }
    }

    /// A word that stands between or before operands.
    pub(super) fn is_operator(&self, at: usize) -> bool {
        self.is_any(at, &OPERATORS)
    }

    /// The position after an expression of arithmetic operators that starts at `at`. What comes next may be an alias.
    pub(super) fn after_value(&self, at: usize) -> Option<usize> {
        let mut at = at;
        loop {
            while self.symbol_any(at, &["+", "-"]) {
                at += 1;
            }
            at = self.after_operand(at)?;
            loop {
                if self.are(at, &["AT", "TIME", "ZONE"]) {
                    at = self.after_operand(at + 3)?;
                } else if self.symbol(at, "[") {
                    at = self.closing(at)? + 1;
                } else if self.symbol(at, ".") && self.is_name(at + 1) {
                    at += 2;
                } else {
                    break;
                }
            }
            if !self.symbol_any(at, &["+", "-", "*", "/", "%", "||"]) {
                return Some(at);
            }
            at += 1;
        }
    }

    fn after_operand(&self, at: usize) -> Option<usize> {
        match self.kind(at)? {
            TokenKind::Number | TokenKind::String | TokenKind::Parameter => Some(at + 1),
            TokenKind::Symbol if self.symbol(at, "(") => Some(self.closing(at)? + 1),
            TokenKind::Word if self.is_clause(at) || self.is_any(at, &["CASE", "NOT", "SELECT"]) => None,
            TokenKind::Word if self.is(at, "INTERVAL") => {
                let value = at + 1 + usize::from(self.symbol_any(at + 1, &["+", "-"]));
                let unit = self.next(value);
                if !self.is_name(unit) {
                    return None;
                }
                Some(if self.is(unit + 1, "TO") { unit + 3 } else { unit + 1 })
            }
            TokenKind::Word | TokenKind::QuotedName => {
                let end = self.after_name(at)?;
                if self.symbol(end, "(") {
                    Some(self.closing(end)? + 1)
                } else if self.kind(at) == Some(TokenKind::Word) && self.is_string(end) {
                    Some(end + 1)
                } else {
                    Some(end)
                }
            }
            TokenKind::Symbol | TokenKind::Nul => None,
        }
    }
}
