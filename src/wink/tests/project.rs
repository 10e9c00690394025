//! A project with prompts, where `wink` runs.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwright_testing::{ServerHome, files};
use wink::hash;

/// Where a project has its overrides.
pub(crate) const OVERRIDES: &str = "overrides";
/// Where it has its descriptor export.
pub(crate) const DESCRIPTORS: &str = "descriptors.json";

/// A project whose export is the given text.
pub(crate) fn with_export(export: &str) -> ServerHome {
    let home = ServerHome::of("wink")
        .path_env("WINK_OVERRIDES_DIR", OVERRIDES)
        .path_env("WINK_DESCRIPTORS", DESCRIPTORS)
        // On a slow disk a writer may wait for many writes of the other.
        .env("WINK_LOCK_TIMEOUT_MS", "120000");
    home.write(DESCRIPTORS, export);
    home
}

/// A project with one prompt `load/test` of that many sections, `s0`, `s1`, …
pub(crate) fn with_sections(count: usize) -> ServerHome {
    let sections: Vec<Value> = (0..count)
        .map(|number| {
            let body = format!("Section {number}.");
            json!({"path": [format!("s{number}")], "number": number.to_string(), "title": "S",
                   "content_hash": hash::of_text(&body), "accepts_overrides": true,
                   "body": body, "placeholders": []})
        })
        .collect();
    let prompt =
        json!({"ns": "load", "key": "test", "name": "t", "sections": sections, "tools": []});
    let export = json!({"kind": "wink.descriptors", "version": 1,
        "library": "weakincentives 0.27.0", "override_format": 2, "prompts": [prompt]});
    with_export(&export.to_string())
}

/// Every file below a folder that is not an override file.
pub(crate) fn strays(folder: &Path) -> Vec<PathBuf> {
    let files = files::walk(folder).into_iter().filter(|path| path.is_file());
    files.filter(|path| path.extension().is_none_or(|extension| extension != "json")).collect()
}
