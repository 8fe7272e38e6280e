//! The scanner's golden tests: statements of our own, and for each what an engine would read there.

use lakegate_core::sql::lexer::LexicalRules;
use lakegate_core::sql::scan::{
    MAX_SCAN_BYTES, MAX_SCAN_DEPTH, MAX_SCAN_TOKENS, Scan, StatementKind, TableName, fingerprint, scan,
};

fn trino(sql: &str) -> Scan {
    scan(sql, &LexicalRules::TRINO, &[])
}

fn names(tables: &[TableName]) -> Vec<String> {
    tables.iter().map(TableName::to_string).collect()
}

#[track_caller]
fn check_tables(rules: &LexicalRules, cases: &[(&str, &[&str])]) {
    for (sql, tables) in cases {
        let found = scan(sql, rules, &[]);
        assert_eq!(names(&found.tables), *tables, "{sql}");
        assert!(found.complete, "{sql}");
    }
}

#[test]
fn every_relation_is_listed_once_an_occurrence() {
    check_tables(
        &LexicalRules::TRINO,
        &[
            ("SELECT 1", &[]),
            ("select a from T", &["t"]),
            ("SELECT * FROM lake.Sales.\"Orders\" o", &["lake.sales.orders"]),
            ("SELECT * FROM \"a\"\"b\".\"c.d\"", &["a\"b.c.d"]),
            ("SELECT * FROM t x JOIN t y ON x.i = y.i, u", &["t", "t", "u"]),
            (
                "SELECT * FROM (a CROSS JOIN (b LEFT JOIN c ON true)) , d",
                &["a", "b", "c", "d"],
            ),
            (
                "SELECT (SELECT max(i) FROM a) FROM b WHERE EXISTS (SELECT 1 FROM c) AND i IN (TABLE d)",
                &["a", "b", "c", "d"],
            ),
            (
                "(SELECT 1 FROM a) UNION ALL ((SELECT 2 FROM b) EXCEPT TABLE c) ORDER BY 1",
                &["a", "b", "c"],
            ),
            (
                "SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.i = a.i)",
                &["a", "b"],
            ),
            (
                "SELECT * FROM a CROSS JOIN NEAREST (FROM b WHERE b.k = a.k MATCH b.ts <= a.ts)",
                &["a", "b"],
            ),
            ("TABLE a", &["a"]),
            ("VALUES (1, (SELECT i FROM a)), (2, 3)", &["a"]),
            (
                "SELECT * FROM limit, offset, date, first",
                &["limit", "offset", "date", "first"],
            ),
        ],
    );
}

#[test]
fn a_from_inside_an_expression_names_no_table() {
    check_tables(
        &LexicalRules::TRINO,
        &[
            (
                "SELECT extract(year FROM d), trim(BOTH 'x' FROM s), trim(FROM s), substring(s FROM 2) FROM t",
                &["t"],
            ),
            ("SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM c FROM t", &["t"]),
            ("SELECT \"from\" FROM t AS \"where\", u", &["t", "u"]),
            ("SELECT 'a from b', x.\"from\" FROM t", &["t"]),
        ],
    );
}

#[test]
fn an_alias_that_is_a_key_word_elsewhere_hides_nothing() {
    check_tables(
        &LexicalRules::TRINO,
        &[
            ("SELECT * FROM a set, b", &["a", "b"]),
            ("SELECT * FROM a limit, b", &["a", "b"]),
            ("SELECT * FROM a window, b", &["a", "b"]),
            ("SELECT * FROM a qualify TABLESAMPLE BERNOULLI (10), b", &["a", "b"]),
            ("SELECT * FROM a over (x, y), b", &["a", "b"]),
            ("SELECT * FROM a fetch, b", &["a", "b"]),
        ],
    );
}

/// What is read more often than it is written, and how often that is known.
#[test]
fn repeated_and_recursive_common_table_expressions_are_told() {
    for (sql, repeated, recursion) in [
        ("WITH c AS (SELECT * FROM t) SELECT * FROM c", false, false),
        ("WITH c AS (SELECT * FROM t) SELECT * FROM c, c d", true, false),
        (
            "WITH c AS (SELECT * FROM t), d AS (SELECT * FROM c) SELECT * FROM c JOIN d ON true",
            true,
            false,
        ),
        ("WITH c AS (SELECT 1), d AS (SELECT 2) SELECT * FROM c, d", false, false),
        (
            "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c JOIN t ON n < k) SELECT * FROM c",
            true,
            true,
        ),
        // The key word alone makes nothing recursive.
        (
            "WITH RECURSIVE c AS (SELECT * FROM t UNION ALL SELECT * FROM u) SELECT * FROM c",
            false,
            false,
        ),
        (
            "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT * FROM (SELECT n FROM c) x) SELECT 1",
            false,
            true,
        ),
    ] {
        let scan = trino(sql);
        assert_eq!(
            (scan.repeated_common_table, scan.recursion),
            (repeated, recursion),
            "{sql}"
        );
    }
}

