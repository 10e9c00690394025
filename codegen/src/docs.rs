//! Markdown tables from contracts, and the markers that hold them in a document.
//!
//! A document has `<!-- tools:wink -->` … `<!-- /tools:wink -->`, and the same with `errors` and
//! `settings`. What stands between is replaced; everything else is left alone.

use std::fmt::Write as _;

use crate::model::{Contract, Effects, SettingKind, Strength};

/// Replaces what stands between markers. An unknown or unclosed marker is an error.
pub fn refresh(document: &str, contracts: &[Contract]) -> Result<String, String> {
    let mut fresh = String::with_capacity(document.len());
    let mut rest = document;
    while let Some((before, name, after)) = next_marker(rest) {
        let closing = format!("<!-- /{name} -->");
        let Some(end) = after.find(&closing) else {
            return Err(format!("the marker `{name}` is not closed by `{closing}`"));
        };
        let _ = write!(fresh, "{before}<!-- {name} -->\n{}{closing}", table(name, contracts)?);
        rest = &after[end + closing.len()..];
    }
    fresh.push_str(rest);
    Ok(fresh)
}

/// The next opening marker: what is before it, its name, what is after it.
fn next_marker(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let start = from + text[from..].find("<!-- ")?;
        let name_start = start + "<!-- ".len();
        let end = name_start + text[name_start..].find(" -->")?;
        let name = &text[name_start..end];
        let known = ["tools:", "errors:", "settings:"].iter().any(|kind| name.starts_with(kind));
        if known {
            return Some((&text[..start], name, &text[end + " -->".len()..]));
        }
        from = end;
    }
}

fn table(marker: &str, contracts: &[Contract]) -> Result<String, String> {
    let (kind, surface) = marker.split_once(':').unwrap_or((marker, ""));
    let contract = contracts
        .iter()
        .find(|contract| contract.name == surface)
        .ok_or_else(|| format!("the marker `{marker}` names no surface under specs/"))?;
    Ok(match kind {
        "tools" => tools(contract),
        "errors" => errors(contract),
        _ => settings(contract),
    })
}

/// Tools: name, what it does, effects, guards.
pub fn tools(contract: &Contract) -> String {
    let mut text = String::from("| tool | what it does | effects | guards |\n|---|---|---|---|\n");
    for tool in &contract.tools {
        let guards: Vec<String> = tool
            .guards
            .iter()
            .map(|guard| {
                let when = match guard.is_admission(contract) {
                    true => ", before the arguments are read",
                    false => "",
                };
                format!("`{}` ({}{when})", guard.name(), strength(guard.strength(contract)))
            })
            .collect();
        let _ = writeln!(
            text,
            "| `{}{}` | {} | {}{} | {} |",
            contract.prefix,
            tool.name,
            cell(first_sentence(&tool.description)),
            effects(tool.effects),
            if tool.idempotent { ", idempotent" } else { "" },
            if guards.is_empty() { "–".to_owned() } else { guards.join(", ") },
        );
    }
    text
}

/// Errors: code, when, what to do next.
pub fn errors(contract: &Contract) -> String {
    let mut text = String::from("| code | when | what to do |\n|---|---|---|\n");
    for error in contract.errors.values() {
        let next = error.next.as_deref().unwrap_or("–");
        let _ = writeln!(text, "| `{}` | {} | {} |", error.code, cell(&error.when), cell(next));
    }
    text
}

/// Settings: key, flag, environment, default, meaning.
pub fn settings(contract: &Contract) -> String {
    let mut text = String::from(
        "| setting | flag | environment | default | meaning |\n|---|---|---|---|---|\n",
    );
    let code = |name: &Option<String>| {
        name.as_ref().map_or_else(|| "–".to_owned(), |name| format!("`{name}`"))
    };
    for (key, setting) in &contract.settings {
        let default =
            setting.default.as_ref().map_or_else(|| "–".to_owned(), |value| format!("`{value}`"));
        let _ = writeln!(
            text,
            "| `{key}` ({}) | {} | {} | {default} | {} |",
            kind(setting.kind),
            code(&setting.flag),
            code(&setting.env),
            cell(&setting.doc),
        );
    }
    text
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

fn cell(text: &str) -> String {
    text.trim().replace('|', "\\|").replace('\n', " ")
}

fn effects(effects: Effects) -> &'static str {
    match effects {
        Effects::Read => "read",
        Effects::Write => "write",
        Effects::Destructive => "destructive",
    }
}

fn strength(strength: Strength) -> &'static str {
    match strength {
        Strength::ModelSatisfiable => "the model can satisfy it",
        Strength::ClientAttested => "the client vouches for a person",
        Strength::OutOfBand => "decided out of band",
    }
}

fn kind(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::String => "text",
        SettingKind::Path => "path",
        SettingKind::Integer => "number",
        SettingKind::Boolean => "true or false",
        SettingKind::StringList => "list",
        SettingKind::PathList => "list of paths",
        SettingKind::StringMap => "map",
    }
}
