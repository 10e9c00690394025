//! Client profiles: projections only widen, and what is served passes the rules of its clients.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::print_stderr, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use toolwright_codegen::model::Contract;
use toolwright_codegen::profile::{self, Profile};
use toolwright_codegen::{load, schema};

use toolwright_testing::random::Random;

/// The surfaces of this repository, its examples and the fixtures.
fn contracts() -> Vec<Contract> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = vec![root.join("specs"), root.join("examples/echo/specs")];
    for entry in std::fs::read_dir(root.join("tests/specs/valid")).unwrap() {
        folders.push(entry.unwrap().path());
    }
    folders.sort();
    folders.iter().flat_map(|folder| load(folder).contracts).collect()
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().with_draft(jsonschema::Draft::Draft202012).build(schema).unwrap()
}

#[test]
fn every_served_definition_passes_the_rules_of_its_clients() {
    for contract in contracts() {
        for tool in &contract.tools {
            for profile in Profile::ALL {
                let served = profile::definition(&contract, tool, profile);
                let found = profile::violations(profile, &contract.name, &served);
                assert_eq!(found, [], "{} {} {}", contract.name, tool.name, profile.name());
            }
        }
    }
}

/// The rules see what the projection mends: otherwise the test above could not fail.
#[test]
fn the_rules_find_what_clients_refuse() {
    let definition = |name: &str, input: Value| json!({"name": name, "inputSchema": input});
    let of = |profile, name: &str, input: Value| -> Vec<String> {
        let found = profile::violations(profile, "demo", &definition(name, input));
        found.iter().map(|one| format!("{} {}", one.rule.summary(), one.pointer)).collect()
    };
    let object = || json!({"type": "object"});
    assert_eq!(of(Profile::Canonical, "demo.get", object()), Vec::<String>::new());
    assert_eq!(of(Profile::Claude, "demo.get", object()), ["name /name"]);
    assert_eq!(of(Profile::Claude, &"x".repeat(54), object()), ["name /name"]);
    assert_eq!(of(Profile::Claude, &"x".repeat(53), object()), Vec::<String>::new());
    let root = json!({"type": "object", "anyOf": [{"type": "object"}]});
    assert_eq!(of(Profile::Openai, "get", root), ["root combinator /inputSchema"]);
    let bounded = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}});
    assert_eq!(
        of(Profile::Openai, "get", bounded.clone()),
        ["keywords /inputSchema/properties/n/minimum"]
    );
    assert_eq!(of(Profile::Gemini, "get", bounded), Vec::<String>::new());
    let nullable = json!({"type": "object", "properties": {"n": {"type": ["string", "null"]}}});
    assert_eq!(
        of(Profile::Claude, "get", nullable),
        ["list of types /inputSchema/properties/n/type"]
    );
    let numbers = json!({"type": "object", "properties": {"n": {"enum": [1, 2]}}});
    assert_eq!(
        of(Profile::Gemini, "get", numbers),
        ["choice of non-texts /inputSchema/properties/n/enum"]
    );
    let list = json!({"type": "object", "properties": {"n": {"type": "array"}}});
    assert_eq!(of(Profile::Gemini, "get", list), ["untyped value /inputSchema/properties/n"]);
}

#[test]
fn examples_and_their_mutations_that_fit_the_contract_fit_every_projection() {
    let mut random = Random::seeded();
    let mut accepted = 0;
    for contract in contracts() {
        for tool in &contract.tools {
            let canonical = schema::served_input(&contract, tool);
            let mut instances: Vec<Value> =
                tool.examples.iter().map(|example| example.input.clone()).collect();
            instances.push(schema::minimal_call(&contract, tool));
            instances.extend((0..40).map(|_| instance(&mut random, &canonical)));
            let mutated: Vec<Value> =
                instances.iter().map(|value| mutated(&mut random, value)).collect();
            instances.extend(mutated);
            accepted += widens(&canonical, &instances);
        }
    }
    assert!(accepted > 1000, "only {accepted} instances were worth trying");
}

#[test]
fn projections_of_any_schema_only_widen() {
    let mut random = Random::seeded();
    let mut accepted = 0;
    for _ in 0..1500 {
        let schema = object_schema(&mut random, 3);
        let mut instances: Vec<Value> = (0..12).map(|_| instance(&mut random, &schema)).collect();
        let mutated: Vec<Value> =
            instances.iter().map(|value| mutated(&mut random, value)).collect();
        instances.extend(mutated);
        accepted += widens(&schema, &instances);
    }
    assert!(accepted > 1000, "only {accepted} instances were worth trying");
}

