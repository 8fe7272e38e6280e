//! The statements that a Trino coordinator answers by itself: session, transactions, prepared statements, SHOW.
//!
//! Everything else is a query and goes to DataFusion as it is. Recognition is by leading words. A statement that
//! starts like one of these but goes on otherwise is a syntax error, as it would be in Trino.

use super::super::failure::Failure;
use super::scanner::{Kind, Token, tokens};

/// A statement, as far as the protocol layer must understand it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// For DataFusion.
    Query(String),
    /// A plan is wanted, after a run if `analyze`.
    Explain { analyze: bool, sql: String },
    /// `SET SESSION name = value`; the value as text.
    SetSession { name: String, value: String },
    /// `RESET SESSION name`.
    ResetSession { name: String },
    /// `USE [catalog.]schema`.
    Use { catalog: Option<String>, schema: String },
    /// `START TRANSACTION`, with any isolation level or access mode.
    StartTransaction,
    /// `COMMIT [WORK]`.
    Commit,
    /// `ROLLBACK [WORK]`.
    Rollback,
    /// `PREPARE name FROM statement`.
    Prepare { name: String, sql: String },
    /// `DEALLOCATE PREPARE name`.
    Deallocate { name: String },
    /// `EXECUTE name [USING ..]`.
    Execute { name: String, parameters: Vec<String> },
    /// `EXECUTE IMMEDIATE 'statement' [USING ..]`.
    ExecuteImmediate { sql: String, parameters: Vec<String> },
    /// `DESCRIBE INPUT name`.
    DescribeInput { name: String },
    /// `DESCRIBE OUTPUT name`.
    DescribeOutput { name: String },
    /// One of the SHOW statements, or DESCRIBE.
    Show { what: ShowWhat, like: Option<String> },
    /// `CALL system.runtime.kill_query(..)`.
    Kill { query_id: String, message: Option<String> },
}

/// What SHOW shows. Names are parts of a qualified name, last part last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShowWhat {
    /// `SHOW CATALOGS`.
    Catalogs,
    /// `SHOW SCHEMAS [FROM catalog]`.
    Schemas { catalog: Option<String> },
    /// `SHOW TABLES [FROM [catalog.]schema]`.
    Tables { schema: Vec<String> },
    /// `SHOW COLUMNS FROM table`, `DESCRIBE table`.
    Columns { table: Vec<String> },
    /// `SHOW SESSION`.
    Session,
    /// `SHOW FUNCTIONS`.
    Functions,
}

impl Statement {
    /// Recognises a statement.
    pub(crate) fn parse(sql: &str) -> Result<Self, Failure> {
        let all = tokens(sql);
        let mut rest = Cursor {
            sql,
            tokens: all.as_slice(),
        };
        if rest.tokens.is_empty() {
            return Err(Failure::syntax("line 1:1: mismatched input '<EOF>'"));
        }
        let statement = rest.statement()?;
        // What a query is made of is DataFusion's to judge.
        if !matches!(statement, Self::Query(_) | Self::Explain { .. }) {
            rest.take_symbol(';');
            rest.end()?;
        }
        Ok(statement)
    }
}

/// The tokens that are still to be read.
struct Cursor<'a> {
    sql: &'a str,
    tokens: &'a [Token<'a>],
}

