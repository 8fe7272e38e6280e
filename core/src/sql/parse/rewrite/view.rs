//! A statement's tokens as a rewrite reads them: by position, with every question about a position past the end answered
//! by "no".

use std::ops::Range;

use super::{Lexeme, Notes};
use crate::sql::lexer::{LexicalRules, TokenKind};

/// Words that end a relation or a query's clause, and so any expression that stands before them outside parentheses.
const CLAUSES: [&str; 22] = [
    "AS",
    "CROSS",
    "EXCEPT",
    "FETCH",
    "FROM",
    "FULL",
    "GROUP",
    "HAVING",
    "INNER",
    "INTERSECT",
    "JOIN",
    "LIMIT",
    "MINUS",
    "NATURAL",
    "OFFSET",
    "ON",
    "ORDER",
    "UNION",
    "USING",
    "WHEN",
    "WHERE",
    "WINDOW",
];

/// A function that every engine has and from which nothing is concluded: what it is called with counts as read.
pub(super) const OPAQUE: &str = "typeof";

/// Read access to the tokens.
#[derive(Debug)]
pub(super) struct View<'s, 't> {
    lexemes: &'s [Lexeme<'t>],
    /// The engine's lexical rules, which tell the engine.
    pub(super) rules: &'s LexicalRules,
    /// For an opening parenthesis or bracket the position of the closing one, if there is one.
    closing: Vec<Option<usize>>,
    /// The other way around.
    opening: Vec<Option<usize>>,
}

