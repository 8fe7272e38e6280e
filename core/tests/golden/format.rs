//! The golden corpus' files and what is checked of them.
//!
//! A file holds cases. A case is a statement of one or more lines, a line `=>` with its analysis, and any number of
//! lines `->` with the verdict of the reference policy on stated facts. Lines that start with `#` are remarks; they and
//! empty lines stand between cases only. `rules: trino|presto|dremio|spark` sets the dialect of what follows, and
//! `prepared NAME: TEXT` hands a prepared statement to what follows.
//!
//! `⟦d⟧` stands for the character of that hexadecimal number and `⟦9*(⟧` for nine times what follows the star, so that
//! nothing in a file is invisible or long.
//!
//! The analysis: `kind` or `kind/inner` (left out for a plain query), `<t` a table read and `>t` a table written, in
//! order, each in quotes when it holds blanks; then words for what differs from the defaults of [`Analysis`].

use lakegate_core::decision::{Outcome, decide};
use lakegate_core::engine::{EngineState, EngineStates};
use lakegate_core::policy::Policy;
use lakegate_core::protocol::Protocol;
use lakegate_core::signals::{Fact, Facts, Signals};
use lakegate_core::sql::lexer::LexicalRules;
use lakegate_core::sql::scan::{Scan, TableName, scan};

/// A statement with all that is expected of it.
pub struct Case {
    line: usize,
    rules: LexicalRules,
    prepared: Vec<(String, String)>,
    pub sql: String,
    analysis: String,
    pub verdicts: Vec<String>,
}

impl Case {
    /// What makes a case: the same text under other rules, or beside other prepared statements, is another one.
    pub fn key(&self) -> String {
        format!("{:?} {:?} {}", self.rules, self.prepared, self.sql)
    }
}

/// The cases of a file.
pub fn cases(file: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut rules = LexicalRules::TRINO;
    let mut prepared: Vec<(String, String)> = Vec::new();
    let mut sql: Vec<&str> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = format!("{file}.txt:{}", index + 1);
        if let Some(analysis) = line.strip_prefix("=>") {
            assert!(!sql.is_empty(), "{place}: an analysis of no statement");
            cases.push(Case {
                line: index + 1,
                rules,
                prepared: prepared.clone(),
                sql: expand(&sql.join("\n")),
                analysis: expand(analysis.trim()),
                verdicts: Vec::new(),
            });
            sql.clear();
        } else if let Some(verdict) = line.strip_prefix("->") {
            let case = cases.last_mut().filter(|_| sql.is_empty());
            case.unwrap_or_else(|| panic!("{place}: a verdict on no statement"))
                .verdicts
                .push(verdict.trim().to_owned());
        } else if !sql.is_empty() {
            sql.push(line);
        } else if let Some(name) = line.strip_prefix("rules: ") {
            rules = match name {
                "trino" => LexicalRules::TRINO,
                "presto" => LexicalRules::PRESTO,
                "dremio" => LexicalRules::DREMIO,
                "spark" => LexicalRules::SPARK,
                other => panic!("{place}: no rules are called {other}"),
            };
        } else if let Some((name, body)) = line.strip_prefix("prepared ").and_then(|rest| rest.split_once(": ")) {
            prepared.push((name.to_owned(), expand(body)));
        } else if !line.is_empty() && !line.starts_with('#') {
            sql.push(line);
        }
    }
    assert!(sql.is_empty(), "{file}.txt: the last statement has no analysis");
    cases
}

/// Resolves `⟦..⟧`.
fn expand(text: &str) -> String {
    let mut parts = text.split('⟦');
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('⟧').unwrap_or_else(|| panic!("open ⟦ in {text}"));
        match code.split_once('*') {
            Some((count, repeated)) => expanded.push_str(&repeated.repeat(count.parse().unwrap())),
            None => expanded.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap()),
        }
        expanded.push_str(rest);
    }
    expanded
}

/// What a scan says, in the words of the format, everything named.
#[derive(Debug, PartialEq, Eq)]
struct Analysis {
    /// `query`
    kind: String,
    /// the same as `kind`
    inner: String,
    /// What the kinds say: see [`moves_rows`]. `runs` or `idle` says otherwise.
    executes: bool,
    tables: Vec<String>,
    targets: Vec<String>,
    /// `joins=2`
    joins: u32,
    /// `windows=2`
    windows: u32,
    /// `limit=5`, or `limit` for one that is no number of the outermost query.
    limit: Option<Option<u64>>,
    /// `sub=2`
    subqueries: u32,
    /// `udf`; `udf?` for one that only the engine can tell. Of an incomplete text the default is `udf?`.
    udf: Option<bool>,
    /// `session=name:value`
    session: Vec<String>,
    /// `kill=id`
    kill: Vec<String>,
    /// `statements=2`; 1 by default
    statements: u32,
    /// Any of [`FLAGS`].
    flags: Vec<String>,
}