#[test]
fn a_common_table_expression_is_known_in_its_scope_only() {
    check_tables(
        &LexicalRules::TRINO,
        &[
            (
                "WITH x AS (SELECT * FROM a), y (c) AS (SELECT * FROM x) SELECT * FROM x, y, b",
                &["a", "b"],
            ),
            // Not recursive: its own name is the table's inside.
            ("WITH a AS (SELECT * FROM a) SELECT * FROM A", &["a"]),
            // Known to what follows it, not to what comes before.
            ("WITH x AS (SELECT * FROM y), y AS (SELECT 1) SELECT * FROM x", &["y"]),
            // Inner scope ends with its parenthesis.
            (
                "SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x) p JOIN x ON true",
                &["x"],
            ),
            (
                "WITH x AS (SELECT 1) SELECT * FROM (WITH x AS (SELECT * FROM s.x) SELECT * FROM x), x",
                &["s.x"],
            ),
            // A path is never a common table expression.
            ("WITH x AS (SELECT 1) SELECT * FROM s.x", &["s.x"]),
            ("WITH x AS (SELECT 1) (SELECT * FROM x) UNION SELECT * FROM y", &["y"]),
            ("WITH x AS (SELECT 1) TABLE x", &[]),
            ("WITH data AS (SELECT 1) SELECT * FROM data", &[]),
            (
                "WITH session AS (SELECT 1), function AS (SELECT 2) SELECT * FROM session, function",
                &[],
            ),
        ],
    );
}

#[test]
fn a_recursive_name_is_its_own_only_from_the_union_on() {
    check_tables(
        &LexicalRules::TRINO,
        &[
            (
                "WITH RECURSIVE t (n) AS (VALUES 1 UNION ALL SELECT n + 1 FROM t WHERE n < 4) SELECT * FROM t",
                &[],
            ),
            (
                "WITH RECURSIVE t (n) AS (SELECT i FROM a UNION ALL SELECT n FROM t JOIN b ON true) SELECT * FROM t",
                &["a", "b"],
            ),
            // Without a union Trino treats the list as a plain one, and reads the table.
            ("WITH RECURSIVE t (n) AS (SELECT n FROM t) SELECT * FROM t", &["t"]),
        ],
    );
}

#[test]
fn functions_as_relations_are_no_tables_but_their_table_arguments_are() {
    check_tables(
        &LexicalRules::TRINO,
        &[
            ("SELECT * FROM TABLE(sequence(1, 9)) s, t", &["t"]),
            (
                "SELECT * FROM TABLE(lake.system.f(input => TABLE(a.b) AS x PARTITION BY k ORDER BY k, n => 2))",
                &["a.b"],
            ),
            (
                "SELECT * FROM TABLE(f(TABLE(SELECT * FROM a JOIN b USING (i)), DESCRIPTOR(c, d)))",
                &["a", "b"],
            ),
            (
                "SELECT * FROM TABLE(f(TABLE(SELECT * FROM a, b x, c WHERE a.i = x.i)))",
                &["a", "b", "c"],
            ),
            (
                "SELECT * FROM UNNEST(ARRAY[1, 2], ARRAY[3]) WITH ORDINALITY AS u (p, q, r), t",
                &["t"],
            ),
            (
                "SELECT * FROM s CROSS JOIN JSON_TABLE(s.doc, 'strict $' COLUMNS (v varchar FORMAT JSON PATH 'strict $.p'))",
                &["s"],
            ),
            (
                "SELECT json_query(j, 'strict $.c' OMIT QUOTES), json_value(j, 'lax $' RETURNING varchar) FROM a, b",
                &["a", "b"],
            ),
            (
                "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY i PATTERN (A B+) DEFINE B AS v > (SELECT m FROM u)) AS m, w",
                &["t", "u", "w"],
            ),
        ],
    );
    assert!(trino("SELECT * FROM TABLE(f(1))").table_function);
    assert!(!trino("SELECT * FROM UNNEST(x)").table_function);
    assert!(trino("SELECT * FROM UNNEST(x)").unnest);
}

#[test]
fn plan_clauses_of_json_table_are_no_set_operations() {
    let sql = "SELECT * FROM JSON_TABLE(j, 'lax $' AS r COLUMNS (NESTED PATH 'lax $.a' AS a COLUMNS (x int PATH 'lax $')) \
               PLAN (r OUTER (a UNION b)))";
    assert!(!trino(sql).set_operation);
    assert!(trino("SELECT 1 UNION SELECT 2").set_operation);
    assert!(trino("SELECT x IN ((SELECT 1) INTERSECT (SELECT 2))").set_operation);
    assert!(!trino("SELECT 1 FROM t").set_operation);
}

