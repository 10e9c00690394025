//! The supported subset of JSON Schema: it becomes Rust without loss, and every client accepts it.
//!
//! Checks one schema node at a time, without following `$ref`s except in unions. The emitter can
//! translate whatever passes; every rejection names an alternative.

use super::union;
use crate::diagnostics::{Findings, Place, code};
use crate::names;
use crate::parse::{Entry, Kind, Node};
use crate::resolve::{Draft, def_name, unquoted};

/// Keywords for readers only.
pub(super) const ANNOTATIONS: [&str; 4] = ["title", "description", "default", "deprecated"];
const COMBINED: [&str; 5] = ["$ref", "anyOf", "oneOf", "const", "enum"];
const STRING: [&str; 4] = ["minLength", "maxLength", "pattern", "format"];
const INTEGER: [&str; 3] = ["minimum", "maximum", "multipleOf"];
const NUMBER: [&str; 5] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const ARRAY: [&str; 4] = ["items", "minItems", "maxItems", "uniqueItems"];
const OBJECT: [&str; 5] =
    ["properties", "required", "additionalProperties", "minProperties", "maxProperties"];
const KNOWN: [&[&str]; 7] = [&ANNOTATIONS, &COMBINED, &["type"], &STRING, &NUMBER, &ARRAY, &OBJECT];
/// Keywords that no input may have at its root.
pub(super) const ROOT_COMBINATORS: [&str; 3] = ["oneOf", "anyOf", "allOf"];
pub(super) const TYPES: [&str; 7] =
    ["string", "integer", "number", "boolean", "array", "object", "null"];
pub(super) const FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"];

/// Longest description of a property, in characters.
const PROPERTY_TEXT: usize = 500;

/// A walk over one root schema.
pub(super) struct Walk<'w, 'a> {
    pub(super) draft: &'w Draft<'a>,
    pub(super) out: &'w mut Findings,
    pub(super) strictness: Strictness,
}

/// Additional requirements for a schema.
#[derive(Clone, Copy)]
pub(super) struct Strictness {
    /// Clients send it: every value needs a type that their APIs know.
    pub(super) strict: bool,
    /// Every property has a description.
    pub(super) described: bool,
}

impl Strictness {
    /// For schemas whose values come from the server.
    pub(super) const SERVER: Self = Self { strict: false, described: true };
}

impl Walk<'_, '_> {
    /// Checks a schema and everything in it. `at` is the key that holds it.
    pub(super) fn schema(&mut self, node: &Node, at: Place) {
        if !matches!(node.kind, Kind::Map(_)) {
            self.out
                .add(
                    code::BAD_CONSTRUCT,
                    at,
                    format!("a schema must be a map, not {}", node.describe()),
                )
                .help("such as `{type: string, description: …}`");
            return;
        }
        for entry in node.entries() {
            self.keyword(entry);
        }
        if let Some(entry) = node.entry("$ref") {
            self.only(node, &["$ref"], entry.place, "a `$ref`");
        } else if let Some(entry) = node.entry("anyOf") {
            self.only(node, &["anyOf"], entry.place, "`anyOf`");
            self.nullable(entry);
        } else if let Some(entry) = node.entry("oneOf") {
            self.only(node, &["oneOf"], entry.place, "`oneOf`");
            union::check(entry, self.draft, self.out);
        } else if let Some(entry) = node.entry("const") {
            self.only(node, &["const", "type"], entry.place, "`const`");
            self.constant(entry);
        } else if let Some(entry) = node.entry("enum") {
            self.only(node, &["enum", "type"], entry.place, "`enum`");
            self.choices(node, entry);
        } else {
            self.typed(node, at);
        }
        self.inside(node);
    }

    /// The same for the root of an input whose combinators were refused already.
    pub(super) fn without_combinators(&mut self, node: &Node, at: Place) {
        for entry in node.entries().iter().filter(|entry| !ROOT_COMBINATORS.contains(&&*entry.key))
        {
            self.keyword(entry);
        }
        self.typed(node, at);
        self.members(node);
    }

    /// Goes on to the schemas inside.
    fn inside(&mut self, node: &Node) {
        self.members(node);
        for key in ["oneOf", "anyOf"] {
            for branch in node.get(key).map(Node::elements).unwrap_or_default() {
                if !is_null(branch) {
                    self.schema(branch, branch.place);
                }
            }
        }
    }

