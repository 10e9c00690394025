//! Every checked-in input, one after the other, without an engine.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a failed helper is a failed test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One test for each target, and the list of them all.
macro_rules! targets {
    ($($target:ident)*) => {
        const TARGETS: &[&str] = &[$(stringify!($target)),*];
        $(
            #[test]
            fn $target() {
                replay(stringify!($target), toolwright_fuzz::$target::run);
            }
        )*
    };
}

targets! {
    arguments
    client_files
    json_rpc
    manifests
    override_files
    shell_commands
    spec_yaml
    terminal_output
    transcripts
}

fn replay(target: &str, run: fn(&[u8])) {
    let corpus = files(&format!("corpus/{target}"));
    assert!(!corpus.is_empty(), "corpus/{target} is empty");
    for file in corpus.into_iter().chain(files(&format!("regressions/{target}"))) {
        // The last one that is shown is the one that fails.
        eprintln!("{}", file.display());
        run(&fs::read(file).unwrap());
    }
}

/// The files of a folder of this package, by name; none where there is no such folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_target_is_replayed() {
    let names = |folder| -> BTreeSet<String> {
        let stem = |file: &PathBuf| file.file_stem().unwrap().to_str().unwrap().to_owned();
        files(folder).iter().map(stem).collect()
    };
    let targets: BTreeSet<String> = TARGETS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(names("fuzz_targets"), targets);
    assert_eq!(names("corpus"), targets);
    assert!(names("regressions").is_subset(&targets));
}
