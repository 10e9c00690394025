//! Files and folders of fixtures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes a file, and creates the folders above it.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    let parent = path.parent().expect("a file has a folder");
    std::fs::create_dir_all(parent).expect("writable");
    std::fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Writes a shell script that can be run at once. A shell writes it: a file that this process, or a
/// child that another test is just starting, has open for writing cannot be run.
pub fn script(path: &Path, body: &str) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("writable");
    let writer = "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"";
    let written = Command::new("sh").args(["-c", writer, "sh"]).arg(path).arg(body).status();
    assert!(written.is_ok_and(|status| status.success()), "{}", path.display());
}

/// Copies a file, or a folder with everything in it.
pub fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::create_dir_all(to.parent().expect("a file has a folder")).expect("writable");
        std::fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        return;
    }
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// Everything below a folder, folders first: paths in order, symbolic links not followed.
pub fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        found.push(path.clone());
        if is_folder {
            found.extend(walk(&path));
        }
    }
    found
}

/// The content of every file below a folder, by its path relative to the folder.
pub fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walk(folder).into_iter().filter(|path| path.is_file());
    let read = files.map(|path| {
        let bytes = std::fs::read(&path).expect("readable");
        (path.strip_prefix(folder).expect("below it").to_owned(), bytes)
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_can_be_run_as_soon_as_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bin/hello");
        script(&path, "echo \"hello $1\"");
        let mut command = Command::new(path);
        command.arg("world");
        assert_eq!(crate::run(command).ok().line(), "hello world");
    }

    #[test]
    fn a_copied_folder_has_the_same_contents() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(&at("one/a"), "1");
        write(&at("one/two/b"), "2");
        copy(&at("one"), &at("three"));
        assert_eq!(contents(&at("one")), contents(&at("three")));
        assert_eq!(contents(&at("three")).len(), 2);
        assert_eq!(walk(&at("one")), [at("one/a"), at("one/two"), at("one/two/b")]);
    }
}
