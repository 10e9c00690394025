//! Everything that should be there: the outputs of all selected modules for all selected targets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolwright_runtime::ErrorKind;

use super::compose::{Composed, Composer};
use super::config::{Config, Module};
use super::content::{self, Fingerprint, fingerprint};
use super::failure::{self, Result};
use super::model::{Content, Desired, Output, Root, Target};
use super::paths::posix;
use super::targets::{self, Candidate, Places};
use super::validate::validate;
use crate::generated::agentpack::Error;

/// Composes, checks and renders. `modules` are sorted by id.
pub(super) fn render(
    config: &Config,
    modules: &[&Module],
    targets: &[Target],
    composer: Composer<'_>,
    places: Places<'_>,
) -> Result<Desired> {
    let roots = targets::roots(config, targets, places)?;
    let composed = content::parallel(modules, |module| -> Result<Composed> {
        let composed = composer.compose(module)?;
        validate(module, &composed)?;
        Ok(composed)
    });
    let composed: Vec<Composed> = composed.into_iter().collect::<Result<_>>()?;
    let pairs: Vec<(&Module, &Composed)> =
        modules.iter().copied().zip(composed.iter()).collect();

    let mut candidates = Vec::new();
    for target in targets {
        if let Some(config) = config.targets.get(target) {
            candidates.extend(targets::render(config, *target, &pairs, places)?);
        }
    }
    let prints = hash(&candidates)?;
    let mut outputs = BTreeMap::new();
    for (candidate, print) in candidates.into_iter().zip(prints) {
        add(&mut outputs, &roots, candidate, print)?;
    }
    check_nesting(&outputs)?;
    check_across_targets(&outputs)?;
    let warnings = composed.into_iter().flat_map(|composed| composed.warnings).collect();
    Ok(Desired { roots, outputs, warnings })
}

/// Hashes every candidate, each file once however many targets get it.
fn hash(candidates: &[Candidate]) -> Result<Vec<Fingerprint>> {
    let mut order: BTreeMap<&Path, usize> = BTreeMap::new();
    let mut distinct: Vec<&Content> = Vec::new();
    let mut index = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let next = distinct.len();
        let at = match &candidate.content {
            Content::File(path) => *order.entry(path).or_insert(next),
            Content::Bytes(_) => next,
        };
        if at == next {
            distinct.push(&candidate.content);
        }
        index.push(at);
    }
    let prints = content::parallel(&distinct, |content| fingerprint(content));
    let mut known = Vec::with_capacity(prints.len());
    for (content, print) in distinct.iter().zip(prints) {
        known.push(print.map_err(|error| match content {
            Content::File(path) => failure::io("read", path, &error),
            Content::Bytes(_) => Error::Unexpected.because(error.to_string()),
        })?);
    }
    Ok(index.into_iter().map(|at| known[at].clone()).collect())
}

fn add(
    outputs: &mut BTreeMap<(Target, PathBuf), Output>,
    roots: &[Root],
    candidate: Candidate,
    print: Fingerprint,
) -> Result<()> {
    let from_mode = matches!(candidate.content, Content::File(_)) && print.mode & 0o111 != 0;
    let executable = candidate.keeps_mode && candidate.executable.unwrap_or(from_mode);
    let root = deepest_root(roots, candidate.target, &candidate.path)?;
    let mut output = Output {
        target: candidate.target,
        path: candidate.path.clone(),
        root,
        content: candidate.content,
        sha256: print.sha256,
        size: print.size,
        executable,
        module_ids: candidate.sources.iter().map(|source| source.module_id.clone()).collect(),
        sources: candidate.sources,
    };
    let key = (candidate.target, candidate.path);
    if let Some(known) = outputs.remove(&key) {
        if known.sha256 != output.sha256 {
            return Err(conflict(&known, &output, "two contents"));
        }
        output.executable |= known.executable;
        output.module_ids.extend(known.module_ids);
        output.sources.extend(known.sources);
        output.sources.sort_by(|a, b| {
            (&a.module_id, &a.module_path).cmp(&(&b.module_id, &b.module_path))
        });
        output.sources.dedup();
    }
    outputs.insert(key, output);
    Ok(())
}

fn deepest_root(roots: &[Root], target: Target, path: &Path) -> Result<usize> {
    let containing = roots.iter().enumerate().filter(|(_, root)| {
        root.target == target && path != root.path && path.starts_with(&root.path)
    });
    let deepest = containing.max_by_key(|(_, root)| root.path.components().count());
    deepest.map(|(index, _)| index).ok_or_else(|| {
        Error::Unexpected
            .because(format!("The output `{}` is in no root of its target.", path.display()))
            .with("target", target.as_str())
            .with("path", path)
    })
}

/// No output can be a folder of another. Paths are sorted part by part, so what lies below a path
/// comes right after it.
fn check_nesting(outputs: &BTreeMap<(Target, PathBuf), Output>) -> Result<()> {
    let all: Vec<&Output> = outputs.values().collect();
    for pair in all.windows(2) {
        if let [above, below] = pair
            && above.target == below.target
            && below.path.starts_with(&above.path)
        {
            return Err(conflict(above, below, "a file and a folder"));
        }
    }
    Ok(())
}

/// Two programs may share a folder (an odd `codex_home`), but not with different files.
fn check_across_targets(outputs: &BTreeMap<(Target, PathBuf), Output>) -> Result<()> {
    let mut by_path: BTreeMap<&Path, &Output> = BTreeMap::new();
    for output in outputs.values() {
        match by_path.insert(&output.path, output) {
            Some(other) if other.sha256 != output.sha256 => {
                return Err(conflict(other, output, "two contents"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn conflict(existing: &Output, new: &Output, what: &str) -> toolwright_runtime::Failure<Error> {
    let ids = |output: &Output| {
        output.module_ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
    };
    let side = |output: &Output| {
        serde_json::json!({
            "sha256": output.sha256,
            "module_ids": output.module_ids,
            "path": output.path,
            "target": output.target,
        })
    };
    Error::DesiredStateConflict
        .because(format!(
            "`{}` of target `{}` would have to be {what}: one of {} and one of {}.",
            existing.path.display(),
            new.target.as_str(),
            ids(existing),
            ids(new)
        ))
        .hint("Rename or disable one of the modules, or send them to different targets.")
        .with("target", new.target.as_str())
        .with("path", &existing.path)
        .with("path_posix", posix(&existing.path))
        .with("existing", side(existing))
        .with("new", side(new))
}