    fn members(&mut self, node: &Node) {
        for entry in node.get("properties").map(Node::entries).unwrap_or_default() {
            self.property(entry);
            self.schema(&entry.value, entry.place);
        }
        if let Some(entry) = node.entry("items") {
            self.schema(&entry.value, entry.place);
        }
        if let Some(entry) = node.entry("additionalProperties")
            && !matches!(entry.value.kind, Kind::Bool(_))
        {
            self.schema(&entry.value, entry.place);
        }
    }

    fn keyword(&mut self, entry: &Entry) {
        let key = entry.key.as_str();
        if is_known(key) {
            return;
        }
        let known = KNOWN.concat();
        let help = instead(key)
            .map(str::to_owned)
            .or_else(|| unquoted(entry))
            .unwrap_or_else(|| names::suggest(key, known.iter().copied()));
        self.out
            .add(code::BAD_KEYWORD, entry.place, format!("unsupported keyword `{key}`"))
            .label("not in the supported subset")
            .help(help);
    }

    /// Some keywords allow only annotations beside them.
    fn only(&mut self, node: &Node, allowed: &[&str], at: Place, what: &str) {
        for entry in node.entries() {
            let key = entry.key.as_str();
            if is_known(key) && !allowed.contains(&key) && !ANNOTATIONS.contains(&key) {
                self.out
                    .add(
                        code::BAD_CONSTRUCT,
                        entry.place,
                        format!("`{key}` cannot be combined with {what}"),
                    )
                    .label("not allowed here")
                    .also(at, "because of this")
                    .help(format!("remove `{key}`"));
            }
        }
    }

    /// `anyOf: [X, {type: "null"}]` is the only use of `anyOf`.
    fn nullable(&mut self, entry: &Entry) {
        let branches = entry.value.elements();
        let nulls = branches.iter().filter(|branch| is_null(branch)).count();
        if branches.len() != 2 || nulls != 1 {
            self.out
                .add(
                    code::BAD_CONSTRUCT,
                    entry.place,
                    "`anyOf` is only supported for values that may be null",
                )
                .label("not of the form `[X, {type: \"null\"}]`")
                .help("for alternatives use `oneOf` of objects with a tag, or separate arguments");
        }
    }

    fn constant(&mut self, entry: &Entry) {
        let fits = match &entry.value.kind {
            Kind::Bool(_) | Kind::Text(_) => true,
            Kind::Number(number) => number.is_i64() || number.is_u64(),
            _ => false,
        };
        if !fits {
            let message = format!("`const` cannot be {}", entry.value.describe());
            self.out
                .add(code::BAD_CONSTRUCT, entry.focus(), message)
                .label("must be a string, an integer, `true` or `false`");
        }
    }

    fn choices(&mut self, node: &Node, entry: &Entry) {
        let list = entry.value.elements();
        let texts: Vec<&str> = list.iter().filter_map(Node::text).collect();
        let whole = list.iter().all(
            |item| matches!(&item.kind, Kind::Number(number) if number.is_i64() || number.is_u64()),
        );
        let kind = node.text_of("type");
        let fits = match kind {
            Some("string") => texts.len() == list.len(),
            Some("integer") => whole,
            _ => false,
        };
        if list.is_empty() || !fits {
            self.out
                .add(code::BAD_ENUM, entry.place, "an `enum` must be all strings or all integers")
                .label("with `type: string` or `type: integer` beside it")
                .help("for a value that may be null write `anyOf: [{…}, {type: \"null\"}]`");
            return;
        }
        let mut seen: Vec<(String, &str)> = Vec::new();
        for item in list {
            let Some(text) = item.text() else { continue };
            let variant = names::rust_type(text);
            if variant.is_empty() {
                self.out
                    .add(
                        code::BAD_ENUM,
                        item.place,
                        format!("\"{text}\" has no letter and no digit"),
                    )
                    .label("cannot become a variant name");
            } else if let Some((_, first)) = seen.iter().find(|(known, _)| *known == variant) {
                let message = format!("\"{first}\" and \"{text}\" both become `{variant}` in Rust");
                self.out.add(code::BAD_ENUM, item.place, message).label("same Rust name");
            }
            seen.push((variant, text));
        }
    }

