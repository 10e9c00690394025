//! An answer that was chosen by the caller or at server start.

use serde_json::Value;

use super::MOCK_KEY;
use crate::call::Call;
use crate::contract::{ErrorInfo, ExampleInfo, Expect, SurfaceInfo, ToolInfo};
use crate::problem::{excerpt, shorten};

/// A chosen answer.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    /// A failure of this kind.
    Error(&'static ErrorInfo),
    /// The answer of this example.
    Example(&'static ExampleInfo),
}

/// The choice in the `_meta` of a call.
pub(super) fn of_call(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
    call: &Call,
) -> Result<Option<Choice>, String> {
    let Some(chosen) = call.request_meta().get(MOCK_KEY) else { return Ok(None) };
    let members = chosen.as_object().filter(|members| members.len() == 1);
    let member = members.and_then(|members| members.iter().next());
    match member.and_then(|(name, value)| Some((name.as_str(), value.as_str()?))) {
        Some(("error", name)) => error(surface, tool, name).map(Some),
        Some(("example", name)) => example(surface, tool, name).map(Some),
        _ => Err(malformed(chosen)),
    }
}

fn malformed(chosen: &Value) -> String {
    format!(
        "`{MOCK_KEY}` in `_meta` chooses an answer: {{\"error\": \"<kind or code>\"}} or \
         {{\"example\": \"<name>\"}}, not {}",
        excerpt(chosen)
    )
}

/// A declared error, by kind, code or alias.
pub(super) fn error(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
    name: &str,
) -> Result<Choice, String> {
    let mut declared = tool.errors.iter().filter_map(|kind| surface.error(kind));
    let found = declared
        .find(|error| error.kind == name || error.code == name || error.aliases.contains(&name));
    found.map(Choice::Error).ok_or_else(|| {
        format!(
            "`{}` declares no error `{}`; it declares: {}",
            tool.canonical,
            shorten(name),
            tool.errors.join(", ")
        )
    })
}

/// An example by name; an example of an error selects that error.
pub(super) fn example(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
    name: &str,
) -> Result<Choice, String> {
    let Some(found) = tool.examples.iter().find(|example| example.name == name) else {
        let all: Vec<&str> = tool.examples.iter().map(|example| example.name).collect();
        return Err(format!(
            "`{}` has no example `{}`; it has: {}",
            tool.canonical,
            shorten(name),
            all.join(", ")
        ));
    };
    match found.expect {
        Expect::Output(_) => Ok(Choice::Example(found)),
        Expect::Error(kind) => error(surface, tool, kind),
    }
}
