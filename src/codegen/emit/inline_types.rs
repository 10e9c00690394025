//! Extracts inline types from schemas, so that typify can translate them: every type that needs a Rust
//! name becomes a definition, and keywords that only `decode` enforces are dropped.
//!
//! Names are chosen here, because typify treats two types with the same name as one. The result is
//! flat: structs, string enums and unions of scalars, lists, maps, options or references.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::EmitError;
use super::names::{self, Names};
use super::schemas::{
    self, any_of, described, filled, is_null, object, strings, tag_of, without_null,
};
use crate::diagnostics::Span;
use crate::model::Contract;

/// Where the types of a definition are printed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// `types.yaml`.
    Shared,
    /// A guard of the surface, by name.
    Guard(String),
    /// The arguments of a tool, by index.
    Request(usize),
    /// The answer of a tool, by index.
    Response(usize),
}

/// A future Rust type.
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    /// Name of the type.
    pub(crate) name: String,
    /// Flat schema; an alias' schema has no name of its own.
    pub(crate) schema: Value,
    /// `pub type Name = …;` instead of a type.
    pub(crate) alias: bool,
    /// Where it is printed.
    pub(crate) group: Group,
    /// Where it comes from.
    pub(crate) span: Span,
}

impl Definition {
    /// It can be part of an answer.
    pub(crate) fn is_answered(&self) -> bool {
        matches!(self.group, Group::Shared | Group::Response(_))
    }
}

/// Collects the definitions of a contract.
pub(crate) struct InlineTypes<'a> {
    contract: &'a Contract,
    names: &'a mut Names,
    definitions: Vec<Definition>,
    /// Shared types without a Rust type of their own; they are inlined where they are used.
    inlined: BTreeMap<String, Value>,
    group: Group,
    span: Span,
}

type Extracted = Result<Value, EmitError>;

impl<'a> InlineTypes<'a> {
    /// Starts with nothing.
    pub(crate) fn new(contract: &'a Contract, names: &'a mut Names) -> Self {
        Self {
            contract,
            names,
            definitions: Vec::new(),
            inlined: BTreeMap::new(),
            group: Group::Shared,
            span: Span::default(),
        }
    }

    /// What was collected, in the order of printing.
    pub(crate) fn finish(self) -> Vec<Definition> {
        self.definitions
    }

    /// Adds a root type under a name. `what` says in messages what it is.
    pub(crate) fn root(
        &mut self,
        group: Group,
        name: &str,
        what: &str,
        schema: &Value,
        span: &Span,
    ) -> Result<(), EmitError> {
        self.group = group;
        self.span = span.clone();
        if !names::keeps_its_name(name) {
            return Err(self.fault(format!(
                "{what} cannot be a Rust type; write letters and digits, starting with a capital, \
                 such as `{}`",
                names::type_name(name)
            )));
        }
        if self.is_named(schema) {
            self.extract(schema, name, what).map(|_| ())
        } else {
            self.names.claim(name, what, &self.span)?;
            let at = self.reserve(name, true);
            let schema = self.extract(schema, name, what)?;
            self.settle(at, schema.clone());
            if self.group == Group::Shared {
                self.inlined.insert(name.to_owned(), schema);
            }
            Ok(())
        }
    }

