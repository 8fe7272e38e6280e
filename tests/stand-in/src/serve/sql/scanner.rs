//! Cuts SQL into tokens: just enough to recognise session statements and to put parameters in their places.
//!
//! Strings, quoted names and comments are respected, so that a `?` or a `USING` inside them means nothing.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword or a bare name.
    Word,
    /// A name in double quotes.
    QuotedName,
    /// A text in single quotes.
    Text,
    /// A number.
    Number,
    /// The mark of a parameter.
    Parameter,
    /// Any other character.
    Symbol,
}

/// A piece of the statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    /// What it is.
    pub(crate) kind: Kind,
    /// The text as written.
    pub(crate) text: &'a str,
    /// Where it starts in the statement.
    pub(crate) start: usize,
}

impl Token<'_> {
    /// Where it ends in the statement.
    pub(crate) const fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is this keyword.
    pub(crate) fn is(&self, keyword: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(keyword)
    }

    /// Whether it is this character.
    pub(crate) fn is_symbol(&self, symbol: char) -> bool {
        self.kind == Kind::Symbol && self.text.starts_with(symbol)
    }

    /// The name meant: bare names in lower case, quoted ones without their quotes. None if it is no name.
    pub(crate) fn name(&self) -> Option<String> {
        match self.kind {
            Kind::Word => Some(self.text.to_lowercase()),
            Kind::QuotedName => Some(unquote(self.text, '"')),
            _ => None,
        }
    }

    /// The text meant, if it is one.
    pub(crate) fn string(&self) -> Option<String> {
        (self.kind == Kind::Text).then(|| unquote(self.text, '\''))
    }
}

/// Takes the quotes off and makes doubled ones single.
fn unquote(text: &str, quote: char) -> String {
    let inner = text.strip_prefix(quote).unwrap_or(text);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    let (double, single) = (format!("{quote}{quote}"), quote.to_string());
    inner.replace(&double, &single)
}

/// The tokens of a statement. Never fails: what is not closed runs to the end.
pub(crate) fn tokens(sql: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let start = sql.len() - rest.len();
        let (kind, length) = measure(rest, first);
        let (text, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if let Some(kind) = kind {
            tokens.push(Token { kind, text, start });
        }
        rest = after;
    }
    tokens
}

/// The kind and length of what `rest` begins with; no kind for blanks and comments.
fn measure(rest: &str, first: char) -> (Option<Kind>, usize) {
    let span = |wanted: &dyn Fn(char) -> bool| rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    if first.is_whitespace() {
        (None, span(&char::is_whitespace))
    } else if rest.starts_with("--") {
        (None, rest.find('\n').unwrap_or(rest.len()))
    } else if rest.starts_with("/*") {
        (None, rest.find("*/").map_or(rest.len(), |end| end + 2))
    } else if first == '\'' {
        (Some(Kind::Text), quoted(rest, '\''))
    } else if first == '"' {
        (Some(Kind::QuotedName), quoted(rest, '"'))
    } else if first.is_alphabetic() || first == '_' {
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
        (Some(Kind::Word), span(&word))
    } else if first.is_ascii_digit() {
        let number = |c: char| c.is_ascii_alphanumeric() || c == '.';
        (Some(Kind::Number), span(&number))
    } else if first == '?' {
        (Some(Kind::Parameter), 1)
    } else {
        (Some(Kind::Symbol), first.len_utf8())
    }
}

/// The length of a quoted piece, quotes included; a doubled quote does not end it.
fn quoted(rest: &str, quote: char) -> usize {
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
            return at + c.len_utf8();
        }
    }
    rest.len()
}

/// Puts parameters in the places of the marks, in order. The error is the number of marks.
pub(crate) fn substitute(sql: &str, parameters: &[String]) -> Result<String, usize> {
    let marks: Vec<_> = tokens(sql)
        .into_iter()
        .filter(|token| token.kind == Kind::Parameter)
        .collect();
    if marks.len() != parameters.len() {
        return Err(marks.len());
    }
    let mut text = String::with_capacity(sql.len());
    let mut copied = 0;
    for (mark, parameter) in marks.iter().zip(parameters) {
        text.push_str(sql.get(copied..mark.start).unwrap_or_default());
        // Blanks around it: `-?` with -1 must not become a comment.
        text.push(' ');
        text.push_str(parameter);
        text.push(' ');
        copied = mark.end();
    }
    text.push_str(sql.get(copied..).unwrap_or_default());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sql: &str) -> Vec<&str> {
        tokens(sql).iter().map(|t| t.text).collect()
    }

    #[test]
    fn comments_and_blanks_are_skipped_and_quotes_kept_whole() {
        assert_eq!(
            words("SELECT 'it''s -- ?' /* ? */, \"a b\" -- end ?\n;"),
            ["SELECT", "'it''s -- ?'", ",", "\"a b\"", ";"]
        );
        assert_eq!(words("'never closed"), ["'never closed"]);
        assert_eq!(words("é = 1.5e3"), ["é", "=", "1.5e3"]);
    }

    #[test]
    fn parameters_go_where_the_marks_are_and_nowhere_else() {
        let values = ["7".to_owned(), "'a?'".to_owned()];
        assert_eq!(
            substitute("SELECT '?', -? FROM t WHERE x = ?", &values),
            Ok("SELECT '?', - 7  FROM t WHERE x =  'a?' ".to_owned())
        );
        assert_eq!(substitute("SELECT ?", &values), Err(1));
    }
}