#[test]
fn joins_are_key_words_and_commas_between_relations() {
    for (sql, joins) in [
        ("SELECT a, b, f(c, d) FROM t", 0),
        ("SELECT * FROM a, b, c", 2),
        ("SELECT * FROM a JOIN b ON f(a.x, b.x) AND a.y IN (1, 2), c", 2),
        ("SELECT * FROM a NATURAL JOIN b CROSS JOIN UNNEST(x, y) AS u (p, q)", 2),
        (
            "SELECT * FROM a WHERE (SELECT count(*) FROM b, c) > 0 GROUP BY 1, 2 ORDER BY 1, 2",
            1,
        ),
        (
            "WITH x AS (SELECT 1), y AS (SELECT 2) SELECT * FROM x JOIN y USING (i, j)",
            1,
        ),
        ("SELECT * FROM (VALUES 1, 2) v (a), (VALUES (1, 2), (3, 4)) w (b, c)", 1),
        (
            "MERGE INTO t USING s ON t.i = s.i WHEN MATCHED THEN UPDATE SET a = 1, b = 2 WHEN NOT MATCHED THEN INSERT VALUES (1, 2)",
            0,
        ),
        ("UPDATE t SET a = 1, b = 2 WHERE c IN (3, 4)", 0),
    ] {
        assert_eq!(trino(sql).joins, joins, "{sql}");
    }
}

#[test]
fn shape_flags_are_told_from_words_that_only_look_like_them() {
    let with_window = trino("SELECT sum(x) OVER (PARTITION BY a ORDER BY b) AS over FROM t over");
    assert_eq!(with_window.windows, 1);
    assert!(!with_window.order_by);
    assert_eq!(
        trino("SELECT rank() OVER w, lag(x) IGNORE NULLS OVER w FROM t WINDOW w AS (ORDER BY i)").windows,
        2
    );
    assert_eq!(trino("SELECT over FROM over").windows, 0);
    assert!(trino("SELECT a FROM t GROUP BY a").group_by);
    assert!(!trino("SELECT listagg(a, ',') WITHIN GROUP (ORDER BY a) FROM t").group_by);
    assert!(!trino("SELECT array_agg(a ORDER BY a) FROM t").order_by);
    assert!(trino("SELECT a FROM t ORDER BY a").order_by);
    assert!(trino("SELECT count(DISTINCT a) FROM t").distinct);
    assert!(trino("SELECT DISTINCT a FROM t").distinct);
    assert!(!trino("SELECT a IS DISTINCT FROM b FROM t").distinct);
    assert!(!trino("SELECT count(*) FILTER (WHERE a > 1) FROM t").has_where);
    assert!(trino("DELETE FROM t WHERE a > 1").has_where);
    assert!(trino("SELECT * FROM t FOR VERSION AS OF 4").time_travel);
    assert!(trino("SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS true)").match_recognize);
    assert_eq!(
        trino("SELECT (SELECT 1) FROM (SELECT 2) WHERE x IN (VALUES 1)").subqueries,
        3
    );
    assert_eq!(trino("WITH x AS (SELECT 1) SELECT * FROM x").subqueries, 0);
}

#[test]
fn the_outermost_limit_is_read_as_a_number() {
    for (sql, has_limit, top) in [
        ("SELECT * FROM t LIMIT 10", true, Some(10)),
        ("SELECT * FROM t ORDER BY a FETCH FIRST 7 ROWS ONLY", true, Some(7)),
        ("SELECT * FROM t FETCH NEXT ROW ONLY", true, Some(1)),
        ("SELECT * FROM t ORDER BY a FETCH FIRST 7 ROWS WITH TIES", true, None),
        ("SELECT * FROM t LIMIT ALL", true, None),
        ("SELECT * FROM t LIMIT ?", true, None),
        ("SELECT * FROM (SELECT * FROM t LIMIT 5)", true, None),
        ("INSERT INTO u SELECT * FROM t LIMIT 3", true, Some(3)),
        ("SELECT limit FROM t limit", false, None),
    ] {
        let found = trino(sql);
        assert_eq!((found.has_limit, found.top_limit), (has_limit, top), "{sql}");
    }
}

