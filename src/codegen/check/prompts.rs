//! Prompts: placeholders that lead somewhere, arguments that are typed and used, and reads that can
//! succeed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::validators::Validators;
use crate::diagnostics::{Findings, Place, code};
use crate::model::{
    Content, Effects, Piece, Prompt, PromptArgument, PromptValueKind, SettingKind, Tool, mirror,
};
use crate::names;
use crate::parse::{Entry, Node};
use crate::resolve::{Draft, PromptDraft};
use crate::schema;

/// Longest name: clients show it behind a slash, after the server's.
const NAME: usize = 40;
/// Token limit of `prompts/list` where the spec names none.
const LIST_TOKENS: u32 = 1500;

/// Checks all prompts.
pub(super) fn check(draft: &Draft<'_>, validators: &mut Validators, out: &mut Findings) {
    for (prompt, source) in draft.contract.prompts.iter().zip(&draft.prompts) {
        let case = Case { draft, prompt, source };
        case.texts(out);
        case.offer(out);
        for (argument, entry) in prompt.arguments.iter().zip(&source.arguments) {
            case.argument(argument, entry, out);
        }
        for index in 0..prompt.messages.len() {
            case.message(index, validators, out);
        }
        case.unused(out);
        case.example(out);
    }
    budget(draft, out);
}

/// The served definition, as far as it takes tokens.
fn tokens(prompt: &Prompt) -> u32 {
    let mut text = [prompt.name.as_str(), &prompt.title, &prompt.description].concat();
    for argument in &prompt.arguments {
        text.push_str(&argument.name);
        text.push_str(argument.title.as_deref().unwrap_or_default());
        text.push_str(&argument.description);
    }
    // Keys and punctuation.
    let frame = 60 + 60 * prompt.arguments.len();
    schema::text_tokens(&text) + u32::try_from(frame / 4).unwrap_or(u32::MAX)
}

fn budget(draft: &Draft<'_>, out: &mut Findings) {
    let limit = draft.contract.prompt_tokens.unwrap_or(LIST_TOKENS);
    let sum = draft.contract.prompts.iter().map(tokens).fold(0, u32::saturating_add);
    if sum > limit {
        let place = super::in_surface(draft, "/budget/prompt_tokens");
        out.add(
            code::PROMPT_BUDGET,
            place,
            format!("the list of prompts takes about {sum} tokens"),
        )
        .label(format!("more than {limit}"))
        .help("shorten descriptions, or raise `budget: {prompt_tokens: …}`");
    }
}

/// One prompt.
struct Case<'c, 'a> {
    draft: &'c Draft<'a>,
    prompt: &'c Prompt,
    source: &'c PromptDraft<'a>,
}

impl Case<'_, '_> {
    fn texts(&self, out: &mut Findings) {
        let name = &self.prompt.name;
        if !names::is_snake(name) || name.len() > NAME {
            out.add(
                code::BAD_NAME,
                self.source.place(),
                format!("`{name}` is not a valid prompt name"),
            )
            .help(format!("use lower-case letters, digits and `_`, at most {NAME}"));
        }
        if self.prompt.messages.is_empty() && self.source.doc.root.entry("messages").is_some() {
            out.add(code::BAD_VALUE, self.source.place_of("messages"), "a prompt needs a message")
                .label("has none");
        }
    }

    fn offer(&self, out: &mut Findings) {
        let Some(key) = &self.prompt.offered_by else { return };
        let settings = &self.draft.contract.settings;
        let place = self.source.doc.root.locate("/offered_by");
        match settings.get(key) {
            Some(setting) if setting.kind == SettingKind::Boolean => {}
            Some(_) => {
                out.add(code::BAD_PROMPT, place, format!("the setting `{key}` is not a boolean"))
                    .label("must be a switch");
            }
            None if self.draft.folder.surface.is_none() => {}
            None => {
                out.add(code::BAD_PROMPT, place, format!("there is no setting `{key}`"))
                    .label("must be a boolean setting of this surface")
                    .help(names::suggest(key, settings.keys().map(String::as_str)));
            }
        }
    }

