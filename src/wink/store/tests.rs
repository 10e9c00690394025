use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use super::*;
use crate::generated::Error;
use crate::ids::SectionPath;

const HASH: &str = "bffbd7e764172b3209b455e003c7a2d83036e864a9a1a40a1bdbf4c7c5fd74a9";

fn store() -> (tempfile::TempDir, Store, PromptRef) {
    let dir = tempfile::tempdir().unwrap();
    // Generous, for a busy machine.
    let store = Store::new(dir.path().join("o"), Duration::from_secs(60));
    (dir, store, PromptRef::parse("a/b", "p", None).unwrap())
}

fn commit(if_content_hash: Option<&str>) -> Change<'_> {
    Change { if_content_hash, new_format: Format::Two, mode: Mode::Commit }
}

fn set(store: &Store, prompt: &PromptRef, at: &str, body: &str) -> Result<Updated<()>> {
    store.update(prompt, commit(None), |file| {
        file.set_section(&SectionPath::parse(at).unwrap(), HASH, body);
        Ok(())
    })
}

fn unset(store: &Store, prompt: &PromptRef, at: &str) -> Updated<bool> {
    let at = SectionPath::parse(at).unwrap();
    store.update(prompt, commit(None), |file| Ok(file.remove_section(&at))).unwrap()
}

#[test]
fn writes_reads_deletes_and_prunes() {
    let (_dir, store, prompt) = store();
    assert!(store.read(&prompt).unwrap().is_none());
    assert!(!store.root().exists(), "reading creates nothing");
    assert!(!unset(&store, &prompt, "s").value);
    assert!(!store.root().exists(), "neither does a delete of nothing");

    let written = set(&store, &prompt, "s", "one").unwrap();
    let after = written.after.unwrap();
    assert!(written.changed && !written.deleted && after.updated_at.is_some());
    assert_eq!(store.read(&prompt).unwrap().unwrap().content_hash, after.content_hash);
    assert!(!set(&store, &prompt, "s", "one").unwrap().changed);

    set(&store, &prompt, "t", "two").unwrap();
    assert!(!unset(&store, &prompt, "s").deleted);
    let gone = unset(&store, &prompt, "t");
    assert!(gone.deleted && gone.changed && gone.after.is_none());
    assert!(store.root().exists(), "the root stays");
    assert_eq!(fs::read_dir(store.root()).unwrap().count(), 0, "the rest is pruned");
}

#[test]
fn pruning_stops_at_what_is_in_use() {
    let (_dir, store, prompt) = store();
    let sibling = PromptRef::parse("a", "other", None).unwrap();
    set(&store, &prompt, "s", "x").unwrap();
    set(&store, &sibling, "s", "x").unwrap();
    unset(&store, &prompt, "s");
    assert!(!store.root().join("a/b").exists());
    assert!(store.file_path(&sibling).exists());
}

#[test]
fn a_dry_run_writes_nothing() {
    let (_dir, store, prompt) = store();
    let change = Change { mode: Mode::DryRun, ..commit(None) };
    let at = SectionPath::parse("s").unwrap();
    let edit = |file: &mut OverrideFile| {
        file.set_section(&at, HASH, "x");
        Ok(())
    };
    let dry = store.update(&prompt, change, edit).unwrap();
    assert!(dry.changed && !store.root().exists());
    let real = store.update(&prompt, commit(None), edit).unwrap();
    assert_eq!(dry.after.unwrap().content_hash, real.after.unwrap().content_hash);
}

#[test]
fn modes_are_kept_and_new_files_follow_the_umask() {
    let (_dir, store, prompt) = store();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    set(&store, &prompt, "s", "x").unwrap();
    let path = store.file_path(&prompt);
    let ordinary = store.root().join("ordinary");
    fs::write(&ordinary, "").unwrap();
    assert_eq!(mode(&path), mode(&ordinary));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    set(&store, &prompt, "s", "y").unwrap();
    assert_eq!(mode(&path), 0o640);
}

#[test]
fn the_content_hash_guards() {
    let (_dir, store, prompt) = store();
    let with = |wanted: &str| store.update(&prompt, commit(Some(wanted)), |_| Ok(())).map(|_| ());
    with(ABSENT).unwrap();
    assert_eq!(with(HASH).unwrap_err().kind(), Error::ContentChanged);
    let after = set(&store, &prompt, "s", "x").unwrap().after.unwrap();
    with(&after.content_hash).unwrap();
    assert_eq!(with(ABSENT).unwrap_err().kind(), Error::ContentChanged);
}