#[test]
fn the_first_words_tell_the_kind_and_the_target() {
    use StatementKind as Kind;
    let cases: &[(&str, Kind, &[&str], &[&str])] = &[
        ("INSERT INTO a.b (x, y) SELECT * FROM c", Kind::Insert, &["a.b"], &["c"]),
        (
            "INSERT INTO a @ dev (WITH z AS (TABLE c) TABLE z)",
            Kind::Insert,
            &["a"],
            &["c"],
        ),
        ("INSERT INTO a VALUES (1, 2)", Kind::Insert, &["a"], &[]),
        (
            "UPDATE a SET x = (SELECT max(i) FROM b), y = 1 WHERE z = 2",
            Kind::Update,
            &["a"],
            &["b"],
        ),
        (
            "DELETE FROM a WHERE i IN (SELECT i FROM b)",
            Kind::Delete,
            &["a"],
            &["b"],
        ),
        (
            "MERGE INTO a t USING (SELECT * FROM b) s ON t.i = s.i WHEN MATCHED THEN DELETE",
            Kind::Merge,
            &["a"],
            &["b"],
        ),
        (
            "CREATE TABLE a WITH (format = 'ORC') AS SELECT * FROM b",
            Kind::CreateTableAs,
            &["a"],
            &["b"],
        ),
        (
            "CREATE OR REPLACE TABLE a (x, y) AS (WITH q AS (TABLE b) SELECT * FROM q)",
            Kind::CreateTableAs,
            &["a"],
            &["b"],
        ),
        (
            "CREATE TABLE IF NOT EXISTS a (i int, LIKE b INCLUDING PROPERTIES)",
            Kind::Ddl,
            &["a"],
            &[],
        ),
        (
            "CREATE VIEW v SECURITY INVOKER AS SELECT * FROM b",
            Kind::Ddl,
            &["v"],
            &["b"],
        ),
        (
            "CREATE MATERIALIZED VIEW v GRACE PERIOD INTERVAL '1' HOUR AS SELECT * FROM b",
            Kind::Ddl,
            &["v"],
            &["b"],
        ),
        ("DROP TABLE IF EXISTS a", Kind::Ddl, &["a"], &[]),
        ("COMMENT ON COLUMN a.b.c IS 'x'", Kind::Ddl, &["a.b"], &[]),
        (
            "ALTER TABLE a EXECUTE optimize(file_size_threshold => '10MB')",
            Kind::Maintenance,
            &["a"],
            &[],
        ),
        ("ALTER TABLE a SET AUTHORIZATION USER u", Kind::Access, &["a"], &[]),
        ("ALTER TABLE a ADD COLUMN set_authorization int", Kind::Ddl, &["a"], &[]),
        ("REFRESH MATERIALIZED VIEW a.v", Kind::Maintenance, &["a.v"], &[]),
        ("ANALYZE a WITH (columns = ARRAY['x'])", Kind::Analyze, &["a"], &[]),
        ("TRUNCATE TABLE a", Kind::Ddl, &["a"], &[]),
        ("GRANT SELECT ON TABLE a TO ROLE r", Kind::Access, &["a"], &[]),
        ("DENY SELECT ON SCHEMA s TO u", Kind::Access, &[], &[]),
        ("CREATE ROLE r", Kind::Access, &[], &[]),
        ("SHOW COLUMNS FROM a", Kind::Show, &["a"], &[]),
        ("SHOW STATS FOR (SELECT * FROM a)", Kind::Show, &[], &["a"]),
        ("DESC a.b", Kind::Show, &["a.b"], &[]),
        ("DESCRIBE OUTPUT p", Kind::Describe, &[], &[]),
        ("USE lake.sales", Kind::Use, &[], &[]),
        ("SET TIME ZONE LOCAL", Kind::Session, &[], &[]),
        ("START TRANSACTION READ ONLY", Kind::Transaction, &[], &[]),
        ("DEALLOCATE PREPARE p", Kind::Deallocate, &[], &[]),
        ("FROBNICATE t", Kind::Unknown, &[], &[]),
    ];
    for (sql, kind, targets, tables) in cases {
        let found = trino(sql);
        assert_eq!(found.kind, *kind, "{sql}");
        assert_eq!(found.inner_kind, *kind, "{sql}");
        assert_eq!(names(&found.targets), *targets, "{sql}");
        assert_eq!(names(&found.tables), *tables, "{sql}");
    }
}

