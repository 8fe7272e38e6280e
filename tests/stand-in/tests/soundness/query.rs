//! Statements around conditions: joins, derived tables, common table expressions, subqueries, aggregation.
//!
//! Among them are those in which a condition must *not* move down to a table: above LIMIT, window functions,
//! aggregates and outer joins, and where a name means another column than the table's of that name.

use super::predicate::condition;
use super::random::Random;
use super::session::Session;
use super::table::Table;
use super::term::Scope;
use super::text::Both;
use super::value::COLUMNS;

/// A statement over up to three tables.
pub(crate) fn statement(tables: [&Table; 3], session: Session, random: &mut Random) -> Both {
    let [a, b, c] = tables;
    let (x, u, w) = (
        Scope::of_table("x.", &a.rows, session),
        Scope::of_table("u.", &b.rows, session),
        Scope::of_table("w.", &c.rows, session),
    );
    let bare = Scope::of_table("", &a.rows, session);
    let (a, b, c) = (&a.name, &b.name, &c.name);
    let both = Scope::of_table("x.", x.rows, session).and(&u);
    let all = Scope::of_table("x.", x.rows, session).and(&u).and(&w);
    let join = random.of(&["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
    let pair = "SELECT x.file_no, x.row_no, u.file_no, u.row_no";
    let triple = "SELECT x.file_no, x.row_no, u.file_no, u.row_no, w.file_no, w.row_no";
    let holds = |scope: &Scope<'_>, random: &mut Random| {
        let depth = random.below(3);
        condition(scope, depth, random)
    };
    match random.below(20) {
        0 | 1 => Both::fill(
            &format!("{pair} FROM {a} x {join} {b} u ON x.k = u.k AND ({{}}) WHERE {{}}"),
            &[&holds(&both, random), &holds(&both, random)],
        ),
        2 => {
            let second = random.of(&["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
            Both::fill(
                &format!(
                    "{triple} FROM {a} x {join} {b} u ON x.k = u.k AND ({{}}) \
                     {second} {c} w ON u.k = w.k AND ({{}}) WHERE {{}}"
                ),
                &[&holds(&both, random), &holds(&all, random), &holds(&all, random)],
            )
        }
        3 => Both::fill(
            &format!(
                "{triple} FROM {a} x {join} ({b} u LEFT JOIN {c} w ON u.k = w.k AND ({{}})) \
                 ON x.k = u.k AND ({{}}) WHERE {{}}"
            ),
            &[&holds(&w, random), &holds(&all, random), &holds(&all, random)],
        ),
        4 => Both::fill(
            &format!("{pair} FROM {a} x, {b} u WHERE x.k = u.k AND ({{}}) AND ({{}})"),
            &[&holds(&x, random), &holds(&both, random)],
        ),
        5 => {
            // Which table's `k` it is does not matter after USING; other columns are as ever.
            let mut merged = Scope::of_table("x.", x.rows, session).and(&u);
            merged.names.retain(|(_, name)| !name.ends_with(".k"));
            Both::fill(
                &format!("{pair} FROM {a} x {join} {b} u USING (k) WHERE {{}}"),
                &[&holds(&merged, random)],
            )
        }
        6 => {
            let (columns, scope) = projection("v.", &bare, random);
            Both::fill(
                &format!("SELECT * FROM (SELECT file_no, row_no, {columns} FROM {a} WHERE {{}}) v WHERE {{}}"),
                &[&holds(&bare, random), &holds(&scope, random)],
            )
        }
        7 => {
            let (columns, scope) = projection("", &bare, random);
            Both::fill(
                &format!(
                    "WITH v AS (SELECT file_no, row_no, {columns} FROM {a} WHERE {{}}) SELECT * FROM v WHERE {{}}"
                ),
                &[&holds(&bare, random), &holds(&scope, random)],
            )
        }
        8 => Both::fill(
            &format!(
                "WITH v (f, r, s, i, dt) AS (SELECT x.file_no, x.row_no, x.s, x.i, x.dt FROM {a} x WHERE {{}}) \
                 SELECT * FROM v x WHERE {{}}"
            ),
            &[&holds(&x, random), &holds(&only(&x, &[9, 1, 6]), random)],
        ),
        9 => {
            let mut twice = Scope::of_table("u.", x.rows, session);
            twice.names.extend(x.names.iter().cloned());
            Both::fill(
                &format!("WITH v AS (SELECT * FROM {a} WHERE {{}}) {pair} FROM v x {join} v u ON x.k = u.k WHERE {{}}"),
                &[&holds(&bare, random), &holds(&twice, random)],
            )
        }
        10 | 11 => {
            let test = random.of(&[
                "EXISTS (SELECT 1 FROM {b} u WHERE u.k = x.k AND ({}))",
                "NOT EXISTS (SELECT 1 FROM {b} u WHERE u.k = x.k AND ({}))",
                "x.k IN (SELECT u.k FROM {b} u WHERE {})",
                "x.k NOT IN (SELECT u.k FROM {b} u WHERE {})",
                "x.i >= (SELECT min(u.i) FROM {b} u WHERE {})",
            ]);
            Both::fill(
                &format!(
                    "SELECT x.file_no, x.row_no FROM {a} x WHERE ({{}}) AND {}",
                    test.replace("{b}", b)
                ),
                &[&holds(&x, random), &holds(&u, random)],
            )
        }
        12 => {
            let groups = random.of(&[
                "i, s, dt",
                "ROLLUP (i, s, dt)",
                "CUBE (i, s, dt)",
                "GROUPING SETS ((i, s), (dt))",
            ]);
            Both::fill(
                &format!(
                    "SELECT * FROM (SELECT i, s, dt, count(*) AS many, min(l) AS l FROM {a} WHERE {{}} \
                     GROUP BY {groups}) x WHERE {{}}"
                ),
                &[&holds(&bare, random), &holds(&only(&x, &[1, 9, 6, 2]), random)],
            )
        }
        13 => Both::fill(
            &format!("SELECT i, s, count(*), min(l) FROM {a} WHERE {{}} GROUP BY i, s HAVING {{}}"),
            &[&holds(&bare, random), &holds(&only(&bare, &[1, 9]), random)],
        ),
        14 => {
            let set = random.of(&["UNION ALL", "UNION", "INTERSECT", "EXCEPT"]);
            Both::fill(
                &format!(
                    "SELECT * FROM (SELECT i, s, dt FROM {a} WHERE {{}} {set} SELECT i, s, dt FROM {b} u WHERE {{}}) x \
                     WHERE {{}}"
                ),
                &[
                    &holds(&bare, random),
                    &holds(&u, random),
                    &holds(&only(&x, &[1, 9, 6]), random),
                ],
            )
        }
        15 => Both::fill(
            &format!(
                "SELECT * FROM (SELECT * FROM {a} WHERE {{}} ORDER BY file_no, row_no LIMIT {}) x WHERE {{}}",
                random.between(1, 40)
            ),
            &[&holds(&bare, random), &holds(&x, random)],
        ),
        16 => Both::fill(
            &format!(
                "SELECT file_no, row_no, place FROM (SELECT x.*, row_number() OVER (PARTITION BY i, s \
                 ORDER BY file_no, row_no) AS place FROM {a} x WHERE {{}}) x WHERE {{}}"
            ),
            &[&holds(&x, random), &holds(&x, random)],
        ),
        17 => {
            let (columns, scope) = projection("v.", &Scope::of_table("", u.rows, session), random);
            let all = Scope {
                names: scope.names.iter().chain(&x.names).cloned().collect(),
                ..scope
            };
            Both::fill(
                &format!(
                    "SELECT x.file_no, x.row_no, v.file_no, v.row_no FROM {a} x {join} \
                     (SELECT file_no, row_no, k AS key, {columns} FROM {b} WHERE {{}}) v \
                     ON x.k = v.key AND ({{}}) WHERE {{}}"
                ),
                &[
                    &holds(&Scope::of_table("", u.rows, session), random),
                    &holds(&all, random),
                    &holds(&all, random),
                ],
            )
        }
        // Names that mean other columns than the table's.
        18 => {
            let mut swapped = only(&x, &[1, 2, 6, 7]);
            swapped.names = vec![
                (1, "x.l".into()),
                (2, "x.i".into()),
                (6, "x.ts".into()),
                (7, "x.dt".into()),
            ];
            Both::fill(
                &format!(
                    "SELECT * FROM (SELECT file_no, row_no, l AS i, i AS l, ts AS dt, dt AS ts FROM {a} x) x WHERE {{}}"
                ),
                &[&holds(&swapped, random)],
            )
        }
        _ => Both::fill(
            &format!("SELECT * FROM (SELECT max(i) AS i, min(s) AS s, max(dt) AS dt FROM {a} WHERE {{}}) x WHERE {{}}"),
            &[&holds(&bare, random), &holds(&only(&x, &[1, 9, 6]), random)],
        ),
    }
}

/// Some columns of a scope.
fn only<'r>(scope: &Scope<'r>, columns: &[usize]) -> Scope<'r> {
    Scope {
        names: scope
            .names
            .iter()
            .filter(|(at, _)| columns.contains(at))
            .cloned()
            .collect(),
        rows: scope.rows,
        session: scope.session,
    }
}

/// A list of columns under their own or new names, and what they are called from outside.
fn projection<'r>(qualifier: &str, scope: &Scope<'r>, random: &mut Random) -> (String, Scope<'r>) {
    let renamed = random.once_in(2);
    let mut columns = Vec::new();
    let mut names = Vec::new();
    for (at, (name, _)) in COLUMNS.iter().enumerate() {
        if random.once_in(2) || at == 1 {
            let outside = if renamed && random.once_in(2) {
                format!("c_{name}")
            } else {
                (*name).to_owned()
            };
            columns.push(format!("{name} AS {outside}"));
            names.push((at, format!("{qualifier}{outside}")));
        }
    }
    let scope = Scope {
        names,
        rows: scope.rows,
        session: scope.session,
    };
    (columns.join(", "), scope)
}
