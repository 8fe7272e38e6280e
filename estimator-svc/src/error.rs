//! The service's one error: a kind to branch on, a message, where it happened, and what caused it.
//!
//! Callers branch on [`ErrorKind`], never on text. Not here: why an estimate is unknown ([`crate::unknown`]), which is
//! an answer and not an error, and how an error looks on the wire ([`crate::api`]).

use std::fmt;

/// The service's result.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A file that people write is wrong: configuration or policy.
    Config,
    /// A request is wrong.
    Request,
    /// A file, socket or database could not be used.
    Io,
    /// A bug of ours.
    Internal,
}

impl ErrorKind {
    /// One word, for JSON and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Request => "request",
            Self::Io => "io",
            Self::Internal => "internal",
        }
    }
}

/// A failure.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    field: Option<String>,
    context: Vec<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// A failure of that kind. The message is in lower case, has no full stop and names the value.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            field: None,
            context: Vec::new(),
            source: None,
        }
    }

    /// Names the field of the request or the file that is wrong.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says what was being done; the outermost comes first when printed.
    #[must_use]
    pub fn with_context(mut self, context: impl Into<String>) -> Self {
        self.context.push(context.into());
        self
    }

    /// Keeps what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What to branch on.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong, without context.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The field that is wrong, if one is.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for context in self.context.iter().rev() {
            write!(f, "{context}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_ref()
            .map(|source| source.as_ref() as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_prints_on_one_line_from_the_outside_in() {
        let error = Error::new(ErrorKind::Io, "cannot open `a`")
            .with_source(std::io::Error::other("gone"))
            .with_context("reading tables")
            .with_context("starting");
        assert_eq!(error.to_string(), "starting: reading tables: cannot open `a`: gone");
    }
}