#[test]
fn wrappers_are_taken_off() {
    use StatementKind as Kind;
    let cases: &[(&str, Kind, Kind, bool, &[&str])] = &[
        ("EXPLAIN SELECT * FROM a", Kind::Explain, Kind::Query, false, &["a"]),
        (
            "EXPLAIN (TYPE IO, FORMAT JSON) INSERT INTO b SELECT * FROM a",
            Kind::Explain,
            Kind::Insert,
            false,
            &["a"],
        ),
        ("EXPLAIN (SELECT * FROM a)", Kind::Explain, Kind::Query, false, &["a"]),
        (
            "EXPLAIN ANALYZE VERBOSE SELECT * FROM a",
            Kind::ExplainAnalyze,
            Kind::Query,
            true,
            &["a"],
        ),
        ("EXPLAIN ANALYZE a", Kind::Explain, Kind::Analyze, false, &[]),
        (
            "PREPARE p FROM SELECT * FROM a WHERE x = ?",
            Kind::Prepare,
            Kind::Query,
            false,
            &["a"],
        ),
        (
            "EXECUTE IMMEDIATE 'SELECT ''x'' FROM a' USING 1",
            Kind::ExecuteImmediate,
            Kind::Query,
            true,
            &["a"],
        ),
        (
            "EXECUTE IMMEDIATE U&'SELECT * FROM \\0061'",
            Kind::ExecuteImmediate,
            Kind::Query,
            true,
            &["a"],
        ),
        (
            "EXECUTE IMMEDIATE U&'TABLE !0061' UESCAPE '!'",
            Kind::ExecuteImmediate,
            Kind::Query,
            true,
            &["a"],
        ),
        (
            "EXPLAIN ANALYZE EXECUTE q",
            Kind::ExplainAnalyze,
            Kind::Query,
            true,
            &["a"],
        ),
        ("EXPLAIN EXECUTE q", Kind::Explain, Kind::Query, false, &["a"]),
        ("EXECUTE q USING 5", Kind::Execute, Kind::Query, true, &["a"]),
        ("execute Q", Kind::Execute, Kind::Query, true, &["a"]),
        ("EXECUTE immediate USING 5", Kind::Execute, Kind::Insert, true, &[]),
    ];
    let prepared = [
        ("q", "SELECT * FROM a WHERE i = ?"),
        ("immediate", "INSERT INTO b VALUES (1)"),
    ];
    for (sql, kind, inner, executes, tables) in cases {
        let found = scan(sql, &LexicalRules::TRINO, &prepared);
        assert_eq!(
            (found.kind, found.inner_kind, found.executes),
            (*kind, *inner, *executes),
            "{sql}"
        );
        assert_eq!(names(&found.tables), *tables, "{sql}");
        assert_eq!(found.statements, 1, "{sql}");
        assert!(found.complete, "{sql}");
    }
}

/// sqlglot 4118.
#[test]
fn an_insert_in_execute_immediate_has_its_target() {
    let found = trino(
        "EXECUTE IMMEDIATE 'INSERT INTO lake.visits (day, score) VALUES (?, ?)' USING DATE '2026-01-23', DOUBLE '7.25'",
    );
    assert_eq!(found.inner_kind, StatementKind::Insert);
    assert_eq!(names(&found.targets), ["lake.visits"]);
}

#[test]
fn an_execute_of_an_unknown_statement_is_incomplete_and_never_small() {
    let found = trino("EXECUTE gone USING 1");
    assert_eq!(
        (found.kind, found.inner_kind),
        (StatementKind::Execute, StatementKind::Unknown)
    );
    assert!(found.executes);
    assert!(!found.complete);
}

#[test]
fn an_execute_that_runs_itself_comes_to_an_end() {
    let found = scan("EXECUTE p", &LexicalRules::TRINO, &[("p", "EXECUTE p")]);
    assert!(!found.complete);
}

#[test]
fn what_moves_no_rows_does_not_execute() {
    for sql in [
        "CREATE VIEW v AS SELECT * FROM t",
        "SHOW STATS FOR (SELECT * FROM t)",
        "USE a.b",
        "SET SESSION a = 1",
    ] {
        assert!(!trino(sql).executes, "{sql}");
    }
    assert!(!trino("CREATE TABLE a AS SELECT * FROM t WITH NO DATA").executes);
    assert!(trino("CREATE TABLE a AS SELECT * FROM t WITH DATA").executes);
    assert!(trino("EXPLAIN SELECT 1; SELECT * FROM t").executes);
}

/// sqlglot 5178 and 3432.
#[test]
fn inline_functions_are_flagged_and_their_query_is_read() {
    let cases: &[(&str, &[&str])] = &[
        (
            "WITH FUNCTION twice(n bigint) RETURNS bigint RETURN n + n SELECT twice(3)",
            &[],
        ),
        (
            "WITH FUNCTION f(n int) RETURNS int RETURN n, FUNCTION g() RETURNS int RETURN 2 SELECT f(g()) FROM a",
            &["a"],
        ),
        (
            "WITH FUNCTION f(n int) RETURNS int BEGIN DECLARE r int DEFAULT 0; IF n > 1 THEN SET r = n; END IF; \
             CASE n WHEN 1 THEN SET r = 2; END CASE; RETURN r; END WITH x AS (SELECT * FROM a) SELECT f(i) FROM x, b",
            &["a", "b"],
        ),
        (
            "WITH FUNCTION f() RETURNS int IF true THEN RETURN 1; ELSE RETURN 2; END IF TABLE a",
            &["a"],
        ),
        (
            "WITH FUNCTION f(x int) RETURNS int LANGUAGE PYTHON WITH (handler = 'h') AS $$ from q; $$ SELECT f(1) FROM a",
            &["a"],
        ),
    ];
    for (sql, tables) in cases {
        let found = trino(sql);
        assert_eq!(found.kind, StatementKind::Query, "{sql}");
        assert!(found.inline_function && found.complete, "{sql}");
        assert_eq!(found.has_udf, Some(false), "{sql}");
        assert_eq!(found.statements, 1, "{sql}");
        assert_eq!(names(&found.tables), *tables, "{sql}");
    }
    let defined = trino("CREATE FUNCTION f(n int) RETURNS int BEGIN RETURN n; END");
    assert_eq!(
        (defined.kind, defined.statements, defined.executes),
        (StatementKind::Ddl, 1, false)
    );
}

