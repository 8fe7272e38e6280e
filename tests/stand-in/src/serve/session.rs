//! A client's session, which the client itself keeps and sends with each statement.

use std::collections::BTreeMap;

use axum::http::HeaderMap;

use super::prepared;
use super::text::form_decode;

/// What the headers of a submission say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    /// Who asks.
    pub(crate) user: String,
    /// The program that asks.
    pub(crate) source: Option<String>,
    /// The catalog of names that give none.
    pub(crate) catalog: Option<String>,
    /// The schema of names that give none.
    pub(crate) schema: Option<String>,
    /// Tags for resource groups.
    pub(crate) client_tags: Vec<String>,
    /// The transaction that the statement is part of.
    pub(crate) transaction: Transaction,
    /// Session properties.
    pub(crate) properties: BTreeMap<String, String>,
    /// Prepared statements by name.
    pub(crate) prepared: BTreeMap<String, String>,
    /// Whether the client knows timestamps with other than milliseconds.
    pub(crate) parametric_datetime: bool,
}

/// The transaction header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Transaction {
    /// No header: a client that cannot take part in transactions.
    #[default]
    Unsupported,
    /// `NONE`.
    None,
    /// The id of one that was started.
    Id(String),
}

/// Why a submission is refused before it becomes a query.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Nobody asks.
    NoUser,
    /// A header makes no sense.
    BadHeader(String),
}

impl Session {
    /// Reads the session of a submission. Defaults stand in for a catalog and schema that are not sent.
    pub(crate) fn from_headers(
        headers: &HeaderMap,
        default_catalog: Option<&str>,
        default_schema: Option<&str>,
    ) -> Result<Self, Refusal> {
        let one = |name: &str| first(headers, name);
        let user = one("x-trino-user").ok_or(Refusal::NoUser)?;
        let catalog = one("x-trino-catalog").map(|c| c.to_lowercase());
        let schema = one("x-trino-schema").map(|s| s.to_lowercase());
        if schema.is_some() && catalog.is_none() {
            return Err(Refusal::BadHeader("Schema is set but catalog is not".to_owned()));
        }
        // A default schema belongs to the default catalog and to no other.
        let schema = match catalog {
            Some(_) => schema,
            None => default_schema.map(str::to_owned),
        };
        let catalog = catalog.or_else(|| default_catalog.map(str::to_owned));

        let mut prepared = BTreeMap::new();
        for (name, value) in pairs(headers, "x-trino-prepared-statement")? {
            let sql = prepared::decode(&value)
                .map_err(|reason| Refusal::BadHeader(format!("Invalid X-Trino-Prepared-Statement header: {reason}")))?;
            prepared.insert(name, sql);
        }
        let transaction = match one("x-trino-transaction-id") {
            None => Transaction::Unsupported,
            Some(id) if id.eq_ignore_ascii_case("none") => Transaction::None,
            Some(id) if is_uuid(&id) => Transaction::Id(id),
            Some(_) => {
                return Err(Refusal::BadHeader("Invalid transaction ID".to_owned()));
            }
        };
        let list = |name: &str| -> Vec<String> {
            let items = one(name).unwrap_or_default();
            let items = items.split(',').map(str::trim);
            items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
        };
        Ok(Self {
            user,
            source: one("x-trino-source"),
            catalog,
            schema,
            client_tags: list("x-trino-client-tags"),
            transaction,
            properties: pairs(headers, "x-trino-session")?.into_iter().collect(),
            prepared,
            parametric_datetime: list("x-trino-client-capabilities")
                .iter()
                .any(|c| c.eq_ignore_ascii_case("PARAMETRIC_DATETIME")),
        })
    }
}

/// The first line of a header, if it is not blank.
fn first(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?;
    let text = String::from_utf8_lossy(value.as_bytes()).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// `name=value` items from every line of a header, comma by comma; values are form-encoded.
fn pairs(headers: &HeaderMap, name: &str) -> Result<Vec<(String, String)>, Refusal> {
    let mut found = Vec::new();
    for line in headers.get_all(name) {
        let line = String::from_utf8_lossy(line.as_bytes()).into_owned();
        for item in line.split(',').map(str::trim).filter(|i| !i.is_empty()) {
            let mut parts = item.split('=').map(str::trim);
            match (parts.next(), parts.next(), parts.next()) {
                (Some(key), Some(value), None) if !key.is_empty() => {
                    found.push((form_decode(key), form_decode(value)));
                }
                _ => return Err(Refusal::BadHeader(format!("Invalid {name} header"))),
            }
        }
    }
    Ok(found)
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [8, 4, 4, 4, 12] && parts.iter().all(|part| part.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn properties_and_prepared_statements_come_in_lines_and_lists() {
        let headers = headers(&[
            ("x-trino-user", "ada"),
            ("x-trino-session", "a=1,b=x%20y"),
            ("x-trino-session", "c=p+q"),
            ("x-trino-prepared-statement", "s=SELECT+%3F"),
        ]);
        let session = Session::from_headers(&headers, None, None).unwrap();
        let properties: Vec<_> = session.properties.into_iter().collect();
        let expected = [("a", "1"), ("b", "x y"), ("c", "p q")];
        assert_eq!(properties, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
        assert_eq!(session.prepared["s"], "SELECT ?");
    }

    #[test]
    fn defaults_stand_in_only_when_no_catalog_is_sent() {
        let defaults = |pairs: &[_]| {
            let session = Session::from_headers(&headers(pairs), Some("lake"), Some("web")).unwrap();
            (session.catalog, session.schema)
        };
        let lake = || Some("lake".to_owned());
        assert_eq!(defaults(&[("x-trino-user", "a")]), (lake(), Some("web".to_owned())));
        assert_eq!(
            defaults(&[("x-trino-user", "a"), ("x-trino-catalog", "LAKE")]),
            (lake(), None)
        );
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = |pairs: &[_]| Session::from_headers(&headers(pairs), None, None).err();
        assert_eq!(refused(&[]), Some(Refusal::NoUser));
        for bad in [
            ("x-trino-schema", "web"),
            ("x-trino-session", "a=b=c"),
            ("x-trino-transaction-id", "not-a-uuid"),
        ] {
            let refusal = refused(&[("x-trino-user", "a"), bad]);
            assert!(matches!(refusal, Some(Refusal::BadHeader(_))), "{bad:?}");
        }
    }
}
