//! The server in its own process: signals and exit status.
//!
//! The test binary starts itself with the one ignored test below, which serves.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use toolwright_runtime::server::{ServeOptions, run_stdio};

use crate::surface::{Surface, test_services};

#[test]
#[ignore = "serves for the other tests"]
fn serve() {
    let status = run_stdio(Arc::new(Surface::default()), test_services(), ServeOptions::default());
    std::process::exit(status.into());
}

fn start() -> (Child, ChildStdin) {
    start_by(Command::new(std::env::current_exe().unwrap()))
}

/// A server that has answered once, so that it is known to be up.
fn start_by(mut command: Command) -> (Child, ChildStdin) {
    let mut child = command
        // With one thread the harness would write its own words into the server's first line.
        .args(["--exact", "child::serve", "--ignored", "--nocapture", "--test-threads=2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to_server = child.stdin.take().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    to_server.write_all(format!("{ping}\n").as_bytes()).unwrap();
    let mut from_server = BufReader::new(child.stdout.as_mut().unwrap());
    // The test harness says a few words before the server does.
    let mut line = String::new();
    while !line.starts_with('{') {
        line.clear();
        assert_ne!(from_server.read_line(&mut line).unwrap(), 0, "no answer");
    }
    (child, to_server)
}

#[test]
fn ends_with_status_0_when_its_input_closes() {
    let (mut child, to_server) = start();
    drop(to_server);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn ends_with_status_0_on_a_signal() {
    // Tests that run under `nohup` hand on that it is ignored.
    let hangup = (!hangups_are_ignored()).then_some(Signal::HUP);
    for signal in [Signal::TERM, Signal::INT].into_iter().chain(hangup) {
        let (mut child, _open) = start();
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal:?}");
    }
}

/// Whether this process, and so its children, ignores SIGHUP. Known on Linux only.
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .is_some_and(|bits| bits & 1 == 1)
}

#[test]
fn a_hangup_that_the_starter_ignores_ends_nothing() {
    // As `nohup` does it.
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", r#"trap "" HUP; exec "$0" "$@""#]).arg(std::env::current_exe().unwrap());
    let (mut child, mut to_server) = start_by(shell);
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": "still here", "method": "ping"});
    to_server.write_all(format!("{ping}\n").as_bytes()).unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    assert!(answer.contains("still here"), "{answer}");
    drop(to_server);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