#[test]
fn a_query_behind_a_function_definition_is_seen_as_one() {
    let found = trino("CREATE FUNCTION f() RETURNS int RETURN 1; SELECT * FROM t");
    assert_eq!((found.statements, found.executes), (2, true));
    assert_eq!(names(&found.tables), ["t"]);
}

#[test]
fn session_properties_are_read_from_set_and_with() {
    let of = |sql| trino(sql).session_properties;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(of("SET SESSION lake.batch = 12"), [pair("lake.batch", "12")]);
    assert_eq!(
        of("SET SESSION query_max_run_time = '2h'"),
        [pair("query_max_run_time", "2h")]
    );
    let sql = "WITH SESSION a = '2h', b.c = CAST('x' AS varchar) SELECT * FROM t";
    assert_eq!(of(sql), [pair("a", "2h"), pair("b.c", "CAST('x' AS varchar)")]);
    assert_eq!(names(&trino(sql).tables), ["t"]);
    for sql in [
        "WITH SESSION a = true (SELECT * FROM t)",
        "WITH SESSION a = CAST((SELECT i FROM t) AS varchar) SELECT 1",
    ] {
        assert_eq!(names(&trino(sql).tables), ["t"], "{sql}");
    }
}

#[test]
fn kill_query_names_its_query() {
    for sql in [
        "CALL system.runtime.kill_query(query_id => '20260101_000000_00001_abcde', message => 'too long')",
        "CALL system.runtime.kill_query(message => 'no, not this', query_id => '20260101_000000_00001_abcde')",
        "CALL runtime.KILL_QUERY('20260101_000000_00001_abcde', 'm')",
    ] {
        assert_eq!(trino(sql).kill_query_ids, ["20260101_000000_00001_abcde"], "{sql}");
        assert_eq!(trino(sql).kind, StatementKind::Call, "{sql}");
    }
    assert!(
        trino("CALL system.sync_partition_metadata('a', 'b')")
            .kill_query_ids
            .is_empty()
    );
}

#[test]
fn comments_end_where_the_engine_ends_them() {
    check_tables(
        &LexicalRules::TRINO,
        &[
            ("SELECT 1 -- c\rFROM hidden", &["hidden"]),
            ("SELECT 1 -- c\nFROM hidden", &["hidden"]),
            ("SELECT 1 /* /* */ FROM hidden -- */", &["hidden"]),
            ("SELECT * FROM a /*! , b */", &["a"]),
            ("SELECT * FROM a /*+ , b */ -- , c", &["a"]),
            ("SELECT 4 //2 FROM hidden\n", &["hidden"]),
            ("SELECT 1.FROM hidden", &["hidden"]),
            ("SELECT 'x'FROM hidden", &["hidden"]),
            ("SELECT\u{a0}*\u{3000}FROM\u{feff}hidden", &["hidden"]),
        ],
    );
    check_tables(
        &LexicalRules::DREMIO,
        &[
            ("SELECT 4 //2 FROM gone\nFROM t", &["t"]),
            ("SELECT 1 // c\rFROM hidden", &["hidden"]),
            ("SELECT 1FROM hidden", &["hidden"]),
        ],
    );
    check_tables(
        &LexicalRules::SPARK,
        &[
            ("SELECT 1 /* /* */ FROM gone -- */\n*/ FROM t", &["t"]),
            ("SELECT 1 -- c \\\n FROM gone\nFROM t", &["t"]),
            ("SELECT 'it\\'s -- ' FROM hidden", &["hidden"]),
        ],
    );
}

#[test]
fn letters_that_fold_to_ascii_make_key_words() {
    check_tables(
        &LexicalRules::PRESTO,
        &[
            ("SELECT * FROM a JO\u{131}N hidden ON true", &["a", "hidden"]),
            ("\u{17f}ELECT * FROM hidden", &["hidden"]),
        ],
    );
}

#[test]
fn dremio_forms_are_read() {
    check_tables(
        &LexicalRules::DREMIO,
        &[
            (
                "SELECT * FROM \"my space\".folder.\"t.parquet\" AT BRANCH dev x, u",
                &["my space.folder.t.parquet", "u"],
            ),
            ("SELECT * FROM TABLE(table_history('a.b'))", &[]),
            ("EXPLAIN PLAN INCLUDING ALL ATTRIBUTES FOR SELECT * FROM a", &["a"]),
            ("SELECT a FROM t MINUS SELECT a FROM u", &["t", "u"]),
            ("CREATE TABLE n STORE AS (type => 'parquet') AS SELECT * FROM a", &["a"]),
        ],
    );
    assert!(scan("SELECT 1 FROM t AT SNAPSHOT '1'", &LexicalRules::DREMIO, &[]).time_travel);
    assert_eq!(
        scan("OPTIMIZE TABLE t", &LexicalRules::DREMIO, &[]).kind,
        StatementKind::Maintenance
    );
}

