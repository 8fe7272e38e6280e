//! The policy file's JSON Schema, for editors.
//!
//! Made from the same lists of keys, signals and words that the check reads, so that a key cannot be in one and not in
//! the other. The schema knows the file's form; what refers to something else in the file (a rule's engine) only the
//! check knows.

use serde_json::{Map, Value, json};

use super::check::{BUDGET_KEYS, ENGINE_KEYS, RULE_KEYS, TOP_KEYS};
use super::condition::{NAMED, QUEUE_WAIT_SUFFIX, SUFFIXES, SignalType};
use crate::engine::EngineKind;
use crate::protocol::Protocol;

/// The schema, in the 2020-12 dialect.
#[must_use]
pub fn schema() -> Value {
    let mut schema = closed(&TOP_KEYS, top_key);
    if let Value::Object(object) = &mut schema {
        object.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
        object.insert("title".into(), json!("Lakegate routing policy"));
        object.insert("required".into(), json!(["engines", "rules"]));
        object.insert("$defs".into(), definitions());
    }
    schema
}

/// An object with these keys and no other.
fn closed(keys: &[&str], value: fn(&str) -> Value) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), value(key))).collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn with_required(mut schema: Value, required: &[&str]) -> Value {
    if let Value::Object(object) = &mut schema {
        object.insert("required".into(), json!(required));
    }
    schema
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn top_key(key: &str) -> Value {
    let of_any_name = |value: Value| json!({"type": "object", "additionalProperties": value});
    match key {
        "engines" => of_any_name(with_required(closed(&ENGINE_KEYS, engine_key), &["kind"])),
        "rules" => json!({"type": "array", "items": with_required(closed(&RULE_KEYS, rule_key), &["name", "route"])}),
        "principals" => json!({"type": "array", "items": with_required(closed(&["class", "when"], |key| match key {
            "class" => json!({"type": "string", "description": "a word of your own, like agent"}),
            _ => reference("when"),
        }), &["class"])}),
        "unknown" => json!({
            "type": "object",
            "description": "per signal: does a condition on it hold while it is unknown?",
            "additionalProperties": reference("on_unknown"),
        }),
        "failure" => closed(&["deadline_ms"], |_| reference("millis")),
        "budgets" => of_any_name(closed(&BUDGET_KEYS, |key| match key {
            "max_bytes" => reference("bytes"),
            "max_wall_ms" => reference("millis"),
            _ => reference("count"),
        })),
        "implied_rules" => json!({"type": "boolean", "default": true}),
        _ => json!(true),
    }
}

fn engine_key(key: &str) -> Value {
    match key {
        "kind" => json!({"enum": EngineKind::ALL.map(|(word, _)| word)}),
        "endpoint" => json!({"type": "string", "description": "the engine's URL"}),
        "clusters" => {
            let cluster = json!({"anyOf": [
                {"type": "string"},
                closed(&["name", "endpoint"], |_| json!({"type": "string"})),
            ]});
            let protocols: Map<String, Value> = Protocol::ALL
                .iter()
                .map(|(word, _)| ((*word).to_owned(), cluster.clone()))
                .collect();
            json!({"type": "object", "additionalProperties": false, "properties": protocols,
                "description": "the Envoy cluster for each client protocol"})
        }
        "max_queue_wait_ms" => reference("millis"),
        "max_bytes_per_query" => reference("bytes"),
        "supports_reflections" => json!({"type": "boolean", "default": false}),
        _ => json!(true),
    }
}

fn rule_key(key: &str) -> Value {
    match key {
        "name" => json!({"type": "string"}),
        "reason" => json!({"type": "string", "description": "why, in words for people"}),
        "when" => reference("when"),
        "route" => json!({"type": "string", "description": "an engine's name, or reject"}),
        "fallback" => reference("words"),
        "notify_client" | "strict" => json!({"type": "boolean", "default": false}),
        "unknown" => reference("on_unknown"),
        _ => json!(true),
    }
}

fn definitions() -> Value {
    json!({
        "bytes": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern":
            "^\\s*([0-9_]+(\\.[0-9]{1,9})?\\s*([kKmMgGtTpP]?[iI]?[bB])?|unlimited)\\s*$"}],
            "description": "like 50 GB; units are 1024-based"},
        "millis": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern":
            "^\\s*([0-9]+\\s*(ms|s)?|unlimited)\\s*$"}], "description": "like 500, 500 ms or 2 s"},
        "count": {"anyOf": [{"type": "integer", "minimum": 0}, {"const": "unlimited"}]},
        "word": {"type": ["string", "integer"]},
        "words": {"anyOf": [reference("word"), {"type": "array", "items": reference("word")}]},
        "on_unknown": {"enum": ["match", "skip"]},
        "when": when(),
    })
}

fn when() -> Value {
    let mut properties = Map::new();
    for (name, _, signal_type) in &NAMED {
        for (key, value) in keys_of(name, *signal_type) {
            properties.insert(key, value);
        }
    }
    for key in ["any_of", "all_of"] {
        properties.insert(key.into(), json!({"type": "array", "items": reference("when")}));
    }
    properties.insert("not".into(), reference("when"));
    let suffixes: Vec<&str> = SUFFIXES.iter().map(|(suffix, _)| *suffix).collect();
    let queue_wait = format!("^.+{QUEUE_WAIT_SUFFIX}({}|_in)?$", suffixes.join("|"));
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "patternProperties": {queue_wait: one_or_list(reference("millis"))},
    })
}

fn one_or_list(value: Value) -> Value {
    json!({"anyOf": [value.clone(), {"type": "array", "items": value}]})
}

/// The keys of `when` for one signal: its name, and its name with each suffix that its type takes.
fn keys_of(name: &str, signal_type: SignalType) -> Vec<(String, Value)> {
    let value = match signal_type {
        SignalType::Flag => return vec![(name.to_owned(), json!({"type": "boolean"}))],
        SignalType::Text => {
            return ["", "_eq", "_ne", "_in"]
                .iter()
                .map(|suffix| (format!("{name}{suffix}"), reference("words")))
                .collect();
        }
        // A number that a budget leaves over may be below zero.
        SignalType::Bytes => reference("bytes"),
        SignalType::Millis => reference("millis"),
        SignalType::Count => reference("count"),
    };
    let lists = ["", "_in"].map(|suffix| (format!("{name}{suffix}"), one_or_list(value.clone())));
    let compared = SUFFIXES
        .iter()
        .map(|(suffix, _)| (format!("{name}{suffix}"), value.clone()));
    lists.into_iter().chain(compared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_the_check_knows_has_a_form() {
        for (keys, form) in [
            (&TOP_KEYS[..], top_key as fn(&str) -> Value),
            (&ENGINE_KEYS[..], engine_key),
            (&RULE_KEYS[..], rule_key),
        ] {
            for key in keys {
                assert_ne!(form(key), json!(true), "{key}");
            }
        }
    }

    #[test]
    fn the_schema_that_is_shipped_is_this_one() {
        let shipped = include_str!("../../../envoy/policy.schema.json");
        let made = serde_json::to_string_pretty(&schema()).unwrap();
        assert!(
            shipped.trim() == made,
            "write it anew: lakegate policy schema > envoy/policy.schema.json"
        );
    }
}
