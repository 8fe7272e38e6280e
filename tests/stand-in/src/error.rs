//! The one error of this package: what was being done, and what stopped it.
//!
//! Errors here end on a terminal or in a log, so they carry text rather than kinds.
//! What a *client* of the stand-in engine sees is another matter: see `serve::failure`.

use std::error::Error as StdError;
use std::fmt;

/// What was being done, and the cause if another error stopped it.
#[derive(Debug)]
pub struct Error {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The result of everything in this package that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with no deeper cause.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        // Causes on the same line: this is printed once, at the edge of the program.
        let mut cause = self.source.as_deref().map(|e| e as &dyn StdError);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl StdError for Error {}

/// Says what was being done when a foreign error arrived.
pub(crate) trait Context<T> {
    /// Wraps the error, if there is one, in `message`.
    fn context(self, message: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<Box<dyn StdError + Send + Sync>>> Context<T> for std::result::Result<T, E> {
    fn context(self, message: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Error {
            message: message(),
            source: Some(error.into()),
        })
    }
}
