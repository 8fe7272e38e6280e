//! What a rewrite leaves out and puts in, noted first and done at once.

use std::ops::Range;

use super::view::OPAQUE;
use super::{Lexeme, Notes};
use crate::sql::lexer::TokenKind;

/// What is put in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Put<'t> {
    /// A key word or a name of ours.
    Word(&'static str),
    /// A symbol.
    Symbol(&'static str),
    /// A token of the statement once more.
    Again(Lexeme<'t>),
}

/// A LIMIT of nobody knows how many rows: no condition outside may be asked before it.
pub(super) const BARRIER: [Put<'static>; 4] = [
    Put::Word("LIMIT"),
    Put::Word(OPAQUE),
    Put::Symbol("("),
    Put::Symbol(")"),
];

/// Changes to a list of tokens.
#[derive(Debug)]
pub(super) struct Edits<'t> {
    /// What the tree will not tell.
    pub(super) notes: Notes,
    left_out: Vec<Range<usize>>,
    /// In the order in which they are noted; those of one place stay in it.
    put_in: Vec<(usize, Put<'t>)>,
}

impl<'t> Edits<'t> {
    /// None yet.
    pub(super) fn new(notes: Notes) -> Self {
        Self {
            notes,
            left_out: Vec::new(),
            put_in: Vec::new(),
        }
    }

    /// Leaves tokens out.
    pub(super) fn leave_out(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.left_out.push(range);
        }
    }

    /// Puts a token in before the one at `at`.
    pub(super) fn put(&mut self, at: usize, what: Put<'t>) {
        self.put_in.push((at, what));
    }

    /// Puts tokens in before the one at `at`.
    pub(super) fn put_all(&mut self, at: usize, what: &[Put<'t>]) {
        self.put_in.extend(what.iter().map(|&put| (at, put)));
    }

    /// Puts tokens in the place of others.
    pub(super) fn replace(&mut self, range: Range<usize>, with: &[Put<'t>]) {
        self.put_all(range.start, with);
        self.leave_out(range);
    }

    /// The changed list; `None` if nothing changes.
    pub(super) fn apply(mut self, lexemes: &[Lexeme<'t>]) -> Option<Vec<Lexeme<'t>>> {
        if self.left_out.is_empty() && self.put_in.is_empty() {
            return None;
        }
        // The sort is stable.
        self.put_in.sort_by_key(|(at, _)| *at);
        self.left_out.sort_by_key(|range| range.start);
        let mut edited = Vec::with_capacity(lexemes.len() + self.put_in.len());
        let mut put_in = self.put_in.into_iter().peekable();
        let mut left_out = self.left_out.into_iter().peekable();
        let mut skip_to = 0;
        for (at, lexeme) in lexemes.iter().enumerate() {
            while let Some((_, put)) = put_in.next_if(|(place, _)| *place <= at) {
                edited.push(made(put, lexeme.start));
            }
            while let Some(range) = left_out.next_if(|range| range.start <= at) {
                skip_to = skip_to.max(range.end);
            }
            if at >= skip_to {
                edited.push(*lexeme);
            }
        }
        let end = lexemes.last().map_or(0, |last| last.end);
        edited.extend(put_in.map(|(_, put)| made(put, end)));
        Some(edited)
    }
}

fn made(put: Put<'_>, place: usize) -> Lexeme<'_> {
    let (kind, text) = match put {
        Put::Word(text) => (TokenKind::Word, text),
        Put::Symbol(text) => (TokenKind::Symbol, text),
        Put::Again(lexeme) => return lexeme,
    };
    Lexeme {
        kind,
        text,
        start: place,
        end: place,
    }
}
