//! `tools/<tool>.yaml`.

use serde_json::{Value, json};

use super::fields::text;
use super::refs::Refs;
use super::{Fields, ToolDraft, guards};
use crate::diagnostics::{Findings, Place, Span, code};
use crate::model::{
    Budget, Constraint, Contract, Deprecation, Effects, Example, Expect, GuardUse, Tool,
};
use crate::names;
use crate::parse::{Doc, Entry, Folder, Kind, Node};

/// Token limits where the spec names none.
const BUDGET: Budget = Budget { definition_tokens: 600, result_tokens: 4000 };

/// Reads all tools, sorted by name.
pub(super) fn read_all<'a>(
    folder: &'a Folder,
    contract: &Contract,
    refs: &mut Refs<'a>,
    out: &mut Findings,
) -> Vec<(Tool, ToolDraft<'a>)> {
    let mut tools: Vec<(Tool, ToolDraft<'a>)> = Vec::new();
    for doc in &folder.tools {
        let at = doc.root.entries().first().map_or(doc.root.place, |entry| entry.place);
        let Some(fields) = Fields::new(&doc.root, at, "a tool", out) else { continue };
        let (mut tool, draft) = read(fields, doc, contract, refs, out);
        tool.guards = guards_of(doc, folder, contract, out);
        tool.errors = kinds(&draft.listed, &tool.guards, contract);
        if let Some((_, first)) = tools.iter().find(|(other, _)| other.name == tool.name) {
            let message = format!("duplicate tool `{}`", tool.name);
            out.add(code::DUPLICATE_NAME, draft.place(), message)
                .label("again here")
                .also(first.place(), "first here")
                .help("rename one of them, both the file and `tool`");
            // Its own faults count all the same, under the name that its file has.
            tool.name = doc.stem().to_owned();
            if tools.iter().any(|(other, _)| other.name == tool.name) {
                continue;
            }
        }
        tools.push((tool, draft));
    }
    tools.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    tools
}

fn read<'a>(
    mut fields: Fields<'a>,
    doc: &'a Doc,
    contract: &Contract,
    refs: &mut Refs<'a>,
    out: &mut Findings,
) -> (Tool, ToolDraft<'a>) {
    let name = fields
        .need("tool")
        .and_then(|entry| {
            let name = text(entry, out)?;
            if name != doc.stem() {
                let message = format!("tool `{name}` is in file `{}`", doc.file_name());
                out.add(code::FILE_NAME, entry.focus(), message)
                    .label("differs from the file name")
                    .help(format!("write `tool: {}` or rename the file", doc.stem()));
            }
            Some(name)
        })
        .unwrap_or(doc.stem());

    let title = fields.need_text("title", out);
    let description = fields.need_text("description", out);
    fields.need("effects");
    let words = Effects::ALL.map(|effects| (effects.name(), effects));
    let effects = fields.choice("effects", &words, out).unwrap_or(Effects::Read);
    let idempotent = match effects {
        Effects::Read => fields.flag("idempotent", out).unwrap_or(true),
        _ => fields.need_flag("idempotent", out).unwrap_or(false),
    };
    let open_world = fields.need_flag("open_world", out).unwrap_or(true);

    let mut schema = |key: &'static str, fields: &mut Fields<'a>, out: &mut Findings| {
        let root = fields.need(key).and_then(|entry| refs.root(entry, doc, out));
        root.map(|(node, source)| {
            let own = std::ptr::eq(source, doc);
            // Faults of a borrowed schema are reported where it is written.
            let value = if own {
                refs.schema(node, source, out)
            } else {
                refs.schema(node, source, &mut Findings::default())
            };
            (node, own, value)
        })
    };
    let input = schema("input", &mut fields, out);
    let output = schema("output", &mut fields, out);

    let command = match fields.texts("command", out) {
        Some(words) => words.into_iter().map(|(word, _)| word.to_owned()).collect(),
        None => names::default_command(name),
    };
    let aliases = fields
        .map("aliases", out)
        .iter()
        .filter_map(|entry| Some((entry.key.clone(), text(entry, out)?.to_owned())))
        .collect();
    let (constraint_nodes, constraints) = fields
        .list("constraints", out)
        .iter()
        .filter_map(|node| Some((node, constraint(node, out)?)))
        .unzip();
    fields.need("examples");
    let (example_nodes, examples) = fields
        .list("examples", out)
        .iter()
        .filter_map(|node| Some((node, example(node, out)?)))
        .unzip();
    let listed: Vec<(String, Place)> = fields
        .texts("errors", out)
        .unwrap_or_default()
        .into_iter()
        .map(|(kind, place)| (kind.to_owned(), place))
        .collect();
    fields.list("guards", out);

    let tool = Tool {
        name: name.to_owned(),
        span: Span::default(),
        title,
        description,
        effects,
        idempotent,
        open_world,
        immediate: fields.flag("immediate", out).unwrap_or(false),
        listed: fields.flag("listed", out).unwrap_or(true),
        since: fields.text("since", out).unwrap_or(&contract.contract).to_owned(),
        deprecated: fields.entry("deprecated").and_then(|entry| deprecation(entry, out)),
        command,
        input: input.as_ref().map_or_else(|| json!({"type": "object"}), |(_, _, v)| v.clone()),
        output: output.as_ref().map_or_else(|| json!({"type": "object"}), |(_, _, v)| v.clone()),
        raw_output: fields.flag("raw_output", out).unwrap_or(false),
        raw: fields
            .texts("raw", out)
            .unwrap_or_default()
            .into_iter()
            .map(|(name, _)| name.to_owned())
            .collect(),
        aliases,
        constraints,
        errors: Vec::new(),
        guards: Vec::new(),
        budget: fields.entry("budget").map_or(BUDGET, |entry| budget(entry, out)),
        examples,
        accept_weak_guard: fields.text("accept_weak_guard", out).map(str::to_owned),
        accept_undescribed: fields.text("accept_undescribed", out).map(str::to_owned),
        meta: fields
            .map("meta", out)
            .iter()
            .map(|member| (member.key.clone(), member.value.to_value()))
            .collect(),
    };
    // Read by `icons`.
    fields.entry("icons");
    fields.finish(out);
    let draft = ToolDraft {
        doc,
        borrowed_input: input.as_ref().is_some_and(|(_, own, _)| !own),
        borrowed_output: output.as_ref().is_some_and(|(_, own, _)| !own),
        input: input.map(|(node, _, _)| node),
        output: output.map(|(node, _, _)| node),
        listed,
        examples: example_nodes,
        constraints: constraint_nodes,
    };
    (tool, draft)
}

