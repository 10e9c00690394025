use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::*;
use crate::embedded::host::serve;
use crate::error::Kind;

/// A workspace whose host is started by the first spawn, as a process of its own.
struct ExternalHost {
    folder: TempDir,
    mux: Embedded,
}

impl ExternalHost {
    fn new() -> Self {
        Self::within("")
    }

    fn within(sub: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let place = folder.path().join(sub).join(".wa");
        let mux = Embedded::new(&place, helper("host_process", &place));
        Self { folder, mux }
    }

    fn host(&self) -> Pid {
        let text = fs::read_to_string(state_folder(&self.folder).join("host.pid")).unwrap();
        Pid::from_raw(text.lines().next().unwrap().parse().unwrap()).unwrap()
    }

    fn kill_host(&self) {
        kill_process(self.host(), Signal::KILL).unwrap();
        // Its threads end one after the other, and the last one takes the socket along.
        let place = state_folder(&self.folder);
        eventually("the host is gone", || {
            crate::embedded::socket::connect(&place).unwrap().is_none().then_some(())
        });
    }
}

impl Drop for ExternalHost {
    fn drop(&mut self) {
        for row in self.mux.list().unwrap_or_default() {
            let _ = self.mux.close(row.pane_id);
        }
        if state_folder(&self.folder).join("host.sock").exists() {
            let _ = kill_process(self.host(), Signal::KILL);
        }
    }
}

#[test]
fn panes_outlive_clients_and_not_their_host() {
    let outside = ExternalHost::new();
    let mux = &outside.mux;
    assert!(mux.list().unwrap().is_empty());
    assert!(!state_folder(&outside.folder).exists());
    let error = mux.send_raw(1, b"x").unwrap_err();
    assert_eq!(error.kind, Kind::PaneNotFound);
    let pane = mux.spawn(&shell("echo here; exec sleep 1000")).unwrap();
    let socket = state_folder(&outside.folder).join("host.sock");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&socket), mode(socket.parent().unwrap())), (0o600, 0o700));
    let other = Embedded::new(&state_folder(&outside.folder), vec![]);
    let before = other.list().unwrap();
    assert_eq!(before.len(), 1);
    eventually("its text", || {
        (other.text(pane, Lines::Screen, false).unwrap().text == "here").then_some(())
    });
    drop(other);
    outside.kill_host();
    assert!(socket.exists());
    assert!(mux.list().unwrap().is_empty());
    assert_eq!(mux.send_raw(pane, b"x").unwrap_err().kind, Kind::PaneNotFound);
    assert_eq!(mux.wait_for_change(5, Duration::from_millis(1)).unwrap(), 5);
    let root = format!("/proc/{}", before[0].root_pid.unwrap());
    eventually("its program is gone", || {
        let state = fs::read_to_string(format!("{root}/stat")).unwrap_or_default();
        (state.is_empty() || state.contains(") Z ")).then_some(())
    });
    let fresh = mux.spawn(&shell("exec sleep 1000")).unwrap();
    let after = mux.list().unwrap();
    assert_eq!(after.len(), 1);
    assert_ne!(fresh, pane);
    assert_ne!(after[0].identity, before[0].identity);
}

#[test]
fn many_first_spawns_share_one_host() {
    let outside = ExternalHost::new();
    let place = state_folder(&outside.folder);
    let panes: Vec<u64> = std::thread::scope(|scope| {
        let spawns: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let mux = Embedded::new(&place, helper("host_process", &place));
                    mux.spawn(&shell("exec sleep 1000")).unwrap()
                })
            })
            .collect();
        spawns.into_iter().map(|spawn| spawn.join().unwrap()).collect()
    });
    let mut sorted = panes.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3, 4, 5, 6]);
    let rows = outside.mux.list().unwrap();
    assert_eq!(rows.iter().map(|row| row.pane_id).collect::<Vec<_>>(), sorted);
}