impl<'a> Cursor<'a> {
    fn statement(&mut self) -> Result<Statement, Failure> {
        if self.take(&["EXPLAIN"]) {
            return Ok(self.explain());
        }
        if self.take(&["SET", "SESSION"]) {
            let name = self.qualified_name()?.join(".");
            self.symbol('=')?;
            return Ok(Statement::SetSession {
                name,
                value: self.value(),
            });
        }
        if self.take(&["RESET", "SESSION"]) {
            let name = self.qualified_name()?.join(".");
            return Ok(Statement::ResetSession { name });
        }
        if self.take(&["USE"]) {
            return self.use_schema();
        }
        if self.take(&["START", "TRANSACTION"]) {
            self.tokens = &[];
            return Ok(Statement::StartTransaction);
        }
        if self.take(&["COMMIT"]) {
            self.take(&["WORK"]);
            return Ok(Statement::Commit);
        }
        if self.take(&["ROLLBACK"]) {
            self.take(&["WORK"]);
            return Ok(Statement::Rollback);
        }
        if self.take(&["PREPARE"]) {
            let name = self.name()?;
            self.keyword("FROM")?;
            return Ok(Statement::Prepare {
                name,
                sql: self.remaining_text(),
            });
        }
        if self.take(&["DEALLOCATE", "PREPARE"]) {
            return Ok(Statement::Deallocate { name: self.name()? });
        }
        if self.take(&["EXECUTE", "IMMEDIATE"]) {
            let sql = self.next().and_then(|token| token.string());
            let sql = sql.ok_or_else(|| self.unexpected("a text in single quotes"))?;
            return Ok(Statement::ExecuteImmediate {
                sql,
                parameters: self.using(),
            });
        }
        if self.take(&["EXECUTE"]) {
            return Ok(Statement::Execute {
                name: self.name()?,
                parameters: self.using(),
            });
        }
        if self.take(&["DESCRIBE", "INPUT"]) {
            return Ok(Statement::DescribeInput { name: self.name()? });
        }
        if self.take(&["DESCRIBE", "OUTPUT"]) {
            return Ok(Statement::DescribeOutput { name: self.name()? });
        }
        if self.take(&["DESCRIBE"]) || self.take(&["DESC"]) {
            return self.show_columns();
        }
        if self.take(&["SHOW"]) {
            return self.show();
        }
        if self.take(&["CALL"]) {
            return self.call();
        }
        Ok(Statement::Query(self.sql.to_owned()))
    }

    /// `EXPLAIN [ANALYZE [VERBOSE]] [(options)] statement`. Options choose a format that this engine lacks.
    fn explain(&mut self) -> Statement {
        let analyze = self.take(&["ANALYZE"]);
        self.take(&["VERBOSE"]);
        let options = |word: &Token<'_>| word.is("TYPE") || word.is("FORMAT");
        if self.peek().is_some_and(|t| t.is_symbol('(')) && self.tokens.get(1).is_some_and(options) {
            let close = self.tokens.iter().position(|t| t.is_symbol(')'));
            self.skip(close.map_or(self.tokens.len(), |at| at + 1));
        }
        Statement::Explain {
            analyze,
            sql: self.remaining_text(),
        }
    }

    fn use_schema(&mut self) -> Result<Statement, Failure> {
        let mut names = self.qualified_name()?.into_iter();
        match (names.next(), names.next(), names.next()) {
            (Some(schema), None, None) => Ok(Statement::Use { catalog: None, schema }),
            (catalog @ Some(_), Some(schema), None) => Ok(Statement::Use { catalog, schema }),
            _ => Err(self.unexpected("a schema's name")),
        }
    }

    fn show(&mut self) -> Result<Statement, Failure> {
        let what = if self.take(&["CATALOGS"]) {
            ShowWhat::Catalogs
        } else if self.take(&["SCHEMAS"]) {
            ShowWhat::Schemas {
                catalog: self.names_after_from()?.into_iter().next_back(),
            }
        } else if self.take(&["TABLES"]) {
            ShowWhat::Tables {
                schema: self.names_after_from()?,
            }
        } else if self.take(&["COLUMNS"]) {
            if !self.take(&["FROM"]) {
                self.keyword("IN")?;
            }
            return self.show_columns();
        } else if self.take(&["SESSION"]) {
            ShowWhat::Session
        } else if self.take(&["FUNCTIONS"]) {
            self.names_after_from()?;
            ShowWhat::Functions
        } else {
            return Err(Failure::not_supported(
                "this engine shows CATALOGS, SCHEMAS, TABLES, COLUMNS, SESSION and FUNCTIONS only",
            ));
        };
        let like = self.like()?;
        Ok(Statement::Show { what, like })
    }

    fn show_columns(&mut self) -> Result<Statement, Failure> {
        let table = self.qualified_name()?;
        let like = self.like()?;
        Ok(Statement::Show {
            what: ShowWhat::Columns { table },
            like,
        })
    }

