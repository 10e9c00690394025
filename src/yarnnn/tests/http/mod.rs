//! yarnnn over HTTP: who is let in, what stands before the surface, clients of others, replicas on
//! one database, crowds and sudden death; and pgvector.

mod clients;
mod crash;
mod host_origin;
mod lifecycle;
mod load;
mod pgvector;
mod replicas;
mod resources;
mod server;
mod tokens;

use std::process::Command;

use toolwright_testing::provided::provided;

/// What a program that must end well printed.
fn output(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let (out, err) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8(out.clone()).expect("UTF-8");
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    out
}
