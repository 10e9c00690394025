//! Shell completion: namespaces, prompts and tags of existing overrides.

use std::collections::BTreeSet;

use toolwright_commands::Candidate;
use toolwright_runtime::contract::ToolInfo;
use toolwright_runtime::settings::Loaded;

use super::Wink;
use super::listing::ListRequest;
use crate::generated::Settings;

/// Namespaces, prompts and tags of override files. None where a descriptor command would have to run.
pub(super) fn values(loaded: &Loaded, _: &'static ToolInfo, argument: &str) -> Vec<Candidate> {
    let Ok(settings) = loaded.typed::<Settings>() else { return Vec::new() };
    let wink = Wink::new(&settings, std::env::current_dir().ok().as_deref());
    if wink.may_wait {
        return Vec::new();
    }
    let Ok(page) = wink.engine.list(&ListRequest::default()) else { return Vec::new() };
    let found: BTreeSet<String> = page
        .items
        .into_iter()
        .filter_map(|item| match argument {
            "ns" => item.ns,
            "prompt" => item.prompt,
            "tag" => item.tag,
            _ => None,
        })
        .collect();
    found.into_iter().map(|value| Candidate { value, help: String::new() }).collect()
}
