//! Reading SQL text.
//!
//! [`lexer`] and [`scan`] always answer, in time linear in the text, and run in the filter. `parse` (cargo feature
//! `parser`) goes deeper with sqlparser, runs in the service, and may decline: what only it knows is then unknown.
//! [`functions`] lists the engine's built-in functions. Nothing here resolves names against a catalog.

pub mod functions;
pub mod lexer;
#[cfg(feature = "parser")]
pub mod parse;
pub mod scan;

/// What the text of a prepared statement begins with when Trino's server compressed it; no SQL does. The rest is one
/// zstd frame in URL-safe base64 (Trino's `PreparedStatementEncoder`).
pub const COMPRESSED: &str = "$zstd:";

/// Prepared statements, name and text, as scan and parser take them.
#[must_use]
pub fn borrowed(prepared: &[(String, String)]) -> Vec<(&str, &str)> {
    prepared
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect()
}
