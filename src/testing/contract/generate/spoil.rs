//! Breaks arguments that fit in exactly one place, and remembers where.

use serde_json::{Map, Value, json};
use toolwright_runtime::contract::{Constraint, ToolInfo};

use super::{Generator, ReferenceValidator, SMALL_LIST, Verdict, limit, strings, types};

/// Texts that are allowed to be longer are not made too long.
const LONG_TEXT: u64 = 20_000;

/// Arguments with one violation.
#[derive(Debug)]
pub(crate) struct Spoilt {
    pub arguments: Value,
    /// What is wrong.
    pub what: String,
    /// Where: the value itself, or the member that is missing or too much.
    pub pointer: String,
    pub verdict: Verdict,
}

/// One way to break the value at a place.
struct Breach {
    what: String,
    /// The member that is at fault, where it is not the value as a whole.
    member: Option<String>,
    value: Value,
}

impl Generator {
    /// Arguments that fitted before one of their places was broken.
    pub(crate) fn spoilt(&mut self, tool: &ToolInfo, validator: &ReferenceValidator) -> Spoilt {
        for _ in 0..100 {
            let valid = self.valid(tool, validator);
            let spoilt = match self.random.below(12) {
                0 => self.no_object(),
                1 => self.against_a_rule(tool, valid),
                _ => self.broken_somewhere(tool, validator, valid),
            };
            let Some(mut spoilt) = spoilt else { continue };
            spoilt.verdict = validator.verdict(&spoilt.arguments);
            if spoilt.verdict != Verdict::Fits {
                return spoilt;
            }
        }
        panic!("nothing that breaks {} was found in a hundred attempts", tool.canonical);
    }

    /// Null is left out: it means no arguments.
    fn no_object(&mut self) -> Option<Spoilt> {
        let others = [json!([]), json!([{}]), json!("{}"), json!(0), json!(true)];
        let arguments = self.random.pick(&others).clone();
        Some(spoilt(arguments, "arguments are no object".to_owned(), String::new()))
    }

    fn against_a_rule(&mut self, tool: &ToolInfo, mut arguments: Value) -> Option<Spoilt> {
        if tool.constraints.is_empty() {
            return None;
        }
        let constraint = self.random.pick(tool.constraints);
        let members = arguments.as_object_mut()?;
        let pointer = match constraint {
            Constraint::AtLeastOneOf(names) | Constraint::ExactlyOneOf(names) => {
                names.iter().for_each(|name| _ = members.remove(*name));
                String::new()
            }
            Constraint::Requires { needs, .. } => {
                members.remove(*needs);
                join("", needs)
            }
            Constraint::AtMostOneOf(_) => return None,
        };
        Some(spoilt(arguments, format!("{constraint:?}"), pointer))
    }

    fn broken_somewhere(
        &mut self,
        tool: &ToolInfo,
        validator: &ReferenceValidator,
        mut arguments: Value,
    ) -> Option<Spoilt> {
        let mut places = Vec::new();
        visit(tool.aliases, &validator.accepted, &arguments, String::new(), &mut places);
        let (pointer, schema) = self.random.pick(&places).clone();
        let place = arguments.pointer_mut(&pointer)?;
        let mut breaches = self.breaches(schema, place);
        // The root's own type is broken elsewhere.
        breaches.retain(|breach| !pointer.is_empty() || breach.member.is_some());
        if breaches.is_empty() {
            return None;
        }
        let Breach { what, member, value } =
            breaches.swap_remove(self.random.below(breaches.len()));
        *place = value;
        let pointer = member.map_or(pointer.clone(), |member| join(&pointer, &member));
        Some(spoilt(arguments, what, pointer))
    }

    /// Every way to break an answer in one place: what, where, and the broken answer. `chosen` finds the
    /// branch of a choice that a value fits.
    pub(crate) fn tampered<'s>(
        &mut self,
        schema: &'s Value,
        answer: &Value,
        chosen: &dyn Fn(&'s Value, &Value) -> Option<&'s Value>,
    ) -> Vec<(String, String, Value)> {
        let mut places = Vec::new();
        visit(&[], schema, answer, String::new(), &mut places);
        let mut index = 0;
        while let Some((pointer, schema)) = places.get(index).cloned() {
            if let Some((branch, value)) =
                answer.pointer(&pointer).and_then(|value| Some((chosen(schema, value)?, value)))
            {
                visit(&[], branch, value, pointer, &mut places);
            }
            index += 1;
        }
        let mut all = Vec::new();
        for (pointer, schema) in places {
            let Some(value) = answer.pointer(&pointer) else { continue };
            for Breach { what, member, value } in self.breaches(schema, value) {
                let mut tampered = answer.clone();
                tampered.pointer_mut(&pointer).into_iter().for_each(|place| *place = value.clone());
                let place = member.map_or(pointer.clone(), |member| join(&pointer, &member));
                all.push((what, place, tampered));
            }
        }
        all
    }

