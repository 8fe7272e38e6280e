//! Conditions of every form that a WHERE has.

use super::literal::{Sort, literal};
use super::random::Random;
use super::rows;
use super::session::Session;
use super::term::{Scope, Term, plain, term};
use super::text::{Both, quoted};
use super::value::{COLUMNS, Cell, Kind};

const COMPARISONS: [&str; 7] = ["=", "=", "<>", "<", "<=", ">", ">="];

/// A condition over the columns in scope.
pub(crate) fn condition(scope: &Scope<'_>, depth: usize, random: &mut Random) -> Both {
    if depth == 0 || random.once_in(4) {
        return leaf(scope, random);
    }
    match random.below(9) {
        0 | 1 => Both::fill("NOT ({})", &[&condition(scope, depth - 1, random)]),
        2 => {
            let test = random.of(&["TRUE", "NOT TRUE", "FALSE", "NOT FALSE", "UNKNOWN", "NOT UNKNOWN"]);
            // Trino knows UNKNOWN as IS NULL.
            let test = match test {
                "UNKNOWN" => "NULL",
                "NOT UNKNOWN" => "NOT NULL",
                other => other,
            };
            Both::fill(&format!("({{}}) IS {test}"), &[&condition(scope, depth - 1, random)])
        }
        chain => {
            let parts: Vec<Both> = (0..random.between(2, 3))
                .map(|_| condition(scope, depth - 1, random))
                .collect();
            let parts: Vec<Both> = parts.iter().map(|part| Both::fill("({})", &[part])).collect();
            Both::fill("({})", &[&Both::join(&parts, if chain < 6 { " AND " } else { " OR " })])
        }
    }
}

/// A condition without parts.
fn leaf(scope: &Scope<'_>, random: &mut Random) -> Both {
    match random.below(24) {
        0 => Both::fill(
            &format!("{{}} IS {}NULL", random.of(&["", "NOT "])),
            &[&term(scope, random).text],
        ),
        1 => distinct(&term(scope, random), &scope.session, random),
        2 | 3 => pattern(scope, random),
        4 => tuple(scope, random),
        5 => columns(scope, random),
        6 => Both::same(random.of(&[
            "1 = 0",
            "1 = 1",
            "TRUE",
            "FALSE",
            "CAST(NULL AS boolean)",
            "'a' = 'b'",
            "2 > 1",
        ])),
        7 => of_kind(Kind::Boolean, scope, random).map_or_else(|| Both::same("TRUE"), |term| term.text),
        8..=10 => between(&term(scope, random), &scope.session, random),
        11..=13 => list(&term(scope, random), &scope.session, random),
        14 => {
            let value = term(scope, random);
            let other = one(&value, &scope.session, random);
            let test = compared(&value, "=", &other, &scope.session);
            Both::fill("CASE WHEN {} THEN TRUE ELSE FALSE END", &[&test])
        }
        _ => {
            let value = term(scope, random);
            let other = one(&value, &scope.session, random);
            let op = random.of(&COMPARISONS);
            if random.once_in(6) {
                turned(&value, op, &other, &scope.session)
            } else {
                compared(&value, op, &other, &scope.session)
            }
        }
    }
}

/// A constant for a term.
fn one(term: &Term, session: &Session, random: &mut Random) -> Both {
    if random.once_in(40) {
        return Both::same("NULL");
    }
    literal(term.sort, &random.of(&term.samples), session, random)
}

/// `term op value`. Trino compares NaN as IEEE 754 does: only "not equal" holds for it.
fn compared(term: &Term, op: &str, value: &Both, session: &Session) -> Both {
    let text = Both::fill(&format!("{{}} {op} {{}}"), &[&term.text, value]);
    guarded(text, term, op, session)
}

/// `value op term`
fn turned(term: &Term, op: &str, value: &Both, session: &Session) -> Both {
    let text = Both::fill(&format!("{{}} {op} {{}}"), &[value, &term.text]);
    guarded(text, term, op, session)
}

fn guarded(text: Both, term: &Term, op: &str, session: &Session) -> Both {
    match &term.nan {
        Some(nan) if !session.like_dremio && op != "<>" => Both {
            // Beside NULL it stays unknown.
            datafusion: format!("({0} AND (NOT ({nan}) OR ({0}) IS NULL))", text.datafusion),
            trino: text.trino,
        },
        _ => text,
    }
}

fn between(term: &Term, session: &Session, random: &mut Random) -> Both {
    let (low, high) = (one(term, session, random), one(term, session, random));
    let not = random.of(&["", "NOT "]);
    let run = |op, value: &Both| compared(term, op, value, session).datafusion;
    Both {
        trino: Both::fill(&format!("{{}} {not}BETWEEN {{}} AND {{}}"), &[&term.text, &low, &high]).trino,
        datafusion: format!("{not}({} AND {})", run(">=", &low), run("<=", &high)),
    }
}

