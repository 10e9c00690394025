//! Names, versions, titles and descriptions of a surface and its tools.

use std::collections::BTreeMap;

use crate::diagnostics::{Findings, Place, code};
use crate::model::{Effects, Tool};
use crate::names;
use crate::resolve::{Draft, ToolDraft};

/// Longest canonical name: hosts prepend `mcp__<server>__` and take 64 characters in all.
const TOOL_NAME: usize = 40;
/// Longest title, in characters.
const TITLE: usize = 80;
/// Longest tool description, in characters: the limit of the strictest API.
const DESCRIPTION: usize = 1024;

/// Checks all names.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let contract = &draft.contract;
    if !names::is_surface_name(&contract.name) {
        let place = super::in_surface(draft, "/surface");
        out.add(code::BAD_NAME, place, format!("`{}` is not a valid surface name", contract.name))
            .label("it becomes a Rust module and a cargo feature")
            .help("use lower-case letters, digits and `_`; no Rust keyword");
    }
    let prefix_ok = contract
        .prefix
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_'));
    if !prefix_ok {
        let place = super::in_surface(draft, "/names/prefix");
        out.add(code::BAD_NAME, place, format!("`{}` is not a valid prefix", contract.prefix))
            .help("use lower-case letters, digits, `_` and `.`, such as `wa.`");
    }
    if names::version(&contract.contract).is_none() {
        let place = super::in_surface(draft, "/contract");
        version(&contract.contract, place, out);
    }
    title(&contract.title, super::in_surface(draft, "/title"), out);

    let mut portable: BTreeMap<String, Place> = BTreeMap::new();
    let mut commands: BTreeMap<&[String], Place> = BTreeMap::new();
    for (tool, source) in contract.tools.iter().zip(&draft.tools) {
        let canonical = format!("{}{}", contract.prefix, tool.name);
        name(&tool.name, &canonical, source, out);
        if let Some(first) = portable.insert(names::portable(&canonical), source.place()) {
            let message = format!(
                "`{canonical}` clashes with another tool for clients without dots in names"
            );
            out.add(code::SAME_NAME, source.place(), message)
                .label(format!("served as `{}`", names::portable(&canonical)))
                .also(first, "same name as this one")
                .help("rename one of the two");
        }
        if let Some(first) = commands.insert(&tool.command, source.place_of("command")) {
            let message = format!("duplicate command `{}`", tool.command.join(" "));
            out.add(code::DUPLICATE_NAME, source.place_of("command"), message)
                .also(first, "first here")
                .help("give one of the tools another `command`");
        }
        tool_texts(draft, tool, source, out);
    }
}

fn name(name: &str, canonical: &str, source: &ToolDraft<'_>, out: &mut Findings) {
    if !names::is_tool_name(name) {
        out.add(code::BAD_NAME, source.place(), format!("`{name}` is not a valid tool name"))
            .help("use letters, digits and `_`; join words with dots, each starting with a lower-case letter");
    } else if canonical.len() > TOOL_NAME {
        let length = canonical.len();
        out.add(code::LONG_NAME, source.place(), format!("`{canonical}` has {length} characters"))
            .label(format!("more than {TOOL_NAME}"))
            .help("hosts add a prefix and accept 64 characters in total");
    }
}

fn tool_texts(draft: &Draft<'_>, tool: &Tool, source: &ToolDraft<'_>, out: &mut Findings) {
    title(&tool.title, source.locate("/title"), out);
    let length = tool.description.chars().count();
    if length > DESCRIPTION {
        let message = format!("the description has {length} characters");
        out.add(code::LONG_TEXT, source.locate("/description"), message)
            .label(format!("more than {DESCRIPTION}"))
            .help("describe what it does, when to use it and what it returns; move the rest to the docs");
    }
    for (index, word) in tool.command.iter().enumerate() {
        let last = index > 0 && index + 1 == tool.command.len();
        let name = if last { word.trim_start_matches("--") } else { word };
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        let argument = word.strip_prefix('$').filter(|_| last);
        if !plain && !argument.is_some_and(|name| has_choices(tool, name)) {
            let place = source.locate(&format!("/command/{index}"));
            out.add(code::BAD_NAME, place, format!("`{word}` is not a valid command word")).help(
                "use lower-case letters, digits and `-`; the last word may be a `--flag` or the \
                 `$name` of an argument with an `enum`",
            );
        }
    }
    if tool.command.is_empty() {
        out.add(
            code::BAD_VALUE,
            source.place_of("command"),
            "`command` must have at least one word",
        );
    }
    let current = names::version(&draft.contract.contract);
    let since = names::version(&tool.since);
    if source.doc.root.entry("since").is_none() {
        // It is the contract's, which was looked at.
    } else if since.is_none() {
        version(&tool.since, source.locate("/since"), out);
    } else if current.is_some() && since > current {
        let message =
            format!("since `{}`, but the contract is `{}`", tool.since, draft.contract.contract);
        out.add(code::CONTRADICTION, source.locate("/since"), message);
    }
    if tool.effects == Effects::Read && !tool.idempotent {
        out.add(
            code::CONTRADICTION,
            source.locate("/idempotent"),
            "a read tool is always idempotent",
        )
        .label("calls that change nothing can be repeated")
        .help("remove the line, or set `effects: write`");
    }
    deprecation(draft, tool, source, out);
}

fn deprecation(draft: &Draft<'_>, tool: &Tool, source: &ToolDraft<'_>, out: &mut Findings) {
    let Some(deprecated) = &tool.deprecated else { return };
    if names::version(&deprecated.since).is_none() {
        version(&deprecated.since, source.locate("/deprecated/since"), out);
    }
    let Some(other) = &deprecated.replaced_by else { return };
    let place = source.locate("/deprecated/replaced_by");
    let replacement = draft.contract.tools.iter().find(|tool| tool.name == *other);
    match replacement {
        None if draft.all_tools => {
            unknown_tool(draft, other, place, out);
        }
        Some(replacement) if replacement.name == tool.name || replacement.deprecated.is_some() => {
            out.add(code::CONTRADICTION, place, format!("`{other}` is deprecated too"))
                .help("name a tool that is not deprecated");
        }
        _ => {}
    }
}

/// Reports the name of a tool that is not there. Where its file is, the name in it is wrong, which is
/// reported there.
pub(super) fn unknown_tool(draft: &Draft<'_>, name: &str, place: Place, out: &mut Findings) {
    let file = format!("{name}.yaml");
    if draft.tools.iter().any(|tool| tool.doc.file_name() == file) {
        return;
    }
    let known = draft.contract.tools.iter().map(|tool| tool.name.as_str());
    out.add(code::UNKNOWN_TOOL, place, format!("unknown tool `{name}`"))
        .label("this surface has no such tool")
        .help(names::suggest(name, known));
}

/// The argument can only be one of a few words.
fn has_choices(tool: &Tool, name: &str) -> bool {
    tool.input.pointer(&format!("/properties/{name}/enum")).is_some()
}

fn title(text: &str, place: Place, out: &mut Findings) {
    let length = text.chars().count();
    if length > TITLE {
        out.add(code::LONG_TEXT, place, format!("the title has {length} characters"))
            .label(format!("more than {TITLE}"));
    }
}

fn version(text: &str, place: Place, out: &mut Findings) {
    out.add(code::BAD_NAME, place, format!("`{text}` is not a contract version"))
        .help("write `v1`, `v2`, …");
}
