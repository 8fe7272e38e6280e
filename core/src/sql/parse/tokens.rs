//! Our lexer's tokens in sqlparser's terms.
//!
//! sqlparser's own tokenizer is not used. It reads comments, strings and names by rules of its own, and where those
//! differ from the engine's a table can hide. A token's location is its offset in the text: line 1, column offset + 1.
//! Further syntax has become plainer before (`rewrite`).

use sqlparser::tokenizer::{Location, Span, Token as SqlToken, TokenWithSpan};

use super::rewrite::Lexeme;
use crate::sql::lexer::{LexicalRules, TokenKind, unquote};

/// The tokens for sqlparser.
pub(super) fn for_sqlparser(tokens: &[Lexeme<'_>], rules: &LexicalRules) -> Vec<TokenWithSpan> {
    let mut converted = Vec::with_capacity(tokens.len() + 1);
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        let mut end = token.end;
        let mut sql_token = convert(token.text, token.kind, rules);
        // Two symbols that touch are one operator to Spark: `<=>`, `==`.
        if let Some(next) = rest.peek().filter(|next| next.start == token.end) {
            let joined = match (&sql_token, next.text) {
                (SqlToken::LtEq, ">") => Some(SqlToken::Spaceship),
                (SqlToken::Eq, "=") => Some(SqlToken::DoubleEq),
                _ => None,
            };
            if let Some(joined) = joined {
                end = next.end;
                sql_token = joined;
                rest.next();
            }
        }
        let span = Span::new(location(token.start), location(end));
        converted.push(TokenWithSpan::new(sql_token, span));
    }
    converted
}

/// The offset that a location stands for.
pub(super) fn offset(location: Location) -> Option<usize> {
    usize::try_from(location.column).ok()?.checked_sub(1)
}

fn location(offset: usize) -> Location {
    Location::new(1, u64::try_from(offset).unwrap_or(u64::MAX).saturating_add(1))
}

fn convert(written: &str, kind: TokenKind, rules: &LexicalRules) -> SqlToken {
    match kind {
        TokenKind::Word => SqlToken::make_word(written, None),
        TokenKind::QuotedName => {
            let quote = if written.starts_with('`') { '`' } else { '"' };
            SqlToken::make_word(&unquote(written, rules), Some(quote))
        }
        TokenKind::String => string(written, rules),
        TokenKind::Number => number(written),
        TokenKind::Parameter => SqlToken::Placeholder("?".to_owned()),
        TokenKind::Symbol => symbol(written),
        TokenKind::Nul => SqlToken::Char('\0'),
    }
}

/// A string becomes a plain literal only if its value is beyond doubt; others are opaque constants to the grammar.
fn string(written: &str, rules: &LexicalRules) -> SqlToken {
    let value = || unquote(written, rules).into_owned();
    match written.as_bytes().first() {
        Some(b'x' | b'X') => SqlToken::HexStringLiteral(written.to_owned()),
        Some(b'u' | b'U') => SqlToken::UnicodeStringLiteral(value()),
        Some(b'\'' | b'"') if rules.backslash_escapes && written.contains('\\') => {
            SqlToken::NationalStringLiteral(value())
        }
        Some(b'\'' | b'"') => SqlToken::SingleQuotedString(value()),
        _ => SqlToken::NationalStringLiteral(value()),
    }
}

fn number(written: &str) -> SqlToken {
    let decimal = written
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'e' | b'E' | b'+' | b'-'));
    if decimal {
        return SqlToken::Number(written.replace('_', ""), false);
    }
    match written.as_bytes() {
        [b'0', b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..] => SqlToken::HexStringLiteral(written.to_owned()),
        _ => SqlToken::make_word(written, None),
    }
}

fn symbol(written: &str) -> SqlToken {
    match written {
        "=>" => SqlToken::RArrow,
        "->" => SqlToken::Arrow,
        "||" => SqlToken::StringConcat,
        "::" => SqlToken::DoubleColon,
        "<=" => SqlToken::LtEq,
        ">=" => SqlToken::GtEq,
        "<>" | "!=" => SqlToken::Neq,
        "(" => SqlToken::LParen,
        ")" => SqlToken::RParen,
        "[" => SqlToken::LBracket,
        "]" => SqlToken::RBracket,
        "{" => SqlToken::LBrace,
        "}" => SqlToken::RBrace,
        "," => SqlToken::Comma,
        ";" => SqlToken::SemiColon,
        "." => SqlToken::Period,
        ":" => SqlToken::Colon,
        "=" => SqlToken::Eq,
        "<" => SqlToken::Lt,
        ">" => SqlToken::Gt,
        "+" => SqlToken::Plus,
        "-" => SqlToken::Minus,
        "*" => SqlToken::Mul,
        "/" => SqlToken::Div,
        "%" => SqlToken::Mod,
        "^" => SqlToken::Caret,
        "&" => SqlToken::Ampersand,
        "|" => SqlToken::Pipe,
        "~" => SqlToken::Tilde,
        "!" => SqlToken::ExclamationMark,
        "@" => SqlToken::AtSign,
        "#" => SqlToken::Sharp,
        "\\" => SqlToken::Backslash,
        other => SqlToken::Char(other.chars().next().unwrap_or('\0')),
    }
}