#[test]
fn a_writer_without_a_lock_is_not_overwritten() {
    let (_dir, store, prompt) = store();
    set(&store, &prompt, "s", "x").unwrap();
    let path = store.file_path(&prompt);
    let mut runs = 0;
    let edit = |file: &mut OverrideFile| {
        file.set_section(&SectionPath::parse("mine").unwrap(), HASH, "mine");
        runs += 1;
        if runs == 1 {
            let text = fs::read_to_string(&path).unwrap().replace("\"x\"", "\"theirs\"");
            fs::write(&path, text).unwrap();
        }
        Ok(())
    };
    store.update(&prompt, commit(None), edit).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("theirs") && text.contains("mine"), "{text}");

    let mut count = 0;
    let restless = |file: &mut OverrideFile| {
        count += 1;
        file.set_section(&SectionPath::parse("mine").unwrap(), HASH, "again");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}\n")).unwrap();
        Ok(())
    };
    let failure = store.update(&prompt, commit(None), restless).unwrap_err();
    assert_eq!(failure.kind(), Error::ContentChanged);
    let names: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file is left");
}

#[test]
fn temporary_files_of_dead_writers_are_removed() {
    let (_dir, store, prompt) = store();
    set(&store, &prompt, "s", "x").unwrap();
    let leftover = store.file_path(&prompt).with_file_name(".wink-latest.json-1.tmp");
    fs::write(&leftover, "half").unwrap();
    set(&store, &prompt, "s", "y").unwrap();
    assert!(!leftover.exists());
}

#[test]
fn links_are_not_followed() {
    let (dir, store, prompt) = store();
    let elsewhere = dir.path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("b/p")).unwrap();
    fs::create_dir_all(store.root()).unwrap();
    symlink(&elsewhere, store.root().join("a")).unwrap();
    assert_eq!(store.read(&prompt).unwrap_err().kind(), Error::PathOutsideRoot);
    assert_eq!(set(&store, &prompt, "s", "x").unwrap_err().kind(), Error::PathOutsideRoot);
    assert_eq!(fs::read_dir(elsewhere.join("b/p")).unwrap().count(), 0);

    fs::remove_file(store.root().join("a")).unwrap();
    fs::create_dir_all(store.root().join("a/b/p")).unwrap();
    fs::write(elsewhere.join("secret.json"), "{}").unwrap();
    symlink(elsewhere.join("secret.json"), store.file_path(&prompt)).unwrap();
    assert_eq!(store.read(&prompt).unwrap_err().kind(), Error::PathOutsideRoot);
}

#[test]
fn unusual_files_are_refused() {
    let (_dir, store, prompt) = store();
    fs::create_dir_all(store.file_path(&prompt)).unwrap();
    assert_eq!(store.read(&prompt).unwrap_err().kind(), Error::OverrideFileMalformed);
    fs::remove_dir(store.file_path(&prompt)).unwrap();
    let file = fs::File::create(store.file_path(&prompt)).unwrap();
    file.set_len(MAX_FILE_BYTES + 1).unwrap();
    assert_eq!(store.read(&prompt).unwrap_err().kind(), Error::OverrideFileMalformed);
    let directory = PromptRef::parse("a/b/p", "latest.json", None).unwrap();
    assert_eq!(store.read(&directory).unwrap_err().kind(), Error::StorageFailed);
    fs::remove_file(store.file_path(&prompt)).unwrap();
    let long = "x".repeat(usize::try_from(MAX_FILE_BYTES).unwrap());
    assert_eq!(set(&store, &prompt, "s", &long).unwrap_err().kind(), Error::StorageFailed);
}

#[test]
fn a_held_lock_times_out() {
    let (_dir, store, prompt) = store();
    set(&store, &prompt, "s", "x").unwrap();

    let held = lock::lock_root(store.root(), Duration::from_secs(60)).unwrap();
    let hasty = Store::new(store.root().to_owned(), Duration::from_millis(200));
    let failure = set(&hasty, &prompt, "s", "y").unwrap_err();
    assert_eq!(failure.kind(), Error::LockTimeout);
    drop(held);
    set(&store, &prompt, "s", "y").unwrap();
}

#[test]
fn many_writers_lose_nothing() {
    let (_dir, store, prompt) = store();
    let store = Store::new(store.root().to_owned(), Duration::from_secs(120));
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (store, prompt) = (&store, &prompt);
            scope.spawn(move || {
                for step in 0..5 {
                    set(store, prompt, &format!("s{writer}-{step}"), "x").unwrap();
                }
            });
        }
    });
    assert_eq!(store.read(&prompt).unwrap().unwrap().file.sections().count(), 40);
}
