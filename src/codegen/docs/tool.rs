//! The section of one tool: everything that its contract says.

use serde_json::{Map, Value};

use super::guards;
use super::page::{
    Block, Inline, Item, Row, Section, Table, Text, anchor, code, joined, none, text, value,
    yes_or_no,
};
use super::prose::{json, paragraphs, prose};
use super::schema_text;
use super::tables::{canonical, effects, error_link, tool_link};
use crate::model::{Constraint, Contract, Effects, Error, Example, Expect, Tool};
use crate::{names, profile, schema};

/// The section.
pub(super) fn section(contract: &Contract, tool: &Tool) -> Section {
    let name = canonical(contract, tool);
    let mut section = Section {
        anchor: Some(anchor("tool", &name)),
        title: vec![Inline::Code(name), Inline::Text(format!(" {}", tool.title))],
        item: Some(Item::Tool),
        ..Section::default()
    };
    section.blocks.extend(deprecation(contract, tool).map(Block::Paragraph));
    section.blocks.extend(paragraphs(&tool.description));
    section.blocks.push(Block::Facts(facts(contract, tool)));
    if !tool.guards.is_empty() {
        let steps = tool.guards.iter().map(|guard| guards::step(guard, contract)).collect();
        section.sections.push(Section::part("Guards, in this order", vec![Block::Steps(steps)]));
    }
    section.sections.push(Section::part("Arguments", arguments(contract, tool)));
    section.sections.push(Section::part("Returns", returns(contract, tool)));
    section.sections.push(Section::part("Errors", vec![Block::Table(errors(contract, tool))]));
    if !tool.examples.is_empty() {
        let examples = tool.examples.iter().map(|example| example_fold(contract, example));
        section.sections.push(Section::part("Examples", examples.collect()));
    }
    section
}

fn deprecation(contract: &Contract, tool: &Tool) -> Option<Text> {
    let deprecated = tool.deprecated.as_ref()?;
    let mut words = text(&format!("Deprecated since {}.", deprecated.since));
    if let Some(other) = &deprecated.replaced_by {
        words.extend([Inline::Text(" Call ".to_owned()), tool_link(contract, other)]);
        words.push(Inline::Text(" instead.".to_owned()));
    }
    if let Some(sunset) = &deprecated.sunset {
        words.push(Inline::Text(format!(" It will be removed on {sunset}.")));
    }
    Some(words)
}

fn facts(contract: &Contract, tool: &Tool) -> Vec<(&'static str, Text)> {
    let (tone, word) = effects(tool.effects);
    let hint = |name: &str, holds: bool| format!("{name}: {}", if holds { "yes" } else { "no" });
    let hints = [
        hint("read-only", tool.effects == Effects::Read),
        hint("destructive", tool.effects == Effects::Destructive),
        hint("idempotent", tool.idempotent),
        hint("open world", tool.open_world),
    ];
    let command: Vec<String> = tool
        .command
        .iter()
        .map(|word| word.strip_prefix('$').map_or_else(|| word.clone(), |name| format!("<{name}>")))
        .collect();
    let cost = profile::tokens(contract, tool);
    let mut facts = vec![
        ("Effects", vec![Inline::Badge(tone, word.to_owned())]),
        ("Hints", text(&hints.join(", "))),
        ("Command line", code(&format!("{} {}", contract.name, command.join(" ")))),
    ];
    let name = canonical(contract, tool);
    let portable = names::portable(&name);
    if portable != name {
        facts.push(("Without dots", code(&portable)));
    }
    facts.push(("Since", text(&tool.since)));
    let budget = tool.budget;
    let words = format!(
        "the definition takes about {cost} of {} tokens; an answer at most {}",
        budget.definition_tokens, budget.result_tokens
    );
    facts.push(("Tokens", text(&words)));
    if !contract.roles.is_empty() {
        let may = contract.roles.iter().filter(|(_, tools)| tools.contains(&tool.name));
        let may = joined(may.map(|(role, _)| code(role)), ", ");
        facts.push(("Roles", if may.is_empty() { none() } else { may }));
    }
    if let Some(why) = &tool.accept_weak_guard {
        facts.push(("Why this guard is enough", prose(why)));
    }
    if !tool.meta.is_empty() {
        facts.push(("Metadata", vec![value(&Value::Object(tool.meta.clone()))]));
    }
    facts
}