impl<'s, 't> View<'s, 't> {
    /// Pairs the parentheses.
    pub(super) fn new(lexemes: &'s [Lexeme<'t>], rules: &'s LexicalRules) -> Self {
        let mut closing = vec![None; lexemes.len()];
        let mut opening = vec![None; lexemes.len()];
        let mut open: Vec<(usize, &str)> = Vec::new();
        for (at, lexeme) in lexemes.iter().enumerate() {
            if lexeme.kind != TokenKind::Symbol {
                continue;
            }
            match lexeme.text {
                "(" | "[" => open.push((at, if lexeme.text == "(" { ")" } else { "]" })),
                ")" | "]" => {
                    if let Some((opened, _)) = open.pop_if(|(_, expected)| *expected == lexeme.text)
                        && let (Some(closes), Some(opens)) = (closing.get_mut(opened), opening.get_mut(at))
                    {
                        *closes = Some(at);
                        *opens = Some(opened);
                    }
                }
                _ => {}
            }
        }
        Self {
            lexemes,
            rules,
            closing,
            opening,
        }
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.lexemes.len()
    }

    /// The token at `at`.
    pub(super) fn get(&self, at: usize) -> Option<Lexeme<'t>> {
        self.lexemes.get(at).copied()
    }

    /// The token before `at`.
    pub(super) fn before(&self, at: usize) -> Option<usize> {
        at.checked_sub(1)
    }

    /// What the token at `at` is.
    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.lexemes.get(at).map(|lexeme| lexeme.kind)
    }

    /// The token as written; empty past the end.
    pub(super) fn text(&self, at: usize) -> &'t str {
        self.lexemes.get(at).map_or("", |lexeme| lexeme.text)
    }

    /// It is this word, without quotes.
    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        self.kind(at) == Some(TokenKind::Word) && self.text(at).eq_ignore_ascii_case(word)
    }

    /// It is one of these words, without quotes.
    pub(super) fn is_any(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(at, word))
    }

    /// These words stand here, one after the other.
    pub(super) fn are(&self, at: usize, words: &[&str]) -> bool {
        (at..).zip(words).all(|(at, word)| self.is(at, word))
    }

    /// It is this symbol.
    pub(super) fn symbol(&self, at: usize, symbol: &str) -> bool {
        self.kind(at) == Some(TokenKind::Symbol) && self.text(at) == symbol
    }

    /// It is one of these symbols.
    pub(super) fn symbol_any(&self, at: usize, symbols: &[&str]) -> bool {
        symbols.iter().any(|symbol| self.symbol(at, symbol))
    }

    /// The token before `at` is one of these words.
    pub(super) fn follows(&self, at: usize, words: &[&str]) -> bool {
        self.before(at).is_some_and(|before| self.is_any(before, words))
    }

    /// The token before `at` is one of these symbols.
    pub(super) fn follows_symbol(&self, at: usize, symbols: &[&str]) -> bool {
        self.before(at).is_some_and(|before| self.symbol_any(before, symbols))
    }

    /// It can be a name: a word or a quoted name.
    pub(super) fn is_name(&self, at: usize) -> bool {
        matches!(self.kind(at), Some(TokenKind::Word | TokenKind::QuotedName))
    }

    /// It is a string literal.
    pub(super) fn is_string(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::String)
    }

    /// A word at which an expression outside parentheses ends.
    pub(super) fn is_clause(&self, at: usize) -> bool {
        self.is_any(at, &CLAUSES) || (self.is_any(at, &["LEFT", "RIGHT"]) && !self.symbol(at + 1, "("))
    }

    /// A query begins here.
    pub(super) fn starts_query(&self, at: usize) -> bool {
        let mut inside = at;
        while self.symbol(inside, "(") {
            inside += 1;
        }
        self.is_any(inside, &["SELECT", "VALUES", "WITH"])
            || (self.is(inside, "TABLE") && self.is_name(inside + 1))
            || (self.is(inside, "FROM") && self.rules.double_quoted_strings)
    }

    /// The position of the parenthesis that closes the one at `at`.
    pub(super) fn closing(&self, at: usize) -> Option<usize> {
        self.closing.get(at).copied().flatten()
    }

    /// The position of the parenthesis that opens what the one at `at` closes.
    pub(super) fn opening(&self, at: usize) -> Option<usize> {
        self.opening.get(at).copied().flatten()
    }

    /// The word stands somewhere in the range.
    pub(super) fn is_any_in(&self, mut range: Range<usize>, word: &str) -> bool {
        range.any(|at| self.is(at, word))
    }

    /// The position after a group that opens at `at`, or after the one token there. Never more than one past the end.
    pub(super) fn next(&self, at: usize) -> usize {
        match self.closing(at) {
            Some(closing) => closing + 1,
            None => at + 1,
        }
    }

    /// The first position in `range`, groups skipped, where `found` holds.
    pub(super) fn find(&self, range: Range<usize>, found: impl Fn(usize) -> bool) -> Option<usize> {
        let mut at = range.start;
        let end = range.end.min(self.len());
        while at < end {
            if found(at) {
                return Some(at);
            }
            at = self.next(at);
        }
        None
    }

    /// The position after a name with dots that starts at `at`.
    pub(super) fn after_name(&self, at: usize) -> Option<usize> {
        if !self.is_name(at) {
            return None;
        }
        let mut end = at + 1;
        while self.symbol(end, ".") && self.is_name(end + 1) {
            end += 2;
        }
        Some(end)
    }

    /// Whether tokens may be left out: there are no queries among them, and as many parentheses close as open. A call
    /// that is left out is noted.
    pub(super) fn may_leave_out(&self, range: Range<usize>, notes: &mut Notes) -> bool {
        let mut depth = 0_usize;
        let mut calls = false;
        for at in range {
            match self.text(at) {
                "(" | "[" => {
                    depth += 1;
                    calls |= self.before(at).is_some_and(|before| self.is_name(before));
                }
                ")" | "]" if depth == 0 => return false,
                ")" | "]" => depth -= 1,
                _ => {}
            }
            if self.is_any(at, &["SELECT", "TABLE", "VALUES"])
                || (self.is(at, "FROM") && self.follows_symbol(at, &["("]))
            {
                return false;
            }
        }
        notes.calls_left_out |= calls && depth == 0;
        depth == 0
    }
}
