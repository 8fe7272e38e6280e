//! What these engines accept and sqlparser does not, put into words that it knows.
//!
//! Works on tokens, before the syntax tree is built, one family of syntax after the other. A family reads the tokens
//! through a [`View`] and notes [`Edits`]: tokens to leave out, tokens to put in. Everything is done in loops; a family
//! costs time in proportion to the text and its nesting, which `guard` bounds before, and none puts in more than a few
//! tokens for each one that it reads. What comes out goes through `guard` again.
//!
//! # Why a rewritten statement may be believed
//!
//! - What is rewritten means the same, or reads more: a condition becomes two that are joined by OR, a table function's
//!   table becomes a query of it, an option that cannot hold a table is left out.
//! - Nothing that could hold a query is left out. If a part that would be has a query in it, or does not look as
//!   expected, it stays as it is, and sqlparser declines the statement.
//! - What the tree then cannot tell is said in [`Notes`], which take the answer back: a call that was left out, columns
//!   whose number is not known, a table as of another time.
//! - A table as of another time or of another branch is read under its own conditions, but its files are not today's.
//!   The scanner flags such statements (`Scan::time_travel`), and their bytes are unknown.
//!
//! Tokens that are put in stand at the place of the token before which they are put, so that a condition is still quoted
//! from the text as sent.

mod conditions;
mod edit;
mod grouping;
mod joins;
mod json;
mod literals;
mod operand;
mod relation;
mod row_patterns;
mod rows;
mod set_operations;
mod table_functions;
mod time_travel;
mod types;
mod values;
mod view;

use self::edit::Edits;
use self::view::View;
use super::Parsed;
use crate::predicate::Translated;
use crate::sql::lexer::{LexicalRules, Token, TokenKind};

/// A token with its text; one that was put in has text of its own and no length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lexeme<'t> {
    /// What it is.
    pub(super) kind: TokenKind,
    /// As written.
    pub(super) text: &'t str,
    /// Offset of its first byte in the statement.
    pub(super) start: usize,
    /// Offset after its last byte.
    pub(super) end: usize,
}

/// What the tree of a rewritten statement does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// A call was left out.
    pub(super) calls_left_out: bool,
    /// The number of columns is not what the tree says.
    pub(super) width_unknown: bool,
    /// A window over a row pattern.
    pub(super) row_pattern: bool,
    /// The tables are not read as they are today, or not as the tree says; no aggregate stands for the statement.
    pub(super) other_rows: bool,
    /// sqlparser would read it as something else.
    pub(super) not_understood: bool,
    /// Columns of set operations correspond by name.
    pub(super) by_name: bool,
}

impl Notes {
    /// Takes back what was concluded from the tree alone.
    pub(super) fn apply(self, parsed: &mut Parsed) {
        if self.calls_left_out && parsed.has_udf == Some(false) {
            parsed.has_udf = None;
        }
        if self.width_unknown {
            parsed.output_columns = None;
            parsed.star_of_tables = false;
        }
        parsed.has_window_over_large_partition |= self.row_pattern;
        if self.other_rows || self.by_name {
            parsed.aggregate = None;
        }
        if self.by_name {
            for table in &mut parsed.tables {
                table.filter = Translated::whole_table();
                table.nan_columns.clear();
            }
        }
    }
}

/// A family of syntax: the words and symbols without which it does not occur, and its rewrite.
struct Family {
    words: &'static [&'static str],
    apply: for<'s, 't> fn(&View<'s, 't>, &mut Edits<'t>),
}

/// In this order, as some leave behind what others take up: a table function's `TABLE(t)` becomes a query `TABLE t`.
const FAMILIES: &[Family] = &[
    Family {
        words: time_travel::WORDS,
        apply: time_travel::rewrite,
    },
    Family {
        words: row_patterns::WORDS,
        apply: row_patterns::rewrite,
    },
    Family {
        words: table_functions::WORDS,
        apply: table_functions::rewrite,
    },
    Family {
        words: set_operations::WORDS,
        apply: set_operations::rewrite,
    },
    Family {
        words: json::WORDS,
        apply: json::rewrite,
    },
    Family {
        words: values::WORDS,
        apply: values::rewrite,
    },
    Family {
        words: literals::WORDS,
        apply: literals::rewrite,
    },
    Family {
        words: types::WORDS,
        apply: types::rewrite,
    },
    Family {
        words: rows::WORDS,
        apply: rows::rewrite,
    },
    Family {
        words: grouping::WORDS,
        apply: grouping::rewrite,
    },
    Family {
        words: joins::WORDS,
        apply: joins::rewrite,
    },
    Family {
        words: conditions::WORDS,
        apply: conditions::rewrite,
    },
];

/// The tokens of a statement with their texts.
pub(super) fn lexemes<'t>(text: &'t str, tokens: &[Token]) -> Vec<Lexeme<'t>> {
    tokens.iter().map(|token| lexeme(text, token)).collect()
}

/// The tokens for sqlparser, and what its tree will not tell. Their nesting must be bounded: some families go through
/// what is nested once for each level.
pub(super) fn rewrite<'t>(lexemes: Vec<Lexeme<'t>>, rules: &LexicalRules) -> (Vec<Lexeme<'t>>, Notes) {
    let mut lexemes = lexemes;
    let mut notes = Notes::default();
    for family in FAMILIES {
        if !lexemes.iter().any(|lexeme| concerns(lexeme, family.words)) {
            continue;
        }
        let view = View::new(&lexemes, rules);
        let mut edits = Edits::new(notes);
        (family.apply)(&view, &mut edits);
        notes = edits.notes;
        if let Some(edited) = edits.apply(&lexemes) {
            lexemes = edited;
        }
    }
    (lexemes, notes)
}

fn lexeme<'t>(text: &'t str, token: &Token) -> Lexeme<'t> {
    Lexeme {
        kind: token.kind,
        text: token.text(text),
        start: token.start,
        end: token.end,
    }
}

fn concerns(lexeme: &Lexeme<'_>, words: &[&str]) -> bool {
    matches!(lexeme.kind, TokenKind::Word | TokenKind::Symbol)
        && words.iter().any(|word| lexeme.text.eq_ignore_ascii_case(word))
}