fn arguments(contract: &Contract, tool: &Tool) -> Vec<Block> {
    let served = schema::served_input(contract, tool);
    let also = |path: &str| {
        let aliases = tool.aliases.iter().filter(|(_, argument)| argument.as_str() == path);
        aliases.map(|(alias, _)| alias.clone()).collect()
    };
    let table = schema_text::arguments(&served, also);
    let mut blocks = Vec::new();
    if table.rows.is_empty() {
        blocks.push(Block::Paragraph(text("None.")));
    } else {
        blocks.push(Block::Table(table));
    }
    if !tool.constraints.is_empty() {
        blocks.push(Block::List(tool.constraints.iter().map(constraint).collect()));
        let words = [code("false"), text(" and "), code("null"), text(" count as absent.")];
        blocks.push(Block::Paragraph(words.concat()));
    }
    blocks.push(Block::Fold(
        text("Schema of the arguments"),
        vec![Block::Code("json", json(&served))],
    ));
    blocks
}

fn constraint(constraint: &Constraint) -> Text {
    let of = |words: &str, fields: &[String]| {
        [text(words), joined(fields.iter().map(|field| code(field)), ", "), text(".")].concat()
    };
    match constraint {
        Constraint::AtLeastOneOf(fields) => of("Give at least one of ", fields),
        Constraint::AtMostOneOf(fields) => of("Give at most one of ", fields),
        Constraint::ExactlyOneOf(fields) => of("Give exactly one of ", fields),
        Constraint::Requires { field, needs } => {
            [code(field), text(" needs "), code(needs), text(".")].concat()
        }
    }
}

fn returns(contract: &Contract, tool: &Tool) -> Vec<Block> {
    let schema = schema::inline(contract, &tool.output);
    let mut blocks = Vec::new();
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        blocks.extend(paragraphs(description));
    }
    let table = schema_text::answer(&schema);
    if table.rows.is_empty() {
        let kind = schema_text::kind(&schema);
        blocks.push(Block::Paragraph(text(&format!("Any {kind}."))));
    } else {
        let count = table.rows.len();
        let plural = if count == 1 { "" } else { "s" };
        blocks
            .push(Block::Fold(text(&format!("{count} field{plural}")), vec![Block::Table(table)]));
    }
    let served = schema::served_output(contract, tool);
    blocks.push(Block::Fold(
        text("Schema of the answer, including failures"),
        vec![Block::Code("json", json(&served))],
    ));
    blocks
}

fn errors(contract: &Contract, tool: &Tool) -> Table {
    let mut table = Table::new("Errors", &["code", "when", "retryable", "what to do"]);
    let known = tool.errors.iter().filter_map(|kind| Some((kind, contract.errors.get(kind)?)));
    let mut known: Vec<(&String, &Error)> = known.collect();
    known.sort_by_key(|(_, error)| &error.code);
    for (kind, error) in known {
        table.rows.push(Row::new(vec![
            error_link(contract, kind),
            prose(&error.when),
            yes_or_no(error.retryable),
            error.next.as_deref().map_or_else(none, prose),
        ]));
    }
    table
}

fn example_fold(contract: &Contract, example: &Example) -> Block {
    let mut summary = code(&example.name);
    if let Some(given) = &example.given {
        summary.extend([Inline::Text(", given ".to_owned()), Inline::Code(given.clone())]);
    }
    let mut blocks = vec![Block::Code("json", json(&example.input))];
    match &example.expect {
        Expect::Output(output) => {
            blocks.push(Block::Paragraph(text("Answer (excerpt):")));
            blocks.push(Block::Code("json", json(output)));
        }
        Expect::Error(kind) => {
            if let Some(error) = contract.errors.get(kind) {
                summary.push(Inline::Text(": ".to_owned()));
                summary.push(Inline::Code(error.code.clone()));
                let mut words = text("Fails with ");
                words.extend(error_link(contract, kind));
                words.push(Inline::Text(":".to_owned()));
                blocks.push(Block::Paragraph(words));
                let failure = filled(&contract.envelope.failure, error);
                blocks.push(Block::Code("json", json(&failure)));
            }
        }
    }
    Block::Fold(summary, blocks)
}

/// The failure's template with what the registry knows; the other words stay.
fn filled(template: &Value, error: &Error) -> Value {
    match template {
        Value::String(word) => match word.as_str() {
            "$error.code" => Value::from(error.code.as_str()),
            "$error.hint" => error.next.as_deref().map_or_else(|| template.clone(), Value::from),
            "$error.retryable" => Value::from(error.retryable),
            "$error.details" => Value::Object(error.details.clone()),
            _ => template.clone(),
        },
        Value::Array(list) => list.iter().map(|item| filled(item, error)).collect(),
        Value::Object(map) => {
            let mut members = Map::new();
            for (key, item) in map {
                if key == "$spread" {
                    members.extend(error.details.clone());
                } else {
                    members.insert(key.clone(), filled(item, error));
                }
            }
            Value::Object(members)
        }
        other => other.clone(),
    }
}
