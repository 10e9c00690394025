//! Processes that die: kill −9 of a real one, and how the next one recovers.

use std::process::{Child, Command};

use super::*;
use crate::backend::testing::{script, type_line, until_text};

const STEPS: &str = "
schema_version: 1
name: longer
steps:
  - {id: first, type: send_text, text: echo first-x}
  - {id: wait, type: wait_for, matcher: {kind: substring, value: go-on-x}, timeout_ms: 100000}
  - {id: last, type: send_text, text: echo last-x}
";

/// What a process that is to die does: runs `longer` and stays until it is killed.
#[test]
#[ignore = "a part of the other tests, which start it in a process of its own"]
fn dying_process() {
    // Somebody may run all ignored tests.
    let Ok(folder) = std::env::var("WA_TEST_FOLDER") else { return };
    let socket = std::env::var("WA_TEST_SOCKET").unwrap();
    let program = std::env::var("WA_TEST_TMUX").ok().map(PathBuf::from);
    let process = Process::new(Path::new(&folder), socket, Setup { program, ..Setup::default() });
    process.engine.run("longer", 0, false, &client(), None).unwrap();
    std::thread::sleep(LIMIT * 2);
}

/// A child that is killed when it goes out of scope.
struct HelperProcess(Child);

impl HelperProcess {
    fn start(server: &Server, tmux: Option<&Path>) -> Self {
        let path = module_path!().split_once("::").unwrap().1;
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "--ignored", &format!("{path}::dying_process")])
            .env("WA_TEST_FOLDER", server.folder())
            .env("WA_TEST_SOCKET", server.socket())
            .stdout(std::process::Stdio::null());
        if let Some(tmux) = tmux {
            command.env("WA_TEST_TMUX", tmux);
        }
        Self(command.spawn().unwrap())
    }

    /// Kills it while it runs this execution. A child that it was just starting holds the lock a
    /// moment longer, until it runs its program.
    fn kill(mut self, process: &Process, execution: &str) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        eventually("its lock is free", || {
            lock::RunnerLock::take(&process.context.folder, execution).unwrap().map(drop)
        });
    }
}

impl Drop for HelperProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until somebody's execution stands like this in that step.
fn until_step(process: &Process, step: &str, status: Status) -> Execution {
    eventually(step, || {
        let mut all = process.engine.statuses(Some(0), true).unwrap();
        all.retain(|one| one.step_name.as_deref() == Some(step) && one.status == status);
        all.pop()
    })
}

#[test]
fn a_waiting_execution_is_resumed_and_no_step_is_repeated() {
    let (server, process) = fixture(Setup::default());
    declare(server.folder(), "longer", STEPS);
    // Stands there before it begins, so it is not what is waited for, also not after the crash.
    type_line(&server.tmux(), 0, "echo go-'on'-x");
    until_text(&server.tmux(), 0, "\ngo-on-x");
    until_prompt(&server.tmux(), 0);
    let dying = HelperProcess::start(&server, None);
    let waiting = until_step(&process, "wait", Status::Waiting);
    assert_eq!(process.engine.recover().unwrap(), Recovered::default(), "it still lives");
    dying.kill(&process, &waiting.id);
    // What was declared when it began counts, not what the file says now.
    declare(
        server.folder(),
        "longer",
        "{schema_version: 1, name: longer, steps: [{id: x, type: sleep, duration_ms: 1}]}",
    );
    let other = Process::new(server.folder(), server.socket(), Setup::default());
    let (mine, theirs) = (process.engine.recover().unwrap(), other.engine.recover().unwrap());
    assert_eq!(mine.resumed, std::slice::from_ref(&waiting.id));
    assert_eq!(theirs, Recovered::default(), "never twice");
    for word in ["one-y", "two-y", "three-y"] {
        type_line(&server.tmux(), 0, &format!("sleep 0.4; echo {word}"));
        until_text(&server.tmux(), 0, &format!("\n{word}"));
        assert_eq!(process.engine.status(&waiting.id, false).unwrap().status, Status::Waiting);
    }

    type_line(&server.tmux(), 0, "echo go-'on'-x");
    let done = process.until(&waiting.id, Status::Completed);
    assert_eq!(done.steps_completed, 3);
    assert_eq!(done.started_at, waiting.started_at);
    until_text(&server.tmux(), 0, "\nlast-x");
    let text = text(&server, 0);
    assert_eq!(text.matches("\nfirst-x").count(), 1, "{text}");
    assert_eq!(text.matches("\nlast-x").count(), 1, "{text}");
    eventually("the lock is removed", || {
        let runners = std::fs::read_dir(process.context.folder.join("runners")).unwrap();
        (runners.count() == 0).then_some(())
    });
}

