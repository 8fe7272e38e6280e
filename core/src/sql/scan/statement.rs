//! The first words of a statement: its kind, its target, and what it wraps.
//!
//! Wrappers (`EXPLAIN`, `PREPARE`, `EXECUTE`) are taken off in a loop; the body is then read by `relations`.

use std::borrow::Cow;

use super::relations::Clause;
use super::words::Word;
use super::{Job, Scanner, StatementKind, TableName};
use crate::sql::COMPRESSED;
use crate::sql::lexer::{LexicalRules, TokenKind, unicode_escapes, unquote};

/// What the body of one statement needs to know of its head, and answers to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// `MERGE`: `WHEN MATCHED` starts the actions.
    pub(super) merge: bool,
    /// The next `USING` names a relation (`MERGE`, `DELETE`).
    pub(super) using_relation: bool,
    /// A query after the head is the source of a new table.
    pub(super) creates_table: bool,
    /// Something's definition is changed.
    pub(super) alters: bool,
    /// A query was met after the head.
    pub(super) has_source: bool,
    /// A query before it, the statement writes: Spark's `WITH .. UPDATE`, `FROM .. INSERT`.
    pub(super) writes: Option<StatementKind>,
    /// Nothing is run for it: `WITH NO DATA`, or an `EXECUTE` whose text answers for itself.
    pub(super) moves_nothing: bool,
    /// The next `SET` is the one of an `UPDATE`.
    pub(super) updates: bool,
    /// Semicolons may stand inside the statement, between `BEGIN` and `END`.
    pub(super) script: bool,
    /// Blocks that are open in a script.
    pub(super) blocks: u32,
}

impl<'a> Scanner<'_, '_, 'a> {
    /// Reads all statements of the text. `leads`: the first one's kinds are reported; `outermost`: as those of the text
    /// sent; `executes`: what holds the text runs it.
    pub(super) fn statements(&mut self, leads: bool, outermost: bool, executes: bool) {
        let mut at = 0;
        let mut count = 0_u32;
        while at < self.toks.len() {
            if self.is_symbol(at, b';') {
                at += 1;
                continue;
            }
            at = self.statement(at, leads && count == 0, outermost, executes).max(at + 1);
            count = count.saturating_add(1);
        }
        self.out.statements =
            self.out
                .statements
                .saturating_add(if outermost { count } else { count.saturating_sub(1) });
    }

    /// Reads the statement at `begin`; answers the index of the semicolon after it, or of the end.
    fn statement(&mut self, begin: usize, leads: bool, outermost: bool, executes: bool) -> usize {
        self.state_reset();
        let mut at = begin;
        let mut wrapper = None;
        let mut executes = executes;
        loop {
            match self.word(at) {
                Word::Explain => {
                    let (kind, next) = self.explain(at);
                    executes &= kind == StatementKind::ExplainAnalyze;
                    wrapper.get_or_insert(kind);
                    at = next;
                }
                Word::Prepare if matches!(self.word(at + 2), Word::From | Word::As) => {
                    executes = false;
                    wrapper.get_or_insert(StatementKind::Prepare);
                    at += 3;
                }
                _ => break,
            }
        }
        let (kind, end) = match self.word(at) {
            Word::Execute => self.execute(at, leads, executes, &mut wrapper),
            _ => {
                let (kind, body, clause) = self.head(at);
                let end = self.body(body, clause);
                (kind, end)
            }
        };
        let kind = if self.statement.creates_table && self.statement.has_source {
            StatementKind::CreateTableAs
        } else if kind == StatementKind::Query {
            self.statement.writes.unwrap_or(kind)
        } else {
            kind
        };
        if leads {
            self.out.inner_kind = kind;
            if outermost {
                self.out.kind = wrapper.unwrap_or(kind);
            }
        }
        self.out.executes |= executes && kind.moves_rows() && !self.statement.moves_nothing;
        end
    }

    fn state_reset(&mut self) {
        self.statement = State::default();
        self.scope.clear();
        self.in_scope.clear();
        self.in_themselves.clear();
        self.referred.clear();
    }

