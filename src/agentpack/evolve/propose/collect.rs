//! Finds edited deployed files and carries the edits over to their modules.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::report::{Candidate, Reason, Skipped, Summary};
use super::unrender::{body, same, sections};
use super::{Request, merge};
use crate::content::{self, OnDisk, on_disk};
use crate::failure::{self, Result};
use crate::manifest;
use crate::model::{Content, Desired, Managed, Output, OutputSource, Target};
use crate::next_actions;
use crate::overlay::{Edits, Overlay};
use crate::paths::relative;
use crate::plan::RootSurvey;
use crate::snapshot::{copy_for, state_root};
use crate::workspace::Workspace;

/// A file of the proposal.
pub(super) struct File {
    pub(super) candidate: Candidate,
    pub(super) bytes: Vec<u8>,
    pub(super) executable: bool,
}

#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<File>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) summary: Summary,
    pub(super) warnings: Vec<String>,
}

/// An edit of one file of one module.
struct Edit<'a> {
    output: &'a Output,
    source: &'a OutputSource,
    bytes: Vec<u8>,
}

/// The three versions of a deployed file.
struct Versions {
    /// As it was deployed, where a copy of that is still there.
    deployed: Option<Vec<u8>>,
    /// As it would be deployed now.
    wanted: Vec<u8>,
    /// As it is.
    edited: Vec<u8>,
}

/// Compares every output of the selection.
pub(super) fn collect(
    workspace: &Workspace,
    desired: &Desired,
    request: &Request<'_>,
) -> Result<Found> {
    let survey = RootSurvey::new(desired, &workspace.project);
    let mut collector = Collector {
        workspace,
        desired,
        request,
        snapshots: BTreeMap::new(),
        edits: BTreeMap::new(),
        found: Found { warnings: desired.warnings.clone(), ..Found::default() },
    };
    for (key, output) in &desired.outputs {
        if request.module_id.is_none_or(|id| output.module_ids.contains(id)) {
            collector.output(output, survey.managed.get(key))?;
        }
    }
    collector.place()?;
    let mut found = collector.found;
    found.files.sort_by(|a, b| key(&a.candidate).cmp(&key(&b.candidate)));
    found.skipped.sort_by(|a, b| {
        (a.reason.code(), a.target, &a.path).cmp(&(b.reason.code(), b.target, &b.path))
    });
    Ok(found)
}

fn key(candidate: &Candidate) -> (&str, &PathBuf) {
    (&candidate.module_id, &candidate.path)
}

struct Collector<'a> {
    workspace: &'a Workspace,
    desired: &'a Desired,
    request: &'a Request<'a>,
    /// The snapshot that a root's manifest names.
    snapshots: BTreeMap<usize, Option<String>>,
    /// By module and path in it.
    edits: BTreeMap<(&'a str, &'a str), Vec<Edit<'a>>>,
    found: Found,
}

