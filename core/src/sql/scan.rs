//! What a statement is, what it touches and what shape it has, from its tokens alone.
//!
//! What lives here: [`scan`], which always answers, and [`Scan`], its answer. The parts are `words` (which key word a
//! word is), `statement` (what a statement's first words say, and what they wrap), `relations` (queries: tables, scopes,
//! shape), `fingerprint` (the digest that literals are left out of) and `digest` (what both digests are made of). What does not live here: a syntax check, the resolution of names
//! against a catalog, and what predicates mean.
//!
//! The scanner goes through the tokens once, with a stack of open parentheses on the heap: it does not recurse, and its
//! time and memory are linear in the text. It assumes that the engine accepts the text and asks only what it then reads.
//! A text that the engine refuses may be misread; it harms nobody. Where two engines, or two releases of one, could
//! read a text differently, the reading with more tables wins: a table too many sends a statement to the large engine,
//! a table too few hides a scan.
//!
//! A text that could not be read to its end gives `complete: false`. Its answers are then lower bounds and nothing more.

mod digest;
mod fingerprint;
mod names;
mod octets;
mod relations;
mod statement;
mod words;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::{fmt, mem};

use serde::{Deserialize, Serialize};

use self::digest::{Digest, Item};
pub use self::fingerprint::fingerprint;
use self::names::Names;
use self::relations::{Clause, Frame};
use self::words::Word;
use crate::sql::lexer::{Lexer, LexicalRules, TokenKind, unquote};

/// Longer texts are not read past this many bytes. Trino refuses texts of more than a million characters by default.
pub const MAX_SCAN_BYTES: usize = 1024 * 1024;

/// Longer texts are not read past this many tokens, which bounds the memory of a scan to a few megabytes.
pub const MAX_SCAN_TOKENS: usize = 512 * 1024;

/// Deeper texts are not read on. Engines give up long before, as their parsers recurse.
pub const MAX_SCAN_DEPTH: usize = 4096;

/// Of a text whose reading is deferred, this much is read: what the statement sets for itself stands first.
const DEFERRED_TOKENS: usize = 256;

/// Where reading may be deferred, a longer string is not unquoted to be read as a statement.
const DEFERRED_INNER_BYTES: usize = 128 * 1024;

/// A statement in a statement in a statement: no client wraps deeper than `EXPLAIN ANALYZE EXECUTE` of a prepared one.
const MAX_TEXTS: usize = 4;

/// What a statement does, by its first words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementKind {
    /// `SELECT`, `WITH`, `VALUES`, `TABLE`.
    Query,
    /// `INSERT`, and what else adds rows to a table: `COPY INTO`, `LOAD DATA`.
    Insert,
    /// `UPDATE`.
    Update,
    /// `DELETE`.
    Delete,
    /// `MERGE`.
    Merge,
    /// `CREATE TABLE .. AS`, with or without data.
    CreateTableAs,
    /// `CREATE`, `DROP`, `ALTER`, `COMMENT`, `TRUNCATE` and their like. A view counts here, and its tables are listed.
    Ddl,
    /// `EXPLAIN` that runs nothing.
    Explain,
    /// `EXPLAIN ANALYZE`, which runs the statement.
    ExplainAnalyze,
    /// `PREPARE`.
    Prepare,
    /// `EXECUTE` of a prepared statement.
    Execute,
    /// `EXECUTE IMMEDIATE` of a string.
    ExecuteImmediate,
    /// `DEALLOCATE`.
    Deallocate,
    /// `DESCRIBE INPUT` and `DESCRIBE OUTPUT`. `DESCRIBE` of a table is [`StatementKind::Show`].
    Describe,
    /// `USE`.
    Use,
    /// `CALL` of a procedure.
    Call,
    /// `ANALYZE` of a table.
    Analyze,
    /// Work on a table's files or a view's contents: `ALTER TABLE .. EXECUTE`, `REFRESH`, `OPTIMIZE`, `VACUUM`.
    Maintenance,
    /// `START TRANSACTION`, `COMMIT`, `ROLLBACK`.
    Transaction,
    /// `SET` and `RESET` of anything that belongs to the session.
    Session,
    /// `GRANT`, `REVOKE`, `DENY`, roles and owners.
    Access,
    /// `SHOW`, and `DESCRIBE` of a table.
    Show,
    /// None of these. Treat it as work of unknown size.
    Unknown,
}