#[test]
fn spark_forms_are_read() {
    check_tables(
        &LexicalRules::SPARK,
        &[
            ("SELECT \"a from b\" FROM `x`.`y z`", &["x.y z"]),
            ("SELECT * FROM VALUES (1, 2), (3, 4) AS v (a, b)", &[]),
            ("SELECT * FROM t LATERAL VIEW explode(xs) e AS p, q", &["t"]),
            ("SELECT * EXCEPT (a, b) FROM t", &["t"]),
            ("WITH x AS (SELECT * FROM a) INSERT INTO b SELECT * FROM x", &["a"]),
            ("FROM a INSERT INTO b SELECT x INSERT INTO c SELECT y", &["a"]),
            ("SELECT * FROM range(10)", &[]),
            ("SELECT * FROM IDENTIFIER('a.b')", &["a.b"]),
            ("SELECT insert FROM t", &["t"]),
            ("SELECT * FROM t VERSION AS OF 3", &["t"]),
        ],
    );
    let spark = |sql| scan(sql, &LexicalRules::SPARK, &[]);
    assert_eq!(spark("SELECT * FROM t LATERAL VIEW explode(xs) e AS p, q").joins, 0);
    assert_eq!(spark("SELECT * FROM VALUES (1, 2), (3, 4) AS v (a, b)").joins, 0);
    assert!(!spark("SELECT * EXCEPT (a, b) FROM t").set_operation);
    assert!(spark("SELECT * FROM range(10)").table_function);
    assert_eq!(
        names(&spark("WITH x AS (SELECT 1) INSERT OVERWRITE TABLE b SELECT * FROM x").targets),
        ["b"]
    );
    let deletes = spark("DELETE FROM a USING b WHERE a.i = b.i");
    assert_eq!(
        (names(&deletes.targets), names(&deletes.tables)),
        (vec!["a".to_owned()], vec!["b".to_owned()])
    );
}

#[test]
fn functions_are_told_from_types_aliases_and_user_functions() {
    for (sql, has_udf) in [
        (
            "SELECT count(*), upper(a), CAST(b AS decimal(9, 2)), IF(c, 1, 2) FROM t x (a, b, c)",
            Some(false),
        ),
        ("SELECT 'a'.length()", Some(false)),
        ("SELECT mask_email(a) FROM t", Some(true)),
        ("SELECT lake.tools.upper_all(a), count(*) FROM t", Some(true)),
        (
            "SELECT count(*) FROM t WHERE a IN (1) AND EXISTS (SELECT 1) OR (a, b) = (1, 2)",
            Some(false),
        ),
        ("INSERT INTO t (a, b) VALUES (1, 2)", Some(false)),
    ] {
        assert_eq!(trino(sql).has_udf, has_udf, "{sql}");
    }
    assert_eq!(
        scan("SELECT nobody_knows(a) FROM t", &LexicalRules::SPARK, &[]).has_udf,
        None
    );
    assert!(trino("SELECT * FROM t WHERE ts > current_timestamp - INTERVAL '1' DAY").non_deterministic_time);
    assert!(trino("SELECT * FROM t WHERE ts > now()").non_deterministic_time);
    assert!(!trino("SELECT t.current_date_key, rand() FROM t").non_deterministic_time);
    assert!(trino("SELECT regexp_like(a, 'x.*y') FROM t").expensive_functions);
    assert!(!trino("SELECT upper(a) FROM t").expensive_functions);
}

#[test]
fn the_fingerprint_drops_literals_and_the_scan_key_keeps_them() {
    let same_shape = [
        "SELECT a FROM t WHERE b IN (1, 2, 3) AND c = 'x'",
        "select A\n from T -- comment\n where B in (9) and C = 'it''s';",
        "SELECT a FROM t WHERE b IN (-1, NULL, DATE '2026-01-01') /* x */ AND c = ?",
    ];
    let printed = |sql| fingerprint(sql, &LexicalRules::TRINO, &[]);
    let [first, second, third] = same_shape.map(printed);
    assert_eq!(first, second);
    assert_eq!(first, third);
    let [first, second, _] = same_shape.map(trino);
    assert_ne!(first.scan_key, second.scan_key);
    assert_eq!(
        trino("SELECT 1 FROM t").scan_key,
        trino(" select /* c */ 1\r\nfrom T ; ").scan_key
    );
    assert_ne!(printed("SELECT a FROM t"), printed("SELECT \"A\" FROM t"));
    assert_ne!(
        trino("SELECT f('ab', 'c')").scan_key,
        trino("SELECT f('a', 'bc')").scan_key
    );
    assert_ne!(
        trino("SELECT f('a', 'b')").scan_key,
        trino("SELECT f('a'', ''b')").scan_key
    );
    assert_eq!(
        printed("INSERT INTO t VALUES (1, 'a'), (2, 'b')"),
        printed("INSERT INTO t VALUES (3, 'c')")
    );
    assert_ne!(
        printed("SELECT a FROM t WHERE b IN (1, c)"),
        printed("SELECT a FROM t WHERE b IN (1)")
    );
}

