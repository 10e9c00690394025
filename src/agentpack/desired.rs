//! The desired state: the outputs of all selected modules for all selected targets.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::PathBuf;

use toolwright_runtime::ErrorKind;

use super::compose::{Composed, Composer};
use super::config::{Config, Module};
use super::content::{self, Fingerprint, fingerprint};
use super::failure::{self, Result};
use super::model::{Content, Desired, Output, Target};
use super::paths::posix;
use super::targets::{self, Candidate, Places};
use super::validate::validate;
use crate::generated::Error;

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
    let pairs: Vec<(&Module, &Composed)> = modules.iter().copied().zip(composed.iter()).collect();

    let mut candidates = Vec::new();
    for target in targets {
        if let Some(config) = config.targets.get(target) {
            candidates.extend(targets::render(config, *target, &pairs, places, &roots)?);
        }
    }
    let prints = hash(&candidates)?;
    let outputs = merge(candidates.into_iter().zip(prints).map(output).collect())?;
    check_nesting(&outputs)?;
    check_across_targets(&outputs)?;
    let warnings = composed.into_iter().flat_map(|composed| composed.warnings).collect();
    Ok(Desired { roots, outputs, warnings })
}

/// Hashes every candidate, each file once however many targets get it.
fn hash(candidates: &[Candidate]) -> Result<Vec<Fingerprint>> {
    let mut order: HashMap<&OsStr, usize> = HashMap::new();
    let mut distinct: Vec<&Content> = Vec::new();
    let mut index = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let next = distinct.len();
        let at = match &candidate.content {
            Content::File(path) => *order.entry(path.as_os_str()).or_insert(next),
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

fn output((candidate, print): (Candidate, Fingerprint)) -> Output {
    let from_mode = matches!(candidate.content, Content::File(_)) && print.mode & 0o111 != 0;
    Output {
        target: candidate.target,
        path: candidate.path,
        root: candidate.root,
        content: candidate.content,
        sha256: print.sha256,
        size: print.size,
        executable: candidate.keeps_mode && candidate.executable.unwrap_or(from_mode),
        module_ids: candidate.sources.iter().map(|source| source.module_id.clone()).collect(),
        sources: candidate.sources,
    }
}

/// Sorts, and merges outputs for the same file. They come nearly sorted and comparing paths is slow, so
/// they are sorted once and nothing is looked up.
fn merge(mut outputs: Vec<Output>) -> Result<BTreeMap<(Target, PathBuf), Output>> {
    outputs.sort_by(|a, b| (a.target, &a.path).cmp(&(b.target, &b.path)));
    let mut merged: Vec<((Target, PathBuf), Output)> = Vec::with_capacity(outputs.len());
    for output in outputs {
        match merged.last_mut() {
            Some((key, known)) if key.0 == output.target && key.1 == output.path => {
                if known.sha256 != output.sha256 {
                    return Err(conflict(known, &output, "two contents"));
                }
                known.executable |= output.executable;
                known.module_ids.extend(output.module_ids);
                known.sources.extend(output.sources);
                known.sources.sort_by(|a, b| {
                    (&a.module_id, &a.module_path).cmp(&(&b.module_id, &b.module_path))
                });
                known.sources.dedup();
            }
            _ => merged.push(((output.target, output.path.clone()), output)),
        }
    }
    Ok(merged.into_iter().collect())
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

/// Two targets may share a folder (an unusual `codex_home`), but not with different files.
fn check_across_targets(outputs: &BTreeMap<(Target, PathBuf), Output>) -> Result<()> {
    let mut by_path: HashMap<&OsStr, &Output> = HashMap::with_capacity(outputs.len());
    for output in outputs.values() {
        match by_path.insert(output.path.as_os_str(), output) {
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

#[cfg(test)]
mod tests {
    use crate::testing::Sandbox;

    use super::*;

    #[test]
    fn equal_outputs_are_one_and_different_ones_a_conflict() {
        let sandbox = Sandbox::new();
        sandbox.config(
            &[("vscode", "project")],
            &[("prompt:b", "prompt", "b/x.md"), ("prompt:a", "prompt", "a/x.md")],
        );
        sandbox.repo("a/x.md", "same\n");
        sandbox.repo("b/x.md", "same\n");
        let desired = sandbox.open(None).unwrap().render().unwrap();
        let output = desired.outputs.values().next().unwrap();
        assert_eq!(desired.outputs.len(), 1);
        assert_eq!(output.module_ids.iter().collect::<Vec<_>>(), ["prompt:a", "prompt:b"]);
        assert_eq!(output.sources[0].module_id, "prompt:a");

        sandbox.repo("b/x.md", "other\n");
        let failure = sandbox.open(None).unwrap().render().unwrap_err();
        assert_eq!(failure.kind(), Error::DesiredStateConflict);
        assert!(failure.message().contains("x.prompt.md"), "{failure}");
        let details = failure.erase().details;
        assert_eq!(details["existing"]["module_ids"], serde_json::json!(["prompt:a"]));
        assert_eq!(details["new"]["module_ids"], serde_json::json!(["prompt:b"]));
        assert_eq!(details["target"], "vscode");
    }

    #[test]
    fn a_file_cannot_be_a_folder_too() {
        let sandbox = Sandbox::new();
        sandbox.config(
            &[("codex", "project")],
            &[("skill:a", "skill", "a"), ("skill:a/b", "skill", "b")],
        );
        let head = "---\nname: a\ndescription: b\n---\n";
        sandbox.repo("a/SKILL.md", head);
        sandbox.repo("b/SKILL.md", head);
        assert_eq!(sandbox.open(None).unwrap().render().unwrap().outputs.len(), 2);
        sandbox.repo("a/b", "in the way");
        let failure = sandbox.open(None).unwrap().render().unwrap_err();
        assert_eq!(failure.kind(), Error::DesiredStateConflict);
        assert!(failure.message().contains("a file and a folder"), "{failure}");
    }

    #[test]
    fn two_targets_cannot_conflict_over_one_file() {
        let sandbox = Sandbox::new();
        sandbox.repo(
            "agentpack.yaml",
            "version: 1
profiles: {default: {include_tags: [all]}}
targets:
  codex: {mode: files, scope: project, options: {skills_dir: .claude/skills}}
  claude_code: {mode: files, scope: project, options: {write_repo_skills: true}}
modules:
  - {id: 'a:s', type: skill, tags: [all], targets: [codex], source: {local_path: {path: a}}}
  - {id: 'b:s', type: skill, tags: [all], targets: [claude_code], source: {local_path: {path: b}}}
",
        );
        let head = "---\nname: s\ndescription: d\n---\n";
        sandbox.repo("a/SKILL.md", head);
        sandbox.repo("b/SKILL.md", head);
        assert_eq!(sandbox.open(None).unwrap().render().unwrap().outputs.len(), 2);
        sandbox.repo("b/SKILL.md", &format!("{head}more\n"));
        let failure = sandbox.open(None).unwrap().render().unwrap_err();
        assert_eq!(failure.kind(), Error::DesiredStateConflict);
        assert!(failure.message().contains(".claude/skills/s/SKILL.md"), "{failure}");
        assert_eq!(sandbox.open(Some(Target::Codex)).unwrap().render().unwrap().outputs.len(), 1);
    }
}
