//! Queries: which relations they read, in which scope, and what shape they have.
//!
//! One pass over the tokens with a stack of frames, one for each open parenthesis or bracket. A frame knows which clause
//! it is in, which is all that is needed to tell a table from an alias, a comma between relations from one between
//! columns, and a name of a common table expression from a table of the same name. A parenthesis becomes a query when
//! `SELECT`, `VALUES`, `TABLE`, `WITH` or `FROM` stands where a query can start; nothing has to be guessed before.

use std::mem;

use super::words::Word;
use super::{MAX_SCAN_DEPTH, Scanner, StatementKind, TableName};
use crate::sql::functions;
use crate::sql::lexer::TokenKind;

/// Where a frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    /// A query is to start; words that are none of its beginnings are passed over.
    Start,
    /// The words of a statement that is no query. A query may follow them.
    Head,
    /// In `WITH`: a name of a common table expression comes next.
    WithName,
    /// In `WITH`, after a name: columns, `AS`, the body.
    WithBody,
    /// In `WITH`, after a body: a comma or the query.
    WithNext,
    /// A relation comes next.
    Relation,
    /// After a relation: its alias, its sampling, its version.
    Joined,
    /// `ON`: an expression after which commas part relations again.
    Condition,
    /// Spark: `LATERAL VIEW`, or bare `VALUES` rows as a relation. Commas part no relations.
    Unfolded,
    /// Any expression, list of expressions, or clause of such.
    Expression,
}

/// What opened a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opener {
    Statement,
    /// A parenthesis where a relation may stand.
    Relation,
    /// The parenthesis of a call's arguments.
    Call,
    /// `TABLE(`: a table function, or a table or query handed to one.
    TableArgument,
    /// Any other parenthesis.
    Parenthesis,
    Bracket,
}

/// An open parenthesis or bracket, or the statement itself.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    opener: Opener,
    clause: Clause,
    /// It holds a query of its own.
    is_query: bool,
    /// The parenthesis closed last in it held a query.
    held_query: bool,
    /// It encloses the whole query of a statement or of a common table expression: no subquery.
    is_outer: bool,
    /// The `WITH` list in it is recursive.
    is_recursive: bool,
    /// It is the body of the common table expression that its parent names.
    is_body: bool,
    /// Names in scope when it was opened.
    scope: usize,
    /// The common table expression whose body comes next.
    pending: Option<String>,
    /// The common table expression whose body this is, if it may name itself: from its UNION on. Trino reads the name
    /// as a table's before that, and in a body without a UNION.
    recursive: Option<String>,
    /// The same once the name is in scope.
    itself: Option<String>,
}

impl Frame {
    /// The frame of a whole statement.
    pub(super) fn statement(clause: Clause) -> Self {
        Self {
            is_outer: true,
            ..Self::new(Opener::Statement, clause, 0)
        }
    }

    fn new(opener: Opener, clause: Clause, scope: usize) -> Self {
        Self {
            opener,
            clause,
            is_query: false,
            held_query: false,
            is_outer: false,
            is_recursive: false,
            is_body: false,
            scope,
            pending: None,
            recursive: None,
            itself: None,
        }
    }
}

