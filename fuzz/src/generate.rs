//! Statements grown from bytes: what random edits of text never reach, because it no longer parses.
//!
//! Every choice reads the input, so libFuzzer steers by coverage what grows. Besides ordinary queries there are the forms
//! that hurt parsers: nestings, long chains, wide lists, deep common table expressions, huge literals.

use arbitrary::{Result, Unstructured};
use lakegate_core::sql::lexer::LexicalRules;

/// Nesting of expressions and of queries; repetition makes more of it.
const MAX_DEPTH: usize = 12;

/// Longer texts are declined unread.
const MAX_TEXT: usize = 70_000;

/// Grows a statement and reads it.
pub fn check(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let rules = input.choose(&[LexicalRules::TRINO, LexicalRules::DREMIO, LexicalRules::SPARK]);
    if let Ok(rules) = rules.copied()
        && let Ok(text) = statement(&mut input)
    {
        crate::read(&text, &rules);
    }
}

/// A statement.
///
/// # Errors
/// When the input says nothing more.
pub fn statement(input: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    let head = *input.choose(&[
        "",
        "",
        "EXPLAIN ANALYZE ",
        "PREPARE q FROM ",
        "CREATE TABLE s.n AS ",
        "INSERT INTO s.n ",
        "EXECUTE p USING ",
        "DELETE FROM s.t WHERE ",
        "WITH SESSION a = 1 ",
    ])?;
    let mut growing = Growing { input, text: &mut text };
    growing.put(head);
    match head {
        "EXECUTE p USING " => growing.list(0, ", ")?,
        "DELETE FROM s.t WHERE " => growing.condition(0)?,
        _ => growing.query(0)?,
    }
    Ok(text)
}

struct Growing<'g, 'i> {
    input: &'g mut Unstructured<'i>,
    text: &'g mut String,
}

impl Growing<'_, '_> {
    fn put(&mut self, piece: &str) {
        if self.text.len() < MAX_TEXT {
            self.text.push_str(piece);
        }
    }

    fn pick(&mut self, choices: &[&str]) -> Result<()> {
        let piece = *self.input.choose(choices)?;
        self.put(piece);
        Ok(())
    }

    /// Rarely many.
    fn count(&mut self) -> Result<usize> {
        Ok(match self.input.int_in_range(0..=40u8)? {
            40 => self.input.int_in_range(0..=3000usize)?,
            few => usize::from(few % 4),
        })
    }

    fn query(&mut self, depth: usize) -> Result<()> {
        if self.input.ratio(1u8, 5u8)? {
            self.put("WITH ");
            let count = self.count()?.max(1);
            for number in 0..count {
                let name = format!("{}c{number} AS (", if number > 0 { ", " } else { "" });
                self.put(&name);
                if number > 3 {
                    // A chain: each uses the one before.
                    let body = format!("SELECT * FROM c{}", number - 1);
                    self.put(&body);
                } else {
                    self.query_body(depth + 1)?;
                }
                self.put(")");
            }
            self.put(" ");
        }
        self.query_body(depth)?;
        for _ in 0..self.count()? {
            self.pick(&[" UNION ALL ", " UNION ", " INTERSECT ", " EXCEPT "])?;
            if depth < MAX_DEPTH && self.input.ratio(1u8, 3u8)? {
                self.put("(");
                self.query(depth + 1)?;
                self.put(")");
            } else {
                self.put("SELECT 1 FROM t WHERE a = 1");
            }
        }
        if self.input.ratio(1u8, 4u8)? {
            self.pick(&[
                " ORDER BY 1 LIMIT 10",
                " LIMIT ALL",
                " OFFSET 3 ROWS FETCH FIRST 2 ROWS ONLY",
                " LIMIT 5",
            ])?;
        }
        Ok(())
    }

