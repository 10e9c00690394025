//! The contract of a new tool: small, complete, and valid.
//!
//! If all tools with the same effects share a guard, the new one gets it, too, with the arguments
//! that it is bound to.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use toolwright_codegen::model::{Contract, Effects, Expect, GuardUse, Strength, Tool};

/// The file's text. `first_line` is for editors.
pub(super) fn text(contract: &Contract, tool: &str, effects: Effects, first_line: &str) -> String {
    let shared = Shared::of(contract, effects);
    let changes = effects != Effects::Read;
    let refuses = refusal(contract);
    let invalid = &contract.builtin.invalid_arguments;

    let mut text = format!("{first_line}tool: {tool}\ntitle: {}\n", title(tool));
    text.push_str(
        "description: Returns its argument. Describe what the tool does, when to use it and what \
         it returns.\n",
    );
    let _ = writeln!(text, "effects: {}", json!(effects).as_str().unwrap_or("read"));
    if changes {
        text.push_str("idempotent: false\n");
    }
    text.push_str("open_world: false\ninput:\n  type: object\n  additionalProperties: false\n");
    let required: Vec<&str> = shared.required.iter().map(String::as_str).chain(["text"]).collect();
    let _ = writeln!(text, "  required: [{}]\n  properties:", required.join(", "));
    for (name, schema) in &shared.arguments {
        // The schema was resolved relative to surface.yaml; the tool file is in a subfolder.
        let schema = flow(schema).replace("\"#/$defs/", "\"../types.yaml#/$defs/");
        let _ = writeln!(text, "    {name}: {schema}");
    }
    text.push_str(
        "    text: {type: string, minLength: 1, maxLength: 200, description: The text.}\n",
    );
    if changes {
        text.push_str(
            "    confirm: {type: boolean, default: false, description: Must be true; otherwise \
             nothing changes.}\n",
        );
    }
    text.push_str(
        "output:\n  type: object\n  additionalProperties: false\n  required: [text]\n  \
         properties:\n    text: {type: string, description: The same text.}\n",
    );
    if changes {
        if refuses == invalid {
            text.push_str("# Better: declare confirm_required in surface.yaml and use it here.\n");
        }
        let _ = writeln!(text, "errors: [{refuses}]");
    }
    if changes || !shared.guards.is_empty() {
        text.push_str("guards:\n");
        for (name, bound) in &shared.guards {
            let _ = writeln!(text, "  - {name}: {bound}");
        }
    }
    if changes {
        let _ = writeln!(text, "  - confirm: {{field: confirm, refuses: {refuses}}}");
    }
    if effects == Effects::Destructive && shared.is_weak {
        text.push_str(
            "accept_weak_guard: nothing is removed yet; give a reason, or add a stronger guard\n",
        );
    }
    text.push_str("examples:\n");
    let mut example = |name: &str, word: &str, confirm: bool, expect: &str| {
        let mut input = shared.input.clone();
        input.insert("text".to_owned(), json!(word));
        if confirm {
            input.insert("confirm".to_owned(), json!(true));
        }
        let given = shared.given.as_ref().map(|state| format!(", given: {state}"));
        let given = given.unwrap_or_default();
        let input = flow(&Value::Object(input));
        let _ = writeln!(text, "  - {{name: {name}{given}, input: {input}, {expect}}}");
    };
    example("works", "hello", changes, "output: {text: hello}");
    if changes {
        example("not_confirmed", "hello", false, &format!("error: {refuses}"));
    }
    example("empty_text", "", changes, &format!("error: {invalid}"));
    text
}

/// The kind that unconfirmed calls of this surface are refused with. Without any, that of invalid
/// arguments serves until `surface.yaml` declares one.
fn refusal(contract: &Contract) -> &str {
    let mut used =
        contract.tools.iter().flat_map(|tool| &tool.guards).filter_map(|guard| match guard {
            GuardUse::Confirm { refuses, .. } => Some(refuses.as_str()),
            _ => None,
        });
    used.next().unwrap_or(&contract.builtin.invalid_arguments)
}

