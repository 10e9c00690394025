//! The module's state when an overlay was created, to warn when the source has changed since.

use std::path::Path;

use serde::Deserialize;

use super::{MAX_METADATA, METADATA, Overlay};
use crate::content::{Fingerprint, fingerprint, read_file};
use crate::model::Content;
use crate::tree::{Files, tree_sha256};

#[derive(Deserialize)]
struct Baseline {
    upstream_sha256: String,
    #[serde(default)]
    file_manifest: Vec<Recorded>,
}

#[derive(Deserialize)]
struct Recorded {
    path: String,
    sha256: String,
}

/// A line for each source file that changed under an overlay. None without a baseline.
pub(crate) fn warnings(overlay: &Overlay, upstream: &Files) -> Vec<String> {
    let path = overlay.dir.join(METADATA).join("baseline.json");
    match read(&path) {
        Ok(None) => Vec::new(),
        Ok(Some(baseline)) => compare(overlay, &baseline, upstream),
        Err(why) => vec![format!("overlay baseline `{}` is ignored: {why}", path.display())],
    }
}

fn read(path: &Path) -> Result<Option<Baseline>, String> {
    match read_file(path, MAX_METADATA) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| error.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

fn compare(overlay: &Overlay, baseline: &Baseline, upstream: &Files) -> Vec<String> {
    let prints: Vec<(&String, Fingerprint)> = upstream
        .iter()
        .filter_map(|(name, path)| Some((name, fingerprint(&Content::File(path.clone())).ok()?)))
        .collect();
    if tree_sha256(prints.iter().map(|(name, print)| (*name, print))) == baseline.upstream_sha256 {
        return Vec::new();
    }
    let (id, scope) = (&overlay.module_id, overlay.layer.as_str());
    let mut lines = Vec::new();
    for name in overlay.edits.paths() {
        let Some(then) = baseline.file_manifest.iter().find(|file| file.path == *name) else {
            continue;
        };
        match prints.iter().find(|(path, _)| *path == name) {
            Some((_, now)) if now.sha256 == then.sha256 => {}
            Some(_) => lines.push(format!(
                "overlay of module `{id}` ({scope}): `{name}` changed in the source since the \
                 overlay was created"
            )),
            None => lines.push(format!(
                "overlay of module `{id}` ({scope}): `{name}` is gone from the source since the \
                 overlay was created"
            )),
        }
    }
    if lines.is_empty() {
        lines.push(format!(
            "overlay of module `{id}` ({scope}): the source changed since the overlay was created"
        ));
    }
    lines
}
