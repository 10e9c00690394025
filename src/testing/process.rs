//! Processes that a test started: killed at once, or when they do not answer.

use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::wait::PATIENCE;

/// Kills a process that does not answer or end, so that the test does not hang; unless it is dropped
/// before.
#[derive(Debug)]
pub struct Watchdog {
    _awake: Sender<()>,
}

impl Watchdog {
    /// Watches this process.
    pub fn over(pid: i32) -> Self {
        let (awake, asleep) = channel::<()>();
        std::thread::spawn(move || {
            if asleep.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                kill(pid);
            }
        });
        Self { _awake: awake }
    }
}

/// A command once more, behind the words of another one where there are any: with its program,
/// arguments, folder and variables, and the test's own `PATH` where it has none.
pub fn behind(prefix: &[String], inner: &Command) -> Command {
    let folder = inner.get_current_dir();
    let mut command = match prefix.split_first() {
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest);
            if let Some(folder) = folder {
                // Whoever enters a namespace is at its root.
                command.arg("env").arg("--chdir").arg(folder);
            }
            command.arg(inner.get_program());
            command
        }
        None => Command::new(inner.get_program()),
    };
    command.args(inner.get_args()).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    command
}

/// kill -9, and waits until it is gone.
pub fn kill(pid: i32) {
    if let Some(process) = Pid::from_raw(pid) {
        let _ = kill_process(process, Signal::KILL);
    }
    // A minute: a busy machine takes its time for what waits for a disk.
    for _ in 0..6000 {
        if !alive(pid) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs; a zombie does not.
pub fn alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    if cfg!(target_os = "linux") {
        return stat.is_ok_and(|stat| {
            !stat.rsplit(')').next().is_some_and(|rest| rest.trim().starts_with('Z'))
        });
    }
    Pid::from_raw(pid).is_some_and(|process| test_kill_process(process).is_ok())
}

/// The tests run as the superuser, who bypasses file permissions.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