    fn query_body(&mut self, depth: usize) -> Result<()> {
        self.pick(&["SELECT ", "SELECT DISTINCT "])?;
        self.pick(&[
            "*",
            "a, b",
            "count(*)",
            "x.*, a AS b",
            "max(a) OVER (PARTITION BY b)",
            "",
        ])?;
        if self.input.ratio(1u8, 2u8)? {
            self.put(", ");
            self.list(depth + 1, ", ")?;
        }
        self.put(" FROM ");
        self.relation(depth + 1)?;
        for _ in 0..self.count()? {
            self.pick(&[
                " JOIN ",
                " LEFT JOIN ",
                " FULL JOIN ",
                " CROSS JOIN ",
                ", ",
                " NATURAL JOIN ",
                " RIGHT JOIN ",
            ])?;
            self.relation(depth + 1)?;
            if self.input.ratio(2u8, 3u8)? {
                self.put(" ON ");
                self.condition(depth + 1)?;
            }
        }
        if self.input.ratio(3u8, 4u8)? {
            self.put(" WHERE ");
            self.condition(depth + 1)?;
        }
        if self.input.ratio(1u8, 4u8)? {
            self.pick(&[
                " GROUP BY a",
                " GROUP BY ROLLUP (a, b)",
                " GROUP BY 1, 2",
                " GROUP BY GROUPING SETS ((a), ())",
            ])?;
            self.put(" HAVING ");
            self.condition(depth + 1)?;
        }
        Ok(())
    }

    fn relation(&mut self, depth: usize) -> Result<()> {
        let choice = if depth > MAX_DEPTH {
            0
        } else {
            self.input.int_in_range(0..=7u8)?
        };
        match choice {
            4 | 5 => {
                self.put("(");
                self.query(depth + 1)?;
                self.put(")");
                self.pick(&[" x", " AS x (a, b)", " y", ""])
            }
            6 => {
                self.put("(");
                self.relation(depth + 1)?;
                self.put(" JOIN ");
                self.relation(depth + 1)?;
                self.put(" ON a = b)");
                Ok(())
            }
            7 => {
                self.pick(&["UNNEST(", "LATERAL (SELECT ", "TABLE(f(", "(VALUES "])?;
                self.list(depth + 1, ", ")?;
                self.pick(&[") x", ")) x", ") AS x (a)"])
            }
            _ => self.pick(&[
                "t",
                "s.t x",
                "lake.s.t AS y",
                "c0",
                "c1 x",
                "\"T\"",
                "t TABLESAMPLE BERNOULLI (5)",
                "t FOR VERSION AS OF 1",
                "t MATCH_RECOGNIZE (PATTERN (A B+) DEFINE A AS true)",
            ]),
        }
    }

    fn condition(&mut self, depth: usize) -> Result<()> {
        let joint = *self.input.choose(&[" AND ", " OR "])?;
        let count = self.count()?.max(1);
        for number in 0..count {
            if number > 0 {
                self.put(joint);
            }
            // A long chain repeats one of its parts.
            if number > 4 {
                self.put("a = 1");
                continue;
            }
            let choice = if depth > MAX_DEPTH {
                0
            } else {
                self.input.int_in_range(0..=12u8)?
            };
            match choice {
                0..=4 => {
                    self.value(depth + 1)?;
                    self.pick(&[
                        " = ",
                        " <> ",
                        " < ",
                        " >= ",
                        " <=> ",
                        " IS DISTINCT FROM ",
                        " LIKE ",
                        " IS NOT DISTINCT FROM ",
                    ])?;
                    self.value(depth + 1)?;
                }
                5 => {
                    self.value(depth + 1)?;
                    self.pick(&[" IN (", " NOT IN ("])?;
                    self.list(depth + 1, ", ")?;
                    self.put(")");
                }
                6 => {
                    self.value(depth + 1)?;
                    self.pick(&[" BETWEEN ", " NOT BETWEEN "])?;
                    self.value(depth + 1)?;
                    self.put(" AND ");
                    self.value(depth + 1)?;
                }
                7 | 8 => {
                    self.pick(&["NOT (", "(", "NOT NOT ("])?;
                    self.condition(depth + 1)?;
                    self.pick(&[")", ") IS TRUE", ") IS NOT FALSE", ") IS NULL"])?;
                }
                9 => {
                    self.pick(&["EXISTS (", "a IN (", "NOT EXISTS (", "a = ANY (", "(a, b) IN ("])?;
                    self.query(depth + 1)?;
                    self.put(")");
                }
                10 => {
                    self.put("(a, b) IN (");
                    for _ in 0..self.count()? {
                        self.put("(1, 2), ");
                    }
                    self.put("(DATE '2026-08-01', 3))");
                }
                _ => {
                    self.value(depth + 1)?;
                    self.pick(&[" IS NULL", " IS NOT NULL", " IS NULL IS NULL", ""])?;
                }
            }
        }
        Ok(())
    }