#[test]
fn an_execution_that_was_typing_is_failed_and_nothing_is_typed_again() {
    let (server, process) = fixture(Setup::default());
    declare(server.folder(), "longer", STEPS);
    // A tmux that hangs when something is typed.
    let hanging = script(
        server.folder(),
        "hanging-tmux",
        "case \" $* \" in *' send-keys '*) while [ -e \"$0\" ]; do sleep 0.2; done ;; *) exec tmux \"$@\" ;; esac",
    );
    let dying = HelperProcess::start(&server, Some(&hanging));
    let typing = eventually("typing", || {
        let id = process.engine.statuses(Some(0), true).unwrap().pop()?.id;
        let sending = process.context.store.read(|reader| journal::was_sending(reader, &id));
        sending.unwrap().then_some(id)
    });
    dying.kill(&process, &typing);
    let recovered = process.engine.recover().unwrap();
    assert_eq!(recovered.failed, std::slice::from_ref(&typing));
    assert!(recovered.resumed.is_empty());
    let failed = process.engine.status(&typing, false).unwrap();
    assert_eq!(failed.status, Status::Failed);
    assert_eq!(failed.error_code.as_deref(), Some("workflow.interrupted"));
    assert_eq!(process.engine.recover().unwrap(), Recovered::default());
    assert!(!text(&server, 0).contains("first-x"));
    // The pane is free.
    let id = process.engine.run("longer", 0, false, &client(), None).unwrap();
    process.until(&id, Status::Waiting);
    process.engine.abort(&id, None, true).unwrap();
}

#[test]
fn a_new_run_takes_up_the_dead_holder_first_and_abort_ends_it() {
    let (server, process) = fixture(Setup::default());
    declare(server.folder(), "longer", STEPS);
    let dying = HelperProcess::start(&server, None);
    let waiting = until_step(&process, "wait", Status::Waiting);
    dying.kill(&process, &waiting.id);
    // The dead one waits, so it goes on here and keeps the pane.
    let refused = process.engine.run("longer", 0, false, &client(), None).unwrap_err();
    assert_eq!(refused.reason.as_deref(), Some("workflow.pane_locked"));
    assert!(process.engine.stop(), "threads leave");
    // It was left, not ended, and nobody runs it: an abort ends it at once.
    let other = Process::new(server.folder(), server.socket(), Setup::default());
    assert!(other.engine.status(&waiting.id, false).unwrap().status.is_active());
    let aborted = other.engine.abort(&waiting.id, Some("enough"), false).unwrap();
    assert!(aborted.aborted, "{aborted:?}");
    assert_eq!(aborted.execution.status, Status::Aborted);
}

#[test]
fn a_process_that_stops_leaves_its_executions_to_the_next() {
    let (server, one) = fixture(Setup::default());
    declare(server.folder(), "longer", STEPS);
    let id = one.engine.run("longer", 0, false, &client(), None).unwrap();
    one.until(&id, Status::Waiting);
    assert!(one.engine.stop());
    let refused = one.engine.run("handle_session_end", 0, false, &client(), None).unwrap_err();
    assert!(refused.reason.is_some());
    let other = Process::new(server.folder(), server.socket(), Setup::default());
    assert_eq!(other.engine.recover().unwrap().resumed, std::slice::from_ref(&id));
    type_line(&server.tmux(), 0, "echo go-'on'-x");
    assert_eq!(other.until(&id, Status::Completed).steps_completed, 3);
    assert_eq!(text(&server, 0).matches("\nfirst-x").count(), 1);
}
