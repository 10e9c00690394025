//! Programs of the workspace under test.
//!
//! Cargo provides a test with the paths of its own package's programs (`CARGO_BIN_EXE_<name>`), not of
//! other packages'. All are in the folder of the profile; one that is missing or older than its
//! sources is built first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

/// The path of the program of the package with the same name, built with the profile of the running test.
pub fn program(name: &str) -> &'static str {
    /// Checked once in a process. Holding the lock lets one thread build at a time.
    static KNOWN: Mutex<BTreeMap<String, &'static str>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("no test panics while it builds");
    if let Some(path) = known.get(name) {
        return path;
    }
    let folder = profile_folder();
    let file = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !is_fresh(&file, &folder.join(format!("{name}.d"))) {
        build(name, &folder);
    }
    let path = file.into_os_string().into_string().expect("a path that is text");
    known.entry(name.to_owned()).or_insert(path.leak())
}

/// `target/debug`, where the running test is `target/debug/deps/<test>`.
pub fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in `<profile>/deps`");
    folder.to_owned()
}

fn build(name: &str, folder: &Path) {
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // With the features of the whole workspace: what the tests were built with is used again.
    cargo.args(["build", "--quiet", "--workspace", "--bin", name, "--profile", profile]);
    cargo.env("CARGO_TARGET_DIR", folder.parent().expect("a profile lies in a target folder"));
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "`{name}` cannot be built");
}

/// The program is there, and none of the files that cargo's dependency file lists is newer.
fn is_fresh(file: &Path, dependencies: &Path) -> bool {
    let Some(built) = modified(file) else { return false };
    let Ok(text) = std::fs::read_to_string(dependencies) else { return false };
    sources(&text).iter().all(|source| modified(source).is_some_and(|changed| changed <= built))
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// The right-hand side of `target: source source`, where a blank in a name is written `\\ `.
fn sources(text: &str) -> Vec<PathBuf> {
    let Some((_, sources)) = text.split_once(": ") else { return Vec::new() };
    let hidden = sources.trim_end().replace("\\ ", "\0");
    hidden.split(' ').map(|source| PathBuf::from(source.replace('\0', " "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_split_at_blanks_that_are_not_escaped() {
        let text = "/t/debug/wink: /s/a.rs /s/with\\ blank.rs\n";
        assert_eq!(sources(text), [Path::new("/s/a.rs"), Path::new("/s/with blank.rs")]);
    }

    #[test]
    fn a_program_is_stale_when_a_source_is_newer_or_gone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let list = format!("{}: {}\n", at("p").display(), at("s.rs").display());
        std::fs::write(at("p.d"), list).unwrap();
        assert!(!is_fresh(&at("p"), &at("p.d")), "there is no program");
        std::fs::write(at("s.rs"), "").unwrap();
        std::fs::write(at("p"), "").unwrap();
        let set = |name: &str, seconds: u64| {
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            let file = std::fs::File::options().write(true).open(at(name)).unwrap();
            file.set_modified(time).unwrap();
        };
        set("s.rs", 1_000);
        set("p", 2_000);
        assert!(is_fresh(&at("p"), &at("p.d")));
        set("s.rs", 3_000);
        assert!(!is_fresh(&at("p"), &at("p.d")));
        std::fs::remove_file(at("s.rs")).unwrap();
        assert!(!is_fresh(&at("p"), &at("p.d")));
    }
}
