//! What a family of clients demands of a definition, rule by rule.
//!
//! The rules are those that providers state or that their endpoints enforce, as of August 2026. A
//! refused definition often hides every tool of the server, so each rule is worth a table cell.

use serde_json::{Map, Value};

use super::Profile;
use super::project::BOUNDS;

/// A demand of a family of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Letters, digits, `_` and `-` only; at most 64 with the host's prefix.
    Name,
    /// The root is an object without combinators.
    Root,
    /// A keyword that is refused or silently ignored.
    Keyword,
    /// One type a schema, no list of types.
    OneType,
    /// A choice is among texts.
    TextChoices,
    /// Arrays say what is in them, and every value has a type.
    Typed,
    /// The description has at most 1,024 characters.
    Description,
}

impl Rule {
    /// In a few words.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Root => "root combinator",
            Self::Keyword => "keywords",
            Self::OneType => "list of types",
            Self::TextChoices => "choice of non-texts",
            Self::Typed => "untyped value",
            Self::Description => "long description",
        }
    }
}

/// Where a definition breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// JSON pointer into the definition.
    pub pointer: String,
}

/// Longest name of a tool, including the prefix of hosts.
const NAME: usize = 64;
const DESCRIPTION: usize = 1024;

/// Everything in a definition that this family of clients refuses or ignores, in the order of the
/// document. `surface` is part of the prefix that hosts give to names.
pub fn violations(profile: Profile, surface: &str, definition: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut add = |rule, pointer: &str| {
        found.push(Violation { rule, pointer: pointer.to_owned() });
    };
    let name = definition["name"].as_str().unwrap_or_default();
    if !is_name(profile, surface, name) {
        add(Rule::Name, "/name");
    }
    if definition["description"].as_str().is_some_and(|text| text.chars().count() > DESCRIPTION) {
        add(Rule::Description, "/description");
    }
    let input = &definition["inputSchema"];
    let combined = ["anyOf", "oneOf", "allOf", "not"].iter().any(|key| input.get(key).is_some());
    if combined || input["type"] != "object" {
        add(Rule::Root, "/inputSchema");
    }
    if !matches!(profile, Profile::Canonical | Profile::Portable) {
        schema(profile, input, "/inputSchema", &mut add);
    }
    found
}

fn is_name(profile: Profile, surface: &str, name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match profile {
        // The protocol's own rule.
        Profile::Canonical => {
            (1..=128).contains(&name.len()) && name.chars().all(|c| plain(c) || c == '.')
        }
        _ => {
            let prefix = "mcp__".len() + surface.len() + "__".len();
            !name.is_empty() && prefix + name.len() <= NAME && name.chars().all(plain)
        }
    }
}

fn schema(profile: Profile, node: &Value, at: &str, add: &mut impl FnMut(Rule, &str)) {
    let Value::Object(keywords) = node else { return };
    for key in keywords.keys() {
        if is_refused(profile, key) {
            add(Rule::Keyword, &format!("{at}/{key}"));
        }
    }
    if keywords.get("type").is_some_and(Value::is_array) {
        add(Rule::OneType, &format!("{at}/type"));
    }
    let choices = keywords.get("enum").and_then(Value::as_array);
    if profile == Profile::Gemini
        && choices.is_some_and(|values| values.iter().any(|value| !value.is_string()))
    {
        add(Rule::TextChoices, &format!("{at}/enum"));
    }
    if !is_typed(keywords) {
        add(Rule::Typed, at);
    }
    for (name, inner) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        schema(profile, inner, &format!("{at}/properties/{name}"), add);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = keywords.get(key) {
            schema(profile, inner, &format!("{at}/{key}"), add);
        }
    }
    for key in ["anyOf", "oneOf"] {
        let branches = keywords.get(key).and_then(Value::as_array).into_iter().flatten();
        for (index, inner) in branches.enumerate() {
            schema(profile, inner, &format!("{at}/{key}/{index}"), add);
        }
    }
}

fn is_refused(profile: Profile, key: &str) -> bool {
    const NOBODY: [&str; 8] =
        ["$ref", "$defs", "$schema", "allOf", "oneOf", "not", "const", "prefixItems"];
    let bound = BOUNDS.contains(&key);
    NOBODY.contains(&key)
        || match profile {
            Profile::Canonical | Profile::Portable => false,
            Profile::Openai => bound,
            Profile::Claude => bound && !matches!(key, "pattern" | "format"),
            Profile::Gemini => {
                matches!(key, "additionalProperties" | "default" | "deprecated")
                    || bound
                        && !matches!(
                            key,
                            "minimum" | "maximum" | "minItems" | "maxItems" | "format"
                        )
            }
        }
}

fn is_typed(keywords: &Map<String, Value>) -> bool {
    let has = |key: &str| keywords.contains_key(key);
    let items = keywords.get("type").is_none_or(|kind| kind != "array") || has("items");
    items && ["type", "anyOf", "oneOf", "enum", "const", "$ref"].iter().any(|key| has(key))
}
