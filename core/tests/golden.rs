//! The golden corpus: statements of our own, what the scanner says of each and where the reference policy sends it.
//!
//! The files are under `golden/`, one topic each; `golden/format.rs` says how they are written. The same tests run
//! natively and, for the target that the filter is built for, in wasm: `cargo xtask test` does both.
#![cfg(feature = "yaml")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "helpers of tests are tests"
)]

#[path = "golden/format.rs"]
mod format;
mod reference;

use reference::policy;

fn check(file: &str, text: &str) {
    let policy = policy();
    let cases = format::cases(file, text);
    let wrong: Vec<String> = cases
        .iter()
        .map(|case| format::check(file, case, &policy))
        .filter(|wrong| !wrong.is_empty())
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} cases:{}",
        wrong.len(),
        cases.len(),
        wrong.concat()
    );
}

macro_rules! corpus {
    ($($topic:ident)*) => {
        const FILES: &[(&str, &str)] = &[
            $((stringify!($topic), include_str!(concat!("golden/", stringify!($topic), ".txt")))),*
        ];

        $(mod $topic {
            #[cfg_attr(not(target_arch = "wasm32"), test)]
            #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
            fn every_statement_is_read_and_routed_as_the_file_says() {
                super::check(
                    stringify!($topic),
                    include_str!(concat!("golden/", stringify!($topic), ".txt")),
                );
            }
        })*
    };
}

corpus! {
    access
    agents_style
    bi_tools_style
    comments_and_evasion
    ctes
    dbt_style
    ddl
    dremio_dialect
    execute_immediate
    functions
    hostile_small
    inserts_and_ctas
    joins
    json_functions
    limits
    literals
    match_recognize
    merge_update_delete
    presto_dialect
    quoted_names
    selects
    session_and_transactions
    set_operations
    show_describe
    spark_dialect
    subqueries
    time_travel
    unnest_and_table_functions
    windows
    wrapping_explain
    wrapping_prepare_execute
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn the_corpus_holds_a_thousand_statements_and_no_two_alike() {
    let mut statements = std::collections::BTreeSet::new();
    let mut verdicts = 0;
    for (file, text) in FILES {
        for case in format::cases(file, text) {
            verdicts += case.verdicts.len();
            assert!(statements.insert(case.key()), "{file}.txt: twice: {}", case.sql);
        }
    }
    assert!(statements.len() >= 1000, "{} statements", statements.len());
    assert!(verdicts >= 300, "{verdicts} verdicts");
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn no_file_of_the_corpus_is_left_out() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".txt")?.to_owned()))
        .collect();
    found.sort();
    let listed: Vec<&str> = FILES.iter().map(|(file, _)| *file).collect();
    assert_eq!(found, listed);
}