/// Every instance that the schema accepts is accepted by all projections. Gives how many there were.
fn widens(schema: &Value, instances: &[Value]) -> usize {
    let canonical = validator(schema);
    let fitting: Vec<&Value> =
        instances.iter().filter(|instance| canonical.is_valid(instance)).collect();
    for profile in Profile::ALL {
        let projected = profile::project(profile, schema);
        let projection = validator(&projected);
        for instance in &fitting {
            assert!(
                projection.is_valid(instance),
                "{} refuses {instance}\nwhich fits {schema}\nprojected to {projected}",
                profile.name()
            );
        }
    }
    fitting.len()
}

/// A schema within the language of specs.
fn any_schema(random: &mut Random, depth: usize) -> Value {
    let mut schema = match random.below(if depth == 0 { 6 } else { 10 }) {
        0 => {
            json!({"type": "string", "minLength": random.below(3), "maxLength": 3 + random.below(9)})
        }
        1 => json!({"type": "string", "pattern": "^[a-c]*$", "format": "uri"}),
        2 => json!({"type": "integer", "minimum": -3, "maximum": random.below(9), "multipleOf": 1}),
        3 => json!({"type": "number", "exclusiveMinimum": -1, "exclusiveMaximum": random.below(9)}),
        4 => json!({"enum": random.pick(&[json!(["a", "b"]), json!([1, 2]), json!([true])])}),
        5 => json!({"const": random.pick(&[json!("a"), json!(1), json!(true)])}),
        6 => json!({"type": "array", "items": any_schema(random, depth - 1),
                    "minItems": random.below(2), "maxItems": 3, "uniqueItems": random.yes()}),
        7 => json!({"type": "object", "additionalProperties": any_schema(random, depth - 1),
                    "minProperties": random.below(2), "maxProperties": 3}),
        8 => json!({"oneOf": [tagged(random, "one", depth), tagged(random, "two", depth)]}),
        _ => object_schema(random, depth - 1),
    };
    if random.below(3) == 0 && schema["type"].is_string() {
        schema["type"] = json!([schema["type"], "null"]);
    } else if random.below(4) == 0 && schema.get("oneOf").is_none() {
        schema = json!({"anyOf": [schema, {"type": "null"}]});
    }
    if random.yes() {
        schema["description"] = json!("What it is");
    }
    schema
}

fn object_schema(random: &mut Random, depth: usize) -> Value {
    let names = ["a", "b", "c"];
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), any_schema(random, depth))).collect();
    let required: Vec<&str> = names.into_iter().filter(|_| random.yes()).collect();
    json!({"type": "object", "properties": properties, "required": required,
           "additionalProperties": random.yes()})
}

fn tagged(random: &mut Random, tag: &str, depth: usize) -> Value {
    let value = any_schema(random, depth.saturating_sub(1));
    json!({"type": "object", "additionalProperties": false, "required": ["kind"],
           "properties": {"kind": {"const": tag}, "value": value}})
}

/// A value that often fits.
fn instance(random: &mut Random, schema: &Value) -> Value {
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return random.pick(values).clone();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = schema[key].as_array() {
            let branch = random.pick(branches).clone();
            return instance(random, &branch);
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => random.pick(kinds).clone(),
        kind => kind.clone(),
    };
    match kind.as_str().unwrap_or("null") {
        "string" => json!(["", "a", "abc", "abcabcabc", "é"][random.below(5)]),
        "integer" => json!(random.below(12) as i64 - 3),
        "number" => json!(random.below(100) as f64 / 10.0 - 1.0),
        "boolean" => json!(random.yes()),
        "array" => (0..random.below(4)).map(|_| instance(random, &schema["items"])).collect(),
        "object" => {
            let mut members = Map::new();
            let required: Vec<String> =
                serde_json::from_value(schema["required"].clone()).unwrap_or_default();
            for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
                if required.contains(name) || random.yes() {
                    members.insert(name.clone(), instance(random, inner));
                }
            }
            if schema["additionalProperties"].is_object() && random.yes() {
                members
                    .insert("more".to_owned(), instance(random, &schema["additionalProperties"]));
            }
            Value::Object(members)
        }
        _ => Value::Null,
    }
}

/// The value with something in it replaced, added or taken away.
fn mutated(random: &mut Random, value: &Value) -> Value {
    let junk = [json!(null), json!(""), json!(-1), json!(1e9), json!([]), json!({}), json!(true)];
    match value {
        Value::Object(members) if !members.is_empty() => {
            let mut members = members.clone();
            let names: Vec<String> = members.keys().cloned().collect();
            let name = random.pick(&names).clone();
            match random.below(3) {
                0 => drop(members.remove(&name)),
                1 => drop(members.insert("zzz".to_owned(), random.pick(&junk).clone())),
                _ => {
                    let inner = mutated(random, &members[&name]);
                    members.insert(name, inner);
                }
            }
            Value::Object(members)
        }
        Value::Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            let at = random.below(items.len());
            items[at] = mutated(random, &items[at]);
            Value::Array(items)
        }
        _ => random.pick(&junk).clone(),
    }
}