impl StatementKind {
    /// Every kind.
    pub const ALL: [Self; 23] = [
        Self::Query,
        Self::Insert,
        Self::Update,
        Self::Delete,
        Self::Merge,
        Self::CreateTableAs,
        Self::Ddl,
        Self::Explain,
        Self::ExplainAnalyze,
        Self::Prepare,
        Self::Execute,
        Self::ExecuteImmediate,
        Self::Deallocate,
        Self::Describe,
        Self::Use,
        Self::Call,
        Self::Analyze,
        Self::Maintenance,
        Self::Transaction,
        Self::Session,
        Self::Access,
        Self::Show,
        Self::Unknown,
    ];

    /// True if what the statement names as its target is read as well, and so costs a scan.
    #[must_use]
    pub fn reads_targets(self) -> bool {
        matches!(
            self,
            Self::Merge | Self::Update | Self::Delete | Self::Analyze | Self::Maintenance
        )
    }

    /// The word that policies, headers and logs use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Merge => "merge",
            Self::CreateTableAs => "create_table_as",
            Self::Ddl => "ddl",
            Self::Explain => "explain",
            Self::ExplainAnalyze => "explain_analyze",
            Self::Prepare => "prepare",
            Self::Execute => "execute",
            Self::ExecuteImmediate => "execute_immediate",
            Self::Deallocate => "deallocate",
            Self::Describe => "describe",
            Self::Use => "use",
            Self::Call => "call",
            Self::Analyze => "analyze",
            Self::Maintenance => "maintenance",
            Self::Transaction => "transaction",
            Self::Session => "session",
            Self::Access => "access",
            Self::Show => "show",
            Self::Unknown => "unknown",
        }
    }

    /// Whether a statement of this kind reads or writes rows when it is run, wrappers not considered.
    fn moves_rows(self) -> bool {
        match self {
            Self::Query
            | Self::Insert
            | Self::Update
            | Self::Delete
            | Self::Merge
            | Self::CreateTableAs
            | Self::ExplainAnalyze
            | Self::Execute
            | Self::ExecuteImmediate
            | Self::Call
            | Self::Analyze
            | Self::Maintenance
            | Self::Unknown => true,
            Self::Ddl
            | Self::Explain
            | Self::Prepare
            | Self::Deallocate
            | Self::Describe
            | Self::Use
            | Self::Transaction
            | Self::Session
            | Self::Access
            | Self::Show => false,
        }
    }
}

impl fmt::Display for StatementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A table's name as written, unquoted and in lower case. Missing parts come from the session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableName {
    /// Catalog, schema and table, or less; Dremio and Spark have longer paths.
    pub parts: Vec<String>,
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.join("."))
    }
}