    /// `EXPLAIN` with its options: its kind, and the index of what it explains.
    fn explain(&self, explain: usize) -> (StatementKind, usize) {
        let mut at = explain + 1;
        let mut kind = StatementKind::Explain;
        // EXPLAIN ANALYZE t explains the statement ANALYZE t: no statement starts with a name.
        let analyzes_table = self.dotted(at + 1).is_some_and(|(_, next)| {
            self.kind(at + 1) == Some(TokenKind::QuotedName) || (self.word(at + 1) == Word::Other && self.ends(next))
        });
        if self.word(at) == Word::Analyze && !analyzes_table {
            kind = StatementKind::ExplainAnalyze;
            at += 1;
        }
        for option in ["verbose", "extended", "codegen", "cost", "formatted", "logical"] {
            if self.is_word(at, option) {
                at += 1;
                break;
            }
        }
        if self.is_symbol(at, b'(') && (self.is_word(at + 1, "type") || self.is_word(at + 1, "format")) {
            while at < self.toks.len() && !self.is_symbol(at, b')') && !self.is_symbol(at, b';') {
                at += 1;
            }
            at += 1;
        }
        // Dremio: EXPLAIN PLAN [options] FOR statement.
        if self.word(at) == Word::Plan
            && let Some(offset) = (1..12).find(|&offset| self.word(at + offset) == Word::For)
        {
            at += offset + 1;
        }
        (kind, at)
    }