fn list(term: &Term, session: &Session, random: &mut Random) -> Both {
    // Longer ones than statistics are tested for are rare.
    let count = if random.once_in(60) { 210 } else { random.between(1, 4) };
    let items: Vec<Both> = (0..count).map(|_| one(term, session, random)).collect();
    let not = random.of(&["", "", "NOT "]);
    Both::fill(
        &format!("{{}} {not}IN ({{}})"),
        &[&term.text, &Both::join(&items, ", ")],
    )
}

fn distinct(term: &Term, session: &Session, random: &mut Random) -> Both {
    let value = if random.once_in(4) {
        Both::same("NULL")
    } else {
        one(term, session, random)
    };
    let not = random.of(&["", "NOT "]);
    Both::fill(&format!("{{}} IS {not}DISTINCT FROM {{}}"), &[&term.text, &value])
}

/// `(a, b) = (1, 2)` and `(a, b) IN ((1, 2), ..)`, which DataFusion is told member by member.
fn tuple(scope: &Scope<'_>, random: &mut Random) -> Both {
    let terms = [term(scope, random), term(scope, random)];
    let count = random.between(1, 3);
    let mut items = Vec::new();
    let mut run = Vec::new();
    for _ in 0..count {
        let values: Vec<Both> = terms.iter().map(|term| one(term, &scope.session, random)).collect();
        let equal: Vec<String> = terms
            .iter()
            .zip(&values)
            .map(|(term, value)| compared(term, "=", value, &scope.session).datafusion)
            .collect();
        run.push(format!("({})", equal.join(" AND ")));
        items.push(format!("({}, {})", values[0].trino, values[1].trino));
    }
    let pair = format!("({}, {})", terms[0].text.trino, terms[1].text.trino);
    let not = random.of(&["", "NOT "]);
    let trino = match (items.as_slice(), not) {
        ([item], "") => format!("{pair} = {item}"),
        ([item], _) => format!("{pair} <> {item}"),
        _ => format!("{pair} {not}IN ({})", items.join(", ")),
    };
    Both::new(trino, format!("{not}({})", run.join(" OR ")))
}

/// Two columns of one kind.
fn columns(scope: &Scope<'_>, random: &mut Random) -> Both {
    let (at, name) = random.of(&scope.names);
    let kind = COLUMNS[at].1;
    let same: Vec<&(usize, String)> = scope
        .names
        .iter()
        .filter(|(other, _)| COLUMNS[*other].1 == kind)
        .collect();
    let (_, other) = random.of(&same);
    let op = random.of(&COMPARISONS);
    let (left, right) = (plain(at, &name, scope, random), plain(at, other, scope, random));
    let text = Both::fill(&format!("{{}} {op} {{}}"), &[&left.text, &right.text]);
    guarded(guarded(text, &left, op, &scope.session), &right, op, &scope.session)
}

/// LIKE and `starts_with`.
fn pattern(scope: &Scope<'_>, random: &mut Random) -> Both {
    let Some(value) = of_kind(Kind::Text, scope, random) else {
        return Both::same("TRUE");
    };
    let Cell::Text(mut text) = random.of(&value.samples) else {
        return Both::same("TRUE");
    };
    if random.once_in(2) {
        let keep = random.below(text.chars().count() + 1);
        text = text.chars().take(keep).collect();
    }
    if random.once_in(4) {
        let call = Both::same(format!("starts_with({{}}, {})", quoted(&text)));
        return Both {
            trino: Both::fill(&call.trino, &[&value.text]).trino,
            datafusion: Both::fill(&call.datafusion, &[&value.text]).datafusion,
        };
    }
    let not = random.of(&["", "", "NOT "]);
    let tail = random.of(&["%", "%", "%", "", "_", "%a", "%%", "_%", "\\%"]);
    let escaped = random.once_in(6);
    let written = if escaped {
        text.replace('!', "!!").replace('%', "!%").replace('_', "!_")
    } else {
        text.clone()
    };
    let tail = if escaped || (tail.starts_with('\\') && !scope.session.like_dremio) {
        "%"
    } else {
        tail
    };
    let escape = if escaped { " ESCAPE '!'" } else { "" };
    // DataFusion escapes with a backslash; no text has one.
    let run = if escaped {
        text.replace('%', "\\%").replace('_', "\\_")
    } else {
        text
    };
    let like = |pattern: String, escape: &str| format!("{{}} {not}LIKE {}{escape}", quoted(&pattern));
    Both {
        trino: Both::fill(&like(written + tail, escape), &[&value.text]).trino,
        datafusion: Both::fill(&like(run + tail, ""), &[&value.text]).datafusion,
    }
}

/// A plain column of that kind, if one is in scope.
fn of_kind(kind: Kind, scope: &Scope<'_>, random: &mut Random) -> Option<Term> {
    let fitting: Vec<&(usize, String)> = scope.names.iter().filter(|(at, _)| COLUMNS[*at].1 == kind).collect();
    if fitting.is_empty() {
        return None;
    }
    let (at, name) = random.of(&fitting);
    let mut term = plain(*at, name, scope, random);
    if kind == Kind::Text && random.once_in(8) {
        term.samples.push(Cell::Text(rows::text(random, 4)));
    }
    debug_assert!(kind != Kind::Text || term.sort == Sort::Text);
    Some(term)
}