/// What a text says about itself.
///
/// Flags and counts look at the whole text, subqueries included, unless they say otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The kind of the statement as sent.
    pub kind: StatementKind,
    /// The kind inside `EXPLAIN`, `PREPARE`, `EXECUTE` and `EXECUTE IMMEDIATE`; otherwise the same as `kind`.
    /// Unknown for an `EXECUTE` whose statement was not handed in.
    pub inner_kind: StatementKind,
    /// Whether rows are read or written at all. False for `EXPLAIN` and `PREPARE`, for definitions, settings and
    /// listings, and for `CREATE TABLE .. AS .. WITH NO DATA`.
    pub executes: bool,
    /// Tables read, in order, one entry an occurrence, names of common table expressions left out by their scope.
    pub tables: Vec<TableName>,
    /// Tables and views written, defined, described or dropped. The kind tells which.
    pub targets: Vec<TableName>,
    /// `JOIN` key words, and commas between relations.
    pub joins: u32,
    /// `OVER` clauses.
    pub windows: u32,
    /// `LIMIT` or `FETCH FIRST` anywhere.
    pub has_limit: bool,
    /// The number of rows that the outermost query's `LIMIT` or `FETCH FIRST` leaves, when it is written as a number.
    pub top_limit: Option<u64>,
    /// `GROUP BY`.
    pub group_by: bool,
    /// `UNION`, `EXCEPT` or `INTERSECT`.
    pub set_operation: bool,
    /// `UNNEST`, or Spark's `LATERAL VIEW`.
    pub unnest: bool,
    /// A function as a relation: `TABLE(f(..))`, or Spark's and Dremio's `FROM f(..)`. `JSON_TABLE` and `UNNEST` only
    /// unfold a value that is there already and do not count.
    pub table_function: bool,
    /// `MATCH_RECOGNIZE`.
    pub match_recognize: bool,
    /// `ORDER BY` of a query, not of a window or an aggregate.
    pub order_by: bool,
    /// `SELECT DISTINCT`, or `DISTINCT` in an aggregate.
    pub distinct: bool,
    /// A query, `UPDATE` or `DELETE` with a `WHERE`.
    pub has_where: bool,
    /// Queries in parentheses, bodies of common table expressions left out.
    pub subqueries: u32,
    /// A common table expression refers to itself: how often its tables are read, only the run tells.
    pub recursion: bool,
    /// A common table expression is referred to more than once: its tables are read more often than they are written.
    pub repeated_common_table: bool,
    /// A table as of a version or a time.
    pub time_travel: bool,
    /// A function defined in the statement itself.
    pub inline_function: bool,
    /// `Some(true)`: a function is called by a path, or by a name that the engine does not bring along. `Some(false)`:
    /// none is. `None`: a name is called that the list of another engine does not hold.
    pub has_udf: Option<bool>,
    /// The current time is read, so that the same text prunes differently tomorrow.
    pub non_deterministic_time: bool,
    /// A function of [`crate::sql::functions::is_expensive`] is called.
    pub expensive_functions: bool,
    /// Properties that `SET SESSION` and `WITH SESSION` set, strings unquoted, anything else as written.
    pub session_properties: Vec<(String, String)>,
    /// Query ids that `CALL .. kill_query` names.
    pub kill_query_ids: Vec<String>,
    /// The same for texts that differ in white space, comments and case only.
    pub scan_key: u128,
    /// Statements in the text; more than one is more than any of these engines runs in one request.
    pub statements: u32,
    /// It is not complete, and a reader with more means can tell more: the text has more tokens than the caller wants
    /// read, or an `EXECUTE` names a prepared statement that came compressed ([`crate::sql::COMPRESSED`]).
    pub deferred: bool,
    /// False when the text, or a text inside it, could not be read to its end or was not to be had: an open string,
    /// comment or parenthesis, a NUL byte, a bound of this module, a prepared statement that nobody handed in.
    pub complete: bool,
}

impl Scan {
    /// Whether the text was read to its end and is a statement that is known: otherwise its answers are lower bounds.
    #[must_use]
    pub fn is_understood(&self) -> bool {
        self.complete && self.inner_kind != StatementKind::Unknown
    }

    /// Of a text that is not read.
    #[must_use]
    pub fn unread() -> Self {
        Self {
            complete: false,
            ..Self::nothing()
        }
    }

    fn nothing() -> Self {
        Self {
            kind: StatementKind::Unknown,
            inner_kind: StatementKind::Unknown,
            executes: false,
            tables: Vec::new(),
            targets: Vec::new(),
            joins: 0,
            windows: 0,
            has_limit: false,
            top_limit: None,
            group_by: false,
            set_operation: false,
            unnest: false,
            table_function: false,
            match_recognize: false,
            order_by: false,
            distinct: false,
            has_where: false,
            subqueries: 0,
            recursion: false,
            repeated_common_table: false,
            time_travel: false,
            inline_function: false,
            has_udf: Some(false),
            non_deterministic_time: false,
            expensive_functions: false,
            session_properties: Vec::new(),
            kill_query_ids: Vec::new(),
            scan_key: 0,
            statements: 0,
            deferred: false,
            complete: true,
        }
    }
}

/// Reads a text.
///
/// `prepared` are the session's prepared statements, name and text: an `EXECUTE` is read as what it runs.
#[must_use]
pub fn scan(text: &str, rules: &LexicalRules, prepared: &[(&str, &str)]) -> Scan {
    read(text, rules, prepared, MAX_SCAN_TOKENS, |_| {})
}

/// The same for a reader that has no time for long texts: past that many tokens the rest is left to others.
#[must_use]
pub fn scan_within(text: &str, rules: &LexicalRules, prepared: &[(&str, &str)], most_tokens: usize) -> Scan {
    read(text, rules, prepared, most_tokens.min(MAX_SCAN_TOKENS), |_| {})
}

