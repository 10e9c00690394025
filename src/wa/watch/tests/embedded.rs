//! Embedded pseudo-terminals: every line is kept, and read from a mark.

use std::path::Path;

use super::*;
use crate::embedded::{self, Embedded};
use crate::mux::{Lines, Spawn};

const FOLDER: &str = "WA_TEST_WATCHED_HOST";

/// Not a test: what the tests below start as the host's process.
#[test]
fn host_process() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        embedded::host(Path::new(&folder)).unwrap();
    }
}

/// The workspace's backend; its host is this program.
fn backend(workspace: &Workspace) -> Arc<Embedded> {
    let folder = workspace.folder.path();
    let this = std::env::current_exe().unwrap().display().to_string();
    let test = format!("{}::host_process", module_path!().split_once("::").unwrap().1);
    let command = ["env".to_owned(), format!("{FOLDER}={}", folder.display()), this, test];
    let command = command.into_iter().chain(["--exact".to_owned()]).collect();
    Arc::new(Embedded::new(folder, command))
}

fn run(mux: &Embedded, script: &str) -> PaneRow {
    let command = ["bash", "--norc", "-c", script].map(str::to_owned).to_vec();
    let id = mux.spawn(&Spawn { command, ..Spawn::default() }).unwrap();
    mux.list().unwrap().into_iter().find(|row| row.native_id == id).unwrap()
}

fn types(mux: &Embedded, pane: &PaneRow, line: &str) {
    mux.send_raw(pane.native_id, format!("{line}\r").as_bytes()).unwrap();
}

#[test]
fn every_line_is_stored_once_through_restarts() {
    let workspace = Workspace::new();
    let mux = backend(&workspace);
    let lines = "while read -r n; do seq 1 $n; echo end-of-$n; done";
    let pane = run(&mux, lines);
    let watcher = started(workspace.context_of(mux.clone()));
    types(&mux, &pane, "20000");
    workspace.wait_for("\"end-of-20000\"");
    watcher.stop();
    types(&mux, &pane, "30000");
    wait_until("output", || {
        mux.text(pane.native_id, Lines::Screen, false).unwrap().text.contains("end-of-30000")
    });
    let watcher = started(workspace.context_of(mux.clone()));
    workspace.wait_for("\"end-of-30000\"");
    watcher.stop();
    let (log, seq) = workspace.log(&pane);
    for last in [20000, 30000] {
        let numbers: String = (1..=last).map(|n| format!("{n}\n")).collect();
        assert_eq!(log.matches(&format!("\n{numbers}end-of-{last}\n")).count(), 1, "{last}");
    }
    assert_eq!(workspace.gaps(&pane), []);
    assert!(seq.windows(2).all(|pair| pair[0] < pair[1]), "{seq:?}");
    mux.close(pane.native_id).unwrap();
}

#[test]
fn events_come_from_lines_and_the_end_of_the_program() {
    let workspace = Workspace::new();
    let mux = backend(&workspace);
    let watcher = started(workspace.context_of(mux.clone()));
    let file = workspace.file("limit", &format!("{LIMIT_TEXT}\n"));
    let pane = run(&mux, &format!("cat {file}; read -r x; clear; cat {file}; exit 5"));
    wait_until("the event", || !workspace.events(LIMIT_RULE).is_empty());
    types(&mux, &pane, "");
    wait_until("the end", || !workspace.events(PANE_EXITED_RULE).is_empty());
    watcher.stop();
    let ended = workspace.events(PANE_EXITED_RULE);
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0].extracted.get("exit_code").map(String::as_str), Some("5"));
    let limits = workspace.events(LIMIT_RULE);
    assert_eq!(limits.len(), 1, "{limits:?}");
    assert!(limits[0].segment.is_some());
}

#[test]
fn what_a_killed_watcher_stored_and_never_looked_at_is_looked_at_once() {
    let workspace = Workspace::new();
    let mux = backend(&workspace);
    let pane = run(&mux, "echo ready; while read -r x; do echo $x; done");
    let watcher = started(workspace.context_of(mux.clone()));
    workspace.wait_for("ready");
    watcher.stop();
    // The state between storing and recording.
    let key = workspace.pane(&pane).key;
    let mark = workspace.history.mark(key).unwrap().unwrap();
    let text = format!("{LIMIT_TEXT}\n");
    workspace.history.append(key, &text, None, &mark, 1_900_000_000_000).unwrap();
    for word in ["first", "second"] {
        let watcher = started(workspace.context_of(mux.clone()));
        types(&mux, &pane, word);
        workspace.wait_for(word);
        watcher.stop();
        assert_eq!(workspace.events(LIMIT_RULE).len(), 1, "{word}");
    }
    mux.close(pane.native_id).unwrap();
}
