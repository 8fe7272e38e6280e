//! From the statement as sent to the query inside it.
//!
//! Works on tokens, in a loop. `EXPLAIN`, `PREPARE .. FROM`, `WITH SESSION`, `WITH FUNCTION`, `CREATE TABLE .. AS` and `INSERT INTO ..` are
//! taken off the front; `EXECUTE` and `EXECUTE IMMEDIATE` are replaced by the text that they run, with each `?` that is
//! given a plain literal replaced by it. Other values keep their `?`, which restricts nothing.
//!
//! Not here: whether the statement executes what it wraps (the scanner says).

use std::borrow::Cow;
use std::ops::Range;

use super::{Declined, MAX_BYTES, ParseInput, syntax};
use crate::sql::functions;
use crate::sql::lexer::{Lexer, LexicalRules, Token, TokenKind, unquote};

/// Texts inside texts: EXECUTE of a prepared EXECUTE IMMEDIATE is the deepest that any engine runs.
const MAX_TEXTS: usize = 4;

/// What is left to parse.
#[derive(Debug)]
pub(super) struct Statement<'a> {
    /// The text that the tokens' offsets refer to.
    pub(super) text: Cow<'a, str>,
    /// The tokens of the query or statement.
    pub(super) tokens: Vec<Token>,
    /// A query, and not UPDATE, DELETE or MERGE.
    pub(super) is_query: bool,
}

/// Takes off everything that stands around a query.
pub(super) fn unwrap<'a>(input: &ParseInput<'a>) -> Result<Statement<'a>, Declined> {
    let mut text = Cow::Borrowed(input.text);
    for _ in 0..MAX_TEXTS {
        let tokens = lex(&text, input.rules)?;
        let reader = Reader {
            text: &text,
            tokens: &tokens,
        };
        match reader.peel(input)? {
            Peeled::Query(from, to) => return Ok(statement(text, tokens, from, to, true)),
            Peeled::Change(from, to) => return Ok(statement(text, tokens, from, to, false)),
            Peeled::Text(inner) => text = Cow::Owned(inner),
        }
    }
    Err(Declined::TooDeep)
}