/// Reads a text and hands over each text in it once that is read.
fn read(
    text: &str,
    rules: &LexicalRules,
    prepared: &[(&str, &str)],
    most_tokens: usize,
    mut after: impl FnMut(&Scanner<'_, '_, '_>),
) -> Scan {
    let mut reading = Reading {
        rules,
        prepared,
        budget: MAX_SCAN_BYTES,
        room: Room {
            tokens: most_tokens,
            others_have_more: most_tokens < MAX_SCAN_TOKENS,
        },
        queue: VecDeque::new(),
        scan_key: Digest::new(),
        out: Scan::nothing(),
    };
    let mut next = Some(Job {
        text: Cow::Borrowed(text),
        leads: true,
        executes: true,
    });
    for place in 0..MAX_TEXTS {
        let Some(job) = next else { break };
        reading.read(&job, place == 0, &mut after);
        next = reading.queue.pop_front();
    }
    let Reading {
        mut scan_key, mut out, ..
    } = reading;
    out.complete &= next.is_none();
    if !out.complete {
        // What was not read could be anything, so two such texts must not share a key for their common beginning.
        scan_key.token(Item::Mark, text);
        out.has_udf = out.has_udf.filter(|&found| found);
    }
    out.scan_key = scan_key.finish();
    out
}

/// A text to read: the one sent, or one that a statement in it runs.
#[derive(Debug)]
struct Job<'a> {
    text: Cow<'a, str>,
    /// It belongs to the first statement of the text sent, whose kinds are reported.
    leads: bool,
    /// What holds it, runs it.
    executes: bool,
}

/// A token with its word looked up.
#[derive(Clone, Copy, Debug)]
struct Tok {
    start: u32,
    end: u32,
    kind: TokenKind,
    word: Word,
    /// The character of a symbol of one character, else 0.
    symbol: u8,
}

/// One text in the reading.
struct Scanner<'t, 'o, 'a> {
    text: &'t str,
    toks: &'t [Tok],
    rules: &'t LexicalRules,
    prepared: &'t [(&'a str, &'a str)],
    out: &'o mut Scan,
    /// The innermost open parenthesis, and those around it, outermost first.
    frame: Frame,
    enclosing: Vec<Frame>,
    /// Names of common table expressions in scope, newest last, and how often each is.
    scope: Vec<String>,
    in_scope: Names,
    /// Those of them whose own body is being read.
    in_themselves: Names,
    /// Those of them that have been referred to.
    referred: Names,
    /// Functions that the text defines.
    inline_functions: Names,
    statement: statement::State,
    /// A longer text that this one runs is left to a reader with more time.
    most_inner_bytes: usize,
    /// Texts that this one runs.
    found: Vec<Job<'a>>,
    /// Tokens that are no part of the fingerprint, as what they run has its own.
    unprinted: Vec<(usize, usize)>,
}

/// The reading of a text and of those that it runs.
struct Reading<'r, 'a> {
    rules: &'r LexicalRules,
    prepared: &'r [(&'a str, &'a str)],
    /// Bytes that may still be read: a text that runs a long one many times must not cost many times its length.
    budget: usize,
    room: Room,
    queue: VecDeque<Job<'a>>,
    scan_key: Digest,
    out: Scan,
}

/// Tokens that may still be read, in all texts together.
struct Room {
    tokens: usize,
    others_have_more: bool,
}

impl Reading<'_, '_> {
    fn read(&mut self, job: &Job<'_>, outermost: bool, after: &mut impl FnMut(&Scanner<'_, '_, '_>)) {
        let mut end = job.text.len().min(self.budget);
        while !job.text.is_char_boundary(end) {
            end -= 1;
        }
        self.budget -= end;
        self.out.complete &= end == job.text.len();
        let text = job.text.get(..end).unwrap_or_default();
        let mut toks = tokens(text, self.rules, &mut self.room, &mut self.out, &mut self.scan_key);
        if self.out.deferred {
            // Another reader tells what it is; only what it sets for itself is wanted, and that stands first.
            toks.truncate(DEFERRED_TOKENS);
        }
        let mut scanner = Scanner {
            text,
            toks: &toks,
            rules: self.rules,
            prepared: self.prepared,
            out: &mut self.out,
            frame: Frame::statement(Clause::Start),
            enclosing: Vec::new(),
            scope: Vec::new(),
            in_scope: Names::default(),
            in_themselves: Names::default(),
            referred: Names::default(),
            inline_functions: Names::default(),
            statement: statement::State::default(),
            most_inner_bytes: if self.room.others_have_more {
                DEFERRED_INNER_BYTES
            } else {
                usize::MAX
            },
            found: Vec::new(),
            unprinted: Vec::new(),
        };
        scanner.statements(job.leads, outermost, job.executes);
        after(&scanner);
        self.queue.extend(scanner.found);
    }
}

