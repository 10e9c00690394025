//! Cursor: one rule per instructions module, in projects only.

use super::{Places, Renders, Sink};
use crate::config::TargetConfig;

pub(super) fn sinks(config: &TargetConfig, places: Places<'_>) -> Vec<Sink> {
    let root = places.project.join(".cursor").join("rules");
    let rules = Sink { root, scan_extras: true, in_project: true, renders: Renders::Rules };
    let on = config.scope.has_project() && config.options.flag("write_rules", true);
    on.then_some(rules).into_iter().collect()
}

/// A rule that always applies: front matter, an empty line, the text.
pub(crate) fn rule(module_id: &str, body: &[u8]) -> Vec<u8> {
    let description = serde_json::Value::from(format!("agentpack: {module_id}"));
    let front = format!("---\ndescription: {description}\nglobs: []\nalwaysApply: true\n---\n\n");
    let mut bytes = front.into_bytes();
    bytes.extend_from_slice(body);
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes
}