/// Words for what is true or false.
const FLAGS: [&str; 13] = [
    "clock",
    "costly",
    "distinct",
    "group",
    "incomplete",
    "inlinefn",
    "match",
    "order",
    "setop",
    "tablefn",
    "travel",
    "unnest",
    "where",
];

const KINDS: [(&str, bool); 23] = [
    ("query", true),
    ("insert", true),
    ("update", true),
    ("delete", true),
    ("merge", true),
    ("create_table_as", true),
    ("explain_analyze", true),
    ("execute", true),
    ("execute_immediate", true),
    ("call", true),
    ("analyze", true),
    ("maintenance", true),
    ("unknown", true),
    ("ddl", false),
    ("explain", false),
    ("prepare", false),
    ("deallocate", false),
    ("describe", false),
    ("use", false),
    ("transaction", false),
    ("session", false),
    ("access", false),
    ("show", false),
];

fn moves_rows(kind: &str) -> bool {
    let known = KINDS.iter().find(|(name, _)| *name == kind);
    known.unwrap_or_else(|| panic!("no kind is called {kind}")).1
}

impl Analysis {
    fn expected(text: &str) -> Self {
        let mut expected = Self {
            kind: "query".into(),
            inner: "query".into(),
            executes: true,
            tables: Vec::new(),
            targets: Vec::new(),
            joins: 0,
            windows: 0,
            limit: None,
            subqueries: 0,
            udf: Some(false),
            session: Vec::new(),
            kill: Vec::new(),
            statements: 1,
            flags: Vec::new(),
        };
        let mut executes = None;
        let mut udf = None;
        for word in words(text) {
            let number = |value: &str| value.parse().unwrap_or_else(|_| panic!("{word} is no number"));
            match word.split_once('=') {
                _ if word.starts_with('<') => expected.tables.push(word[1..].to_owned()),
                _ if word.starts_with('>') => expected.targets.push(word[1..].to_owned()),
                Some(("joins", value)) => expected.joins = number(value),
                Some(("windows", value)) => expected.windows = number(value),
                Some(("limit", value)) => expected.limit = Some(Some(u64::from(number(value)))),
                Some(("sub", value)) => expected.subqueries = number(value),
                Some(("statements", value)) => expected.statements = number(value),
                Some(("session", value)) => expected.session.push(value.to_owned()),
                Some(("kill", value)) => expected.kill.push(value.to_owned()),
                _ => match word.as_str() {
                    "limit" => expected.limit = Some(None),
                    "runs" => executes = Some(true),
                    "idle" => executes = Some(false),
                    "udf" => udf = Some(Some(true)),
                    "udf?" => udf = Some(None),
                    flag if FLAGS.contains(&flag) => expected.flags.push(word),
                    _ => {
                        let (kind, inner) = word.split_once('/').unwrap_or((&word, &word));
                        (expected.kind, expected.inner) = (kind.to_owned(), inner.to_owned());
                    }
                },
            }
        }
        expected.flags.sort();
        expected.executes = executes.unwrap_or(moves_rows(&expected.kind) && moves_rows(&expected.inner));
        let incomplete = expected.flags.iter().any(|flag| flag == "incomplete");
        expected.udf = udf.unwrap_or(if incomplete { None } else { Some(false) });
        expected
    }

    fn found(scan: &Scan) -> Self {
        let flags = [
            scan.non_deterministic_time,
            scan.expensive_functions,
            scan.distinct,
            scan.group_by,
            !scan.complete,
            scan.inline_function,
            scan.match_recognize,
            scan.order_by,
            scan.set_operation,
            scan.table_function,
            scan.time_travel,
            scan.unnest,
            scan.has_where,
        ];
        let flags = FLAGS.iter().zip(flags).filter(|(_, set)| *set);
        let names = |tables: &[TableName]| tables.iter().map(TableName::to_string).collect();
        let pair = |(name, value): &(String, String)| format!("{name}:{value}");
        assert!(scan.has_limit || scan.top_limit.is_none(), "a limit and none");
        Self {
            kind: scan.kind.as_str().into(),
            inner: scan.inner_kind.as_str().into(),
            executes: scan.executes,
            tables: names(&scan.tables),
            targets: names(&scan.targets),
            joins: scan.joins,
            windows: scan.windows,
            limit: scan.has_limit.then_some(scan.top_limit),
            subqueries: scan.subqueries,
            udf: scan.has_udf,
            session: scan.session_properties.iter().map(pair).collect(),
            kill: scan.kill_query_ids.clone(),
            statements: scan.statements,
            flags: flags.map(|(flag, _)| (*flag).to_owned()).collect(),
        }
    }

