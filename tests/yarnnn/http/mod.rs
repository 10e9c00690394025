//! yarnnn over HTTP: who is let in, what stands before the surface, clients of others, replicas on
//! one database, crowds and sudden death; and pgvector.

mod clients;
mod crash;
mod crowd;
mod doors;
mod ends;
mod pgvector;
mod replicas;
mod resources;
mod server;
mod tokens;
#[path = "../../../runtime/tests/server/web.rs"]
mod web;

use std::process::Command;

/// A program that only some machines have, by the variable that `tests/run` sets. Without it a
/// test says so and passes, but not when `CI` is `true`.
fn provided(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok().filter(|found| !found.is_empty());
    if found.is_none() {
        missing(&format!("{variable} is not set: run `tests/run`, which installs it"));
    }
    found
}

fn missing(what: &str) {
    eprintln!("SKIPPED: {what}.");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "it must be there in CI: {what}");
}

/// What a program that must end well printed.
fn output(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let (out, err) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8(out.clone()).expect("UTF-8");
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    out
}