    fn typed(&mut self, node: &Node, at: Place) {
        let Some(entry) = node.entry("type") else {
            if node.entries().iter().any(|entry| !is_known(&entry.key)) {
                // What was refused may have been meant as the type.
                return;
            }
            let constrained =
                node.entries().iter().find(|entry| !ANNOTATIONS.contains(&entry.key.as_str()));
            if let Some(entry) = constrained {
                self.out
                    .add(code::UNTYPED, entry.place, format!("`{}` without a `type`", entry.key))
                    .label("needs a type")
                    .help("add `type`");
            } else if self.strictness.strict {
                self.out
                    .add(code::UNTYPED, at, "an argument must have a `type`")
                    .label("any value would be accepted")
                    .help(
                        "some clients reject the whole tool; for free-form data use `type: object`",
                    );
            }
            return;
        };
        let Some(kind) = self.kind(entry) else {
            self.object(node);
            return;
        };
        let allowed: &[&str] = match kind {
            "string" => &STRING,
            "integer" => &INTEGER,
            "number" => &NUMBER,
            "array" => &ARRAY,
            "object" => &OBJECT,
            _ => &[],
        };
        for entry in node.entries() {
            let key = entry.key.as_str();
            let refused = !is_known(key) || COMBINED.contains(&key);
            if key == "type" || ANNOTATIONS.contains(&key) || allowed.contains(&key) || refused {
                continue;
            }
            let finding = self.out.add(
                code::BAD_CONSTRUCT,
                entry.place,
                format!("`{key}` does not apply to {kind}s"),
            );
            finding.label(format!("this schema is for {kind}s"));
            if kind == "integer" && key.starts_with("exclusive") {
                finding.help("use `minimum` or `maximum` with the next integer");
            }
        }
        match kind {
            "string" => self.text(node),
            "array" if node.entry("items").is_none() => {
                self.out
                    .add(code::UNTYPED, entry.place, "an array must have `items`")
                    .label("without `items`")
                    .help("some clients reject the whole tool without it");
            }
            "object" => self.object(node),
            _ => {}
        }
        self.default(node, kind);
    }

    /// The one type that is meant, null aside.
    fn kind<'n>(&mut self, entry: &'n Entry) -> Option<&'n str> {
        let known = |name: &&str| TYPES.contains(name);
        let kind = match &entry.value.kind {
            Kind::Text(name) => Some(name.as_str()),
            Kind::List(list) => match list.as_slice() {
                [one, null] if null.text() == Some("null") => one.text().filter(|n| *n != "null"),
                _ => None,
            },
            _ => None,
        };
        match kind.filter(known) {
            Some("null") => {
                self.out
                    .add(code::BAD_CONSTRUCT, entry.focus(), "a value that can only be null")
                    .help("remove the property, or allow another type");
                None
            }
            Some(kind) => Some(kind),
            None if kind.is_some() => {
                let word = kind.unwrap_or_default();
                self.out
                    .add(code::BAD_SCHEMA, entry.focus(), format!("unknown type `{word}`"))
                    .help(names::suggest(word, TYPES));
                None
            }
            None => {
                self.out
                    .add(code::BAD_CONSTRUCT, entry.focus(), "a schema must have one type")
                    .label("neither a type nor `[type, \"null\"]`")
                    .help("quote \"null\"; for alternatives use `oneOf` of objects with a tag");
                None
            }
        }
    }

    fn text(&mut self, node: &Node) {
        if let Some(entry) = node.entry("format")
            && let Some(format) = entry.value.text()
            && !FORMATS.contains(&format)
        {
            self.out
                .add(code::BAD_FORMAT, entry.focus(), format!("format `{format}` is not portable"))
                .label("some clients do not know it")
                .help(format!("{}; or use `pattern`", names::suggest(format, FORMATS)));
        }
    }

    fn object(&mut self, node: &Node) {
        let Some(properties) = node.get("properties") else {
            return self.required(node, &[]);
        };
        if !matches!(properties.kind, Kind::Map(_)) {
            // Not a schema; nothing can be said of what is required.
            return;
        }
        let properties = properties.entries();
        let mut fields: Vec<(String, &Entry)> = Vec::new();
        for entry in properties {
            let field = names::rust_field(&entry.key);
            if let Some((_, first)) =
                fields.iter().find(|(known, first)| *known == field && first.key != entry.key)
            {
                let message =
                    format!("`{}` and `{}` both become `{field}` in Rust", first.key, entry.key);
                self.out
                    .add(code::SAME_FIELD, entry.place, message)
                    .label("same Rust field")
                    .also(first.place, "first here");
            }
            fields.push((field, entry));
        }
        self.required(node, properties);
    }

    fn required(&mut self, node: &Node, properties: &[Entry]) {
        for name in node.get("required").map(Node::elements).unwrap_or_default() {
            let Some(text) = name.text() else { continue };
            let Some(property) = properties.iter().find(|entry| entry.key == text) else {
                let known = properties.iter().map(|entry| entry.key.as_str());
                self.out
                    .add(code::BAD_CONSTRUCT, name.place, format!("unknown property `{text}`"))
                    .label("required, but not one of the properties")
                    .help(names::suggest(text, known));
                continue;
            };
            if let Some(default) = property.value.entry("default") {
                self.out
                    .add(
                        code::USELESS_DEFAULT,
                        default.place,
                        format!("the default of `{text}` has no effect"),
                    )
                    .label("this default")
                    .also(name.place, "because the property is required")
                    .help("remove one of the two");
            }
        }
    }

    fn default(&mut self, node: &Node, kind: &str) {
        let Some(entry) = node.entry("default") else { return };
        let unusable = match &entry.value.kind {
            Kind::Null => Some("remove the default: an absent value is null already"),
            Kind::Map(_) if kind == "object" && node.entry("properties").is_some() => {
                Some("give the inner properties their defaults instead")
            }
            _ => None,
        };
        if let Some(help) = unusable {
            self.out
                .add(code::BAD_DEFAULT, entry.place, "this default cannot become Rust")
                .help(help);
        }
    }

    fn is_resolved(&self, node: &Node) -> bool {
        let name = node.text_of("$ref").and_then(def_name);
        name.is_some_and(|name| self.draft.types.contains_key(name))
    }

    fn property(&mut self, entry: &Entry) {
        if !names::is_portable_property(&entry.key) {
            self.out
                .add(
                    code::BAD_PROPERTY,
                    entry.place,
                    format!("property name `{}` is not portable", entry.key),
                )
                .label("some clients reject it")
                .help("use up to 64 letters, digits, `_`, `.` and `-`");
        }
        let shared = entry.value.text_of("$ref").and_then(def_name).and_then(|name| {
            self.draft.types.get(name).and_then(|shared| shared.value.text_of("description"))
        });
        let own = entry.value.text_of("description");
        // The tag of a union says by itself what it is.
        let tag = entry.value.text_of("const").is_some();
        // What a type says that cannot be found, nobody knows.
        let lost = entry.value.entry("$ref").is_some() && !self.is_resolved(&entry.value);
        let silent = own.or(shared).is_none_or(|text| text.trim().is_empty());
        if silent && !lost && !tag && self.strictness.described {
            self.out
                .add(code::UNDESCRIBED, entry.place, format!("`{}` has no description", entry.key))
                .label("the model would have only the name")
                .help("add `description`");
        }
        if let Some(text) = own {
            let length = text.chars().count();
            if length > PROPERTY_TEXT {
                let message = format!("the description of `{}` has {length} characters", entry.key);
                self.out
                    .add(code::LONG_TEXT, entry.value.locate("/description"), message)
                    .label(format!("more than {PROPERTY_TEXT}"));
            }
        }
    }
}