    /// Ways to break a value that fits. Some may turn out to fit all the same.
    fn breaches(&mut self, schema: &Value, value: &Value) -> Vec<Breach> {
        let mut all = Vec::new();
        let mut whole = |what: &str, value: Value| {
            all.push(Breach { what: what.to_owned(), member: None, value })
        };
        for (name, other) in [
            ("string", json!("text")),
            ("integer", json!(7)),
            ("number", json!(0.5)),
            ("boolean", json!(true)),
            ("object", json!({"a": 1})),
            ("array", json!([1])),
            ("null", Value::Null),
        ] {
            if !types(schema).contains(&name) {
                whole(&format!("{name} instead"), other);
            }
        }
        if schema.get("enum").is_some() || schema.get("const").is_some() {
            whole("outside the choice", json!("surely-no-choice"));
            whole("outside the choice", json!(value.as_str().map(|text| format!("{text} "))));
        }
        for (keyword, by) in [("minimum", -1.0), ("maximum", 1.0)] {
            if let Some(bound) = schema.get(keyword).and_then(Value::as_f64) {
                whole("out of range", json!(bound + by));
                whole("far out of range", json!(bound + by * 1e15));
            }
        }
        if let Some(text) = value.as_str() {
            if schema.get("pattern").is_some() {
                whole("against the pattern", json!(format!("{text}!")));
                whole("against the pattern", json!(format!("{text}\n")));
                whole("against the pattern", json!(text.to_uppercase()));
                whole("against the pattern", json!(""));
            }
            if let Some(length) = limit(schema, "minLength").filter(|length| *length > 0) {
                whole("too short", json!("é".repeat(length as usize - 1)));
            }
            if let Some(length) = limit(schema, "maxLength").filter(|length| *length < LONG_TEXT) {
                whole("too long", json!("é".repeat(length as usize + 1)));
            }
        }
        match value {
            Value::Array(items) => all.extend(self.of_list(schema, items)),
            Value::Object(members) => all.extend(self.of_object(schema, members)),
            _ => {}
        }
        all
    }

    fn of_list(&mut self, schema: &Value, items: &[Value]) -> Vec<Breach> {
        let whole = |what: &str, value| Breach { what: what.to_owned(), member: None, value };
        let mut all = Vec::new();
        if let Some(most) = limit(schema, "maxItems").filter(|most| *most < SMALL_LIST) {
            let item = items.first().cloned();
            let item = item.unwrap_or_else(|| self.value(&schema["items"]));
            all.push(whole("too many items", json!(vec![item; most as usize + 1])));
        }
        if let Some(least) = limit(schema, "minItems").filter(|least| *least > 0) {
            all.push(whole("too few items", json!(items[..least as usize - 1])));
        }
        all
    }

    fn of_object(&mut self, schema: &Value, members: &Map<String, Value>) -> Vec<Breach> {
        let mut all = Vec::new();
        for name in strings(schema.get("required")) {
            let mut without = members.clone();
            without.remove(name);
            let (what, member) = ("left out".to_owned(), Some(name.to_owned()));
            all.push(Breach { what, member, value: Value::Object(without) });
        }
        let mut with = |what: &str, value: Value| {
            let name = format!("no such {}", self.any_text(6));
            let mut more = members.clone();
            more.insert(name.clone(), value);
            let (what, member) = (what.to_owned(), Some(name));
            all.push(Breach { what, member, value: Value::Object(more) });
        };
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => with("one too many", json!(1)),
            Some(Value::Object(_)) => with("one that does not fit", json!([[]])),
            _ => {}
        }
        if limit(schema, "minProperties").is_some() {
            let (what, value) = ("empty".to_owned(), json!({}));
            all.push(Breach { what, member: None, value });
        }
        if let Some(most) = limit(schema, "maxProperties").filter(|most| *most < SMALL_LIST) {
            let value = self.value(schema.get("additionalProperties").unwrap_or(&Value::Null));
            let crowd = (0..=most).map(|number| (format!("m{number}"), value.clone()));
            let (what, value) = ("too many members".to_owned(), Value::Object(crowd.collect()));
            all.push(Breach { what, member: None, value });
        }
        all
    }
}

fn spoilt(arguments: Value, what: String, pointer: String) -> Spoilt {
    Spoilt { arguments, what, pointer, verdict: Verdict::Refused }
}

/// Every place of a value that a schema speaks of. A choice of schemas is one place.
fn visit<'s>(
    aliases: &[(&str, &str)],
    schema: &'s Value,
    value: &Value,
    pointer: String,
    places: &mut Vec<(String, &'s Value)>,
) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let own = aliases.iter().find(|(alias, _)| pointer.is_empty() && alias == name);
                let own = own.map_or(name.as_str(), |(_, own)| *own);
                let named = schema.get("properties").and_then(|all| all.get(own));
                let schema = named.or_else(|| schema.get("additionalProperties"));
                if let Some(schema) = schema.filter(|schema| schema.is_object()) {
                    visit(aliases, schema, member, join(&pointer, name), places);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if let Some(schema) = schema.get("items") {
                    visit(aliases, schema, item, join(&pointer, &index.to_string()), places);
                }
            }
        }
        _ => {}
    }
    places.push((pointer, schema));
}

/// The pointer of a member.
fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}
