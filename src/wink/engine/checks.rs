//! Checks that refuse an edit that would break the application.

use std::collections::BTreeMap;

use toolwright_runtime::ErrorKind;

use super::warning::{Warning, WarningCode};
use crate::descriptor::{Section, Tool};
use crate::failure::Result;
use crate::generated::Error;
use crate::ids;
use crate::placeholders::{self, Position};
use crate::suggest;

/// Longest description that the library accepts.
const MAX_DESCRIPTION: usize = 200;

/// Longest text of one entry, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// Refuses text that cannot be stored or rendered.
pub(super) fn storable(field: &str, text: &str) -> Result<()> {
    if text.len() > MAX_TEXT {
        return Err(Error::TextNotStorable
            .because(format!("`{field}` has {} bytes; {MAX_TEXT} are the limit.", text.len()))
            .hint("Shorten the text.")
            .with("field", field)
            .with("expected", MAX_TEXT)
            .with("received", text.len()));
    }
    let Some(offset) = text.find('\0') else { return Ok(()) };
    Err(Error::TextNotStorable
        .because(format!("`{field}` holds a NUL character at byte {offset}."))
        .hint("Remove the NUL character.")
        .with("field", field)
        .with("offset", offset))
}

/// Checks that a body will render; warns of what cannot be checked and of dropped placeholders.
pub(super) fn body(section: &Section, former: Option<&str>, body: &str) -> Result<Vec<Warning>> {
    storable("body", body)?;
    let scan = placeholders::scan(body);
    let places = |at: &Position| format!("line {}, column {}", at.line, at.column);
    if let Some(first) = scan.stray.first() {
        return Err(Error::BodyNotRenderable
            .because(format!(
                "`body` has a stray `$` at {}; the application fails to render it.",
                places(first)
            ))
            .hint("Write `$$` for a dollar sign.")
            .with("field", "body")
            .with("stray", &scan.stray));
    }
    let Some(allowed) = section.allowed_placeholders() else {
        return Ok(unverified(former, &scan));
    };
    let unknown: Vec<_> =
        scan.found.iter().filter(|found| !allowed.contains(&found.name)).collect();
    if let Some(first) = unknown.first() {
        let known: Vec<&str> = allowed.iter().map(String::as_str).collect();
        let near = suggest::near(&first.name, known.iter().copied());
        let listed: Vec<_> = unknown
            .iter()
            .map(|found| serde_json::json!({ "name": found.name, "at": found.at }))
            .collect();
        let can = match known.as_slice() {
            [] => "The section has no placeholders.".to_owned(),
            known => format!("The section knows `${}`.", known.join("`, `$")),
        };
        return Err(Error::BodyNotRenderable
            .because(format!(
                "`body` has the unknown placeholder `${}` at {}; the application fails to render \
                 it.{}",
                first.name,
                places(&first.at),
                suggest::question(&near)
            ))
            .hint(format!("{can} Write `$$` for a dollar sign."))
            .with("field", "body")
            .with("unknown", listed)
            .with("expected", known)
            .with("suggestions", near));
    }
    let names = scan.names();
    let dropped = section.default_placeholders().unwrap_or_default();
    let dropped: Vec<_> = dropped.difference(&names).map(|name| format!("`${name}`")).collect();
    if dropped.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![WarningCode::PlaceholderDropped.because(format!(
        "The default uses {}; the new body does not, so that value no longer reaches the model.",
        dropped.join(", ")
    ))])
}

/// Without a list of placeholders only those of the former text are known to work.
fn unverified(former: Option<&str>, scan: &placeholders::Scan) -> Vec<Warning> {
    let former = former.map(|text| placeholders::scan(text).names()).unwrap_or_default();
    let names = scan.names();
    let new: Vec<_> = names.difference(&former).map(|name| format!("`${name}`")).collect();
    if new.is_empty() {
        return Vec::new();
    }
    vec![WarningCode::PlaceholderUnverified.because(format!(
        "It is not known whether the section fills in {}; if not, the application fails to render it.",
        new.join(", ")
    ))]
}

/// Whether the library accepts a tool description.
pub(super) fn description(text: &str) -> Result<()> {
    storable("description", text)?;
    let trimmed = ids::trim(text);
    let length = trimmed.chars().count();
    let problem = if trimmed.is_empty() {
        "is empty".to_owned()
    } else if let Some((offset, found)) = trimmed.char_indices().find(|(_, c)| !c.is_ascii()) {
        let place = trimmed[..offset].chars().count() + 1;
        format!("has the non-ASCII character `{found}` at position {place}")
    } else if length > MAX_DESCRIPTION {
        format!("has {length} characters")
    } else {
        return Ok(());
    };
    Err(Error::DescriptionNotAccepted
        .because(format!("`description` {problem}; the library accepts 1-200 ASCII characters."))
        .hint("Shorten it and use ASCII only, or leave `description` out to keep the default.")
        .with("field", "description")
        .with("expected", "1-200 ASCII characters")
        .with("received", length))
}

/// Whether the tool has the parameters that are described.
pub(super) fn parameters(tool: &Tool, texts: &BTreeMap<String, String>) -> Result<Vec<Warning>> {
    for (name, text) in texts {
        storable(&format!("param_descriptions.{name}"), text)?;
        storable("param_descriptions", name)?;
    }
    let Some(known) = &tool.parameters else {
        let described = tool.param_descriptions.clone().unwrap_or_default();
        let new: Vec<_> =
            texts.keys().filter(|name| !described.contains_key(*name)).cloned().collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        return Ok(vec![WarningCode::ParameterUnverified.because(format!(
            "It is not known whether the tool has the parameters `{}`.",
            new.join("`, `")
        ))]);
    };
    let Some(unknown) = texts.keys().find(|name| !known.contains(*name)) else {
        return Ok(Vec::new());
    };
    let near = suggest::near(unknown, known.iter().map(String::as_str));
    let can = match known.len() {
        0 => "The tool has no parameters.".to_owned(),
        _ => {
            let names: Vec<&str> = known.iter().map(String::as_str).collect();
            format!("The tool has `{}`.", names.join("`, `"))
        }
    };
    Err(Error::UnknownParameter
        .because(format!(
            "`param_descriptions`: tool `{}` has no parameter `{unknown}`.{}",
            tool.name,
            suggest::question(&near)
        ))
        .hint(can)
        .with("field", "param_descriptions")
        .with("received", unknown)
        .with("expected", known)
        .with("suggestions", near))
}