impl Scanner<'_, '_, '_> {
    /// Reads from `from` to the end of the statement; answers the index of its semicolon, or of the end of the text.
    pub(super) fn body(&mut self, from: usize, clause: Clause) -> usize {
        self.enclosing.clear();
        self.frame = Frame::statement(clause);
        let mut at = from;
        while let Some(tok) = self.tok(at) {
            at = match tok.kind {
                TokenKind::Word => self.take_word(at),
                TokenKind::QuotedName => self.take_name(at),
                TokenKind::Symbol => match tok.symbol {
                    b'(' => self.open(at),
                    b')' => self.close(at),
                    b'[' => {
                        self.push(Opener::Bracket, Clause::Expression);
                        at + 1
                    }
                    b']' => {
                        if self.frame.opener == Opener::Bracket {
                            self.pop();
                        }
                        at + 1
                    }
                    b',' => self.comma(at),
                    b'@' => {
                        // A branch of a table, or a version. What INSERT adds to is not read.
                        let named = self.is_name(at + 1) || self.kind(at + 1) == Some(TokenKind::Number);
                        self.out.time_travel |= self.frame.clause != Clause::Start && named;
                        at + 1
                    }
                    b';' if self.in_script(at) => at + 1,
                    b';' => break,
                    _ => at + 1,
                },
                _ => at + 1,
            };
            if self.enclosing.len() > MAX_SCAN_DEPTH {
                self.out.complete = false;
                return self.toks.len();
            }
        }
        if !self.enclosing.is_empty() {
            self.out.complete = false;
        }
        at
    }

    /// Whether the semicolon at `at` stands inside the body of a function or a script.
    fn in_script(&self, at: usize) -> bool {
        let next = self.word(at + 1);
        let starts = next.starts_query()
            || matches!(
                next,
                Word::Insert
                    | Word::Update
                    | Word::Delete
                    | Word::Merge
                    | Word::Create
                    | Word::Alter
                    | Word::Drop
                    | Word::Explain
                    | Word::Execute
                    | Word::Call
            );
        self.statement.script && (self.statement.blocks > 0 || (!self.frame.is_query && !starts))
    }

    fn push(&mut self, opener: Opener, clause: Clause) {
        let scope = self.scope.len();
        let outer = mem::replace(&mut self.frame, Frame::new(opener, clause, scope));
        self.enclosing.push(outer);
    }

    fn pop(&mut self) -> Option<Frame> {
        let outer = self.enclosing.pop()?;
        let frame = mem::replace(&mut self.frame, outer);
        if let Some(name) = &frame.itself {
            self.in_themselves.leave(name);
        }
        while self.scope.len() > frame.scope {
            let Some(name) = self.scope.pop() else { break };
            self.in_scope.leave(&name);
        }
        Some(frame)
    }

    fn enter_scope(&mut self, name: String) {
        self.in_scope.enter(name.clone());
        self.scope.push(name);
    }

    /// The frame holds a query from here on.
    fn begin_query(&mut self) {
        let frame = &mut self.frame;
        if frame.is_query {
            return;
        }
        frame.is_query = true;
        if !frame.is_outer {
            self.out.subqueries = self.out.subqueries.saturating_add(1);
        }
    }

    /// Whether the frame can have the clauses of a query: it is one, or a parenthesised one stands in it.
    fn in_query(&self) -> bool {
        let frame = &self.frame;
        frame.is_query
            || (frame.held_query && frame.opener != Opener::Call)
            || frame.opener == Opener::Relation
            || (frame.opener == Opener::Statement && frame.clause != Clause::Head)
    }

    fn open(&mut self, at: usize) -> usize {
        let next = self.word(at + 1);
        match self.frame.clause {
            Clause::Start | Clause::WithNext => {
                let columns = self.is_name(at + 1) && !self.is_symbol(at + 1, b'(');
                if columns && self.frame.clause == Clause::Start {
                    // INSERT INTO t (a, b): the query is still to come.
                    self.push(Opener::Parenthesis, Clause::Expression);
                } else {
                    let outer = self.frame.is_outer;
                    self.frame.clause = Clause::Expression;
                    self.push(Opener::Parenthesis, Clause::Start);
                    self.frame.is_outer = outer;
                }
            }
            Clause::Head => {
                let source = self.previous(at) == Word::As && self.query_follows(at);
                if source {
                    self.statement.has_source = true;
                    self.frame.clause = Clause::Expression;
                    self.push(Opener::Parenthesis, Clause::Start);
                    self.frame.is_outer = true;
                } else {
                    self.push(Opener::Parenthesis, Clause::Expression);
                }
            }
            Clause::WithBody => {
                let body = self.previous(at) != Word::Other || next.starts_query() || next == Word::From;
                if body {
                    let frame = &mut self.frame;
                    frame.clause = Clause::WithNext;
                    let recursive = if frame.is_recursive {
                        frame.pending.clone()
                    } else {
                        None
                    };
                    self.push(Opener::Parenthesis, Clause::Start);
                    let frame = &mut self.frame;
                    frame.is_outer = true;
                    frame.is_body = true;
                    frame.recursive = recursive;
                } else {
                    self.push(Opener::Parenthesis, Clause::Expression);
                }
            }
            Clause::Relation => {
                self.frame.clause = Clause::Joined;
                self.push(Opener::Relation, Clause::Relation);
            }
            Clause::Joined => {
                let opener = if self.after_of(at) && self.calls(at) {
                    Opener::Call
                } else {
                    Opener::Parenthesis
                };
                self.push(opener, Clause::Expression);
            }
            Clause::WithName => self.push(Opener::Parenthesis, Clause::Expression),
            Clause::Condition | Clause::Unfolded | Clause::Expression => {
                let opener = if self.calls(at) {
                    Opener::Call
                } else {
                    Opener::Parenthesis
                };
                self.push(opener, Clause::Expression);
            }
        }
        at + 1
    }

    /// Whether the parenthesis at `at` follows a name that follows `OF`: a function that computes a version.
    fn after_of(&self, at: usize) -> bool {
        let mut name = at.saturating_sub(1);
        while self.symbol_before(name, b'.') {
            name = name.saturating_sub(2);
        }
        self.previous(name) == Word::Of
    }

    fn close(&mut self, at: usize) -> usize {
        while self.frame.opener == Opener::Bracket {
            self.pop();
        }
        match self.pop() {
            Some(closed) => {
                let top = &mut self.frame;
                top.held_query = closed.is_query || closed.held_query;
                if closed.is_body {
                    let name = top.pending.take();
                    if let Some(name) = name {
                        self.enter_scope(name);
                    }
                }
            }
            None => self.out.complete = false,
        }
        at + 1
    }

    /// Whether the parentheses at `at`, however many, start with a query. Bounded: no one writes more than a few.
    pub(super) fn query_follows(&self, at: usize) -> bool {
        let first = (at..at + 64).find(|&at| !self.is_symbol(at, b'('));
        first.is_some_and(|at| self.word(at).starts_query() || self.word(at) == Word::From)
    }

    fn comma(&mut self, at: usize) -> usize {
        let frame = &mut self.frame;
        match frame.clause {
            Clause::Relation | Clause::Joined | Clause::Condition => {
                frame.clause = Clause::Relation;
                self.out.joins = self.out.joins.saturating_add(1);
            }
            Clause::WithNext => frame.clause = Clause::WithName,
            _ => {}
        }
        at + 1
    }

    /// A name where it stands: a relation, the name of a common table expression, or part of an expression.
    fn take_name(&mut self, at: usize) -> usize {
        match self.frame.clause {
            Clause::Relation => self.relation(at),
            Clause::WithName => {
                let name = self.folded(at);
                let frame = &mut self.frame;
                frame.pending = Some(name);
                frame.clause = Clause::WithBody;
                at + 1
            }
            _ => at + 1,
        }
    }

    /// Reads the relation whose name starts at `at`.
    fn relation(&mut self, at: usize) -> usize {
        let Some((name, next)) = self.dotted(at) else {
            return at + 1;
        };
        // A query in TABLE( .. ) has relations of its own.
        let argument = self.frame.opener == Opener::TableArgument && !self.frame.is_query;
        if self.is_symbol(next, b'(') {
            if self.rules.identifier_clause && name.to_string() == "identifier" {
                self.named_by_string(next + 1);
            }
            self.frame.clause = if argument { Clause::Expression } else { Clause::Joined };
            let unfolds = matches!(name.parts.as_slice(), [only] if only == "explode" || only == "flatten");
            self.out.unnest |= unfolds;
            self.out.table_function |= !unfolds;
            self.push(Opener::Call, Clause::Expression);
            return next + 1;
        }
        let common = matches!(name.parts.as_slice(), [only] if self.in_scope.contains(only));
        if common {
            let name = name.to_string();
            self.out.recursion |= self.in_themselves.contains(&name);
            // A name of its own in another scope is taken for the same: that errs on the side of more.
            self.out.repeated_common_table |= self.referred.contains(&name);
            self.referred.enter(name);
        } else {
            self.out.tables.push(name);
        }
        self.frame.clause = if argument { Clause::Expression } else { Clause::Joined };
        next
    }

    /// Spark: `IDENTIFIER('a.b')` is the table a.b; of any other expression the table stays unknown.
    fn named_by_string(&mut self, at: usize) {
        if self.kind(at) == Some(TokenKind::String) && self.is_symbol(at + 1, b')') {
            let parts = self
                .folded(at)
                .split('.')
                .map(|part| part.trim_matches('`').to_owned())
                .collect();
            self.out.tables.push(TableName { parts });
        } else {
            self.out.complete = false;
        }
    }

    /// Whether the parenthesis at `at`, in an expression, opens the arguments of a call; the call is recorded.
    fn calls(&mut self, at: usize) -> bool {
        let Some(name_at) = at.checked_sub(1) else { return false };
        // A query as an argument has parentheses of its own: RETURN x (SELECT ..) is no call of x.
        if matches!(self.word(at + 1), Word::Select | Word::With | Word::Values) {
            return false;
        }
        let path = self.symbol_before(name_at, b'.');
        match self.kind(name_at) {
            Some(TokenKind::QuotedName) => {}
            Some(TokenKind::Word) => {
                let word = self.word(name_at);
                if !path && self.previous(name_at) == Word::Function {
                    return true;
                }
                if !path && word != Word::Other && !matches!(word, Word::Left | Word::Right | Word::If) {
                    if word == Word::Cast {
                        return true;
                    }
                    self.note_clock(name_at);
                    return matches!(
                        word,
                        Word::First | Word::Next | Word::Any | Word::Timestamp | Word::Version
                    );
                }
            }
            _ => return false,
        }
        // Columns, partitioning and the like in a definition name types and transforms, and run nothing.
        if (self.statement.creates_table || self.statement.alters) && !self.statement.has_source {
            return true;
        }
        let name = self.folded(name_at);
        // After AS stands a type, or the alias of a table argument with its columns. In quotes no word is the grammar's.
        let known = functions::is_builtin(&name);
        let typed = !known && self.kind(name_at) == Some(TokenKind::Word) && functions::is_type_or_syntax(&name);
        if !path && (typed || self.previous(name_at) == Word::As || self.inline_functions.contains(&name)) {
            return true;
        }
        // 'x'.length() is a method of Trino's; x.length() is one too, or a function in the schema x.
        let named_path = path && name_at.checked_sub(2).is_some_and(|before| self.is_name(before));
        let is_udf = match (named_path, known) {
            (false, true) => Some(false),
            (true, true) => None,
            (true, false) => Some(true),
            (false, false) if path => None,
            (false, false) => self.rules.known_functions.then_some(true),
        };
        self.note_function(is_udf);
        self.out.non_deterministic_time |= functions::reads_clock(&name);
        self.out.expensive_functions |= functions::is_expensive(&name);
        true
    }

    /// A user's function for sure outweighs a doubt, and a doubt outweighs a built-in.
    fn note_function(&mut self, is_udf: Option<bool>) {
        self.out.has_udf = match (self.out.has_udf, is_udf) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (None, _) | (_, None) => None,
            _ => Some(false),
        };
    }

    fn note_clock(&mut self, at: usize) {
        let clock = matches!(
            self.word(at),
            Word::CurrentDate | Word::CurrentTime | Word::CurrentTimestamp | Word::Localtime | Word::Localtimestamp
        );
        self.out.non_deterministic_time |= clock;
    }

    fn take_word(&mut self, at: usize) -> usize {
        let word = self.word(at);
        if word == Word::Other || self.symbol_before(at, b'.') {
            return self.take_name(at);
        }
        // Iceberg's procedures call an argument `table`, another `where`.
        if self.is_arrow(at + 1) {
            return at + 1;
        }
        match self.frame.clause {
            Clause::WithName => return self.take_name(at),
            Clause::WithBody => return at + 1,
            Clause::Relation if !word.is_reserved() => return self.relation_word(at, word),
            _ => {}
        }
        match word {
            Word::Select => {
                if self.frame.clause == Clause::Head {
                    self.statement.has_source = true;
                }
                self.begin_query();
                self.frame.clause = Clause::Expression;
            }
            Word::Values => self.values(at),
            Word::Table => return self.table(at),
            Word::With => return self.with(at),
            Word::From => self.from(at),
            Word::Join => {
                self.out.joins = self.out.joins.saturating_add(1);
                self.frame.clause = Clause::Relation;
            }
            // A relation's alias may be `qualify` in Trino; commas still part relations then.
            Word::On | Word::Qualify if self.frame.clause == Clause::Joined => self.frame.clause = Clause::Condition,
            Word::Using if self.statement.using_relation && self.enclosing.is_empty() => {
                self.statement.using_relation = false;
                self.frame.clause = Clause::Relation;
            }
            Word::Where if self.in_query() => {
                self.out.has_where = true;
                self.frame.clause = Clause::Expression;
            }
            Word::Group if self.word(at + 1) == Word::By && self.in_query() => {
                self.out.group_by = true;
                self.frame.clause = Clause::Expression;
            }
            Word::Order if self.word(at + 1) == Word::By && self.in_query() => {
                self.out.order_by = true;
                self.frame.clause = Clause::Expression;
            }
            Word::Having => self.frame.clause = Clause::Expression,
            Word::Set if self.statement.updates && self.enclosing.is_empty() => {
                self.statement.updates = false;
                self.frame.clause = Clause::Expression;
            }
            Word::Union | Word::Except | Word::Intersect | Word::Minus => self.set_operation(at, word),
            Word::Unnest | Word::JsonTable => self.unfold(at, word),
            Word::Lateral => {
                if self.word(at + 1) == Word::View {
                    self.out.unnest = true;
                    self.frame.clause = Clause::Unfolded;
                }
            }
            Word::Limit | Word::Fetch => self.limit(at, word),
            Word::Window if self.word(at + 2) == Word::As && self.is_symbol(at + 3, b'(') => {
                self.frame.clause = Clause::Expression;
            }
            Word::By if self.frame.clause == Clause::Joined => {
                // Spark: SORT BY, CLUSTER BY, DISTRIBUTE BY right after a relation.
                self.frame.clause = Clause::Expression;
            }
            Word::Over => self.over(at),
            Word::MatchRecognize if self.is_symbol(at + 1, b'(') => self.out.match_recognize = true,
            Word::Distinct => {
                let aggregate = self.symbol_before(at, b'(') && self.frame.opener == Opener::Call;
                self.out.distinct |= aggregate || self.previous(at) == Word::Select;
            }
            Word::For | Word::At | Word::Version | Word::Timestamp if self.frame.clause == Clause::Joined => {
                self.out.time_travel |= self.is_version(at, word);
            }
            Word::When if self.statement.merge && self.enclosing.is_empty() => {
                if self.word(at + 1) == Word::Matched
                    || (self.word(at + 1) == Word::Not && self.word(at + 2) == Word::Matched)
                {
                    self.frame.clause = Clause::Expression;
                }
            }
            Word::Insert if self.is_insert(at) => {
                // Spark and Hive: WITH .. INSERT, FROM .. INSERT. The query before it is its source, or a query follows.
                let next = self.insert_target(at);
                self.statement.writes = Some(StatementKind::Insert);
                self.frame.clause = Clause::Start;
                return next;
            }
            Word::Update | Word::Delete if !self.statement.merge && self.frame.clause == Clause::WithNext => {
                return self.write_after_with(at, word);
            }
            Word::Function if self.out.inline_function && self.in_prelude() => {
                self.define(at + 1);
            }
            Word::Begin | Word::Case | Word::End if self.statement.script => return self.block(at, word),
            _ => self.note_clock(at),
        }
        at + 1
    }

    /// Whether the word is no name (Spark allows that) and no action of a `MERGE`.
    fn is_insert(&self, at: usize) -> bool {
        !self.statement.merge
            && self.enclosing.is_empty()
            && (self.word(at + 1) == Word::Into || self.is_word(at + 1, "overwrite"))
    }

    /// A word that may be a relation's name, where a relation is to stand.
    fn relation_word(&mut self, at: usize, word: Word) -> usize {
        let parenthesis = self.is_symbol(at + 1, b'(');
        match word {
            Word::Lateral if parenthesis || matches!(self.word(at + 1), Word::Table | Word::Unnest) => at + 1,
            // Spark: LATERAL f(..), without TABLE.
            Word::Lateral if self.rules.identifier_clause && self.is_name(at + 1) => at + 1,
            Word::Nearest if parenthesis => at + 1,
            Word::JsonTable if parenthesis => {
                self.unfold(at, word);
                at + 1
            }
            _ => self.relation(at),
        }
    }

    fn values(&mut self, at: usize) {
        let first = self.symbol_before(at, b'(');
        match self.frame.clause {
            Clause::Relation if !first => self.frame.clause = Clause::Unfolded,
            Clause::Start | Clause::WithNext | Clause::Relation => {
                self.begin_query();
                self.frame.clause = Clause::Expression;
            }
            Clause::Head if self.previous(at) == Word::As => {
                self.statement.has_source = true;
                self.begin_query();
                self.frame.clause = Clause::Expression;
            }
            Clause::Expression | Clause::Condition if first => {
                self.begin_query();
                self.frame.clause = Clause::Expression;
            }
            _ => {}
        }
    }

    fn table(&mut self, at: usize) -> usize {
        let first = self.symbol_before(at, b'(');
        let clause = self.frame.clause;
        if self.is_symbol(at + 1, b'(') {
            if matches!(clause, Clause::Head | Clause::Start) {
                return at + 1;
            }
            if clause == Clause::Relation {
                self.frame.clause = Clause::Joined;
            }
            self.push(Opener::TableArgument, Clause::Relation);
            return at + 2;
        }
        let starts = match clause {
            Clause::Start | Clause::WithNext | Clause::Relation => true,
            Clause::Head => self.previous(at) == Word::As,
            Clause::Expression | Clause::Condition => first || self.in_prelude(),
            _ => false,
        };
        if !starts {
            return at + 1;
        }
        if clause == Clause::Head {
            self.statement.has_source = true;
        }
        if clause != Clause::Relation || first {
            self.begin_query();
        }
        let next = self.relation(at + 1);
        if clause != Clause::Relation || first {
            self.frame.clause = Clause::Expression;
        }
        next
    }

    fn with(&mut self, at: usize) -> usize {
        let next = self.word(at + 1);
        let starts = match self.frame.clause {
            Clause::Start | Clause::WithNext => !self.is_symbol(at + 1, b'('),
            Clause::Relation => self.symbol_before(at, b'('),
            Clause::Head => self.previous(at) == Word::As && !self.is_symbol(at + 1, b'('),
            Clause::Expression | Clause::Condition => {
                (self.symbol_before(at, b'(') || self.in_prelude()) && !self.is_symbol(at + 1, b'(')
            }
            _ => false,
        };
        if !starts {
            let last = next == Word::No && self.word(at + 2) == Word::Data && self.ends(at + 3);
            self.statement.moves_nothing |= last && self.statement.creates_table && self.enclosing.is_empty();
            return at + 1;
        }
        if self.frame.clause == Clause::Head {
            self.statement.has_source = true;
        }
        if self.enclosing.is_empty() && self.is_session_list(at) {
            let next = self.session_list(at + 1);
            self.frame.clause = Clause::Start;
            return next;
        }
        if next == Word::Function && self.is_name(at + 2) && self.enclosing.is_empty() {
            self.define(at + 2);
            return at + 2;
        }
        let recursive = next == Word::Recursive && self.word(at + 2) != Word::As && !self.is_symbol(at + 2, b'(');
        let frame = &mut self.frame;
        frame.clause = Clause::WithName;
        frame.is_recursive = recursive;
        at + 1 + usize::from(recursive)
    }

    /// In the definitions of inline functions, before the query.
    fn in_prelude(&self) -> bool {
        self.statement.script && self.enclosing.is_empty() && !self.frame.is_query
    }

    /// `FUNCTION name`, in `WITH`: everything up to the query is its definition.
    fn define(&mut self, name: usize) {
        self.out.inline_function = true;
        self.statement.script = true;
        let name = self.folded(name);
        self.inline_functions.enter(name);
        self.frame.clause = Clause::Expression;
    }

    fn from(&mut self, at: usize) {
        let distinct_from = self.previous(at) == Word::Distinct
            && at
                .checked_sub(2)
                .is_some_and(|before| matches!(self.word(before), Word::Is | Word::Not));
        let first = self.symbol_before(at, b'(');
        // trim(FROM x) has nothing before its FROM; Spark's (FROM t SELECT x) neither.
        let trims = at.checked_sub(2).is_some_and(|before| self.is_word(before, "trim"));
        let frame = &mut self.frame;
        let starts = match frame.clause {
            Clause::Head | Clause::WithName | Clause::WithBody => false,
            Clause::Start | Clause::WithNext => true,
            _ if frame.is_query || frame.opener == Opener::Statement => !distinct_from,
            Clause::Relation => first,
            Clause::Expression => first && !trims,
            _ => first && frame.opener == Opener::Parenthesis,
        };
        if starts {
            if frame.opener != Opener::Statement || frame.clause != Clause::Expression {
                self.begin_query();
            }
            self.frame.clause = Clause::Relation;
        }
    }

    fn set_operation(&mut self, at: usize, word: Word) {
        if !self.in_query() && !self.frame.held_query {
            return;
        }
        let next = self.word(at + 1);
        let query_next = next.starts_query()
            || matches!(next, Word::All | Word::Distinct | Word::From)
            || self.query_follows(at + 1)
            || self.is_word(at + 1, "corresponding");
        // Spark and others: * EXCEPT (a, b) leaves columns out.
        if self.symbol_before(at, b'*') && word == Word::Except && self.is_symbol(at + 1, b'(') && !query_next {
            return;
        }
        // Spark has no objection to a column of that name.
        let named = self.symbol_before(at, b',') || self.previous(at) == Word::Select;
        if word == Word::Minus && (named || !(self.rules.minus_is_except && query_next)) {
            return;
        }
        self.out.set_operation = true;
        self.begin_query();
        let frame = &mut self.frame;
        frame.clause = Clause::Start;
        if let Some(name) = frame.recursive.take() {
            frame.itself = Some(name.clone());
            self.in_themselves.enter(name.clone());
            self.enter_scope(name);
        }
    }

    fn unfold(&mut self, at: usize, word: Word) {
        if !self.is_symbol(at + 1, b'(') {
            return;
        }
        self.out.unnest |= word == Word::Unnest;
        self.out.expensive_functions |= word == Word::JsonTable;
        if self.frame.clause == Clause::Relation {
            self.frame.clause = Clause::Joined;
        }
    }

    fn limit(&mut self, at: usize, word: Word) {
        let (value, bounded) = if word == Word::Limit {
            let bounded = matches!(self.kind(at + 1), Some(TokenKind::Number | TokenKind::Parameter))
                || self.word(at + 1) == Word::All
                || (self.is_symbol(at + 1, b'(')
                    && (self.frame.clause != Clause::Joined || self.kind(at + 2) == Some(TokenKind::Number)))
                || self.is_symbol(at + 1, b':');
            (at + 1, bounded)
        } else {
            (at + 2, matches!(self.word(at + 1), Word::First | Word::Next))
        };
        let alias = matches!(self.previous(at), Word::Select | Word::As) || self.symbol_before(at, b',');
        if !bounded || alias {
            return;
        }
        self.out.has_limit = true;
        if self.frame.opener == Opener::Statement {
            // Spark's LIMIT 1 + 9 is not 1.
            let whole = self.ends(value + 1) || self.kind(value + 1) == Some(TokenKind::Word);
            let number = self.str(value).parse().ok().filter(|_| whole);
            // FETCH FIRST ROW ONLY is one row.
            let one = word == Word::Fetch && self.kind(value) == Some(TokenKind::Word);
            let ties = word == Word::Fetch && (value..value + 4).any(|at| self.is_word(at, "ties"));
            self.out.top_limit = if ties { None } else { number.or(one.then_some(1)) };
        }
        if self.in_query() {
            self.frame.clause = Clause::Expression;
        }
    }

    fn over(&mut self, at: usize) {
        if !matches!(
            self.frame.clause,
            Clause::Expression | Clause::Condition | Clause::Unfolded
        ) {
            return;
        }
        let follows = self.is_symbol(at + 1, b'(') || self.is_name(at + 1);
        let before = at.checked_sub(1);
        let call_before = self.symbol_before(at, b')')
            || before.is_some_and(|before| self.is_name(before) || self.is_word(before, "nulls"));
        if follows && call_before {
            self.out.windows = self.out.windows.saturating_add(1);
        }
    }

    fn is_version(&self, at: usize, word: Word) -> bool {
        let named = |names: &[&str]| names.iter().any(|name| self.is_word(at + 1, name));
        match word {
            Word::For => named(&["version", "timestamp", "system_time", "system_version", "system"]),
            Word::At => {
                // Dremio: also `AT` a computed time. Elsewhere `at` is an alias.
                let time = matches!(self.kind(at + 1), Some(TokenKind::String | TokenKind::Number))
                    || self.is_word(at + 1, "timestampadd");
                named(&["branch", "tag", "commit", "snapshot", "ref", "reference", "timestamp"])
                    || (self.rules.slash_slash_comment && time)
            }
            _ => self.word(at + 1) == Word::As && self.word(at + 2) == Word::Of,
        }
    }

    /// Spark: `WITH a AS (..) UPDATE t ..` and `.. DELETE FROM t ..`.
    fn write_after_with(&mut self, at: usize, word: Word) -> usize {
        let name = at + 1 + usize::from(word == Word::Delete && self.word(at + 1) == Word::From);
        self.frame.clause = Clause::Joined;
        self.statement.updates = word == Word::Update;
        self.statement.writes = Some(if self.statement.updates {
            StatementKind::Update
        } else {
            StatementKind::Delete
        });
        match self.dotted(name) {
            Some((target, next)) => {
                self.out.targets.push(target);
                next
            }
            None => at + 1,
        }
    }

    /// Counts the blocks of a script, in which semicolons part statements of the script only.
    fn block(&mut self, at: usize, word: Word) -> usize {
        if word != Word::End {
            self.statement.blocks = self.statement.blocks.saturating_add(1);
            return at + 1;
        }
        let opened_uncounted = self.word(at + 1) == Word::If
            || ["loop", "while", "repeat", "for"]
                .iter()
                .any(|kind| self.is_word(at + 1, kind));
        if opened_uncounted {
            return at + 2;
        }
        self.statement.blocks = self.statement.blocks.saturating_sub(1);
        at + 1 + usize::from(self.word(at + 1) == Word::Case)
    }
}