fn statement(text: Cow<'_, str>, mut tokens: Vec<Token>, from: usize, to: usize, is_query: bool) -> Statement<'_> {
    tokens.truncate(to);
    tokens.drain(..from.min(to));
    Statement { text, tokens, is_query }
}

fn lex(text: &str, rules: &LexicalRules) -> Result<Vec<Token>, Declined> {
    if text.len() > MAX_BYTES {
        return Err(Declined::TooLong);
    }
    let mut lexer = Lexer::new(text, rules);
    let mut tokens: Vec<Token> = lexer.by_ref().collect();
    if lexer.unterminated() || tokens.iter().any(|token| token.kind == TokenKind::Nul) {
        return Err(syntax("unterminated string, name or comment, or a NUL"));
    }
    while tokens.last().is_some_and(|token| token.text(text) == ";") {
        tokens.pop();
    }
    Ok(tokens)
}

enum Peeled {
    /// The tokens of a query.
    Query(usize, usize),
    /// The tokens of UPDATE, DELETE or MERGE.
    Change(usize, usize),
    /// Another text to read.
    Text(String),
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl<'a> Reader<'a> {
    fn written(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text(self.text))
    }

    fn is(&self, at: usize, word: &str) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.kind == TokenKind::Word && token.text(self.text).eq_ignore_ascii_case(word))
    }

    fn is_any(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(at, word))
    }

    /// A query can begin here. A parenthesis counts if a query begins in it.
    fn starts_query(&self, at: usize) -> bool {
        let mut inside = at;
        while self.written(inside) == "(" {
            inside += 1;
        }
        self.is_any(inside, &["SELECT", "WITH", "VALUES", "TABLE", "FROM"])
    }

    /// The position after the parenthesis that closes the one at `open`.
    fn after_group(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            match self.written(at) {
                "(" => depth += 1,
                ")" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// The first position from `at` on, outside parentheses, where `found` holds.
    fn find(&self, mut at: usize, found: impl Fn(usize) -> bool) -> Option<usize> {
        while at < self.tokens.len() {
            if found(at) {
                return Some(at);
            }
            at = if self.written(at) == "(" {
                self.after_group(at)
            } else {
                at + 1
            };
        }
        None
    }

    fn peel(&self, input: &ParseInput<'_>) -> Result<Peeled, Declined> {
        let mut at = 0;
        let mut end = self.tokens.len();
        let mut defined = 0..0;
        // Each round moves `at` forward, so this ends.
        loop {
            if self.is(at, "EXPLAIN") {
                at = self.after_explain(at + 1);
            } else if self.is(at, "PREPARE") && self.is(at + 2, "FROM") {
                at += 3;
            } else if self.is(at, "WITH") && self.is(at + 1, "SESSION") {
                at = self
                    .find(at + 2, |position| {
                        self.is_any(position, &STATEMENTS) || self.starts_query(position)
                    })
                    .ok_or(Declined::NotAQuery)?;
            } else if self.is(at, "WITH") && self.defines_function(at + 1) {
                defined = at..self.after_functions(at + 1)?;
                at = defined.end;
            } else if self.is(at, "INSERT") && self.is_any(at + 1, &["INTO", "OVERWRITE"]) {
                let name = if self.is(at + 2, "TABLE") { at + 3 } else { at + 2 };
                at = self
                    .find(name + 1, |position| self.starts_query(position))
                    .ok_or(Declined::NotAQuery)?;
            } else if self.is(at, "CREATE") {
                (at, end) = self.created_from(at, end)?;
            } else if self.is(at, "EXECUTE") {
                self.is_one_statement(&defined)?;
                return self.execute(at, end, input).map(Peeled::Text);
            } else {
                break;
            }
        }
        self.is_one_statement(&defined)?;
        if self.starts_query(at) {
            Ok(Peeled::Query(at, end))
        } else if self.is_any(at, &["UPDATE", "DELETE", "MERGE"]) {
            Ok(Peeled::Change(at, end))
        } else {
            Err(Declined::NotAQuery)
        }
    }

    /// Semicolons part statements, unless they stand in the body of a function.
    fn is_one_statement(&self, defined: &Range<usize>) -> Result<(), Declined> {
        let parts = |(at, token): (usize, &Token)| {
            token.kind == TokenKind::Symbol && token.text(self.text) == ";" && !defined.contains(&at)
        };
        if self.tokens.iter().enumerate().any(parts) {
            Err(syntax("more than one statement"))
        } else {
            Ok(())
        }
    }

    /// The position of the query after `FUNCTION f(..) RETURNS .. RETURN ..`, one or several with commas. The bodies hold
    /// no queries.
    fn after_functions(&self, first: usize) -> Result<usize, Declined> {
        let mut blocks = 0_usize;
        let mut at = first;
        while at < self.tokens.len() {
            if self.is(at, "FUNCTION") && self.redefines(at + 1) {
                // From here on the name does not mean what it means elsewhere.
                return Err(syntax("a function is defined under the name of a built-in one"));
            }
            if self.written(at) == ";" && blocks == 0 {
                break;
            }
            if self.is_any(at, &["BEGIN", "CASE"]) {
                blocks += 1;
            } else if self.is(at, "END") {
                if self.is_any(at + 1, &["IF", "LOOP", "WHILE", "REPEAT", "FOR"]) {
                    at += 1;
                } else {
                    blocks = blocks.saturating_sub(1);
                    at += usize::from(self.is(at + 1, "CASE"));
                }
            } else if blocks == 0 && self.is_body(at) {
                return Ok(at);
            }
            at = if self.written(at) == "(" {
                self.after_group(at)
            } else {
                at + 1
            };
        }
        Err(syntax("functions without a query"))
    }

    /// A query begins here. `WITH (..)` belongs to a function, and FROM to `IS DISTINCT FROM`.
    fn is_body(&self, at: usize) -> bool {
        self.starts_query(at) && !self.is(at, "FROM") && !(self.is(at, "WITH") && self.written(at + 1) == "(")
    }

    /// `FUNCTION f (`, and not a common table expression of that name.
    fn defines_function(&self, at: usize) -> bool {
        let mut name = at + 1;
        while self.written(name + 1) == "." {
            name += 2;
        }
        self.is(at, "FUNCTION") && !self.is(name, "AS") && self.written(at + 1) != "(" && self.written(name + 1) == "("
    }

    fn redefines(&self, at: usize) -> bool {
        self.written(at + 1) == "(" && functions::is_builtin(&self.written(at).to_lowercase())
    }

    fn after_explain(&self, mut at: usize) -> usize {
        loop {
            if self.is_any(at, &["ANALYZE", "VERBOSE", "EXTENDED", "CODEGEN", "COST", "FORMATTED"]) {
                at += 1;
            } else if self.is(at, "PLAN") {
                return self
                    .find(at, |position| self.is(position, "FOR"))
                    .map_or(at + 1, |keyword| keyword + 1);
            } else if self.written(at) == "(" && !self.starts_query(at) {
                at = self.after_group(at);
            } else {
                return at;
            }
        }
    }

    /// The query of `CREATE TABLE .. AS query [WITH [NO] DATA]`.
    fn created_from(&self, create: usize, mut end: usize) -> Result<(usize, usize), Declined> {
        let table = if self.is(create + 1, "OR") {
            create + 3
        } else {
            create + 1
        };
        if !self.is(table, "TABLE") {
            return Err(Declined::NotAQuery);
        }
        let keyword = self
            .find(table, |position| {
                self.is(position, "AS") && self.starts_query(position + 1)
            })
            .ok_or(Declined::NotAQuery)?;
        if end > 0 && self.is(end - 1, "DATA") {
            end -= 1;
            end -= usize::from(end > 0 && self.is(end - 1, "NO"));
            end -= usize::from(end > 0 && self.is(end - 1, "WITH"));
        }
        Ok((keyword + 1, end))
    }

    /// The text that an EXECUTE runs.
    fn execute(&self, at: usize, end: usize, input: &ParseInput<'_>) -> Result<String, Declined> {
        let immediate = self.is(at + 1, "IMMEDIATE") && self.tokens.get(at + 2).is_some_and(is_string);
        let (text, using) = if immediate {
            (unquote(self.written(at + 2), input.rules), at + 3)
        } else {
            let name = unquote(self.written(at + 1), input.rules);
            let found = input
                .prepared
                .iter()
                .find(|(candidate, _)| candidate.eq_ignore_ascii_case(&name));
            let (_, text) = found.ok_or_else(|| syntax("the prepared statement is not known"))?;
            (Cow::Borrowed(*text), at + 2)
        };
        if text.len() > MAX_BYTES {
            return Err(Declined::TooLong);
        }
        let values = if self.is(using, "USING") {
            self.values(using + 1, end)
        } else {
            Vec::new()
        };
        Ok(substitute(&text, input.rules, &values))
    }

    /// The values after USING; `None` for one that is not a plain literal.
    fn values(&self, from: usize, end: usize) -> Vec<Option<String>> {
        let mut values = Vec::new();
        let mut start = from;
        while start < end {
            let stop = self
                .find(start, |position| self.written(position) == ",")
                .unwrap_or(end)
                .min(end);
            values.push(self.plain_literal(start, stop));
            start = stop + 1;
        }
        values
    }

    fn plain_literal(&self, from: usize, to: usize) -> Option<String> {
        let tokens = self.tokens.get(from..to)?;
        let written = |token: &Token| token.text(self.text);
        let kind = |token: &Token| token.kind;
        let plain = match tokens {
            [one] => match kind(one) {
                TokenKind::Number | TokenKind::String => true,
                TokenKind::Word => ["TRUE", "FALSE", "NULL"]
                    .iter()
                    .any(|word| written(one).eq_ignore_ascii_case(word)),
                _ => false,
            },
            [sign, number] if matches!(written(sign), "-" | "+") => kind(number) == TokenKind::Number,
            [word, value] => {
                kind(value) == TokenKind::String
                    && ["DATE", "TIMESTAMP"]
                        .iter()
                        .any(|name| written(word).eq_ignore_ascii_case(name))
            }
            _ => false,
        };
        plain.then(|| tokens.iter().map(written).collect::<Vec<_>>().join(" "))
    }
}

/// Words that begin what `WITH SESSION` may stand before, queries aside.
const STATEMENTS: [&str; 8] = [
    "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "EXPLAIN", "EXECUTE", "PREPARE",
];

fn is_string(token: &Token) -> bool {
    token.kind == TokenKind::String
}

/// The text with its parameters replaced, in order. Spaces keep `-?` with a negative value from becoming a comment.
fn substitute(text: &str, rules: &LexicalRules, values: &[Option<String>]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    let mut values = values.iter();
    for token in Lexer::new(text, rules).filter(|token| token.kind == TokenKind::Parameter) {
        if let Some(Some(value)) = values.next() {
            replaced.push_str(text.get(copied..token.start).unwrap_or_default());
            replaced.push(' ');
            replaced.push_str(value);
            replaced.push(' ');
            copied = token.end;
        }
    }
    replaced.push_str(text.get(copied..).unwrap_or_default());
    replaced
}