    fn names_after_from(&mut self) -> Result<Vec<String>, Failure> {
        if self.take(&["FROM"]) || self.take(&["IN"]) {
            self.qualified_name()
        } else {
            Ok(Vec::new())
        }
    }

    fn like(&mut self) -> Result<Option<String>, Failure> {
        if !self.take(&["LIKE"]) {
            return Ok(None);
        }
        let pattern = self.next().and_then(|token| token.string());
        if self.take(&["ESCAPE"]) {
            self.next();
        }
        pattern.map(Some).ok_or_else(|| self.unexpected("a pattern"))
    }

    fn call(&mut self) -> Result<Statement, Failure> {
        let procedure = self.qualified_name()?.join(".");
        if procedure != "system.runtime.kill_query" {
            return Err(Failure::procedure_not_found(&procedure));
        }
        // Arguments by name or by place: the first text is the id, the second the message.
        let mut texts = self.tokens.iter().filter_map(Token::string);
        let (query_id, message) = (texts.next(), texts.next());
        self.tokens = &[];
        let query_id = query_id.ok_or_else(|| self.unexpected("the id of a query"))?;
        Ok(Statement::Kill { query_id, message })
    }

    /// `USING a, b, ..` to the end, each parameter as written; commas inside brackets do not part them.
    fn using(&mut self) -> Vec<String> {
        if !self.take(&["USING"]) {
            return Vec::new();
        }
        let mut parameters = Vec::new();
        let mut depth = 0_u32;
        let mut span: Option<(usize, usize)> = None;
        for token in self.tokens {
            match token.text {
                ";" if depth == 0 => break,
                "," if depth == 0 => {
                    parameters.extend(span.take());
                    continue;
                }
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            span = Some((span.map_or(token.start, |(start, _)| start), token.end()));
        }
        parameters.extend(span);
        self.tokens = &[];
        parameters
            .into_iter()
            .filter_map(|(start, end)| self.sql.get(start..end))
            .map(str::to_owned)
            .collect()
    }

    /// The value of a session property: a text's content, or whatever else is written.
    fn value(&mut self) -> String {
        let value = match self.tokens {
            [only] | [only, _] if only.kind == Kind::Text => only.string().unwrap_or_default(),
            _ => self.remaining_text(),
        };
        self.tokens = &[];
        value
    }

    /// The rest of the statement as written, without a closing semicolon.
    fn remaining_text(&mut self) -> String {
        let start = self.peek().map_or(self.sql.len(), |token| token.start);
        self.tokens = &[];
        let text = self.sql.get(start..).unwrap_or_default().trim_end();
        text.strip_suffix(';').unwrap_or(text).to_owned()
    }

    fn qualified_name(&mut self) -> Result<Vec<String>, Failure> {
        let mut parts = vec![self.name()?];
        while self.take_symbol('.') {
            parts.push(self.name()?);
        }
        Ok(parts)
    }

    fn name(&mut self) -> Result<String, Failure> {
        let name = self.peek().and_then(Token::name);
        let name = name.ok_or_else(|| self.unexpected("a name"))?;
        self.skip(1);
        Ok(name)
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), Failure> {
        if self.take(&[keyword]) {
            Ok(())
        } else {
            Err(self.unexpected(keyword))
        }
    }

    fn symbol(&mut self, symbol: char) -> Result<(), Failure> {
        if self.take_symbol(symbol) {
            Ok(())
        } else {
            Err(self.unexpected(&symbol.to_string()))
        }
    }

    fn end(&self) -> Result<(), Failure> {
        match self.tokens {
            [] => Ok(()),
            _ => Err(self.unexpected("the end")),
        }
    }

    /// Moves past these keywords if they all come next.
    fn take(&mut self, keywords: &[&str]) -> bool {
        let matches = keywords.len() <= self.tokens.len() && keywords.iter().zip(self.tokens).all(|(k, t)| t.is(k));
        if matches {
            self.skip(keywords.len());
        }
        matches
    }

    fn take_symbol(&mut self, symbol: char) -> bool {
        let matches = self.peek().is_some_and(|t| t.is_symbol(symbol));
        if matches {
            self.skip(1);
        }
        matches
    }

    fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.first()
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.first().copied();
        self.skip(1);
        token
    }