    fn list(&mut self, depth: usize, joint: &str) -> Result<()> {
        let count = self.count()?.max(1);
        for number in 0..count {
            if number > 0 {
                self.put(joint);
            }
            if number > 4 {
                self.put("7");
            } else {
                self.value(depth + 1)?;
            }
        }
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<()> {
        let choice = if depth > MAX_DEPTH {
            0
        } else {
            self.input.int_in_range(0..=11u8)?
        };
        match choice {
            0..=3 => self.pick(&[
                "a",
                "x.a",
                "y.b",
                "\"A\"",
                "s.t.a",
                "current_date",
                "current_timestamp",
                "a.b.c",
            ]),
            4 | 5 => self.pick(&[
                "1",
                "-1.50",
                "1e400",
                "'x'",
                "'é%_'",
                "NULL",
                "TRUE",
                "?",
                "DATE '2026-08-01'",
                "DATE '9999-12-31'",
                "DATE '0001-01-01'",
                "TIMESTAMP '2026-08-01 10:00:00.123456'",
                "TIMESTAMP '2026-08-01 10:00:00 +02:00'",
                "INTERVAL '3' MONTH",
                "9223372036854775807",
                "170141183460469231731687303715884105728",
                "X'0f'",
                "U&'d\\0061t'",
            ]),
            6 => {
                // A literal as long as it likes.
                let length = self.count()? * 20;
                let (open, inside, close) = *self.input.choose(&[("'", "é", "'"), ("", "9", ""), ("0.", "0", "1")])?;
                self.put(open);
                self.put(&inside.repeat(length));
                self.put(close);
                Ok(())
            }
            7 => {
                self.pick(&[
                    "year(",
                    "date(",
                    "lower(",
                    "date_trunc('month', ",
                    "starts_with(",
                    "coalesce(",
                    "f(",
                    "date_add('day', 1, ",
                ])?;
                self.list(depth + 1, ", ")?;
                self.put(")");
                Ok(())
            }
            8 => {
                self.put("CAST(");
                self.value(depth + 1)?;
                self.pick(&[
                    " AS date)",
                    " AS timestamp)",
                    " AS bigint)",
                    " AS decimal(9, 2))",
                    " AS array(row(a int)))",
                ])
            }
            9 => {
                self.put("(");
                self.value(depth + 1)?;
                for _ in 0..self.count()? {
                    self.pick(&[" + ", " - ", " * ", " || ", " + INTERVAL '1' DAY + "])?;
                    self.pick(&["1", "a", "DATE '2026-08-01'", "2147483647"])?;
                }
                self.put(")");
                Ok(())
            }
            10 => {
                self.put("CASE WHEN ");
                self.condition(depth + 1)?;
                self.put(" THEN ");
                self.value(depth + 1)?;
                self.put(" ELSE 1 END");
                Ok(())
            }
            _ => {
                self.put("(");
                self.query(depth + 1)?;
                self.put(")");
                Ok(())
            }
        }
    }
}
