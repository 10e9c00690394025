//! Parses a file with the library's rules and clearer messages.

use std::path::Path;

use toolwright_runtime::{ErrorKind, Failure};

use super::{Format, OverrideFile, hints};
use crate::failure::{Result, malformed};
use crate::generated::Error;
use crate::ids::PromptRef;
use crate::python_json::{Json, Members, compact, parse};

impl OverrideFile {
    /// Reads a file's bytes. `path` is for messages. The header's names are not compared here.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return Err(malformed(path, "it starts with a byte order mark.")
                .hint("Save it as UTF-8 without a byte order mark (BOM)."));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            malformed(path, format!("invalid UTF-8 at byte {}.", error.valid_up_to()))
                .hint("Save it as UTF-8.")
                .with("offset", error.valid_up_to())
        })?;
        let value = parse(text).map_err(|error| {
            malformed(path, format!("not valid JSON: {error}"))
                .with("line", error.line)
                .with("column", error.column)
        })?;
        let kind = value.kind();
        let Json::Object(mut members) = value else {
            return Err(malformed(path, format!("the top level must be an object, not {kind}.")));
        };
        let format = format_of(&members, path)?;
        let sections = container(&mut members, "sections", path)?;
        let tools = container(&mut members, "tools", path)?;
        if format == Format::Two
            && let Some(found) = members.get("task_example_overrides")
            && !matches!(found, Json::Null | Json::Array(_))
        {
            return Err(wrong_kind(path, "task_example_overrides", "an array", found));
        }
        Ok(Self { format, members, sections, tools })
    }

    /// Compares the header with the names that the path stands for.
    pub fn check_header(&self, prompt: &PromptRef, path: &Path) -> Result<()> {
        for (field, expected) in [
            ("ns", prompt.ns.as_str()),
            ("prompt_key", prompt.prompt.as_str()),
            ("tag", prompt.tag.as_str()),
        ] {
            let found = self.members.get(field).unwrap_or(&Json::Null);
            if found.as_str() != Some(expected) {
                return Err(Error::OverrideFileMismatch
                    .because(format!(
                        "Override file `{}` has `{field}` {}, but its path says \"{expected}\". \
                         The application fails on this file.",
                        path.display(),
                        compact(found),
                    ))
                    .hint(format!(
                        "Set `{field}` to \"{expected}\" in the file, or move the file to where its \
                         header belongs."
                    ))
                    .with("path", path)
                    .with("field", field)
                    .with("expected", expected)
                    .with("received", compact(found)));
            }
        }
        Ok(())
    }
}

/// Removes a container; missing and null mean empty, as for the library.
fn container(members: &mut Members, name: &str, path: &Path) -> Result<Members> {
    match members.remove(name) {
        None | Some(Json::Null) => Ok(Members::new()),
        Some(Json::Object(entries)) => Ok(entries),
        Some(other) => Err(wrong_kind(path, name, "an object", &other)),
    }
}

fn wrong_kind(path: &Path, field: &str, expected: &str, found: &Json) -> Failure<Error> {
    malformed(path, format!("`{field}` must be {expected}, not {}.", found.kind()))
        .with("field", field)
        .with("expected", expected)
        .with("received", found.kind())
}

fn format_of(members: &Members, path: &Path) -> Result<Format> {
    let version = members.get("version").unwrap_or(&Json::Null);
    for format in [Format::One, Format::Two] {
        if version.equals_integer(i32::from(format.number())) {
            return Ok(format);
        }
    }
    let received = compact(version);
    let message = if *version == Json::Null {
        format!("Override file `{}` has no `version`.", path.display())
    } else {
        format!("Override file `{}` has the unsupported version {received}.", path.display())
    };
    Err(Error::FormatUnsupported
        .because(message)
        .hint(hints::version_hint(members))
        .with("path", path)
        .with("field", "version")
        .with("expected", [1, 2])
        .with("received", received))
}
