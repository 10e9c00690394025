//! Metadata of tools: keys that are not reserved, and known resources.

use serde_json::Value;

use crate::diagnostics::{Findings, code};
use crate::model::Tool;
use crate::names;
use crate::resolve::{Draft, ToolDraft};

/// Words that name somebody else's metadata where they stand before the `/` of a key: the
/// protocol's, and what the runtime itself puts in.
const RESERVED: [&str; 3] = ["modelcontextprotocol", "mcp", "toolwright"];

/// Its value is the resource that a client shows with the tool's answers.
const TEMPLATE: &str = "openai/outputTemplate";

/// Checks the metadata of one tool.
pub(super) fn check(draft: &Draft<'_>, tool: &Tool, source: &ToolDraft<'_>, out: &mut Findings) {
    let entries = source.doc.root.get("meta").map(|meta| meta.entries()).unwrap_or_default();
    for entry in entries {
        let key = entry.key.as_str();
        let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
        if key.is_empty() || key.contains(|c: char| c.is_whitespace() || c.is_control()) {
            out.add(code::BAD_META, entry.place, "keys of `meta` cannot contain spaces")
                .help("such as `example.com/colour`");
        } else if let Some(word) = prefix.split('.').find(|label| RESERVED.contains(label)) {
            out.add(code::BAD_META, entry.place, format!("key `{key}` is reserved"))
                .label(format!("the prefix `{word}` is reserved"))
                .help("use a prefix of your own, such as `example.com/`");
        }
        if key == TEMPLATE {
            let mut uris = draft.contract.resources.iter().map(|resource| resource.uri.as_str());
            let named = tool.meta.get(key).and_then(Value::as_str);
            if !named.is_some_and(|uri| uris.clone().any(|known| known == uri)) {
                let message = format!("`{TEMPLATE}` of `{}` is not a known resource", tool.name);
                out.add(code::BAD_META, entry.focus(), message)
                    .label("no resource in `surface.yaml` has this `uri`")
                    .help(names::suggest(named.unwrap_or_default(), uris.by_ref()));
            }
        }
    }
}
