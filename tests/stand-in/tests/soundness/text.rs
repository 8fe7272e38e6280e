//! One piece of SQL, in Trino's words for Lakegate and in DataFusion's for the one who runs it.

/// The same thing said twice.
#[derive(Clone, Debug)]
pub(crate) struct Both {
    pub(crate) trino: String,
    pub(crate) datafusion: String,
}

impl Both {
    pub(crate) fn new(trino: impl Into<String>, datafusion: impl Into<String>) -> Self {
        Self {
            trino: trino.into(),
            datafusion: datafusion.into(),
        }
    }

    /// What both say in the same words.
    pub(crate) fn same(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            trino: text.clone(),
            datafusion: text,
        }
    }

    /// Puts pieces into the holes (`{}`) of a text that both have.
    pub(crate) fn fill(frame: &str, pieces: &[&Self]) -> Self {
        Self {
            trino: filled(frame, pieces.iter().map(|piece| piece.trino.as_str())),
            datafusion: filled(frame, pieces.iter().map(|piece| piece.datafusion.as_str())),
        }
    }

    /// Pieces with something between them.
    pub(crate) fn join(pieces: &[Self], joint: &str) -> Self {
        let of = |side: fn(&Self) -> &str| pieces.iter().map(side).collect::<Vec<_>>().join(joint);
        Self {
            trino: of(|piece| &piece.trino),
            datafusion: of(|piece| &piece.datafusion),
        }
    }
}

fn filled<'a>(frame: &str, pieces: impl Iterator<Item = &'a str>) -> String {
    let mut parts = frame.split("{}");
    let mut text = parts.next().unwrap().to_owned();
    let mut holes = 0;
    for (piece, part) in pieces.zip(parts) {
        text.push_str(piece);
        text.push_str(part);
        holes += 1;
    }
    assert_eq!(holes, frame.matches("{}").count(), "{frame}");
    text
}

/// A string literal.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
