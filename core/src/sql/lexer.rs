//! SQL text to tokens, by each engine's own lexical rules.
//!
//! What lives here: where a token, a string, a quoted name and a comment begin and end, and the plain value of a quoted
//! token. What does not: what a word means (`scan`), and anything about grammar.
//!
//! A comment that ends later here than in the engine hides a table from the router, so the rules follow the engines'
//! lexers and not the SQL standard: a `--` comment ends at a carriage return too, comments nest for Spark alone, `//` is
//! a comment for Dremio alone, and `/*! .. */` is a comment like any other. Where an engine refuses a text, any reading
//! will do; where it accepts one, this lexer reads the same tokens.

use std::borrow::Cow;

/// How one engine splits text into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexicalRules {
    /// `/* /* */ */` is one comment.
    pub nested_comments: bool,
    /// `//` starts a comment that ends with the line.
    pub slash_slash_comment: bool,
    /// A backslash right before the line feed carries a `--` comment on to the next line.
    pub comment_continuation: bool,
    /// `` `x` `` is a name.
    pub backtick_identifiers: bool,
    /// `"x"` is a string and not a name.
    pub double_quoted_strings: bool,
    /// `'\''` is one string.
    pub backslash_escapes: bool,
    /// `$$ .. $$` and `$tag$ .. $tag$` are strings.
    pub dollar_strings: bool,
    /// `1from` is one token, where others read the number 1 and the word `from`.
    pub digit_identifiers: bool,
    /// `IDENTIFIER('a.b')` names a table, and `LATERAL f(..)` calls a function.
    pub identifier_clause: bool,
    /// `MINUS` between two queries is `EXCEPT`.
    pub minus_is_except: bool,
    /// The list of built-in functions is this engine's: a name that is not on it belongs to a user.
    pub known_functions: bool,
}

impl LexicalRules {
    /// Trino.
    pub const TRINO: Self = Self {
        nested_comments: false,
        slash_slash_comment: false,
        comment_continuation: false,
        backtick_identifiers: true,
        double_quoted_strings: false,
        backslash_escapes: false,
        dollar_strings: true,
        digit_identifiers: true,
        identifier_clause: false,
        minus_is_except: false,
        known_functions: true,
    };

    /// Presto.
    pub const PRESTO: Self = Self {
        dollar_strings: false,
        known_functions: false,
        ..Self::TRINO
    };

    /// Dremio.
    pub const DREMIO: Self = Self {
        slash_slash_comment: true,
        dollar_strings: false,
        digit_identifiers: false,
        minus_is_except: true,
        known_functions: false,
        ..Self::TRINO
    };

    /// Spark, Kyuubi and Databricks.
    pub const SPARK: Self = Self {
        nested_comments: true,
        comment_continuation: true,
        double_quoted_strings: true,
        backslash_escapes: true,
        identifier_clause: true,
        minus_is_except: true,
        known_functions: false,
        ..Self::TRINO
    };
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or key word without quotes.
    Word,
    /// A name in quotes.
    QuotedName,
    /// A string literal, with its prefix (`X'..'`, `U&'..'`).
    String,
    /// A number.
    Number,
    /// `?`, the place of a bound value.
    Parameter,
    /// Any other character, or one of the pairs `=>`, `->`, `||`, `::`, `<=`, `>=`, `<>`, `!=`.
    Symbol,
    /// A NUL byte: no engine accepts one.
    Nul,
}

/// One token: its kind and the bytes it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
}

impl Token {
    /// The token as written.
    #[must_use]
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.start..self.end).unwrap_or_default()
    }
}

/// The tokens of a text, comments and white space left out.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    rules: LexicalRules,
    position: usize,
    unterminated: bool,
}

/// The bytes of a word that are ASCII.
static WORD_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut rest = table.as_mut_slice();
    let mut byte = 0_u8;
    while let Some((slot, others)) = rest.split_first_mut() {
        *slot = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
        byte = byte.wrapping_add(1);
        rest = others;
    }
    table
};