    fn argument(&self, argument: &PromptArgument, entry: &Entry, out: &mut Findings) {
        let name = &argument.name;
        let at = |key: &str| entry.value.entry(key).map_or(entry.place, Entry::focus);
        if !names::is_portable_property(name) {
            out.add(code::BAD_NAME, entry.place, format!("`{name}` is not a valid argument name"))
                .help("use letters, digits and `_`, beginning with a letter");
        }
        if argument.required && argument.default.is_some() {
            out.add(
                code::BAD_PROMPT_ARGUMENT,
                at("default"),
                format!("`{name}` is required, so its default is never used"),
            )
            .help("drop `default`, or `required: true`");
        }
        if let Some(default) = &argument.default
            && argument.kind.read(default).is_none()
        {
            let message = format!("`{default}` does not fit: {}", argument.kind.describe());
            out.add(code::BAD_PROMPT_ARGUMENT, at("default"), message)
                .label("does not fit the argument");
        }
        if let PromptValueKind::Integer { minimum: Some(low), maximum: Some(high) } = argument.kind
            && low > high
        {
            out.add(code::BAD_PROMPT_ARGUMENT, at("minimum"), format!("no integer fits `{name}`"))
                .label(format!("more than {high}"));
        }
        if matches!(&argument.kind, PromptValueKind::Choice { words } if words.is_empty()) {
            out.add(code::BAD_PROMPT_ARGUMENT, at("enum"), format!("nothing fits `{name}`"))
                .label("has no word");
        }
        let Some((tool, of)) = &argument.complete else { return };
        let at = |key: &str| entry.value.locate(&format!("/complete/{key}"));
        let Some(tool) = self.tool(tool, at("tool"), out) else { return };
        if !properties(&tool.input).contains_key(of) {
            let known = properties(&tool.input);
            let message = format!("`{}` has no argument `{of}`", tool.name);
            out.add(code::BAD_PROMPT_ARGUMENT, at("argument"), message)
                .help(names::suggest(of, known.keys().map(String::as_str)));
        }
    }

    fn message(&self, index: usize, validators: &mut Validators, out: &mut Findings) {
        let (message, node) = (&self.prompt.messages[index], self.source.messages[index]);
        if let Some(when) = &message.when {
            let place = node.locate("/when");
            match self.known(when) {
                None => self.unknown_argument(when, place, out),
                Some(argument) if argument.required || argument.default.is_some() => {
                    let message = format!("`{when}` is always given, so this is no condition");
                    out.add(code::BAD_PROMPT, place, message).label("required, or with a default");
                }
                Some(_) => {}
            }
        }
        for found in &self.source.placeholders[index] {
            match &found.piece {
                Piece::Text(_) => {}
                Piece::Argument(name) => {
                    self.placeholder(name, message.when.as_deref(), found.place, out);
                }
                Piece::Tool(name) => {
                    self.tool(name, found.place, out);
                }
            }
        }
        match &message.content {
            Content::Resource(uri) if mirror(&self.draft.contract.resources, uri).is_none() => {
                let known = self.draft.contract.resources.iter().map(|one| one.uri.as_str());
                let start = match uri.first() {
                    Some(Piece::Text(start)) => start.split('?').next().unwrap_or_default(),
                    _ => "",
                };
                let message = "this URI is none of a resource of the surface";
                out.add(code::BAD_PROMPT_READ, node.locate("/resource"), message)
                    .label("cannot be read")
                    .help(names::suggest(start, known));
            }
            Content::Result { tool, input } => {
                let place = node.locate("/result/tool");
                if let Some(tool) = self.tool(tool, place, out) {
                    let call = Read { case: self, tool, input, node };
                    call.check(message.when.as_deref(), place, validators, out);
                }
            }
            _ => {}
        }
    }

    /// A tool of the surface by its name; reports any other.
    fn tool(&self, name: &str, place: Place, out: &mut Findings) -> Option<&Tool> {
        let found = self.draft.contract.tools.iter().find(|tool| tool.name == name);
        if found.is_none() && self.draft.all_tools && !name.is_empty() {
            super::names::unknown_tool(self.draft, name, place, out);
        }
        found
    }

    fn known(&self, name: &str) -> Option<&PromptArgument> {
        self.prompt.arguments.iter().find(|argument| argument.name == name)
    }

    fn unknown_argument(&self, name: &str, place: Place, out: &mut Findings) {
        let known = self.prompt.arguments.iter().map(|argument| argument.name.as_str());
        out.add(code::BAD_PLACEHOLDER, place, format!("there is no argument `{name}`"))
            .label("not among `arguments`")
            .help(names::suggest(name, known));
    }

    /// A place that needs the argument's value.
    fn placeholder(&self, name: &str, when: Option<&str>, place: Place, out: &mut Findings) {
        let Some(argument) = self.known(name) else {
            return self.unknown_argument(name, place, out);
        };
        if !argument.required && argument.default.is_none() && when != Some(name) {
            out.add(code::UNSURE_ARGUMENT, place, format!("`{name}` may not be given"))
                .label("nothing would stand here")
                .help(format!(
                    "give it a `default`, make it `required: true`, or say `when: {name}` of the message"
                ));
        }
    }

    fn unused(&self, out: &mut Findings) {
        for (argument, entry) in self.prompt.arguments.iter().zip(&self.source.arguments) {
            let is_it = |name: &str| name == argument.name;
            let pieces = self.source.placeholders.iter().flatten();
            let placed = pieces
                .map(|found| &found.piece)
                .any(|piece| matches!(piece, Piece::Argument(name) if is_it(name)));
            let read = self.prompt.messages.iter().any(|message| match &message.content {
                Content::Result { input, .. } => input.values().any(|value| {
                    value.as_str().and_then(|text| text.strip_prefix('$')).is_some_and(is_it)
                }),
                _ => false,
            });
            let asked = self
                .prompt
                .messages
                .iter()
                .any(|message| message.when.as_deref().is_some_and(is_it));
            if !placed && !read && !asked {
                let message = format!("`{}` is used by no message", argument.name);
                out.add(code::BAD_PROMPT_ARGUMENT, entry.place, message)
                    .label("asks the user for nothing")
                    .help(format!("write `{{{}}}` in a text, or remove it", argument.name));
            }
        }
    }