    /// The schema in a place where `name` would be the name of an inline type.
    fn extract(&mut self, schema: &Value, name: &str, what: &str) -> Extracted {
        let Some(keywords) = schema.as_object() else { return Ok(Value::Bool(true)) };
        if let Some(target) = schemas::target(keywords) {
            return Ok(self.reference(keywords, target));
        }
        if let Some(rest) = without_null(keywords) {
            let inner = self.extract(&Value::Object(rest), name, what)?;
            return Ok(match is_null(&inner) {
                true => described(inner, keywords),
                false => described(json!({"anyOf": [inner, {"type": "null"}]}), keywords),
            });
        }
        if let Some(branches) = any_of(keywords) {
            return match (branches, tag_of(self.contract, branches)) {
                ([only], _) => Ok(described(self.extract(only, name, what)?, keywords)),
                (_, Some((tag, variants))) => self.union(keywords, &tag, variants, name, what),
                (_, None) => self.untagged(keywords, branches, name, what),
            };
        }
        if let Some(values) = strings(keywords) {
            return self.string_enum(keywords, &values, name, what);
        }
        let simple = match schemas::kind(keywords) {
            Some("object") => return self.object(keywords, name, what),
            Some("array") => {
                let items = keywords.get("items").unwrap_or(&Value::Bool(true));
                let items = self.extract(items, &format!("{name}Item"), what)?;
                json!({"type": "array", "items": items})
            }
            Some("string") => json!({"type": "string"}),
            Some("integer") if schemas::is_unsigned(keywords) => {
                json!({"type": "integer", "format": "uint64", "minimum": 0})
            }
            Some("integer") => json!({"type": "integer", "format": "int64"}),
            Some("number") => json!({"type": "number", "format": "double"}),
            Some("boolean") => json!({"type": "boolean"}),
            Some("null") => json!({"type": "null"}),
            _ => json!({}),
        };
        Ok(described(simple, keywords))
    }

    fn reference(&self, keywords: &Map<String, Value>, target: &str) -> Value {
        match self.inlined.get(target) {
            Some(schema) => described(schema.clone(), keywords),
            None => described(json!({"$ref": format!("#/$defs/{target}")}), keywords),
        }
    }

    fn object(&mut self, keywords: &Map<String, Value>, name: &str, what: &str) -> Extracted {
        if !schemas::is_struct(keywords) {
            let values = keywords.get("additionalProperties").unwrap_or(&Value::Bool(true));
            let values = self.extract(values, &format!("{name}Value"), what)?;
            return Ok(described(
                json!({"type": "object", "additionalProperties": values}),
                keywords,
            ));
        }
        self.names.claim(name, what, &self.span)?;
        let at = self.reserve(name, false);
        let schema = self.structure(keywords, name, what, None)?;
        self.settle(at, described(schema, keywords));
        Ok(described(json!({"$ref": format!("#/$defs/{name}")}), keywords))
    }

    /// Properties of a struct or, with a tag, of a variant.
    fn structure(
        &mut self,
        keywords: &Map<String, Value>,
        name: &str,
        what: &str,
        tag: Option<&str>,
    ) -> Extracted {
        let mut fields: BTreeMap<String, &str> = BTreeMap::new();
        let mut properties = Map::new();
        for (property, schema) in object(keywords.get("properties")) {
            if let Some(other) = fields.insert(names::field_name(property), property) {
                return Err(self.fault(format!(
                    "the properties `{other}` and `{property}` of {what} would be the same Rust \
                     field; rename one"
                )));
            }
            let extracted = if tag == Some(property) {
                schema.clone()
            } else {
                let inner = format!("{name}{}", names::type_name(property));
                let what = format!("`{property}` of {what}");
                let extracted = self.extract(schema, &inner, &what)?;
                self.with_default(extracted, schema)
            };
            properties.insert(property.clone(), extracted);
        }
        let mut flat = json!({
            "type": "object",
            "properties": properties,
            "required": keywords.get("required").cloned().unwrap_or_else(|| json!([])),
        });
        match keywords.get("additionalProperties") {
            Some(Value::Bool(false)) => flat["additionalProperties"] = Value::Bool(false),
            Some(extra @ Value::Object(_)) if tag.is_none() => {
                let extra = self.extract(extra, &format!("{name}Extra"), what)?;
                flat["additionalProperties"] = extra;
            }
            _ => {}
        }
        Ok(flat)
    }

    /// Keeps a property's default, completed by the defaults inside of it.
    fn with_default(&self, mut extracted: Value, schema: &Value) -> Value {
        let default = schema.get("default").map(|value| filled(self.contract, schema, value));
        if let (Some(keywords), Some(default)) = (extracted.as_object_mut(), default)
            && !default.is_null()
        {
            keywords.insert("default".to_owned(), default);
        }
        extracted
    }