/// Whether a keyword is in the subset at all.
fn is_known(key: &str) -> bool {
    KNOWN.iter().any(|group| group.contains(&key))
}

/// `{type: "null"}`
fn is_null(node: &Node) -> bool {
    node.text_of("type") == Some("null") && node.entries().len() == 1
}

/// How to say it without the keyword.
fn instead(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "allOf" => "list the properties in one object, or share them through `types.yaml`",
        "not" | "if" | "then" | "else" | "dependentRequired" | "dependentSchemas"
        | "dependencies" => "use `constraints` of the tool, or reject the call in the handler",
        "patternProperties" | "propertyNames" => {
            "use `additionalProperties: {…}` for arbitrary keys"
        }
        "prefixItems" | "additionalItems" | "contains" | "minContains" | "maxContains"
        | "unevaluatedItems" => "use an object with named properties, or an array of one type",
        "unevaluatedProperties" => "use `additionalProperties: false`",
        "$schema" | "$id" | "$anchor" | "$vocabulary" | "$dynamicRef" | "$dynamicAnchor" => {
            "remove it: schemas are always JSON Schema 2020-12, without identifiers"
        }
        "$defs" | "definitions" => "put shared schemas under `$defs` of `types.yaml`",
        "$comment" => "use a YAML comment",
        "examples" | "example" => "put examples under the tool's `examples`",
        "nullable" => "write `type: [string, \"null\"]` or `anyOf: [{…}, {type: \"null\"}]`",
        "readOnly" | "writeOnly" => "remove it: inputs are only written and outputs only read",
        "contentEncoding" | "contentMediaType" | "contentSchema" => "put it into the description",
        _ => return None,
    })
}