/// The guards of the surface that a new tool has.
pub(super) fn own_guards(contract: &Contract, effects: Effects) -> Vec<String> {
    let shared = Shared::of(contract, effects).guards.into_iter();
    shared.map(|(name, _)| name).filter(|name| contract.guards.contains_key(name)).collect()
}

/// What all tools of the same effects have in common.
struct Shared {
    /// Names, and what they are bound to as YAML.
    guards: Vec<(String, String)>,
    arguments: Map<String, Value>,
    required: Vec<String>,
    /// Values of these arguments in an example that works.
    input: Map<String, Value>,
    given: Option<String>,
    is_weak: bool,
}

impl Shared {
    fn of(contract: &Contract, effects: Effects) -> Self {
        let alike: Vec<&Tool> =
            contract.tools.iter().filter(|tool| tool.effects == effects).collect();
        // Without any of the same effects, what every tool has still holds.
        let alike = if alike.is_empty() { contract.tools.iter().collect() } else { alike };
        let mut shared = Self {
            guards: Vec::new(),
            arguments: Map::new(),
            required: Vec::new(),
            input: Map::new(),
            given: None,
            is_weak: true,
        };
        let Some(pattern) = alike.first() else { return shared };
        let works = pattern.examples.iter().find(|one| matches!(one.expect, Expect::Output(_)));
        shared.given = works.and_then(|example| example.given.clone());
        for guard in &pattern.guards {
            let everywhere = alike
                .iter()
                .all(|tool| tool.guards.iter().any(|other| other.name() == guard.name()));
            let Some(bound) = bound(guard).filter(|_| everywhere) else { continue };
            for name in arguments(&bound) {
                let schema = pattern.input.pointer(&format!("/properties/{name}"));
                shared.arguments.insert(name.clone(), schema.cloned().unwrap_or_default());
                let required = pattern.input["required"].as_array();
                if required.is_some_and(|list| list.contains(&json!(name))) {
                    shared.required.push(name.clone());
                }
                if let Some(value) = works.and_then(|example| example.input.get(&name)) {
                    shared.input.insert(name, value.clone());
                }
            }
            shared.is_weak &= guard.strength(contract) == Strength::ModelSatisfiable;
            shared.guards.push((guard.name().to_owned(), flow(&bound)));
        }
        // `text` is the new tool's own; it is bound all the same.
        shared.arguments.remove("text");
        shared.required.retain(|name| name != "text");
        shared
    }
}

/// What a guard is bound to; `None` for those that only one tool can have.
fn bound(guard: &GuardUse) -> Option<Value> {
    match guard {
        GuardUse::Own { bind, .. } => Some(Value::Object(bind.clone())),
        GuardUse::Role { tenant, user, unknown, forbidden, .. } => {
            let mut bound = json!({"unknown": unknown, "forbidden": forbidden});
            for (key, argument) in [("tenant", tenant), ("user", user)] {
                if let Some(argument) = argument {
                    bound[key] = json!(format!("${argument}"));
                }
            }
            Some(bound)
        }
        _ => None,
    }
}

/// Names of the arguments that a guard is bound to.
fn arguments(bound: &Value) -> Vec<String> {
    let members = bound.as_object().into_iter().flat_map(Map::values);
    members.filter_map(|value| Some(value.as_str()?.strip_prefix('$')?.to_owned())).collect()
}

/// YAML on one line: JSON with bare keys, and bare words where that is the same.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name}: {}", flow(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::String(word) if is_bare(word) => word.clone(),
        other => other.to_string(),
    }
}

/// A word that no YAML reader takes for anything else.
fn is_bare(word: &str) -> bool {
    let letters = word.strip_prefix('$').unwrap_or(word);
    letters.starts_with(|c: char| c.is_ascii_alphabetic())
        && letters.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&letters.to_lowercase().as_str())
}

/// `entity.upsert` for people: `Entity upsert`.
fn title(tool: &str) -> String {
    let words = tool.replace(['.', '_'], " ");
    let mut letters = words.trim().chars();
    letters.next().map_or(String::new(), |first| {
        format!("{}{}", first.to_ascii_uppercase(), letters.as_str())
    })
}
