//! `prompts/<prompt>.yaml`.

use std::collections::BTreeMap;

use super::fields::{text, wrong};
use super::template::{self, Found, Written};
use super::{Draft, Fields, icons};
use crate::diagnostics::{Findings, Place, code};
use crate::model::{Content, Prompt, PromptArgument, PromptMessage, PromptValueKind};
use crate::parse::{Doc, Entry, Folder, Node};

/// What the checks need to know of a prompt beyond the model.
pub(crate) struct PromptDraft<'a> {
    pub(crate) doc: &'a Doc,
    /// Locations of the arguments and messages of the model.
    pub(crate) arguments: Vec<&'a Entry>,
    pub(crate) messages: Vec<&'a Node>,
    /// Placeholders of each message with their places.
    pub(crate) placeholders: Vec<Vec<Found>>,
}

impl PromptDraft<'_> {
    /// Location of the prompt's name.
    pub(crate) fn place(&self) -> Place {
        let root = &self.doc.root;
        let first = || root.entries().first().map_or(root.place, |entry| entry.place);
        root.entry("prompt").map_or_else(first, Entry::focus)
    }

    /// Location of a key, or of the prompt's name.
    pub(crate) fn place_of(&self, key: &str) -> Place {
        self.doc.root.entry(key).map_or_else(|| self.place(), |entry| entry.place)
    }
}

/// Reads all prompts into the draft, sorted by name.
pub(super) fn read_all<'a>(draft: &mut Draft<'a>, out: &mut Findings) {
    let folder: &'a Folder = draft.folder;
    let mut prompts: Vec<(Prompt, PromptDraft<'a>)> = Vec::new();
    for doc in &folder.prompts {
        let at = doc.root.entries().first().map_or(doc.root.place, |entry| entry.place);
        let Some(fields) = Fields::new(&doc.root, at, "a prompt", out) else { continue };
        let (prompt, source) = read(fields, doc, folder, out);
        if let Some((_, first)) = prompts.iter().find(|(other, _)| other.name == prompt.name) {
            let message = format!("duplicate prompt `{}`", prompt.name);
            out.add(code::DUPLICATE_NAME, source.place(), message)
                .label("again here")
                .also(first.place(), "first here")
                .help("rename one of them, both the file and `prompt`");
            continue;
        }
        prompts.push((prompt, source));
    }
    prompts.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    (draft.contract.prompts, draft.prompts) = prompts.into_iter().unzip();
}

fn read<'a>(
    mut fields: Fields<'a>,
    doc: &'a Doc,
    folder: &'a Folder,
    out: &mut Findings,
) -> (Prompt, PromptDraft<'a>) {
    let name = fields.need("prompt").and_then(|entry| {
        let name = text(entry, out)?;
        if name != doc.stem() {
            let message = format!("prompt `{name}` is in file `{}`", doc.file_name());
            out.add(code::FILE_NAME, entry.focus(), message)
                .label("differs from the file name")
                .help(format!("write `prompt: {}` or rename the file", doc.stem()));
        }
        Some(name)
    });
    let mut draft =
        PromptDraft { doc, arguments: Vec::new(), messages: Vec::new(), placeholders: Vec::new() };
    let mut prompt = Prompt {
        name: name.unwrap_or(doc.stem()).to_owned(),
        title: fields.need_text("title", out),
        description: fields.need_text("description", out),
        offered_by: fields.text("offered_by", out).map(str::to_owned),
        arguments: Vec::new(),
        messages: Vec::new(),
        icons: Vec::new(),
        example: BTreeMap::new(),
    };
    for entry in fields.map("arguments", out) {
        if let Some(argument) = argument(entry, out) {
            prompt.arguments.push(argument);
            draft.arguments.push(entry);
        }
    }
    fields.need("messages");
    for node in fields.list("messages", out) {
        if let Some((message, found)) = message(node, doc, folder, out) {
            prompt.messages.push(message);
            draft.messages.push(node);
            draft.placeholders.push(found);
        }
    }
    if let Some(entry) = fields.entry("icons") {
        prompt.icons = icons::read(entry, folder, out);
    }
    for entry in fields.map("example", out) {
        if let Some(value) = text(entry, out) {
            prompt.example.insert(entry.key.clone(), value.to_owned());
        }
    }
    fields.finish(out);
    (prompt, draft)
}

