//! The SHOW statements and DESCRIBE.

use serde_json::Value;

use super::engine::catalogs::{FoundSchema, find_catalog, find_schema, find_table};
use super::engine::{Engine, INFORMATION_SCHEMA};
use super::failure::Failure;
use super::session::Session;
use super::sql::ShowWhat;
use super::sql::scanner::{Kind, tokens};
use super::types::TrinoType;
use super::values::Row;

/// Columns and rows.
type Table = (Vec<(String, TrinoType)>, Vec<Row>);

/// Tables of `information_schema` that DataFusion has.
const INFORMATION_TABLES: [&str; 4] = ["columns", "schemata", "tables", "views"];

/// Answers a SHOW statement.
pub(crate) async fn table(
    engine: &Engine,
    session: &Session,
    what: ShowWhat,
    like: Option<&str>,
) -> Result<Table, Failure> {
    let catalogs = engine.catalogs().as_ref();
    match what {
        ShowWhat::Catalogs => Ok(names("Catalog", catalogs.catalog_names(), like)),
        ShowWhat::Schemas { catalog } => {
            let (_, catalog) = find_catalog(catalogs, session, catalog.as_deref())?;
            let mut schemas = catalog.schema_names();
            schemas.push(INFORMATION_SCHEMA.to_owned());
            Ok(names("Schema", schemas, like))
        }
        ShowWhat::Tables { schema } => {
            let found = find_schema(catalogs, session, &schema)?;
            let tables = match found.provider {
                Some(provider) => provider.table_names(),
                None => INFORMATION_TABLES.map(str::to_owned).to_vec(),
            };
            Ok(names("Table", tables, like))
        }
        ShowWhat::Columns { table } => {
            let (found, table) = find_table(catalogs, session, &table)?;
            columns_of(engine, session, &found, &table, like).await
        }
        ShowWhat::Session => Ok(session_properties(session, like)),
        ShowWhat::Functions => Err(Failure::not_supported("this engine does not list its functions")),
    }
}

fn names(column: &str, mut names: Vec<String>, like: Option<&str>) -> Table {
    names.retain(|name| like.is_none_or(|pattern| matches(pattern, name)));
    names.sort_unstable();
    let rows = names.into_iter().map(|name| vec![name.into()]).collect();
    (texts([column]), rows)
}

async fn columns_of(
    engine: &Engine,
    session: &Session,
    found: &FoundSchema,
    table: &str,
    like: Option<&str>,
) -> Result<Table, Failure> {
    let quoted = [&found.catalog, &found.schema, table].map(|part| part.replace('"', "\"\""));
    let sql = format!("SELECT * FROM \"{}\"", quoted.join("\".\""));
    let planned = engine.plan(session, &sql).await?;
    let rows = planned
        .columns
        .iter()
        .filter(|(name, _)| like.is_none_or(|pattern| matches(pattern, name)))
        .map(|(name, kind)| {
            vec![
                name.clone().into(),
                kind.to_string().into(),
                Value::from(""),
                Value::from(""),
            ]
        })
        .collect();
    Ok((texts(["Column", "Type", "Extra", "Comment"]), rows))
}

/// Only what the client has set: this engine obeys no property and lists none.
fn session_properties(session: &Session, like: Option<&str>) -> Table {
    let set = session
        .properties
        .iter()
        .filter(|(name, _)| like.is_none_or(|pattern| matches(pattern, name)));
    let rows = set.map(|(name, value)| {
        let value = Value::from(value.clone());
        vec![name.clone().into(), value, "".into(), "varchar".into(), "".into()]
    });
    (
        texts(["Name", "Value", "Default", "Type", "Description"]),
        rows.collect(),
    )
}

/// Answers DESCRIBE INPUT. Types are not inferred.
pub(crate) fn inputs(sql: &str) -> Table {
    let marks = tokens(sql)
        .into_iter()
        .filter(|token| token.kind == Kind::Parameter)
        .count();
    let columns = vec![
        ("Position".to_owned(), TrinoType::Plain("bigint")),
        ("Type".to_owned(), TrinoType::Varchar),
    ];
    let rows = (0..marks).map(|place| vec![place.into(), "unknown".into()]);
    (columns, rows.collect())
}

/// Answers DESCRIBE OUTPUT.
pub(crate) fn outputs(columns: &[(String, TrinoType)]) -> Table {
    let mut described = texts(["Column Name", "Catalog", "Schema", "Table", "Type"]);
    described.push(("Type Size".to_owned(), TrinoType::Plain("bigint")));
    described.push(("Aliased".to_owned(), TrinoType::Plain("boolean")));
    let rows = columns.iter().map(|(name, kind)| {
        vec![
            name.clone().into(),
            "".into(),
            "".into(),
            "".into(),
            kind.to_string().into(),
            0.into(),
            false.into(),
        ]
    });
    (described, rows.collect())
}

fn texts<const N: usize>(names: [&str; N]) -> Vec<(String, TrinoType)> {
    names.map(|name| (name.to_owned(), TrinoType::Varchar)).to_vec()
}

/// SQL's LIKE.
fn matches(pattern: &str, text: &str) -> bool {
    fn from(pattern: &[char], text: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, None) => true,
            (Some(('%', rest)), _) => from(rest, text) || text.split_first().is_some_and(|(_, t)| from(pattern, t)),
            (Some(('_', rest)), Some((_, text))) => from(rest, text),
            (Some((p, rest)), Some((t, text))) => p == t && from(rest, text),
            _ => false,
        }
    }
    let characters = |text: &str| text.chars().collect::<Vec<_>>();
    from(&characters(pattern), &characters(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_knows_both_wildcards() {
        for (pattern, text, expected) in [
            ("events%", "events_summary", true),
            ("%_", "", false),
            ("e_ents", "events", true),
            ("events", "events_summary", false),
            ("%sum%", "events_summary", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