#[test]
fn a_host_takes_long_paths_and_does_not_run_twice() {
    let outside = ExternalHost::within(&"long-name/".repeat(20));
    let pane = outside.mux.spawn(&shell("echo deep; exec sleep 1000")).unwrap();
    eventually("its text", || {
        (outside.mux.text(pane, Lines::Screen, false).unwrap().text == "deep").then_some(())
    });
    let place = outside.folder.path().join("long-name/".repeat(20)).join(".wa");
    serve(&place, Options::default()).unwrap();
    assert_eq!(outside.mux.list().unwrap().len(), 1);
    outside.mux.close(pane).unwrap();
    let pid = fs::read_to_string(place.join("host.pid")).unwrap();
    let pid = Pid::from_raw(pid.lines().next().unwrap().parse().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

#[test]
fn a_client_that_dies_while_it_reads_does_no_harm() {
    let outside = ExternalHost::new();
    let mux = &outside.mux;
    let pane = mux.spawn(&shell("seq 100000; exec cat")).unwrap();
    let place = state_folder(&outside.folder);
    let command = helper("reading_process", &place);
    let host = outside.host();
    for _ in 0..3 {
        let mut client = Command::new(&command[0])
            .args(&command[1..])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(300));
        client.kill().unwrap();
        client.wait().unwrap();
    }
    assert_eq!(outside.host(), host);
    // What is typed while it still prints stands somewhere in between.
    eventually("all numbers", || {
        let text = mux.text(pane, Lines::Screen, false).unwrap().text;
        text.ends_with("\n100000").then_some(())
    });
    mux.send_raw(pane, b"still here\r").unwrap();
    eventually("an echo", || {
        let text = mux.text(pane, Lines::Screen, false).unwrap().text;
        text.ends_with("still here\nstill here").then_some(())
    });
}

#[test]
fn a_client_that_does_not_read_blocks_no_other() {
    let outside = ExternalHost::new();
    let pane = outside.mux.spawn(&shell("seq 200000; echo over; exec sleep 1000")).unwrap();
    let place = state_folder(&outside.folder);
    let mut silent = crate::embedded::socket::connect(&place).unwrap().unwrap();
    let ask = crate::embedded::wire::Request::Output { pane, mark: 0, max_bytes: 1 << 20 };
    let header =
        crate::embedded::wire::RequestHeader { version: crate::embedded::wire::VERSION, ask };
    for _ in 0..10 {
        crate::embedded::wire::send(&mut silent, &header, b"").unwrap();
    }
    eventually("the program goes on", || {
        let text = outside.mux.text(pane, Lines::Screen, false).unwrap().text;
        text.ends_with("over").then_some(())
    });
}

#[test]
fn a_host_that_cannot_start_is_an_error_with_a_reason() {
    let folder = TempDir::new().unwrap();
    let spawn = |command: &[&str]| {
        let command = command.iter().map(|part| (*part).to_owned()).collect();
        Embedded::new(&state_folder(&folder), command).spawn(&shell("true")).unwrap_err()
    };
    for command in [&["/no/such/program"][..], &["sh", "-c", "echo broken >&2; exit 1"], &[]] {
        let error = spawn(command);
        assert!(matches!(error.kind, Kind::Backend | Kind::Config), "{error}");
    }
    let error = spawn(&["sh", "-c", "echo broken >&2; exit 1"]);
    assert!(error.internal.unwrap().contains("broken"));
    assert!(error.hint.unwrap().contains("host.log"));
}

#[test]
fn another_release_gets_a_version_error() {
    let workspace = Workspace::new();
    let mut stream = crate::embedded::socket::connect(&workspace.place()).unwrap().unwrap();
    let ask = crate::embedded::wire::Request::List;
    let header = crate::embedded::wire::RequestHeader { version: 999, ask };
    crate::embedded::wire::send(&mut stream, &header, b"").unwrap();
    let (answer, _) =
        crate::embedded::wire::receive::<crate::embedded::wire::Response>(&mut stream)
            .unwrap()
            .unwrap();
    let crate::embedded::wire::Response::Refused(refusal) = answer else { panic!("{answer:?}") };
    assert!(refusal.message.contains("999"));
}
