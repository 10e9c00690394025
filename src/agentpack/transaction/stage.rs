//! The part of a transaction before the first file changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::journal::{Entry, Journal};
use super::{After, FEW, Stop, Work, moved};
use crate::content;
use crate::failure;
use crate::fs::{Found, Walker, copy_private, look, mode_replacing, read, sync_files, write_new};
use crate::model::Content;

/// Files that one thread takes at a time. Neighbours are in one folder, which is opened once.
const BUNDLE: usize = 32;

enum Item<'a> {
    Step(&'a super::Step, &'a Entry),
    Copy(&'a After),
}

/// Writes temporary files, backups and copies, and syncs them.
pub(super) fn stage(work: &Work<'_>, journal: &Journal) -> Result<(), Stop> {
    make_folders(work)?;
    let steps =
        work.steps.iter().zip(&journal.entries).map(|(step, entry)| Item::Step(step, entry));
    let items: Vec<Item<'_>> = steps.chain(work.copies.iter().map(Item::Copy)).collect();
    let sync = items.len() <= FEW;
    let bundles: Vec<&[Item<'_>]> = items.chunks(BUNDLE).collect();
    let stop = AtomicBool::new(false);
    let results = content::parallel(&bundles, |bundle| {
        let mut walker = Walker::default();
        for item in *bundle {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let done = match item {
                Item::Step(step, entry) => prepare(work, step, entry, &mut walker, sync),
                Item::Copy(after) => {
                    load(work, after, None).and_then(|bytes| copy(after, &bytes, sync))
                }
            };
            done.and_then(|()| work.faults.at("file staged"))
                .inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    });
    results.into_iter().collect::<Result<Vec<()>, Stop>>()?;
    if !sync {
        let temporary = journal.entries.iter().map(temporary).collect::<Vec<_>>();
        let backups = journal.entries.iter().filter_map(|entry| entry.backup.as_deref());
        let folders: BTreeSet<&Path> = work
            .steps
            .iter()
            .map(|step| step.root.as_path())
            .chain(std::iter::once(work.home))
            .collect();
        let files = temporary.iter().map(PathBuf::as_path).chain(backups);
        sync_files(folders, files.chain(copies(work)))?;
    }
    Ok(())
}

fn temporary(entry: &Entry) -> PathBuf {
    entry.path.with_file_name(&entry.temporary)
}

fn copies<'a>(work: &'a Work<'_>) -> impl Iterator<Item = &'a Path> {
    let afters = work.steps.iter().filter_map(|step| step.after.as_ref()).chain(&work.copies);
    afters.filter_map(|after| after.copy.as_deref())
}

/// The folders of backups and copies, once for all threads.
fn make_folders(work: &Work<'_>) -> Result<(), Stop> {
    let backups = work.steps.iter().filter_map(|step| step.backup.as_deref());
    let folders: BTreeSet<&Path> = backups.chain(copies(work)).filter_map(Path::parent).collect();
    for folder in folders {
        std::fs::create_dir_all(folder)
            .map_err(|error| failure::io("create the folder", folder, &error))?;
    }
    Ok(())
}

fn prepare(
    work: &Work<'_>,
    step: &super::Step,
    entry: &Entry,
    walker: &mut Walker,
    sync: bool,
) -> Result<(), Stop> {
    if step.before.is_some() {
        back_up(work, step, entry, walker, sync)?;
    }
    if let Some(after) = &step.after {
        let bytes = load(work, after, Some(&step.path))?;
        let folder = walker.create(&step.root, &step.path)?;
        let mode = mode_replacing(entry.mode, after.executable);
        write_new(&folder, entry.temporary.as_ref(), &bytes, mode, sync)?;
        copy(after, &bytes, sync)?;
    }
    Ok(())
}

/// Reads new content and checks that it is what was planned.
fn load(work: &Work<'_>, after: &After, output: Option<&Path>) -> Result<Vec<u8>, Stop> {
    let source = match &after.content {
        Content::File(path) => path.as_path(),
        Content::Bytes(_) => output.unwrap_or(Path::new("")),
    };
    let bytes =
        content::read(&after.content).map_err(|error| failure::io("read", source, &error))?;
    if content::sha256(&bytes) != after.sha256 {
        let what = format!("its content is no longer the planned one ({})", after.sha256);
        return Err(moved(work.purpose, source, &what).into());
    }
    Ok(bytes)
}

fn copy(after: &After, bytes: &[u8], sync: bool) -> Result<(), Stop> {
    match &after.copy {
        Some(path) => Ok(copy_private(path, bytes, after.executable, sync)?),
        None => Ok(()),
    }
}

fn back_up(
    work: &Work<'_>,
    step: &super::Step,
    entry: &Entry,
    walker: &mut Walker,
    sync: bool,
) -> Result<(), Stop> {
    let name = step.path.file_name().unwrap_or_default();
    let Some(folder) = walker.find(&step.root, &step.path)? else {
        return Err(moved(work.purpose, &step.path, &Found::Nothing.describe()).into());
    };
    if entry.mode.is_none() {
        // A link has no bytes of its own; its target is in the journal.
        let found = look(&folder, name)?;
        return match &found {
            Found::Link { .. } if found.is(step.before.as_deref()) => Ok(()),
            _ => Err(moved(work.purpose, &step.path, &found.describe()).into()),
        };
    }
    let bytes = read(&folder, name)?;
    let found = content::sha256(&bytes);
    if step.before.as_deref() != Some(found.as_str()) {
        return Err(moved(work.purpose, &step.path, &format!("it now has sha256 {found}")).into());
    }
    match &entry.backup {
        Some(backup) => Ok(copy_private(backup, &bytes, false, sync)?),
        None => Ok(()),
    }
}