    /// The fields in which the other differs, `expected, found`.
    fn differences(&self, found: &Self) -> String {
        let (expected, found) = (format!("{self:#?}"), format!("{found:#?}"));
        let (expected, found): (Vec<_>, Vec<_>) = (fields(&expected), fields(&found));
        let pairs = expected.iter().zip(&found).filter(|(one, other)| one != other);
        pairs
            .map(|(one, other)| format!("\n    expected {one}\n    found    {other}"))
            .collect()
    }
}

/// The fields of a pretty-printed structure, one line each.
fn fields(text: &str) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("    ") {
            Some(start) if start.starts_with(|c: char| c.is_ascii_lowercase()) => fields.push(start.to_owned()),
            _ => fields
                .last_mut()
                .into_iter()
                .for_each(|last| last.push_str(line.trim())),
        }
    }
    fields
}

/// The words of a line; quotes hold one together and are taken off.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What is wrong with the answers on this case; empty when nothing is.
pub fn check(file: &str, case: &Case, policy: &Policy) -> String {
    let prepared: Vec<(&str, &str)> = case.prepared.iter().map(|(name, text)| (&**name, &**text)).collect();
    let scan = scan(&case.sql, &case.rules, &prepared);
    let (expected, found) = (Analysis::expected(&case.analysis), Analysis::found(&scan));
    let mut wrong = expected.differences(&found);
    for verdict in &case.verdicts {
        let (facts, expected) = verdict
            .split_once(':')
            .unwrap_or_else(|| panic!("no colon in {verdict}"));
        let found = route(&scan, facts, policy);
        if found != expected.trim() {
            wrong.push_str(&format!(
                "\n    facts    {facts}\n    expected {expected}\n    found     {found}"
            ));
        }
    }
    if wrong.is_empty() {
        return wrong;
    }
    format!("\n{file}.txt:{}: {}{wrong}", case.line, case.sql)
}

/// The verdict on a statement given what the service would have said.
///
/// `bytes=90GB`, `wait=120` (milliseconds in the interactive engine's queue), `tag=agent`, `budget=-1` (bytes left to
/// the session), `covered`, `window` (one over a large input), `udf=yes|no`; `?` as a value says unknown, `ask` that
/// nobody has asked. Not stated: no reflection covers, no window is large, there is no ledger, the rest nobody has asked.
fn route(scan: &Scan, stated: &str, policy: &Policy) -> String {
    let mut signals = Signals {
        facts: Facts::from_scan(scan),
        ..Signals::default()
    };
    let mut engines = EngineStates::new();
    let mut facts = Facts {
        reflection_covers_query: Fact::Known(false),
        has_window_over_large_partition: Fact::Known(false),
        session_bytes_remaining: Fact::Unknown("no ledger".into()),
        ..Facts::default()
    };
    for word in words(stated) {
        let (name, value) = word.split_once('=').unwrap_or((&word, "yes"));
        let flag = || match value {
            "?" => Fact::Unknown("nobody knows".into()),
            "ask" => Fact::Unasked,
            _ => Fact::Known(value == "yes"),
        };
        match name {
            "bytes" => {
                facts.estimated_bytes = match value {
                    "?" => Fact::Unknown("nobody knows".into()),
                    _ => Fact::Known(bytes(value)),
                }
            }
            "wait" => {
                let state = EngineState {
                    queue_wait_ms: Some(value.parse().unwrap()),
                    ..EngineState::default()
                };
                engines.insert("interactive".into(), state);
            }
            "tag" => signals.client_tags.push(value.to_owned()),
            "budget" => facts.session_bytes_remaining = Fact::Known(value.parse().unwrap()),
            "covered" => facts.reflection_covers_query = flag(),
            "window" => facts.has_window_over_large_partition = flag(),
            "udf" => facts.has_udf = flag(),
            other => panic!("no fact is called {other}"),
        }
    }
    signals.facts.merge(facts);
    signals.facts.close_expensive_ops(scan);
    match decide(policy, Protocol::Trino, &signals, &engines) {
        Outcome::Decided(verdict) => format!("{} {}", verdict.target.engine(), verdict.rule),
        Outcome::Needs(signals) => {
            let names: Vec<String> = signals
                .iter()
                .map(lakegate_core::policy::condition::Signal::name)
                .collect();
            format!("asks {}", names.join(" "))
        }
    }
}

/// `90GB` in bytes, 1024-based.
fn bytes(text: &str) -> u64 {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = match unit {
        "" => 1,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        "TB" => 1_u64 << 40,
        other => panic!("no unit is called {other}"),
    };
    number.parse::<u64>().unwrap() * unit
}