    fn skip(&mut self, count: usize) {
        self.tokens = self.tokens.get(count..).unwrap_or_default();
    }

    fn unexpected(&self, wanted: &str) -> Failure {
        let (at, found) = match self.peek() {
            Some(token) => (token.start, token.text),
            None => (self.sql.len(), "<EOF>"),
        };
        let before = self.sql.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Failure::syntax(&format!(
            "line {line}:{column}: mismatched input '{found}'. Expecting: {wanted}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sql: &str, expected: Statement) {
        assert_eq!(Statement::parse(sql).ok(), Some(expected), "{sql}");
    }

    #[test]
    fn queries_pass_as_they_are() {
        for sql in ["SELECT 1", " -- c\n(select ?)", "WITH x AS (SELECT 1) TABLE x"] {
            check(sql, Statement::Query(sql.to_owned()));
        }
    }

    #[test]
    fn session_and_transactions() {
        let set = |name: &str, value: &str| Statement::SetSession {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        check("SET SESSION query_max_run_time = '2h'", set("query_max_run_time", "2h"));
        check("set session lake.x = true;", set("lake.x", "true"));
        check(
            "USE lake.\"Web\"",
            Statement::Use {
                catalog: Some("lake".to_owned()),
                schema: "Web".to_owned(),
            },
        );
        check(
            "START TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY",
            Statement::StartTransaction,
        );
        check("ROLLBACK WORK", Statement::Rollback);
    }

    #[test]
    fn prepared_statements_and_their_parameters() {
        check(
            "PREPARE s FROM SELECT 'a;b' WHERE x = ?;",
            Statement::Prepare {
                name: "s".to_owned(),
                sql: "SELECT 'a;b' WHERE x = ?".to_owned(),
            },
        );
        check(
            "EXECUTE IMMEDIATE 'SELECT ''x'', ?, ?' USING coalesce(1, 2), 'a, b'",
            Statement::ExecuteImmediate {
                sql: "SELECT 'x', ?, ?".to_owned(),
                parameters: vec!["coalesce(1, 2)".to_owned(), "'a, b'".to_owned()],
            },
        );
        check(
            "EXECUTE s",
            Statement::Execute {
                name: "s".to_owned(),
                parameters: Vec::new(),
            },
        );
    }

    #[test]
    fn show_and_explain() {
        check(
            "SHOW TABLES FROM lake.web LIKE 'events%'",
            Statement::Show {
                what: ShowWhat::Tables {
                    schema: vec!["lake".to_owned(), "web".to_owned()],
                },
                like: Some("events%".to_owned()),
            },
        );
        check(
            "EXPLAIN (TYPE IO, FORMAT JSON) SELECT 1",
            Statement::Explain {
                analyze: false,
                sql: "SELECT 1".to_owned(),
            },
        );
        check(
            "EXPLAIN (SELECT 1)",
            Statement::Explain {
                analyze: false,
                sql: "(SELECT 1)".to_owned(),
            },
        );
    }

    #[test]
    fn kill_takes_the_id_by_name_or_by_place() {
        let kill = Statement::Kill {
            query_id: "q1".to_owned(),
            message: Some("too slow".to_owned()),
        };
        check(
            "CALL system.runtime.kill_query(query_id => 'q1', message => 'too slow')",
            kill.clone(),
        );
        check("CALL system.runtime.kill_query('q1', 'too slow')", kill);
    }

    #[test]
    fn what_starts_well_and_goes_on_badly_is_a_syntax_error() {
        for sql in ["", "USE", "COMMIT nothing", "SET SESSION = 1", "EXECUTE IMMEDIATE x"] {
            let failure = Statement::parse(sql).err().map(|f| f.name);
            assert_eq!(failure, Some("SYNTAX_ERROR"), "{sql}");
        }
    }
}