impl<'a> Collector<'a> {
    fn output(&mut self, output: &'a Output, managed: Option<&Managed>) -> Result<()> {
        let now = match on_disk(&output.path) {
            Ok(OnDisk::File(print)) => print.sha256,
            Ok(OnDisk::Missing) => {
                self.skip(output, Reason::Missing, None);
                return Ok(());
            }
            Ok(OnDisk::Link { .. } | OnDisk::Other(_)) => {
                self.skip(output, Reason::NotAFile, None);
                return Ok(());
            }
            Err(error) => {
                self.unreadable(output, &error);
                return Ok(());
            }
        };
        if now == output.sha256 {
            return Ok(());
        }
        let Some(managed) = managed else {
            self.skip(output, Reason::UnmanagedOutput, None);
            return Ok(());
        };
        if now == managed.sha256 {
            self.skip(output, Reason::OutdatedOutput, None);
            return Ok(());
        }
        let edited = match content::read(&Content::File(output.path.clone())) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.unreadable(output, &error);
                return Ok(());
            }
        };
        let wanted = content::read(&output.content)
            .map_err(|error| failure::io("read the source of", &output.path, &error))?;
        let deployed = self.deployed(output, managed);
        let versions = Versions { deployed, wanted, edited };
        match output.sources.as_slice() {
            [source] => self.single(output, source, &versions),
            _ => self.several(output, &versions),
        }
        Ok(())
    }

    fn unreadable(&mut self, output: &Output, error: &std::io::Error) {
        self.found.summary.skipped_read_error += 1;
        self.found.warnings.push(format!(
            "evolve.propose: skipped {} {}: {error}",
            output.target.as_str(),
            output.path.display()
        ));
    }

    /// The copy that the deploy kept, if it is still there and right.
    fn deployed(&mut self, output: &Output, managed: &Managed) -> Option<Vec<u8>> {
        if managed.sha256 == output.sha256 {
            return content::read(&output.content).ok();
        }
        let root = self.desired.roots.get(managed.root)?;
        let id = self
            .snapshots
            .entry(managed.root)
            .or_insert_with(|| manifest::read(root).manifest.and_then(|found| found.snapshot_id));
        let id = id.as_deref().filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))?;
        let copies = state_root(&self.workspace.environment.agentpack_home, id);
        let copy = Content::File(copy_for(&copies, output.target, &output.path));
        content::read(&copy).ok().filter(|bytes| content::sha256(bytes) == managed.sha256)
    }

    /// A file of one module.
    fn single(&mut self, output: &'a Output, source: &'a OutputSource, versions: &Versions) {
        if output.target != Target::Cursor {
            let deployed = versions.deployed.as_deref();
            return self.edit(output, source, deployed, &versions.wanted, &versions.edited);
        }
        let id = source.module_id.as_str();
        let edited = body(id, &versions.edited);
        let wanted = body(id, &versions.wanted).bytes;
        let deployed = versions.deployed.as_deref().map(|bytes| body(id, bytes).bytes);
        if same(edited.bytes, deployed.unwrap_or(wanted)) {
            return self.skip(output, Reason::GeneratedPart, None);
        }
        if !edited.front_intact {
            self.found.warnings.push(format!(
                "evolve.propose: the front matter of `{}` was edited; it is generated, so that \
                 edit is not proposed",
                output.path.display()
            ));
        }
        self.edit(output, source, deployed, wanted, edited.bytes);
    }

    /// A file that several modules share.
    fn several(&mut self, output: &'a Output, versions: &Versions) {
        let (Some(wanted), Some(edited)) = (sections(&versions.wanted), sections(&versions.edited))
        else {
            return self.skip(output, Reason::MultiModuleOutput, None);
        };
        let known = |id: &str| wanted.contains_key(id) && edited.contains_key(id);
        if !output.sources.iter().all(|source| known(&source.module_id)) {
            return self.skip(output, Reason::MultiModuleOutput, None);
        }
        let deployed = versions.deployed.as_deref().and_then(sections);
        let mut changed = false;
        for source in &output.sources {
            let id = source.module_id.as_str();
            let (Some(wanted), Some(edited)) = (wanted.get(id), edited.get(id)) else { continue };
            let deployed = deployed.as_ref().and_then(|deployed| deployed.get(id));
            if *edited == *deployed.unwrap_or(wanted) || edited == wanted {
                continue;
            }
            changed = true;
            if self.request.module_id.is_none_or(|wanted| wanted == id) {
                let deployed = deployed.map(|text| text.as_bytes());
                self.edit(output, source, deployed, wanted.as_bytes(), edited.as_bytes());
            }
        }
        if !changed {
            self.skip(output, Reason::MultiModuleOutput, None);
        }
    }

    /// An edit of the module's text, carried over to its current text.
    fn edit(
        &mut self,
        output: &'a Output,
        source: &'a OutputSource,
        deployed: Option<&[u8]>,
        wanted: &[u8],
        edited: &[u8],
    ) {
        let bytes = match deployed {
            Some(deployed) if same(deployed, wanted) => edited.to_vec(),
            Some(deployed) => match merge::merge(self.workspace, wanted, deployed, edited) {
                Some(merged) => merged,
                None => return self.skip(output, Reason::SourceChanged, Some(&source.module_id)),
            },
            None => {
                self.found.warnings.push(format!(
                    "evolve.propose: no copy of `{}` as it was deployed is left; the proposal may \
                     take back newer changes of module `{}`",
                    output.path.display(),
                    source.module_id
                ));
                edited.to_vec()
            }
        };
        let key = (source.module_id.as_str(), source.module_path.as_str());
        self.edits.entry(key).or_default().push(Edit { output, source, bytes });
    }

    /// Assigns every edit to a file of an overlay.
    fn place(&mut self) -> Result<()> {
        for (_, edits) in std::mem::take(&mut self.edits) {
            let Some(first) = edits.first() else { continue };
            if edits.iter().any(|edit| !same(&edit.bytes, &first.bytes)) {
                for edit in &edits {
                    self.skip(edit.output, Reason::ConflictingEdits, Some(&edit.source.module_id));
                    let others = edits.iter().map(|other| other.output.path.clone());
                    let others = others.filter(|path| *path != edit.output.path).collect();
                    if let Some(skipped) = self.found.skipped.last_mut() {
                        skipped.conflicts_with = others;
                    }
                }
                continue;
            }
            let source = first.source;
            let owner = self.workspace.owner();
            let overlays = owner.find(&source.module_id)?;
            if source.layer > self.request.scope {
                self.skip(first.output, Reason::ShadowedByOverlay, Some(&source.module_id));
                continue;
            }
            let here = |overlay: &&Overlay| overlay.layer == self.request.scope;
            let dir = match overlays.iter().find(here) {
                Some(Overlay { edits: Edits::Patch(_), .. }) => {
                    self.skip(first.output, Reason::PatchOverlay, Some(&source.module_id));
                    continue;
                }
                Some(overlay) => overlay.dir.clone(),
                None => owner.dir(self.request.scope, &source.module_id),
            };
            self.propose(first, dir.join(&source.module_path));
        }
        Ok(())
    }

    fn propose(&mut self, edit: &Edit<'_>, path: PathBuf) {
        let Some(file) = relative(&path, &self.workspace.repo) else { return };
        self.found.summary.drifted_proposeable += 1;
        let candidate = Candidate {
            module_id: edit.source.module_id.clone(),
            target: edit.output.target,
            path: edit.output.path.clone(),
            file,
        };
        let (bytes, executable) = (edit.bytes.clone(), edit.output.executable);
        self.found.files.push(File { candidate, bytes, executable });
    }

    fn skip(&mut self, output: &Output, reason: Reason, module_id: Option<&str>) {
        let summary = &mut self.found.summary;
        summary.drifted_skipped += 1;
        match reason {
            Reason::Missing => summary.skipped_missing += 1,
            Reason::MultiModuleOutput => summary.skipped_multi_module += 1,
            Reason::OutdatedOutput => summary.skipped_outdated += 1,
            Reason::ConflictingEdits | Reason::SourceChanged => summary.skipped_conflicting += 1,
            _ => {}
        }
        let ids: Vec<String> = output.module_ids.iter().cloned().collect();
        let single = match ids.as_slice() {
            [only] => Some(only.clone()),
            _ => module_id.map(str::to_owned),
        };
        let module_ids = if ids.len() > 1 { ids } else { Vec::new() };
        let command = |words: &str| next_actions::command(&self.workspace.selection, words);
        let deploy = command("deploy --apply --yes --json");
        let next_actions = match reason {
            Reason::Missing => {
                let module =
                    single.as_ref().map_or(String::new(), |id| format!(" --module-id {id}"));
                vec![command(&format!("evolve restore{module} --yes --json")), deploy]
            }
            Reason::OutdatedOutput => vec![deploy],
            _ => Vec::new(),
        };
        self.found.skipped.push(Skipped {
            target: output.target,
            path: output.path.clone(),
            reason,
            next_actions,
            module_id: single,
            module_ids,
            conflicts_with: Vec::new(),
        });
    }
}
