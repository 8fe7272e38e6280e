//! The fingerprint: the digest of a statement's form, literals left out.
//!
//! It is made on demand: people group statements by it, no decision hangs on it.

use super::digest::{Digest, Item};
use super::words::Word;
use super::{MAX_SCAN_TOKENS, Scanner, read};
use crate::sql::lexer::{LexicalRules, TokenKind};

/// The same for texts that differ in literals, in the length of `IN` lists and `VALUES` lists of literals, in white
/// space, comments and case. An `EXECUTE` has the fingerprint of the statement that it runs.
///
/// Reads the text as [`super::scan`] does, with the same prepared statements.
#[must_use]
pub fn fingerprint(text: &str, rules: &LexicalRules, prepared: &[(&str, &str)]) -> u128 {
    let mut digest = Digest::new();
    let scan = read(text, rules, prepared, MAX_SCAN_TOKENS, |scanner| {
        scanner.print(&mut digest)
    });
    if !scan.complete {
        // What was not read could be anything, so two such texts must not share a fingerprint for their beginning.
        digest.token(Item::Mark, text);
    }
    digest.finish()
}

impl Scanner<'_, '_, '_> {
    /// Feeds the text's tokens to the digest.
    fn print(&self, digest: &mut Digest) {
        // Semicolons at the end are not part of the statement.
        let end = (0..self.toks.len())
            .rev()
            .find(|&at| !self.is_symbol(at, b';'))
            .map_or(0, |last| last + 1);
        let mut at = 0;
        let mut unprinted = self.unprinted.iter().copied().peekable();
        while at < end {
            if let Some(&(from, to)) = unprinted.peek()
                && at >= from
            {
                unprinted.next();
                at = to.max(at);
                continue;
            }
            let Some(tok) = self.tok(at) else { break };
            match tok.kind {
                TokenKind::String | TokenKind::Number | TokenKind::Parameter => digest.token(Item::Stand, "?"),
                kind => digest.token(kind.into(), self.str(at)),
            }
            at = match tok.word {
                Word::In if self.is_symbol(at + 1, b'(') => self.fold_list(at, digest),
                Word::Values => self.fold_rows(at, digest),
                _ => at + 1,
            };
        }
    }
    /// After `IN`: a list of literals becomes one literal. Answers the index to go on from.
    fn fold_list(&self, before: usize, digest: &mut Digest) -> usize {
        match self.literals(before + 1) {
            Some(next) => {
                digest.token(Item::Stand, "()");
                next
            }
            None => before + 1,
        }
    }

    /// After `VALUES`: any number of rows of literals becomes one row.
    fn fold_rows(&self, before: usize, digest: &mut Digest) -> usize {
        let Some(mut next) = self.literals(before + 1) else {
            return before + 1;
        };
        digest.token(Item::Stand, "()");
        while self.is_symbol(next, b',')
            && let Some(after) = self.literals(next + 1)
        {
            next = after;
        }
        next
    }

    /// The index after a list of literals in parentheses that starts at `open`.
    fn literals(&self, open: usize) -> Option<usize> {
        if !self.is_symbol(open, b'(') {
            return None;
        }
        let mut at = open + 1;
        loop {
            match self.kind(at)? {
                TokenKind::String | TokenKind::Number | TokenKind::Parameter => {}
                TokenKind::Symbol if self.is_symbol(at, b')') => return Some(at + 1),
                TokenKind::Symbol if [b',', b'-', b'+'].iter().any(|&sign| self.is_symbol(at, sign)) => {}
                TokenKind::Symbol => return None,
                // NULL, TRUE, FALSE, or the type of the literal that follows: DATE '2026-01-01'.
                TokenKind::Word => {
                    let constant = self.word(at) == Word::Null || self.is_word(at, "true") || self.is_word(at, "false");
                    if !constant && self.kind(at + 1)? != TokenKind::String {
                        return None;
                    }
                }
                TokenKind::QuotedName | TokenKind::Nul => return None,
            }
            at += 1;
        }
    }
}