#[test]
fn an_execute_has_the_fingerprint_of_what_it_runs_and_the_key_of_its_values() {
    let prepared = [("p", "SELECT * FROM t WHERE i = ?")];
    let run = |sql| scan(sql, &LexicalRules::TRINO, &prepared);
    let printed = |sql| fingerprint(sql, &LexicalRules::TRINO, &prepared);
    let direct = printed("SELECT * FROM t WHERE i = 7");
    assert_eq!(printed("EXECUTE p USING 7"), direct);
    assert_eq!(printed("EXECUTE IMMEDIATE 'SELECT * FROM t WHERE i = 8'"), direct);
    assert_ne!(run("EXECUTE p USING 7").scan_key, run("EXECUTE p USING 8").scan_key);
    assert_ne!(printed("EXPLAIN ANALYZE SELECT * FROM t WHERE i = 7"), direct);
}

#[test]
fn a_text_that_cannot_be_read_to_its_end_is_incomplete() {
    for sql in [
        "SELECT 'open FROM t",
        "SELECT \"open FROM t",
        "SELECT 1 /* open",
        "SELECT (1 FROM t",
        "SELECT 1) FROM t",
        "SELECT 1\0 FROM t",
        "SELECT $$ open",
        "EXECUTE IMMEDIATE 'SELECT (1'",
    ] {
        assert!(!trino(sql).complete, "{sql}");
    }
}

#[test]
fn two_texts_too_long_to_read_share_no_key_for_their_beginning() {
    let mut long = "SELECT * FROM t WHERE x = 1".to_owned();
    long.push_str(&" ".repeat(MAX_SCAN_BYTES));
    let [one, other] = [" UNION SELECT * FROM a", " UNION SELECT * FROM b"].map(|tail| trino(&(long.clone() + tail)));
    assert!(!one.complete && !other.complete);
    assert_ne!(one.scan_key, other.scan_key);
    assert_eq!(one.has_udf, None);
}

#[test]
fn several_statements_are_counted_and_all_read() {
    let found = trino("SELECT * FROM a; ; SELECT * FROM b;");
    assert_eq!(
        (found.statements, names(&found.tables)),
        (2, vec!["a".to_owned(), "b".to_owned()])
    );
    assert_eq!(trino("SELECT 1;").statements, 1);
    assert_eq!(trino(" -- nothing\n").statements, 0);
}

#[test]
fn hostile_sizes_neither_recurse_nor_take_long() {
    let nested = format!(
        "SELECT {}1{}",
        "(".repeat(MAX_SCAN_DEPTH - 2),
        ")".repeat(MAX_SCAN_DEPTH - 2)
    );
    assert!(trino(&nested).complete);
    let too_deep = format!("SELECT {}1", "(SELECT * FROM t WHERE ".repeat(MAX_SCAN_DEPTH + 1));
    assert!(!trino(&too_deep).complete);
    let tokens = format!("SELECT {}", "1,".repeat(MAX_SCAN_TOKENS / 2 + 1));
    assert!(tokens.len() < 3 * MAX_SCAN_BYTES && !trino(&tokens).complete);
    for part in [
        "WITH a AS (SELECT 1), ",
        "SELECT ((",
        "EXPLAIN ",
        " UNION SELECT 1 FROM (",
        "IN (1, ",
        "$a$",
        "U&'",
        "/*",
    ] {
        let text = part.repeat(200_000 / part.len());
        for rules in [
            LexicalRules::TRINO,
            LexicalRules::PRESTO,
            LexicalRules::DREMIO,
            LexicalRules::SPARK,
        ] {
            let _ = scan(&text, &rules, &[("p", &text)]);
        }
    }
}

#[test]
fn any_cut_through_a_statement_is_read_without_a_panic() {
    let sql = "WITH SESSION a = U&'\\0061' WITH FUNCTION f(é int) RETURNS int BEGIN RETURN 1; END SELECT \"x\"\"\", $$é$$, \
               `b`, X'00', 1.e5, ? FROM TABLE(f(TABLE(t))) /* é */ -- ü\n, UNNEST(a[1]) LIMIT 5; EXECUTE IMMEDIATE 'CALL \
               system.runtime.kill_query(''id'')'";
    for (from, _) in sql.char_indices() {
        for (to, _) in sql.char_indices().filter(|(to, _)| *to >= from) {
            let Some(part) = sql.get(from..to) else { continue };
            for rules in [LexicalRules::TRINO, LexicalRules::DREMIO, LexicalRules::SPARK] {
                let _ = scan(part, &rules, &[]);
            }
        }
    }
}
