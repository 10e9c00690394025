//! What only some machines have. Without it a test says so and passes, but not where `CI` is `true`.

/// A program or folder, by the variable that `tests/run` sets.
pub(crate) fn provided(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok().filter(|found| !found.is_empty());
    if found.is_none() {
        missing(&format!("{variable} is not set: run `tests/run`, which installs it"));
    }
    found
}

pub(crate) fn missing(what: &str) {
    eprintln!("SKIPPED: {what}.");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "it must be there in CI: {what}");
}