/// Guards as bound; none without a readable `surface.yaml`, which declares them.
fn guards_of(doc: &Doc, folder: &Folder, contract: &Contract, out: &mut Findings) -> Vec<GuardUse> {
    let nodes = doc.root.get("guards").map(Node::elements).unwrap_or_default();
    if folder.surface.is_none() {
        return Vec::new();
    }
    nodes.iter().filter_map(|node| guards::read(node, contract, out)).collect()
}

/// Kinds that may leave a tool: its own, its guards' and the runtime's.
fn kinds(listed: &[(String, Place)], guards: &[GuardUse], contract: &Contract) -> Vec<String> {
    let mut kinds: Vec<String> = listed.iter().map(|(kind, _)| kind.clone()).collect();
    kinds.extend(guards.iter().flat_map(|guard| guards::refusals(guard, contract)));
    kinds.push(contract.builtin.invalid_arguments.clone());
    kinds.push(contract.builtin.internal.clone());
    kinds.sort();
    kinds.dedup();
    kinds
}

fn deprecation(entry: &Entry, out: &mut Findings) -> Option<Deprecation> {
    let mut fields = Fields::new(&entry.value, entry.place, "`deprecated`", out)?;
    let deprecation = Deprecation {
        since: fields.need_text("since", out),
        replaced_by: fields.text("replaced_by", out).map(str::to_owned),
        sunset: fields.text("sunset", out).map(str::to_owned),
    };
    fields.finish(out);
    Some(deprecation)
}

fn budget(entry: &Entry, out: &mut Findings) -> Budget {
    let Some(mut fields) = Fields::new(&entry.value, entry.place, "`budget`", out) else {
        return BUDGET;
    };
    let mut tokens = |key, default| {
        let given = fields.integer(key, 1..=1_000_000, out);
        given.and_then(|tokens| u32::try_from(tokens).ok()).unwrap_or(default)
    };
    let budget = Budget {
        definition_tokens: tokens("definition_tokens", BUDGET.definition_tokens),
        result_tokens: tokens("result_tokens", BUDGET.result_tokens),
    };
    fields.finish(out);
    budget
}

fn constraint(node: &Node, out: &mut Findings) -> Option<Constraint> {
    let mut fields = Fields::new(node, node.place, "a constraint", out)?;
    let mut list = |key: &'static str, out: &mut Findings| {
        let texts = fields.texts(key, out)?;
        Some(texts.into_iter().map(|(text, _)| text.to_owned()).collect::<Vec<_>>())
    };
    let at_least = list("at_least_one_of", out).map(Constraint::AtLeastOneOf);
    let at_most = list("at_most_one_of", out).map(Constraint::AtMostOneOf);
    let exactly = list("exactly_one_of", out).map(Constraint::ExactlyOneOf);
    let requires = fields.entry("requires").and_then(|entry| {
        let mut inner = Fields::new(&entry.value, entry.place, "`requires`", out)?;
        let field = inner.need_text("field", out);
        let needs = inner.need_text("needs", out);
        inner.finish(out);
        Some(Constraint::Requires { field, needs })
    });
    fields.finish(out);
    let mut all = [at_least, at_most, exactly, requires].into_iter().flatten();
    let first = all.next();
    if node.entries().len() != 1 {
        out.add(code::BAD_VALUE, node.place, "a constraint must have exactly one key").help(
            "`at_least_one_of`, `at_most_one_of`, `exactly_one_of` or `requires`; \
             write one list element for each",
        );
    }
    first
}

fn example(node: &Node, out: &mut Findings) -> Option<Example> {
    let at = node.entries().first().map_or(node.place, |entry| entry.place);
    let mut fields = Fields::new(node, at, "an example", out)?;
    let name = fields.need_text("name", out);
    let given = fields.text("given", out).map(str::to_owned);
    let input = fields.need("input").map_or_else(
        || json!({}),
        |entry| {
            if !matches!(entry.value.kind, Kind::Map(_)) {
                super::fields::wrong(&entry.value, entry.focus(), "`input` must be a map", out);
            }
            entry.value.to_value()
        },
    );
    let output: Option<Value> = fields.entry("output").map(|entry| entry.value.to_value());
    let error = fields.text("error", out).map(str::to_owned);
    let has_error = node.entry("error").is_some();
    fields.finish(out);
    if output.is_some() == has_error {
        out.add(code::BAD_VALUE, at, "an example needs either `output` or `error`")
            .label(if has_error { "has both" } else { "has neither" })
            .help("`output: {…}` lists members of the answer, `error: kind` names an error");
    }
    let expect = match (output, error) {
        (Some(output), _) => Expect::Output(output),
        (None, Some(kind)) => Expect::Error(kind),
        (None, None) => return None,
    };
    Some(Example { name, given, input, expect })
}