fn is_word_byte(byte: u8) -> bool {
    WORD_BYTES.get(usize::from(byte)).copied().unwrap_or(false)
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of `text`.
    #[must_use]
    pub fn new(text: &'a str, rules: &LexicalRules) -> Self {
        Self {
            text,
            rules: *rules,
            position: 0,
            unterminated: false,
        }
    }

    /// Whether a string, a quoted name or a comment so far had no end.
    #[must_use]
    pub fn unterminated(&self) -> bool {
        self.unterminated
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The offset of `needle` at or after `from`.
    fn find_from(&self, from: usize, needle: &str) -> Option<usize> {
        self.text
            .get(from..)
            .and_then(|rest| rest.find(needle))
            .map(|offset| from + offset)
    }

    fn skip_space_and_comments(&mut self) {
        while let Some(byte) = self.byte(self.position) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.position += 1,
                b'-' if self.byte(self.position + 1) == Some(b'-') => self.skip_line(),
                b'/' if self.byte(self.position + 1) == Some(b'*') => self.skip_block(),
                b'/' if self.rules.slash_slash_comment && self.byte(self.position + 1) == Some(b'/') => {
                    self.skip_line();
                }
                0x80.. => match self.char_at(self.position) {
                    // A byte order mark is not white space to `char`, but no engine takes it for a name either.
                    Some(c) if c.is_whitespace() || c == '\u{feff}' => self.position += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    fn skip_line(&mut self) {
        let mut at = self.position + 2;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\\' if self.rules.comment_continuation && self.byte(at + 1) == Some(b'\n') => at += 2,
                b'\n' | b'\r' => break,
                _ => at += 1,
            }
        }
        self.position = at;
    }

    fn skip_block(&mut self) {
        let mut depth = 1_usize;
        let mut at = self.position + 2;
        while let Some(byte) = self.byte(at) {
            match (byte, self.byte(at + 1)) {
                (b'*', Some(b'/')) => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        self.position = at;
                        return;
                    }
                }
                (b'/', Some(b'*')) if self.rules.nested_comments => {
                    depth += 1;
                    at += 2;
                }
                _ => at += 1,
            }
        }
        self.unterminated = true;
        self.position = self.text.len();
    }

    /// The offset after the quote that closes the one at `open`; a doubled quote does not close.
    fn quoted_end(&mut self, open: usize, quote: u8, backslash: bool) -> usize {
        let mut at = open + 1;
        loop {
            at = self.run_end(at, |byte| byte != quote && (byte != b'\\' || !backslash));
            match (self.byte(at), self.byte(at + 1)) {
                (None, _) => break,
                (Some(b'\\'), _) if backslash => at += 2,
                (_, Some(next)) if next == quote => at += 2,
                _ => return at + 1,
            }
        }
        self.unterminated = true;
        self.text.len()
    }

    /// The offset after a `$$` or `$tag$` string that starts at `open`, when one does.
    fn dollar_end(&mut self, open: usize) -> Option<usize> {
        let mut after_tag = open + 1;
        while self
            .byte(after_tag)
            .is_some_and(|byte| is_word_byte(byte) && byte != b'$')
        {
            after_tag += 1;
        }
        if self.byte(after_tag) != Some(b'$') || self.byte(open + 1).is_some_and(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let fence = self.text.get(open..=after_tag)?;
        Some(match self.find_from(after_tag + 1, fence) {
            Some(close) => close + fence.len(),
            None => {
                self.unterminated = true;
                self.text.len()
            }
        })
    }

    /// The offset of the first byte at or after `from` that is not of this class.
    fn run_end(&self, from: usize, class: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        let run = rest.iter().position(|&byte| !class(byte));
        run.map_or(self.text.len().max(from), |run| from + run)
    }

    fn word_end(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            at = self.run_end(at, is_word_byte);
            match self.byte(at) {
                Some(0x80..) => match self.char_at(at) {
                    Some(c) if !c.is_whitespace() && c != '\u{feff}' => at += c.len_utf8(),
                    _ => return at,
                },
                _ => return at,
            }
        }
    }

    fn digits_end(&self, from: usize) -> usize {
        self.run_end(from, |byte| byte.is_ascii_digit() || byte == b'_')
    }

    /// A number. `1.from` is the number `1.` and the word `from` to every engine.
    fn number_end(&self, from: usize) -> usize {
        let mut at = self.digits_end(from);
        let fraction = self.byte(at) == Some(b'.');
        if fraction {
            at = self.digits_end(at + 1);
        }
        if let Some(b'e' | b'E') = self.byte(at) {
            let sign = usize::from(matches!(self.byte(at + 1), Some(b'+' | b'-')));
            if self.byte(at + 1 + sign).is_some_and(|byte| byte.is_ascii_digit()) {
                at = self.digits_end(at + 1 + sign);
            }
        }
        if fraction || !self.rules.digit_identifiers {
            at
        } else {
            self.word_end(at)
        }
    }

    fn next_end(&mut self, start: usize, first: u8) -> (TokenKind, usize) {
        let second = self.byte(start + 1);
        match first {
            0 => (TokenKind::Nul, start + 1),
            b'\'' => (
                TokenKind::String,
                self.quoted_end(start, b'\'', self.rules.backslash_escapes),
            ),
            b'"' if self.rules.double_quoted_strings => (
                TokenKind::String,
                self.quoted_end(start, b'"', self.rules.backslash_escapes),
            ),
            b'"' => (TokenKind::QuotedName, self.quoted_end(start, b'"', false)),
            b'`' if self.rules.backtick_identifiers => (TokenKind::QuotedName, self.quoted_end(start, b'`', false)),
            b'u' | b'U' if second == Some(b'&') && self.byte(start + 2) == Some(b'\'') => {
                (TokenKind::String, self.quoted_end(start + 2, b'\'', false))
            }
            b'u' | b'U' if second == Some(b'&') && self.byte(start + 2) == Some(b'"') => {
                (TokenKind::QuotedName, self.quoted_end(start + 2, b'"', false))
            }
            b'x' | b'X' if second == Some(b'\'') => (TokenKind::String, self.quoted_end(start + 1, b'\'', false)),
            // A raw string of Spark: its backslashes are plain.
            b'r' | b'R' if self.rules.backslash_escapes && matches!(second, Some(b'\'' | b'"')) => (
                TokenKind::String,
                self.quoted_end(start + 1, second.unwrap_or(b'\''), false),
            ),
            b'0'..=b'9' => (TokenKind::Number, self.number_end(start)),
            b'.' if second.is_some_and(|byte| byte.is_ascii_digit()) => (TokenKind::Number, self.number_end(start)),
            b'$' if self.rules.dollar_strings => match self.dollar_end(start) {
                Some(end) => (TokenKind::String, end),
                None => (TokenKind::Word, self.word_end(start)),
            },
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => (TokenKind::Word, self.word_end(start)),
            b'?' => (TokenKind::Parameter, start + 1),
            _ => {
                let pair = matches!(
                    (first, second),
                    (b'=', Some(b'>'))
                        | (b'-', Some(b'>'))
                        | (b'|', Some(b'|'))
                        | (b':', Some(b':'))
                        | (b'<', Some(b'=' | b'>'))
                        | (b'>', Some(b'='))
                        | (b'!', Some(b'='))
                );
                (TokenKind::Symbol, start + 1 + usize::from(pair))
            }
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_space_and_comments();
        let start = self.position;
        let first = self.byte(start)?;
        let (kind, end) = self.next_end(start, first);
        // A word of zero bytes cannot happen; were it to, one character of progress keeps the loop finite.
        let end = if end > start {
            end
        } else {
            start + self.char_at(start).map_or(1, char::len_utf8)
        };
        // A backslash before the end of the text, or inside a character, would point past or into it.
        self.position = end.min(self.text.len());
        Some(Token {
            kind,
            start,
            end: self.position,
        })
    }
}