    /// `EXECUTE` of a string or of a prepared statement: what it runs is put in the queue of texts.
    fn execute(
        &mut self,
        at: usize,
        leads: bool,
        executes: bool,
        wrapper: &mut Option<StatementKind>,
    ) -> (StatementKind, usize) {
        let immediate = self.word(at + 1) == Word::Immediate && !self.ends(at + 2) && self.word(at + 2) != Word::Using;
        let text: Option<Cow<'a, str>> = if immediate {
            wrapper.get_or_insert(StatementKind::ExecuteImmediate);
            self.out.deferred |= self.str(at + 2).len() > self.most_inner_bytes;
            let is_read = self.kind(at + 2) == Some(TokenKind::String) && !self.out.deferred;
            is_read.then(|| Cow::Owned(self.string(at + 2)))
        } else {
            wrapper.get_or_insert(StatementKind::Execute);
            self.prepared_text(at + 1).map(Cow::Borrowed)
        };
        // The values bound may hold a subquery, by the grammar at least.
        let end = self.body(at + 2, Clause::Expression);
        match text {
            Some(text) if !immediate && text.starts_with(COMPRESSED) => {
                self.out.complete = false;
                self.out.deferred = true;
            }
            Some(text) => {
                self.unprinted.push((at, end));
                self.found.push(Job { text, leads, executes });
                self.statement.moves_nothing = true;
            }
            None => self.out.complete = false,
        }
        (StatementKind::Unknown, end)
    }

    pub(super) fn ends(&self, at: usize) -> bool {
        at >= self.toks.len() || self.is_symbol(at, b';')
    }

    fn prepared_text(&self, at: usize) -> Option<&'a str> {
        if !matches!(self.kind(at), Some(TokenKind::Word | TokenKind::QuotedName)) {
            return None;
        }
        let name = unquote(self.str(at), self.rules);
        let exact = self.prepared.iter().find(|(known, _)| *known == name);
        // Names are as written for Trino's server; a client library may have folded them.
        let found = exact.or_else(|| {
            self.prepared
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(&name))
        });
        found.map(|&(_, text)| text)
    }

    /// The value of the string literal at `at`, its `UESCAPE` considered.
    fn string(&self, at: usize) -> String {
        let written = self.str(at);
        if let Some(body) = written.get(2..).filter(|_| written.get(1..2) == Some("&"))
            && self.is_word(at + 1, "uescape")
            && let Some(escape) = unquote(self.str(at + 2), self.rules).chars().next()
        {
            return unicode_escapes(&unquote(body, &LexicalRules::TRINO), escape);
        }
        unquote(written, self.rules).into_owned()
    }

    /// Kind, first index of the body, and what the body starts as.
    fn head(&mut self, at: usize) -> (StatementKind, usize, Clause) {
        match self.word(at) {
            Word::Select | Word::With | Word::Values | Word::Table | Word::From => {
                (StatementKind::Query, at, Clause::Start)
            }
            Word::Insert => (StatementKind::Insert, self.insert_target(at), Clause::Start),
            Word::Update => {
                self.statement.updates = true;
                (StatementKind::Update, self.target(at + 1), Clause::Joined)
            }
            Word::Delete => {
                self.statement.using_relation = true;
                let name = if self.word(at + 1) == Word::From {
                    at + 2
                } else {
                    at + 1
                };
                (StatementKind::Delete, self.target(name), Clause::Joined)
            }
            Word::Merge => {
                self.statement.merge = true;
                self.statement.using_relation = true;
                // Spark: MERGE WITH SCHEMA EVOLUTION INTO.
                let into = (1..6).find(|&offset| self.word(at + offset) == Word::Into).unwrap_or(0);
                (StatementKind::Merge, self.target(at + into + 1), Clause::Joined)
            }
            Word::Create => self.create(at),
            Word::Drop => self.drop_or_truncate(at),
            Word::Alter => self.alter(at),
            Word::Truncate | Word::Comment => self.drop_or_truncate(at),
            Word::Deallocate => (StatementKind::Deallocate, at + 1, Clause::Head),
            Word::Describe | Word::Desc => self.describe(at),
            Word::Show => self.show(at),
            Word::Use => (StatementKind::Use, at + 1, Clause::Head),
            Word::Call => {
                self.kill_query(at);
                (StatementKind::Call, at + 1, Clause::Head)
            }
            Word::Analyze => {
                let name = at + 1 + usize::from(self.word(at + 1) == Word::Table);
                (StatementKind::Analyze, self.target(name), Clause::Head)
            }
            Word::Grant | Word::Revoke | Word::Deny => (StatementKind::Access, self.access_target(at), Clause::Head),
            Word::Set | Word::Reset => {
                let name = if self.word(at + 1) == Word::Session {
                    at + 2
                } else {
                    at + 1
                };
                if self.word(at) == Word::Set {
                    self.property(name);
                }
                (StatementKind::Session, at + 1, Clause::Head)
            }
            Word::Start | Word::Commit => (StatementKind::Transaction, at + 1, Clause::Head),
            Word::Rollback if self.word(at + 1) == Word::Table => {
                (StatementKind::Maintenance, self.target(at + 2), Clause::Head)
            }
            Word::Rollback => (StatementKind::Transaction, at + 1, Clause::Head),
            Word::Begin if self.ends(at + 1) || self.is_word(at + 1, "transaction") || self.is_word(at + 1, "work") => {
                (StatementKind::Transaction, at + 1, Clause::Head)
            }
            Word::Begin => {
                self.statement.script = true;
                (StatementKind::Unknown, at, Clause::Expression)
            }
            Word::Refresh => (
                StatementKind::Maintenance,
                self.target(self.after_object(at + 1)),
                Clause::Head,
            ),
            Word::Copy if self.word(at + 1) == Word::Into => (StatementKind::Insert, self.target(at + 2), Clause::Head),
            Word::Other if self.is_symbol(at, b'(') => (StatementKind::Query, at, Clause::Start),
            _ => self.other_head(at),
        }
    }

    /// Statements of Dremio and Spark whose first words are rare enough to be compared as text.
    fn other_head(&mut self, at: usize) -> (StatementKind, usize, Clause) {
        if self.kind(at) != Some(TokenKind::Word) {
            return (StatementKind::Unknown, at, Clause::Expression);
        }
        match self.folded(at).as_str() {
            "optimize" | "vacuum" | "msck" | "uncache" | "repair" => (
                StatementKind::Maintenance,
                self.target(self.after_object(at + 1 + usize::from(self.is_word(at + 1, "repair")))),
                Clause::Head,
            ),
            "cache" => {
                let lazy = usize::from(self.is_word(at + 1, "lazy"));
                (
                    StatementKind::Maintenance,
                    self.target(self.after_object(at + 1 + lazy)),
                    Clause::Head,
                )
            }
            "load" => {
                let into = (1..8).find(|&offset| self.word(at + offset) == Word::Into);
                let body = into.map_or(at + 1, |offset| self.target(self.after_object(at + offset + 1)));
                (StatementKind::Insert, body, Clause::Head)
            }
            "list" => (StatementKind::Show, at + 1, Clause::Head),
            "add" | "clear" | "declare" => (StatementKind::Session, at + 1, Clause::Head),
            _ => (StatementKind::Unknown, at, Clause::Expression),
        }
    }

    /// Records the name at `at` as a target; answers the index after it.
    fn target(&mut self, at: usize) -> usize {
        match self.dotted(at) {
            Some((name, next)) => {
                self.out.targets.push(name);
                next
            }
            None => at,
        }
    }

    /// The index after `TABLE`, `VIEW`, `MATERIALIZED VIEW` and `IF [NOT] EXISTS`.
    fn after_object(&self, mut at: usize) -> usize {
        if self.is_word(at, "materialized") {
            at += 1;
        }
        if matches!(self.word(at), Word::Table | Word::View)
            || ["vds", "pds", "vdataset", "pdataset"]
                .iter()
                .any(|object| self.is_word(at, object))
        {
            at += 1;
        }
        self.after_if_exists(at)
    }

    fn after_if_exists(&self, at: usize) -> usize {
        match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            (Word::If, Word::Exists, _) => at + 2,
            (Word::If, Word::Not, Word::Exists) => at + 3,
            _ => at,
        }
    }

    fn is_object(&self, at: usize) -> bool {
        self.after_object(at) > at && self.word(at) != Word::If
    }

    pub(super) fn insert_target(&mut self, insert: usize) -> usize {
        let mut at = insert + 1;
        if self.word(at) == Word::Into || self.is_word(at, "overwrite") {
            at += 1;
        }
        if self.word(at) == Word::Table && self.is_name(at + 1) {
            at += 1;
        }
        if self.is_word(at, "directory") && self.kind(at + 1) == Some(TokenKind::String) {
            return at + 2;
        }
        self.target(at)
    }

    fn create(&mut self, create: usize) -> (StatementKind, usize, Clause) {
        // OR REPLACE, TEMPORARY, EXTERNAL, GLOBAL: whatever stands between CREATE and what is created.
        let skipped = (1..6).find(|&offset| {
            let at = create + offset;
            self.is_object(at)
                || matches!(self.word(at), Word::Function)
                || ["role", "user", "schema", "catalog", "database"]
                    .iter()
                    .any(|object| self.is_word(at, object))
        });
        let branch = create + if self.word(create + 1) == Word::Or { 3 } else { 1 };
        if let Some(table) = self.table_of_branch(branch) {
            return (StatementKind::Ddl, self.target(table), Clause::Head);
        }
        let Some(at) = skipped.map(|offset| create + offset) else {
            return (StatementKind::Ddl, create + 1, Clause::Head);
        };
        if self.word(at) == Word::Table {
            self.statement.creates_table = true;
            return (StatementKind::Ddl, self.target(self.after_object(at)), Clause::Head);
        }
        if self.is_object(at) {
            return (StatementKind::Ddl, self.target(self.after_object(at)), Clause::Head);
        }
        if self.word(at) == Word::Function {
            self.statement.script = true;
            return (StatementKind::Ddl, at + 1, Clause::Head);
        }
        let access = self.is_word(at, "role") || self.is_word(at, "user");
        (
            if access {
                StatementKind::Access
            } else {
                StatementKind::Ddl
            },
            at + 1,
            Clause::Head,
        )
    }

    /// `DROP`, `TRUNCATE`, `COMMENT ON`.
    fn drop_or_truncate(&mut self, verb: usize) -> (StatementKind, usize, Clause) {
        let at = if self.word(verb + 1) == Word::On {
            verb + 2
        } else {
            verb + 1
        };
        if self.word(verb) == Word::Drop && (self.is_word(at, "role") || self.is_word(at, "user")) {
            return (StatementKind::Access, at + 1, Clause::Head);
        }
        if self.is_word(at, "column")
            && let Some((TableName { mut parts }, next)) = self.dotted(at + 1)
        {
            parts.pop();
            self.out.targets.push(TableName { parts });
            return (StatementKind::Ddl, next, Clause::Head);
        }
        let body = if let Some(table) = self.table_of_branch(at) {
            self.target(table)
        } else if self.is_object(at) || self.word(verb) == Word::Truncate {
            self.target(self.after_object(at))
        } else {
            at
        };
        (StatementKind::Ddl, body, Clause::Head)
    }

    /// The index of the table's name in `BRANCH [IF EXISTS] b IN TABLE t`.
    fn table_of_branch(&self, at: usize) -> Option<usize> {
        let branch = self.is_word(at, "branch") || self.is_word(at, "tag");
        let table = (at + 1..at + 6).find(|&at| self.word(at) == Word::Table);
        table.filter(|_| branch).map(|table| table + 1)
    }

    fn alter(&mut self, alter: usize) -> (StatementKind, usize, Clause) {
        let at = alter + 1;
        if self.word(at) == Word::Session || self.is_word(at, "system") {
            if self.word(at + 1) == Word::Set {
                self.property(at + 2);
            }
            return (StatementKind::Session, at + 1, Clause::Head);
        }
        let body = if let Some(table) = self.table_of_branch(at) {
            self.target(table)
        } else if self.is_object(at) {
            self.target(self.after_object(at))
        } else {
            at
        };
        let owner = (body..body + 8).any(|at| self.word(at) == Word::Set && self.is_word(at + 1, "authorization"));
        let kind = if self.word(body) == Word::Execute || self.word(body) == Word::Refresh {
            StatementKind::Maintenance
        } else if owner {
            StatementKind::Access
        } else {
            self.statement.alters = true;
            StatementKind::Ddl
        };
        (kind, body, Clause::Head)
    }

    fn describe(&mut self, describe: usize) -> (StatementKind, usize, Clause) {
        let at = describe + 1;
        if (self.is_word(at, "input") || self.is_word(at, "output"))
            && !self.ends(at + 1)
            && !self.is_symbol(at + 1, b'.')
        {
            return (StatementKind::Describe, at + 1, Clause::Head);
        }
        // Spark: DESCRIBE [TABLE] [EXTENDED | FORMATTED] name.
        let mut name = at + usize::from(self.word(at) == Word::Table);
        let option = ["extended", "formatted", "history", "detail"]
            .iter()
            .any(|option| self.is_word(name, option));
        if option && self.is_name(name + 1) {
            name += 1;
        }
        let no_table = ["query", "database", "schema", "namespace", "catalog"]
            .iter()
            .any(|word| self.is_word(at, word));
        let body = if (no_table && !self.ends(at + 1)) || self.word(at) == Word::Function || !self.is_name(name) {
            at
        } else {
            self.target(name)
        };
        (StatementKind::Show, body, Clause::Head)
    }

    fn show(&mut self, show: usize) -> (StatementKind, usize, Clause) {
        let at = show + 1;
        let name = at + 1 + usize::from(matches!(self.word(at + 1), Word::From | Word::In));
        let body = if self.word(at) == Word::Create && self.is_object(at + 1) {
            self.target(self.after_object(at + 1))
        } else if self.is_word(at, "stats") && self.word(at + 1) == Word::For && !self.is_symbol(at + 2, b'(') {
            self.target(at + 2)
        } else if ["columns", "branches", "partitions", "tblproperties"]
            .iter()
            .any(|list| self.is_word(at, list))
            && !self.ends(name)
            // Dremio lists the branches of a source, Trino those of a table.
            && (!self.is_word(at, "branches") || self.word(name) == Word::Table)
        {
            self.target(self.after_object(name))
        } else {
            at
        };
        (StatementKind::Show, body, Clause::Head)
    }

    /// `GRANT .. ON [TABLE] name TO ..`: schemas and roles are no tables.
    fn access_target(&mut self, verb: usize) -> usize {
        let on = (verb..self.toks.len()).take(64).find(|&at| self.word(at) == Word::On);
        match on {
            Some(on) if self.word(on + 1) == Word::Table => self.target(on + 2),
            Some(on) if matches!(self.word(on + 2), Word::Other) && self.is_name(on + 1) && self.is_name(on + 2) => {
                let recipient = self.is_word(on + 2, "to");
                if recipient { self.target(on + 1) } else { on + 1 }
            }
            Some(on) if self.is_name(on + 1) => self.target(on + 1),
            _ => verb + 1,
        }
    }

    /// `name = value` of a session property; answers the index after the value's first token.
    fn property(&mut self, at: usize) -> Option<usize> {
        let (name, equals) = self.dotted(at)?;
        if !self.is_symbol(equals, b'=') {
            return None;
        }
        let end = self.property_end(equals + 1);
        let value = if self.kind(equals + 1) == Some(TokenKind::String) && end == equals + 2 {
            self.string(equals + 1)
        } else {
            let first = self.tok(equals + 1)?;
            let last = self.tok(end.checked_sub(1)?)?;
            self.text
                .get(first.start as usize..last.end as usize)
                .unwrap_or_default()
                .to_owned()
        };
        self.out.session_properties.push((name.to_string(), value));
        Some(end)
    }

    /// The end of a property's value: the next comma, query or statement outside parentheses.
    fn property_end(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = from;
        while at < self.toks.len() {
            let opens = self.is_symbol(at, b'(') || self.is_symbol(at, b'[');
            let closes = self.is_symbol(at, b')') || self.is_symbol(at, b']');
            if depth == 0 {
                // A query in the value ends it too: it is read as one that follows, so that its tables are seen.
                let query = self.word(at).starts_query() || (opens && self.query_follows(at));
                if query || closes || self.is_symbol(at, b',') || self.is_symbol(at, b';') {
                    return at;
                }
            }
            depth = depth
                .saturating_add(usize::from(opens))
                .saturating_sub(usize::from(closes));
            at += 1;
        }
        at
    }

    /// `WITH SESSION a = 1, b.c = 'x'`: records the properties; answers the index after them.
    pub(super) fn session_list(&mut self, session: usize) -> usize {
        let mut at = session + 1;
        while let Some(end) = self.property(at) {
            if !self.is_symbol(end, b',') {
                return end;
            }
            at = end + 1;
        }
        at
    }

    /// Whether `WITH` at `at` sets session properties, and does not name a common table expression `session`.
    pub(super) fn is_session_list(&self, with: usize) -> bool {
        self.word(with + 1) == Word::Session
            && matches!(self.kind(with + 2), Some(TokenKind::Word | TokenKind::QuotedName))
            && self.word(with + 2) != Word::As
    }

    /// `CALL system.runtime.kill_query(query_id => '..', message => '..')`, its arguments named or in order.
    fn kill_query(&mut self, call: usize) {
        let Some((name, open)) = self.dotted(call + 1) else {
            return;
        };
        if name.parts.last().is_none_or(|last| last != "kill_query") || !self.is_symbol(open, b'(') {
            return;
        }
        let mut at = open + 1;
        let mut first = true;
        while at < self.toks.len() && !self.is_symbol(at, b')') && !self.is_symbol(at, b';') {
            let named = self.is_arrow(at + 1);
            let value = if named { at + 2 } else { at };
            let wanted = if named { self.folded(at) == "query_id" } else { first };
            if wanted && self.kind(value) == Some(TokenKind::String) {
                let id = self.string(value);
                self.out.kill_query_ids.push(id);
            }
            first = false;
            while at < self.toks.len() && !self.is_symbol(at, b',') && !self.is_symbol(at, b')') {
                at += 1;
            }
            if self.is_symbol(at, b',') {
                at += 1;
            }
        }
    }
}