    fn example(&self, out: &mut Findings) {
        let at = |name: &str| self.source.doc.root.locate(&format!("/example/{name}"));
        for (name, value) in &self.prompt.example {
            match self.known(name) {
                None => self.unknown_argument(name, at(name), out),
                Some(argument) if argument.kind.read(value).is_none() => {
                    let message = format!("`{value}` does not fit: {}", argument.kind.describe());
                    out.add(code::BAD_PROMPT_EXAMPLE, at(name), message)
                        .label(format!("does not fit `{name}`"));
                }
                Some(_) => {}
            }
        }
        let missing = self.prompt.arguments.iter().find(|argument| {
            argument.required && !self.prompt.example.contains_key(&argument.name)
        });
        if let Some(argument) = missing {
            let message = format!("the example does not give `{}`", argument.name);
            out.add(code::BAD_PROMPT_EXAMPLE, self.source.place_of("example"), message)
                .label("required")
                .help(format!("`example: {{{}: …}}`; documents and mocks use it", argument.name));
        }
    }
}

/// The call of a read tool.
struct Read<'r, 'c, 'a> {
    case: &'r Case<'c, 'a>,
    tool: &'r Tool,
    input: &'r BTreeMap<String, Value>,
    node: &'r Node,
}

impl Read<'_, '_, '_> {
    fn check(
        &self,
        when: Option<&str>,
        place: Place,
        validators: &mut Validators,
        out: &mut Findings,
    ) {
        let tool = self.tool;
        if tool.effects != Effects::Read {
            out.add(code::BAD_PROMPT_READ, place, format!("`{}` is not a read tool", tool.name))
                .label("a prompt must not change anything");
        }
        if tool.guards.iter().any(|guard| guard.name() == "ask") {
            out.add(code::BAD_PROMPT_READ, place, format!("`{}` asks the user", tool.name))
                .label("nobody can be asked while a prompt is written");
        }
        let schema = schema::inline(&self.case.draft.contract, &tool.input);
        let known = properties(&schema);
        for (name, value) in self.input {
            let at = self.node.locate(&format!("/result/input/{name}"));
            let Some(schema) = known.get(name) else {
                let message = format!("`{}` has no argument `{name}`", tool.name);
                out.add(code::BAD_PROMPT_READ, at, message)
                    .help(names::suggest(name, known.keys().map(String::as_str)));
                continue;
            };
            let argument = value.as_str().and_then(|text| text.strip_prefix('$'));
            let samples = match argument {
                None => vec![value.clone()],
                Some(argument) => match self.case.known(argument) {
                    Some(argument) => self.samples(argument),
                    None => {
                        self.case.unknown_argument(argument, at, out);
                        continue;
                    }
                },
            };
            let problem = samples.iter().find_map(|sample| {
                validators.problems(schema, sample).into_iter().next().map(|(_, why)| why)
            });
            if let Some(why) = problem {
                let message = format!("this does not fit `{name}` of `{}`: {why}", tool.name);
                out.add(code::BAD_PROMPT_READ, at, message).label("the tool would refuse it");
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let given = self.input.get(name).is_some_and(|value| {
                let argument = value.as_str().and_then(|text| text.strip_prefix('$'));
                argument.and_then(|argument| self.case.known(argument)).is_none_or(|argument| {
                    argument.required
                        || argument.default.is_some()
                        || when == Some(argument.name.as_str())
                })
            });
            if !given {
                let message = format!("`{}` requires `{name}`", tool.name);
                out.add(code::BAD_PROMPT_READ, place, message)
                    .label("it is not always given here")
                    .help(format!(
                        "add `{name}` to `input`, from an argument that is always given"
                    ));
            }
        }
    }

    /// Values that the argument may have: the example's, the bounds, every word.
    fn samples(&self, argument: &PromptArgument) -> Vec<Value> {
        let example = self.case.prompt.example.get(&argument.name);
        let example = example.and_then(|text| argument.kind.read(text));
        let mut samples: Vec<Value> = match &argument.kind {
            PromptValueKind::Choice { words } => {
                words.iter().map(|word| word.as_str().into()).collect()
            }
            PromptValueKind::Integer { minimum, maximum } => {
                [minimum, maximum].into_iter().flatten().map(|bound| (*bound).into()).collect()
            }
            PromptValueKind::Boolean => vec![true.into(), false.into()],
            PromptValueKind::Text { .. } => Vec::new(),
        };
        samples.extend(example);
        samples
    }
}

fn properties(schema: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    schema.get("properties").and_then(Value::as_object).unwrap_or(&NONE)
}
