//! Bounds on a statement's tokens, checked before anything recurses over it.
//!
//! sqlparser counts the depth of most of its own recursion, but not all: row patterns nest unseen. It does not count
//! chains at all: `a OR b OR ..` is parsed in a loop and comes out as a tree as deep as the chain is long, which
//! overflows the stack when it is dropped. So both are counted here, in one loop over the tokens.
//!
//! The length of a chain is counted between separators, and a parenthesis adds its longest chain to the one around it:
//! that bounds the depth of the tree, while a list of a thousand sums stays a list. Not here: time and memory, which
//! the length of the text bounds.

use super::Declined;
use super::rewrite::Lexeme;
use crate::sql::lexer::TokenKind;

/// Deeper nesting is declined. People do not write it, and generated statements are routed by the scanner.
const MAX_NESTING: usize = 40;

/// Dropping a chain of 31,000 overflows a 2 MiB stack, cloning or printing one of 1,800; a thousand is safe everywhere.
const MAX_CHAIN: usize = 1000;

/// Comparisons chain too (`a IS NULL IS NULL ..`), but honest statements have many side by side.
const MAX_COMPARISONS: usize = 5000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    Statement,
    Paren,
    Bracket,
    Brace,
    Case,
    Not,
    Type,
}

struct Level {
    opened: Opened,
    /// Operators since the last separator.
    chain: usize,
    /// The longest chain before the last separator.
    longest: usize,
}

struct Levels(Vec<Level>);

impl Levels {
    fn open(&mut self, opened: Opened) -> Result<(), Declined> {
        self.0.push(Level {
            opened,
            chain: 0,
            longest: 0,
        });
        if self.0.len() > MAX_NESTING + 1 {
            Err(Declined::TooDeep)
        } else {
            Ok(())
        }
    }

    fn is_open(&self, opened: Opened) -> bool {
        self.0.iter().any(|level| level.opened == opened)
    }

    fn pop(&mut self) -> Result<Option<Opened>, Declined> {
        if self.0.len() < 2 {
            return Ok(None);
        }
        let Some(closed) = self.0.pop() else {
            return Ok(None);
        };
        self.add(closed.longest.max(closed.chain))?;
        Ok(Some(closed.opened))
    }

    /// Closes what was opened, and what was left open inside it.
    fn close(&mut self, opened: Opened) -> Result<(), Declined> {
        if self.is_open(opened) {
            while self.pop()?.is_some_and(|closed| closed != opened) {}
        }
        Ok(())
    }

    /// An operand ends: the NOTs before it end as well.
    fn end_operand(&mut self) -> Result<(), Declined> {
        while self.0.last().is_some_and(|level| level.opened == Opened::Not) {
            self.pop()?;
        }
        Ok(())
    }

    fn separate(&mut self) -> Result<(), Declined> {
        self.end_operand()?;
        if let Some(level) = self.0.last_mut() {
            level.longest = level.longest.max(level.chain);
            level.chain = 0;
        }
        Ok(())
    }

    fn add(&mut self, operators: usize) -> Result<(), Declined> {
        let Some(level) = self.0.last_mut() else {
            return Ok(());
        };
        level.chain += operators;
        if level.chain > MAX_CHAIN {
            Err(Declined::TooManyOperators)
        } else {
            Ok(())
        }
    }
}

/// Declines what is nested or chained too deeply.
pub(super) fn check(tokens: &[Lexeme<'_>]) -> Result<(), Declined> {
    let mut levels = Levels(Vec::new());
    levels.open(Opened::Statement)?;
    let mut comparisons = 0_usize;
    let mut set_operations = 0_usize;
    let mut previous = "";
    for token in tokens {
        let written = token.text;
        match token.kind {
            TokenKind::Symbol => match written {
                "(" => levels.open(Opened::Paren)?,
                ")" => levels.close(Opened::Paren)?,
                "[" => {
                    levels.add(1)?;
                    levels.open(Opened::Bracket)?;
                }
                "]" => levels.close(Opened::Bracket)?,
                "{" => levels.open(Opened::Brace)?,
                "}" => levels.close(Opened::Brace)?,
                "," => levels.separate()?,
                "<" if is_type(previous) => levels.open(Opened::Type)?,
                ">" if levels.0.last().is_some_and(|level| level.opened == Opened::Type) => {
                    levels.close(Opened::Type)?;
                }
                "=" | "<" | ">" | "<=" | ">=" | "<>" | "!=" => comparisons += 1,
                // A sign, not an operator: it nests, and sqlparser counts it.
                "-" | "+" if matches!(previous, "(" | "," | "") => {}
                "." => {}
                _ => levels.add(1)?,
            },
            TokenKind::Word => match () {
                () if is(written, &["CASE"]) => levels.open(Opened::Case)?,
                () if is(written, &["END"]) => levels.close(Opened::Case)?,
                () if is(written, &["WHEN", "THEN", "ELSE"]) => levels.separate()?,
                () if is(written, &["NOT"]) => levels.open(Opened::Not)?,
                () if is(written, &["AND", "OR", "XOR"]) => {
                    levels.end_operand()?;
                    levels.add(1)?;
                }
                () if is(written, &["UNION", "EXCEPT", "INTERSECT", "MINUS"]) => set_operations += 1,
                () if is(written, &["AT", "COLLATE", "DIV"]) => levels.add(1)?,
                () if is(
                    written,
                    &["IS", "IN", "LIKE", "BETWEEN", "ESCAPE", "SIMILAR", "RLIKE", "ILIKE"],
                ) =>
                {
                    comparisons += 1;
                }
                () => {}
            },
            _ => {}
        }
        previous = written;
        if comparisons > MAX_COMPARISONS || set_operations > MAX_CHAIN {
            return Err(Declined::TooManyOperators);
        }
    }
    // What is still open at the end has been counted while it was opened.
    Ok(())
}

fn is(word: &str, any_of: &[&str]) -> bool {
    any_of.iter().any(|candidate| word.eq_ignore_ascii_case(candidate))
}

fn is_type(word: &str) -> bool {
    is(word, &["ARRAY", "MAP", "STRUCT", "ROW"])
}
