//! The grammar that sqlparser is asked for.
//!
//! The permissive grammar, less what these engines do not have and what would change a statement's meaning if it were
//! read into one: pipes, MySQL's `LIMIT a, b`, ClickHouse's PREWHERE, SETTINGS and array joins, CONNECT BY, partitions
//! and tables as operands of IN. What an engine has and this grammar has not ends in a syntax error, never in another
//! reading. Lexical hooks are missing on purpose: the tokens are our own (`tokens`).

use sqlparser::dialect::Dialect;

use crate::sql::lexer::LexicalRules;

/// One engine's grammar.
#[derive(Debug)]
pub(super) struct EngineDialect {
    /// Spark and its kin: `ARRAY<INT>`, FROM first, `* EXCEPT (..)`.
    spark: bool,
}

impl EngineDialect {
    /// The grammar that goes with the lexical rules.
    pub(super) fn new(rules: &LexicalRules) -> Self {
        Self {
            spark: rules.double_quoted_strings,
        }
    }
}

impl Dialect for EngineDialect {
    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_alphabetic() || ch == '_'
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        ch.is_alphanumeric() || ch == '_'
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_group_by_with_modifier(&self) -> bool {
        true
    }

    fn supports_window_clause_named_window_reference(&self) -> bool {
        true
    }

    fn supports_window_function_null_treatment_arg(&self) -> bool {
        true
    }

    fn supports_match_recognize(&self) -> bool {
        true
    }

    fn supports_lambda_functions(&self) -> bool {
        true
    }

    fn supports_parens_around_table_factor(&self) -> bool {
        true
    }

    fn supports_values_as_table_factor(&self) -> bool {
        true
    }

    fn allow_extract_custom(&self) -> bool {
        true
    }

    fn supports_interval_options(&self) -> bool {
        true
    }

    fn supports_comma_separated_trim(&self) -> bool {
        true
    }

    fn supports_update_order_by(&self) -> bool {
        false
    }

    fn supports_array_typedef_with_brackets(&self) -> bool {
        true
    }

    fn supports_array_typedef_with_parentheses(&self) -> bool {
        !self.spark
    }

    fn supports_select_expr_star(&self) -> bool {
        true
    }

    fn supports_select_wildcard_except(&self) -> bool {
        self.spark
    }

    fn supports_from_first_select(&self) -> bool {
        self.spark
    }

    fn supports_cte_without_as(&self) -> bool {
        self.spark
    }

    fn supports_struct_literal(&self) -> bool {
        self.spark
    }

    fn supports_aliased_function_args(&self) -> bool {
        self.spark
    }

    fn supports_select_item_multi_column_alias(&self) -> bool {
        self.spark
    }

    fn supports_long_type_as_bigint(&self) -> bool {
        self.spark
    }
}
