//! A temporary home and project to write into, and plans built without a config.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{Applied, Options};
use crate::content::{OnDisk, on_disk, sha256};
use crate::failure::Result;
use crate::manifest;
use crate::model::*;
use crate::transaction::FaultInjector;
use crate::writer::Writer;

/// A home, a project and a clock.
pub(crate) struct Fixture {
    dir: tempfile::TempDir,
    pub(crate) project: PathBuf,
    pub(crate) now: i64,
}

/// `target, root below the fixture, file below the root, text`.
pub(crate) type File<'a> = (Target, &'a str, &'a str, &'a str);

impl Fixture {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("p")).unwrap();
        Self { project: dir.path().join("p"), dir, now: 1_000 }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The text of a file; none if there is none.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// Every file and folder outside the agentpack home.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path == self.home() {
                    continue;
                }
                if path.is_dir() && !path.is_symlink() {
                    found.insert(path.clone(), None);
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    found.insert(path, Some(bytes));
                }
            }
        }
        found
    }

    /// A plan for these files in these roots (`target, root below the fixture`).
    pub(crate) fn plan(&self, roots: &[(Target, &str)], files: &[File<'_>]) -> Plan {
        let mut roots: Vec<Root> = roots.iter().map(|(t, path)| self.root(*t, path)).collect();
        roots.sort_by(|a, b| (a.target, &a.path).cmp(&(b.target, &b.path)));
        let mut outputs = BTreeMap::new();
        for (target, root, name, text) in files {
            let path = self.path(root).join(name);
            let root = roots.iter().position(|r| r.target == *target && r.path == self.path(root));
            let output = Output {
                target: *target,
                path: path.clone(),
                root: root.unwrap(),
                content: Content::Bytes(text.as_bytes().into()),
                sha256: sha256(text.as_bytes()),
                size: text.len() as u64,
                executable: name.ends_with(".sh"),
                module_ids: BTreeSet::from([format!("m:{name}")]),
                sources: Vec::new(),
            };
            outputs.insert((*target, path), output);
        }
        let targets = roots.iter().map(|root| root.target).collect::<BTreeSet<_>>();
        let mut plan = Plan {
            targets: targets.into_iter().collect(),
            desired: Arc::new(Desired { roots, outputs, warnings: Vec::new() }),
            project_root: self.project.clone(),
            ..Plan::default()
        };
        fill(&mut plan);
        plan
    }

    fn root(&self, target: Target, path: &str) -> Root {
        let in_project = path.starts_with('p');
        Root { target, path: self.path(path), scan_extras: false, in_project }
    }

    pub(crate) fn writer(&self) -> Result<Writer> {
        Writer::open(&self.home(), "test", Duration::ZERO)
    }

    pub(crate) fn options(&mut self) -> Options<'static> {
        self.now += 1;
        let now = Timestamp::from_second(self.now).unwrap();
        Options { adopt: false, now, cancelled: &|| false }
    }

    pub(crate) fn apply(&mut self, plan: &Plan) -> Result<Applied> {
        let options = self.options();
        self.writer()?.apply(plan, options)
    }

    pub(crate) fn apply_with(&mut self, plan: &Plan, faults: FaultInjector) -> Result<Applied> {
        let options = self.options();
        self.writer()?.with_faults(faults).apply(plan, options)
    }

    /// Plans and applies; the id of the snapshot.
    pub(crate) fn deploy(&mut self, roots: &[(Target, &str)], files: &[File<'_>]) -> String {
        let plan = self.plan(roots, files);
        self.apply(&plan).unwrap().snapshot_id.unwrap()
    }
}

/// What is on disk, and what is to be done about it.
fn fill(plan: &mut Plan) {
    for (index, root) in plan.desired.roots.iter().enumerate() {
        match manifest::read(root).manifest {
            Some(found) => {
                for entry in found.entries {
                    let managed =
                        Managed { root: index, sha256: entry.sha256, module_ids: entry.module_ids };
                    plan.managed.insert((root.target, root.path.join(entry.path)), managed);
                }
            }
            None => {
                plan.roots_without_manifest.insert(index);
            }
        }
    }
    for ((target, path), output) in &plan.desired.outputs {
        let before = hash(path);
        if before.as_deref() != Some(&output.sha256) {
            let managed = plan.managed.contains_key(&(*target, path.clone()));
            let kind = if managed { UpdateKind::ManagedUpdate } else { UpdateKind::AdoptUpdate };
            let op = if before.is_some() { Op::Update } else { Op::Create };
            let after = Some(output.sha256.clone());
            let kind = before.is_some().then_some(kind);
            plan.changes.push(change(*target, op, path, before, after, kind));
        }
    }
    for (target, path) in plan.managed.keys() {
        let before = hash(path);
        if before.is_some() && !plan.desired.outputs.contains_key(&(*target, path.clone())) {
            plan.changes.push(change(*target, Op::Delete, path, before, None, None));
        }
    }
}

fn hash(path: &Path) -> Option<String> {
    on_disk(path).as_ref().ok().and_then(OnDisk::sha256).map(str::to_owned)
}

fn change(
    target: Target,
    op: Op,
    path: &Path,
    before_sha256: Option<String>,
    after_sha256: Option<String>,
    update_kind: Option<UpdateKind>,
) -> Change {
    Change {
        target,
        op,
        path: path.to_owned(),
        before_sha256,
        after_sha256,
        update_kind,
        reason: "",
        local_edits: false,
        module_ids: BTreeSet::new(),
    }
}