fn argument(entry: &Entry, out: &mut Findings) -> Option<PromptArgument> {
    #[derive(Clone, Copy)]
    enum Word {
        Text,
        Integer,
        Boolean,
    }
    let mut fields = Fields::new(&entry.value, entry.place, "an argument of a prompt", out)?;
    fields.need("type");
    let words = [("string", Word::Text), ("integer", Word::Integer), ("boolean", Word::Boolean)];
    let word = fields.choice("type", &words, out).unwrap_or(Word::Text);
    let choices = fields.texts("enum", out);
    let mut bound = |key, fields: &mut Fields<'_>| fields.integer(key, i64::MIN..=i64::MAX, out);
    let (minimum, maximum) = (bound("minimum", &mut fields), bound("maximum", &mut fields));
    let max_length = fields.integer("maxLength", 1..=1_000_000, out);
    let applies = |key: &str, to: &str, there: bool, out: &mut Findings| {
        if let Some(found) = entry.value.entry(key).filter(|_| !there) {
            out.add(code::BAD_PROMPT_ARGUMENT, found.place, format!("`{key}` applies to {to}"))
                .label("no effect on this type");
        }
    };
    let is = |text: bool, integer: bool| match word {
        Word::Text => text,
        Word::Integer => integer,
        Word::Boolean => false,
    };
    applies("enum", "strings", is(true, false), out);
    applies("maxLength", "strings without `enum`", is(true, false) && choices.is_none(), out);
    applies("minimum", "integers", is(false, true), out);
    applies("maximum", "integers", is(false, true), out);
    let kind = match (word, choices) {
        (Word::Text, Some(words)) => PromptValueKind::Choice {
            words: words.into_iter().map(|(word, _)| word.to_owned()).collect(),
        },
        (Word::Text, None) => PromptValueKind::Text {
            max_length: max_length.and_then(|limit| u32::try_from(limit).ok()),
        },
        (Word::Integer, _) => PromptValueKind::Integer { minimum, maximum },
        (Word::Boolean, _) => PromptValueKind::Boolean,
    };
    let complete = fields.entry("complete").and_then(|entry| {
        let mut inner = Fields::new(&entry.value, entry.place, "`complete`", out)?;
        let both = (inner.need_text("tool", out), inner.need_text("argument", out));
        inner.finish(out);
        Some(both)
    });
    let argument = PromptArgument {
        name: entry.key.clone(),
        title: fields.text("title", out).map(str::to_owned),
        description: fields.need_text("description", out),
        required: fields.flag("required", out).unwrap_or(false),
        default: fields.text("default", out).map(str::to_owned),
        kind,
        complete,
    };
    fields.finish(out);
    Some(argument)
}

fn message<'a>(
    node: &'a Node,
    doc: &Doc,
    folder: &Folder,
    out: &mut Findings,
) -> Option<(PromptMessage, Vec<Found>)> {
    let mut fields = Fields::new(node, node.place, "a message", out)?;
    let roles = [("user", false), ("assistant", true)];
    let assistant = fields.choice("role", &roles, out).unwrap_or(false);
    let when = fields.text("when", out).map(str::to_owned);
    let mut found = Vec::new();
    let mut template = |entry: Option<&'a Entry>, out: &mut Findings| {
        let entry = entry?;
        let written = text(entry, out)?;
        let inside = doc.path.split_once('/').map_or(doc.path.as_str(), |(_, inside)| inside);
        let source = folder.prompt_texts.get(inside).map_or("", String::as_str);
        found = template::read(written, Written { source, place: entry.value.place }, out);
        Some(found.iter().map(|found| found.piece.clone()).collect())
    };
    let said = template(fields.entry("text"), out).map(Content::Text);
    let read = match said {
        Some(_) => None,
        None => template(fields.entry("resource"), out).map(Content::Resource),
    };
    fields.entry("resource");
    let result = fields.entry("result").and_then(|entry| {
        let mut inner = Fields::new(&entry.value, entry.place, "`result`", out)?;
        let tool = inner.need_text("tool", out);
        let input = inner.map("input", out).iter();
        let input = input.map(|entry| (entry.key.clone(), entry.value.to_value())).collect();
        inner.finish(out);
        Some(Content::Result { tool, input })
    });
    let image = fields.entry("image").and_then(|entry| image(entry, folder, out));
    fields.finish(out);
    let keys = ["text", "resource", "result", "image"];
    if keys.iter().filter(|key| node.entry(key).is_some()).count() != 1 {
        out.add(code::BAD_VALUE, node.place, "a message needs exactly one content")
            .label("has none or several")
            .help("`text`, `resource`, `result` or `image`");
    }
    let content = said.or(read).or(result).or(image)?;
    Some((PromptMessage { assistant, when, content }, found))
}

fn image(entry: &Entry, folder: &Folder, out: &mut Findings) -> Option<Content> {
    let Some(path) = entry.value.text() else {
        wrong(&entry.value, entry.focus(), "`image` must be the path of a file", out);
        return None;
    };
    let (mime_type, data) = icons::image(path, entry, folder, out)?;
    Some(Content::Image { path: path.to_owned(), mime_type: mime_type.to_owned(), data })
}