fn tokens(text: &str, rules: &LexicalRules, room: &mut Room, out: &mut Scan, scan_key: &mut Digest) -> Vec<Tok> {
    let mut toks = Vec::with_capacity((text.len() / 5 + 4).min(room.tokens));
    let mut lexer = Lexer::new(text, rules);
    // Semicolons at the end are no part of the statement, and of the key once it is clear that they are not at the end.
    let mut semicolons = 0_u32;
    for token in lexer.by_ref() {
        if token.kind == TokenKind::Nul {
            out.complete = false;
            break;
        }
        let Some(left) = room.tokens.checked_sub(1) else {
            out.complete = false;
            out.deferred |= room.others_have_more;
            break;
        };
        room.tokens = left;
        let written = token.text(text);
        let word = if token.kind == TokenKind::Word {
            Word::of(written)
        } else {
            Word::Other
        };
        let symbol = match (token.kind, written.as_bytes()) {
            (TokenKind::Symbol, &[symbol]) => symbol,
            _ => 0,
        };
        if symbol == b';' {
            semicolons += 1;
        } else {
            for _ in 0..mem::take(&mut semicolons) {
                scan_key.token(Item::Symbol, ";");
            }
            scan_key.token(token.kind.into(), written);
        }
        // Texts are at most MAX_SCAN_BYTES long, so offsets fit.
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        toks.push(Tok {
            start: offset(token.start),
            end: offset(token.end),
            kind: token.kind,
            word,
            symbol,
        });
    }
    scan_key.token(Item::Mark, "");
    if lexer.unterminated() {
        out.complete = false;
    }
    toks
}

/// Access to tokens by index; past the end there is a token of no text, which nothing matches.
impl<'t> Scanner<'t, '_, '_> {
    fn tok(&self, at: usize) -> Option<Tok> {
        self.toks.get(at).copied()
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.toks.get(at).map(|tok| tok.kind)
    }

    fn word(&self, at: usize) -> Word {
        self.toks.get(at).map_or(Word::Other, |tok| tok.word)
    }

    fn previous(&self, at: usize) -> Word {
        at.checked_sub(1).map_or(Word::Other, |before| self.word(before))
    }

    fn str(&self, at: usize) -> &'t str {
        self.tok(at)
            .and_then(|tok| self.text.get(tok.start as usize..tok.end as usize))
            .unwrap_or_default()
    }

    fn is_word(&self, at: usize, word: &str) -> bool {
        self.kind(at) == Some(TokenKind::Word) && self.str(at).eq_ignore_ascii_case(word)
    }

    fn is_symbol(&self, at: usize, symbol: u8) -> bool {
        self.toks.get(at).is_some_and(|tok| tok.symbol == symbol)
    }

    /// `=>`, between the name and the value of an argument.
    fn is_arrow(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Symbol) && self.str(at) == "=>"
    }

    fn symbol_before(&self, at: usize, symbol: u8) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is_symbol(before, symbol))
    }

    /// A name: quoted, or a word that may be one.
    fn is_name(&self, at: usize) -> bool {
        match self.tok(at) {
            Some(tok) => match tok.kind {
                TokenKind::QuotedName => true,
                TokenKind::Word => !tok.word.is_reserved(),
                _ => false,
            },
            None => false,
        }
    }

    /// The value of a name or string, in lower case.
    fn folded(&self, at: usize) -> String {
        let value = unquote(self.str(at), self.rules);
        if value.is_ascii() {
            value.to_ascii_lowercase()
        } else {
            value.to_lowercase()
        }
    }

    /// The dotted name that starts at `at`, and the index after it.
    fn dotted(&self, at: usize) -> Option<(TableName, usize)> {
        let nameable = |at| matches!(self.kind(at), Some(TokenKind::Word | TokenKind::QuotedName));
        if !nameable(at) {
            return None;
        }
        let mut parts = vec![self.folded(at)];
        let mut next = at + 1;
        while self.is_symbol(next, b'.') && nameable(next + 1) {
            parts.push(self.folded(next + 1));
            next += 2;
        }
        Some((TableName { parts }, next))
    }
}
