//! Optional tools that only some machines have. Without one a test is skipped with a message; where
//! `CI` is `true` it fails.

use std::io::Write as _;

/// A program or folder, by the variable that `tests/run` sets.
pub fn provided(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok().filter(|found| !found.is_empty());
    found.or_else(|| skipped(&format!("{variable} is not set: run `tests/run`, which installs it")))
}

/// Reports that a test, or a part of it, was skipped; in continuous integration that is a failure.
pub fn skipped<T>(why: &str) -> Option<T> {
    report_skipped(why);
    assert!(std::env::var("CI").as_deref() != Ok("true"), "it must be there in CI: {why}");
    None
}

/// The same for what continuous integration need not have either.
pub fn report_skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or("?").to_owned();
    // Bypasses the test harness, which captures the output of tests that pass.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {why}.");
}

/// Whether a program is on the `PATH`.
pub fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
