//! What must be read from a parsed statement because its plan no longer tells.
//!
//! That is whether it writes, and the names of its columns: for expressions without a name Trino and DataFusion
//! choose differently. Trino calls the third column `_col2`; DataFusion writes the expression out.

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{Expr, Query, SelectItem, SetExpr, Statement as SqlStatement};

/// For each column whether it is called by its place: counted from the left before a `*`, from the right after it.
#[derive(Debug, Default)]
pub(super) struct Names {
    before: Vec<bool>,
    /// None without a `*`; after two of them places cannot be told, and this is empty.
    after: Option<Vec<bool>>,
}

/// The verb of a statement that is no query: `MERGE`, `CREATE` and so on.
pub(super) fn writes(statement: &Statement) -> Option<String> {
    if let Statement::Statement(inner) = statement
        && matches!(
            inner.as_ref(),
            SqlStatement::Query(_) | SqlStatement::ExplainTable { .. }
        )
    {
        return None;
    }
    let text = statement.to_string();
    let verb = text.split_whitespace().next().unwrap_or_default();
    Some(verb.to_uppercase())
}

/// Reads the names from a statement.
pub(super) fn names(statement: &Statement) -> Names {
    match statement {
        Statement::Statement(statement) => match statement.as_ref() {
            SqlStatement::Query(query) => of_query(query),
            _ => Names::default(),
        },
        _ => Names::default(),
    }
}

fn of_query(query: &Query) -> Names {
    let mut body = query.body.as_ref();
    loop {
        match body {
            // The leftmost part of a UNION names the columns.
            SetExpr::SetOperation { left, .. } => body = left,
            SetExpr::Query(query) => body = &query.body,
            SetExpr::Select(select) => return of_items(&select.projection),
            SetExpr::Values(values) => {
                let width = values.rows.first().map_or(0, Vec::len);
                return Names {
                    before: vec![true; width],
                    after: None,
                };
            }
            _ => return Names::default(),
        }
    }
}

fn of_items(items: &[SelectItem]) -> Names {
    let mut names = Names::default();
    let mut stars = 0;
    for item in items {
        let by_place = match item {
            SelectItem::UnnamedExpr(expr) => !has_name(expr),
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
                stars += 1;
                names.after = Some(Vec::new());
                continue;
            }
            _ => false,
        };
        names.after.as_mut().unwrap_or(&mut names.before).push(by_place);
    }
    if stars > 1 {
        names.after = Some(Vec::new());
    }
    names
}

fn has_name(expr: &Expr) -> bool {
    match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => true,
        Expr::Nested(inner) => has_name(inner),
        _ => false,
    }
}

impl Names {
    /// The name of the column at this place, of so many, if it is not DataFusion's.
    pub(super) fn get(&self, place: usize, columns: usize) -> Option<String> {
        let from_left = self.before.get(place).copied();
        let from_right = || {
            let after = self.after.as_ref()?;
            let start = columns.checked_sub(after.len())?;
            after.get(place.checked_sub(start)?).copied()
        };
        let by_place = from_left.or_else(from_right)?;
        by_place.then(|| format!("_col{place}"))
    }
}
