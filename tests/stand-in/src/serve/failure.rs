//! Why a query failed, in Trino's terms: code, name and type, which clients act upon.

use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use serde_json::{Value, json};

/// A query's failure, as the client will see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Trino's number for it.
    pub(crate) code: u32,
    /// Trino's name for it.
    pub(crate) name: &'static str,
    /// Text for people.
    pub(crate) message: String,
}

/// Numbers of Trino's `StandardErrorCode`. Below 65,536 the user is at fault, below 131,072 the engine, and above
/// that resources ran short.
macro_rules! failures {
    ($($function:ident = $code:literal, $name:literal;)*) => {
        impl Failure {
            $(
                #[doc = $name]
                pub(crate) fn $function(message: &str) -> Self {
                    Self { code: $code, name: $name, message: message.to_owned() }
                }
            )*
        }
    };
}

failures! {
    generic_user = 0, "GENERIC_USER_ERROR";
    syntax = 1, "SYNTAX_ERROR";
    abandoned = 2, "ABANDONED_QUERY";
    canceled = 3, "USER_CANCELED";
    not_found = 5, "NOT_FOUND";
    function_not_found = 6, "FUNCTION_NOT_FOUND";
    division_by_zero = 8, "DIVISION_BY_ZERO";
    invalid_cast_argument = 9, "INVALID_CAST_ARGUMENT";
    not_supported = 13, "NOT_SUPPORTED";
    numeric_value_out_of_range = 19, "NUMERIC_VALUE_OUT_OF_RANGE";
    unknown_transaction = 20, "UNKNOWN_TRANSACTION";
    not_in_transaction = 21, "NOT_IN_TRANSACTION";
    incompatible_client = 27, "INCOMPATIBLE_CLIENT";
    procedure_missing = 29, "PROCEDURE_NOT_FOUND";
    text_too_large = 35, "QUERY_TEXT_TOO_LARGE";
    killed = 38, "ADMINISTRATIVELY_KILLED";
    catalog_not_found = 44, "CATALOG_NOT_FOUND";
    schema_not_found = 45, "SCHEMA_NOT_FOUND";
    table_not_found = 46, "TABLE_NOT_FOUND";
    column_not_found = 47, "COLUMN_NOT_FOUND";
    missing_catalog_name = 56, "MISSING_CATALOG_NAME";
    missing_schema_name = 57, "MISSING_SCHEMA_NAME";
    type_mismatch = 58, "TYPE_MISMATCH";
    ambiguous_name = 62, "AMBIGUOUS_NAME";
    missing_group_by = 64, "EXPRESSION_NOT_AGGREGATE";
    invalid_parameter_usage = 86, "INVALID_PARAMETER_USAGE";
    internal = 65_536, "GENERIC_INTERNAL_ERROR";
    queue_full = 131_074, "QUERY_QUEUE_FULL";
    local_memory = 131_079, "EXCEEDED_LOCAL_MEMORY_LIMIT";
}

impl Failure {
    /// No procedure of this name.
    pub(crate) fn procedure_not_found(name: &str) -> Self {
        Self::procedure_missing(&format!("Procedure not registered: {name}"))
    }

    /// Who is at fault.
    pub(crate) const fn error_type(&self) -> &'static str {
        match self.code {
            0..65_536 => "USER_ERROR",
            65_536..131_072 => "INTERNAL_ERROR",
            _ => "INSUFFICIENT_RESOURCES",
        }
    }

    /// The `error` object of a result page. No location: clients index the user's text with it.
    pub(crate) fn to_json(&self) -> Value {
        let error_info = json!({"code": self.code, "name": self.name, "type": self.error_type()});
        json!({
            "message": self.message,
            "errorCode": self.code,
            "errorName": self.name,
            "errorType": self.error_type(),
            "failureInfo": {
                "type": "io.trino.spi.TrinoException",
                "message": self.message,
                "suppressed": [],
                "stack": [],
                "errorInfo": error_info,
            },
        })
    }
}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Self {
        classify(&error)
    }
}

fn classify(error: &DataFusionError) -> Failure {
    match error {
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => classify(inner),
        DataFusionError::Shared(inner) => classify(inner),
        DataFusionError::Collection(errors) => match errors.first() {
            Some(first) => classify(first),
            None => Failure::internal(&error.strip_backtrace()),
        },
        DataFusionError::SQL(parse, _) => Failure::syntax(&parse.to_string()),
        DataFusionError::NotImplemented(message) => Failure::not_supported(message),
        DataFusionError::SchemaError(schema, _) => match schema.as_ref() {
            SchemaError::FieldNotFound { field, .. } => {
                Failure::column_not_found(&format!("Column '{}' cannot be resolved", field.flat_name()))
            }
            SchemaError::AmbiguousReference { .. } => Failure::ambiguous_name(&schema.to_string()),
            _ => Failure::generic_user(&schema.to_string()),
        },
        DataFusionError::Plan(message) => by_text(message),
        DataFusionError::ResourcesExhausted(message) => {
            Failure::local_memory(&format!("Query exceeded per-node memory limit: {message}"))
        }
        DataFusionError::ArrowError(..) | DataFusionError::Execution(_) => by_text(&error.strip_backtrace()),
        _ => Failure::internal(&error.strip_backtrace()),
    }
}

/// DataFusion tells many errors apart by their text alone. What is not recognised is no one's fault but ours.
fn by_text(message: &str) -> Failure {
    let has = |part: &str| message.contains(part);
    if has("Invalid function") {
        Failure::function_not_found(message)
    } else if has("DML not supported") || has("DDL not supported") {
        Failure::not_supported(&format!("this engine only reads ({message})"))
    } else if has("Divide by zero") {
        Failure::division_by_zero("Division by zero")
    } else if has("Cast error") || has("Cannot cast string") || has("Parser error") {
        Failure::invalid_cast_argument(message)
    } else if has("Overflow") {
        Failure::numeric_value_out_of_range(message)
    } else if has("GROUP BY") {
        Failure::missing_group_by(message)
    } else if has("oerc") || has("Cannot infer common") || has("does not support") {
        // "coerce", "coercion", with or without a capital.
        Failure::type_mismatch(message)
    } else if has("Iceberg") || has("iceberg") || has("Unexpected") {
        Failure::internal(message)
    } else {
        Failure::generic_user(message)
    }
}