    fn string_enum(
        &mut self,
        keywords: &Map<String, Value>,
        values: &[&str],
        name: &str,
        what: &str,
    ) -> Extracted {
        let mut variants: BTreeMap<String, &str> = BTreeMap::new();
        for value in values {
            if let Some(other) = variants.insert(names::type_name(value), value) {
                return Err(self.fault(format!(
                    "the values `{other}` and `{value}` of {what} would be the same Rust variant; \
                     rename one"
                )));
            }
        }
        self.names.claim(name, what, &self.span)?;
        let at = self.reserve(name, false);
        self.settle(at, described(json!({"type": "string", "enum": values}), keywords));
        Ok(described(json!({"$ref": format!("#/$defs/{name}")}), keywords))
    }

    fn union(
        &mut self,
        keywords: &Map<String, Value>,
        tag: &str,
        variants: Vec<(String, Map<String, Value>)>,
        name: &str,
        what: &str,
    ) -> Extracted {
        self.names.claim(name, what, &self.span)?;
        let at = self.reserve(name, false);
        let closed = Some(&Value::Bool(false));
        let closed = variants.iter().all(|(_, one)| one.get("additionalProperties") == closed);
        let mut flat = Vec::new();
        for (value, branch) in variants {
            let inner = format!("{name}{}", names::type_name(&value));
            let mut variant = self.structure(&branch, &inner, what, Some(tag))?;
            variant["properties"][tag] = json!({"type": "string", "enum": [value]});
            // serde closes an enum as a whole or not at all.
            if !closed && let Some(variant) = variant.as_object_mut() {
                variant.remove("additionalProperties");
            }
            flat.push(described(variant, &branch));
        }
        self.settle(at, described(json!({"oneOf": flat}), keywords));
        Ok(described(json!({"$ref": format!("#/$defs/{name}")}), keywords))
    }

    /// Types without a tag: each has a required property of its own, so serde tells them apart.
    fn untagged(
        &mut self,
        keywords: &Map<String, Value>,
        branches: &[Value],
        name: &str,
        what: &str,
    ) -> Extracted {
        let types: Option<Vec<&str>> =
            branches.iter().map(|branch| schemas::target(branch.as_object()?)).collect();
        // Other alternatives have no good Rust type; `decode` has checked the value.
        let Some(types) = types else { return Ok(described(json!({}), keywords)) };
        self.names.claim(name, what, &self.span)?;
        let at = self.reserve(name, false);
        let types: Vec<Value> =
            types.iter().map(|name| json!({"$ref": format!("#/$defs/{name}")})).collect();
        self.settle(at, described(json!({"oneOf": types}), keywords));
        Ok(described(json!({"$ref": format!("#/$defs/{name}")}), keywords))
    }

    /// A schema that becomes a Rust type of its own rather than a scalar, list, map or option.
    fn is_named(&self, schema: &Value) -> bool {
        let Some(keywords) = schema.as_object() else { return false };
        if schemas::target(keywords).is_some() || without_null(keywords).is_some() {
            return false;
        }
        match any_of(keywords) {
            Some([only]) => self.is_named(only),
            Some(branches) => {
                tag_of(self.contract, branches).is_some()
                    || branches.iter().all(|branch| {
                        branch.as_object().is_some_and(|branch| schemas::target(branch).is_some())
                    })
            }
            None => strings(keywords).is_some() || schemas::is_struct(keywords),
        }
    }

    fn reserve(&mut self, name: &str, alias: bool) -> usize {
        self.definitions.push(Definition {
            name: name.to_owned(),
            schema: Value::Bool(true),
            alias,
            group: self.group.clone(),
            span: self.span.clone(),
        });
        self.definitions.len() - 1
    }

    fn settle(&mut self, at: usize, schema: Value) {
        if let Some(definition) = self.definitions.get_mut(at) {
            definition.schema = schema;
        }
    }

    fn fault(&self, message: String) -> EmitError {
        EmitError::new(&self.span, message)
    }
}