/// The value of a quoted name or string: quotes off, doubled quotes and escapes resolved.
///
/// Anything that is not quoted comes back as it is.
#[must_use]
pub fn unquote<'a>(token: &'a str, rules: &LexicalRules) -> Cow<'a, str> {
    let unicode = matches!(token.as_bytes(), [b'u' | b'U', b'&', ..]);
    let raw = !unicode && matches!(token.as_bytes(), [b'r' | b'R', b'\'' | b'"', ..]);
    let body = token
        .get(if unicode { 2 } else { usize::from(raw) }..)
        .unwrap_or_default();
    match body.as_bytes().first().copied() {
        Some(b'$') => match body.get(1..).and_then(|rest| rest.find('$')) {
            Some(tag) => {
                let fence = tag + 2;
                Cow::Borrowed(body.get(fence..body.len().saturating_sub(fence)).unwrap_or_default())
            }
            None => Cow::Borrowed(body),
        },
        Some(quote @ (b'\'' | b'"' | b'`')) => {
            let quote = char::from(quote);
            let inner = body.get(1..).unwrap_or_default();
            let inner = inner.strip_suffix(quote).unwrap_or(inner);
            let escapes = rules.backslash_escapes && !raw && quote != '`';
            if !inner.contains(quote) && !(inner.contains('\\') && (escapes || unicode)) {
                return Cow::Borrowed(inner);
            }
            let mut value = String::with_capacity(inner.len());
            let mut rest = inner.chars();
            while let Some(c) = rest.next() {
                if c == quote {
                    rest.next();
                    value.push(quote);
                } else if c == '\\' && escapes {
                    match rest.next() {
                        Some('n') => value.push('\n'),
                        Some('t') => value.push('\t'),
                        Some('r') => value.push('\r'),
                        Some('0') => value.push('\0'),
                        Some(other) => value.push(other),
                        None => {}
                    }
                } else {
                    value.push(c);
                }
            }
            if unicode {
                Cow::Owned(unicode_escapes(&value, '\\'))
            } else {
                Cow::Owned(value)
            }
        }
        _ => Cow::Borrowed(token),
    }
}

/// Resolves `\0041` and `\+000041` of a `U&` literal whose escape character is `escape`.
#[must_use]
pub fn unicode_escapes(text: &str, escape: char) -> String {
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(escape) {
        let (before, from) = rest.split_at(at);
        value.push_str(before);
        let after = from.get(escape.len_utf8()..).unwrap_or_default();
        let (digits, skip) = if after.starts_with('+') {
            (after.get(1..7), 7)
        } else {
            (after.get(..4), 4)
        };
        let decoded = digits
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .and_then(char::from_u32);
        if let Some(c) = decoded {
            value.push(c);
            rest = after.get(skip..).unwrap_or_default();
        } else {
            // A doubled escape character stands for itself; a broken escape is kept as written.
            value.push(escape);
            rest = after.strip_prefix(escape).unwrap_or(after);
        }
    }
    value.push_str(rest);
    value
}
