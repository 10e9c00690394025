//! Read-modify-write of one file.

use toolwright_runtime::{ErrorKind, Failure};

use super::dirs::{Directory, open_root};
use super::lock::lock_root;
use super::read::{RawFile, read_file};
use super::write::{self, Attempt};
use super::{ABSENT, Change, MAX_FILE_BYTES, Mode, Snapshot, Store, Updated};
use crate::failure::Result;
use crate::generated::Error;
use crate::hash;
use crate::ids::PromptRef;
use crate::override_file::OverrideFile;

/// How often an edit is repeated when a writer without a lock gets in between.
const ATTEMPTS: usize = 5;

/// An edit, computed and not yet written.
struct Plan<T> {
    value: T,
    before: Option<(RawFile, OverrideFile)>,
    file: OverrideFile,
    bytes: Vec<u8>,
}

impl<T> Plan<T> {
    fn changes(&self) -> bool {
        match &self.before {
            Some((_, before)) => self.deletes() || *before != self.file,
            None => !self.file.is_empty(),
        }
    }

    fn deletes(&self) -> bool {
        self.before.is_some() && self.file.is_empty()
    }

    fn raw(&self) -> Option<&RawFile> {
        self.before.as_ref().map(|(raw, _)| raw)
    }
}

impl Store {
    /// Changes one file by `edit`, which gets the file, or an empty one with its header. A file
    /// in which nothing is left is deleted. The edit may run several times.
    pub fn update<T>(
        &self,
        prompt: &PromptRef,
        change: Change<'_>,
        mut edit: impl FnMut(&mut OverrideFile) -> Result<T>,
    ) -> Result<Updated<T>> {
        let planned = self.plan(prompt, change, open_root(&self.root)?.as_ref(), &mut edit)?;
        if change.mode == Mode::DryRun || !planned.changes() {
            return Ok(finish(planned, None));
        }
        let root = lock_root(&self.root, self.lock_timeout)?;
        // Nearly always the file is the one that was planned with, and the plan holds.
        let mut ready = self.is_current(prompt, &root, &planned)?.then_some(planned);
        for _ in 0..ATTEMPTS {
            let plan = match ready.take() {
                Some(plan) => plan,
                None => self.plan(prompt, change, Some(&root), &mut edit)?,
            };
            if !plan.changes() {
                return Ok(finish(plan, None));
            }
            let (attempt, written) = self.write_plan(&root, prompt, &plan)?;
            if attempt == Attempt::Done {
                return Ok(finish(plan, written));
            }
        }
        Err(self.write_conflict(prompt))
    }

    /// Whether the file is still the one that the plan was computed from.
    fn is_current<T>(&self, prompt: &PromptRef, root: &Directory, plan: &Plan<T>) -> Result<bool> {
        let now = match root.descend(prompt.directories())? {
            Some(directory) => read_file(&directory, &prompt.file_name())?,
            None => None,
        };
        Ok(match (&now, plan.raw()) {
            (Some(now), Some(before)) => now.mode == before.mode && now.bytes == before.bytes,
            (now, before) => now.is_none() && before.is_none(),
        })
    }

    fn plan<T>(
        &self,
        prompt: &PromptRef,
        change: Change<'_>,
        root: Option<&Directory>,
        edit: &mut impl FnMut(&mut OverrideFile) -> Result<T>,
    ) -> Result<Plan<T>> {
        let directory = match root {
            Some(root) => root.descend(prompt.directories())?,
            None => None,
        };
        let raw = match &directory {
            Some(directory) => read_file(directory, &prompt.file_name())?,
            None => None,
        };
        if let Some(wanted) = change.if_content_hash {
            self.check_hash(prompt, wanted, raw.as_ref())?;
        }
        let before = match raw {
            Some(raw) => {
                let file = self.snapshot(prompt, &raw)?.file;
                Some((raw, file))
            }
            None => None,
        };
        let mut file = match &before {
            Some((_, file)) => file.clone(),
            None => OverrideFile::new(prompt, change.new_format),
        };
        let value = edit(&mut file)?;
        let bytes = file.to_bytes();
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_FILE_BYTES {
            return Err(self.too_large(prompt, bytes.len()));
        }
        Ok(Plan { value, before, file, bytes })
    }

    fn write_plan<T>(
        &self,
        root: &Directory,
        prompt: &PromptRef,
        plan: &Plan<T>,
    ) -> Result<(Attempt, Option<RawFile>)> {
        let name = prompt.file_name();
        let names: Vec<&str> = prompt.directories().collect();
        let mut here: Option<Directory> = None;
        for step in &names {
            let next = here.as_ref().unwrap_or(root).enter_or_create(step)?;
            here = Some(next);
        }
        let directory = here.as_ref().unwrap_or(root);
        match plan.raw() {
            Some(before) if plan.deletes() => {
                let attempt = write::remove(directory, &name, before)?;
                if attempt == Attempt::Done {
                    write::prune(root, &names);
                }
                Ok((attempt, None))
            }
            before => match write::replace(directory, &name, before, &plan.bytes) {
                Ok(Attempt::Done) => Ok((Attempt::Done, read_file(directory, &name)?)),
                Ok(Attempt::Conflict) => Ok((Attempt::Conflict, None)),
                Err(failure) => {
                    write::prune(root, &names);
                    Err(failure)
                }
            },
        }
    }

    fn check_hash(&self, prompt: &PromptRef, wanted: &str, raw: Option<&RawFile>) -> Result<()> {
        let found = raw.map_or_else(|| ABSENT.to_owned(), RawFile::hash);
        if wanted == found {
            return Ok(());
        }
        let path = self.file_path(prompt);
        let state = match raw {
            Some(_) => format!("it now has {found}"),
            None => "it does not exist".to_owned(),
        };
        Err(Error::ContentChanged
            .because(format!(
                "Override file `{}` is not the one you read: `if_content_hash` is {wanted}, but {state}.",
                path.display()
            ))
            .hint("Get the override again, apply your change to what is there now, and retry.")
            .with("field", "if_content_hash")
            .with("path", path)
            .with("expected", found)
            .with("received", wanted))
    }

    fn write_conflict(&self, prompt: &PromptRef) -> Failure<Error> {
        let path = self.file_path(prompt);
        Error::ContentChanged
            .because(format!(
                "Override file `{}` was changed {ATTEMPTS} times by another program while being \
                 written; nothing was written.",
                path.display()
            ))
            .hint("Try again when the other program is done.")
            .with("path", path)
    }

    fn too_large(&self, prompt: &PromptRef, bytes: usize) -> Failure<Error> {
        let path = self.file_path(prompt);
        Error::StorageFailed
            .because(format!(
                "Override file `{}` would have {bytes} bytes; {MAX_FILE_BYTES} are the limit.",
                path.display()
            ))
            .hint("Shorten or delete overrides in this file.")
            .with("path", path)
            .with("expected", MAX_FILE_BYTES)
            .with("received", bytes)
    }
}

/// `written` is the file read back, or none where nothing was written.
fn finish<T>(plan: Plan<T>, written: Option<RawFile>) -> Updated<T> {
    let (changed, deleted) = (plan.changes(), plan.deletes());
    let gone = plan.file.is_empty();
    let raw = written.as_ref().or(if changed { None } else { plan.raw() });
    let content_hash = raw.map_or_else(|| hash::of_bytes(&plan.bytes), RawFile::hash);
    let updated_at = raw.map(RawFile::updated_at);
    let after = (!gone).then_some(Snapshot { file: plan.file, content_hash, updated_at });
    Updated { value: plan.value, after, changed, deleted }
}
