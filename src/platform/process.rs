//! Runs a program with a time limit; its whole process group is killed afterwards.
//!
//! Knows neither the programs nor a surface.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Output beyond this is dropped; no program that we run prints as much.
const MAX_OUTPUT: u64 = 64 << 20;
/// How long to wait for the rest of the output after the program has ended. Nearly always it is there,
/// because the group has been killed, but on a busy machine the reading thread may be late.
const DRAIN: Duration = Duration::from_secs(10);

/// Pause between two checks; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_micros(100);

/// Exit status and output of a program.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Exit status; none when it was killed by a signal.
    pub code: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// Unchanged.
    pub stdout: Vec<u8>,
    /// Without the newline at the end.
    pub stderr: String,
}

impl Finished {
    /// Whether it ended with status 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// Standard output as text, without the newline at the end.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end_matches('\n').to_owned()
    }

    /// "failed with exit status 1".
    pub fn ended(&self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("failed with exit status {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "failed".to_owned(),
        }
    }

    /// "failed with exit status 1: what it wrote to standard error".
    pub fn how(&self) -> String {
        let ended = self.ended();
        if self.stderr.is_empty() { ended } else { format!("{ended}: {}", self.stderr) }
    }
}

/// Why there is no [`Finished`].
#[derive(Debug)]
pub enum Error {
    /// It could not be started or watched.
    Io(io::Error),
    /// It took too long and was killed. Carries its standard error.
    TimedOut(String),
}

/// What to run.
#[derive(Debug, Clone)]
pub struct Program<'a> {
    /// The program's file.
    pub path: &'a Path,
    /// Where; none is the current directory.
    pub cwd: Option<&'a Path>,
    /// All of its environment; none is that of this process.
    pub vars: Option<&'a BTreeMap<String, String>>,
    /// How long it may take.
    pub timeout: Duration,
}

impl Program<'_> {
    /// Runs it to its end.
    pub fn run(&self, args: &[impl AsRef<OsStr>], input: &[u8]) -> Result<Finished, Error> {
        let mut command = Command::new(self.path);
        command.args(args);
        if let Some(cwd) = self.cwd {
            command.current_dir(cwd);
        }
        if let Some(vars) = self.vars {
            command.env_clear().envs(vars);
        }
        command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(Error::Io)?;
        if let Some(mut stdin) = child.stdin.take() {
            let input = input.to_vec();
            // A program that ends without reading everything is no error of ours.
            std::thread::spawn(move || stdin.write_all(&input));
        }
        let stdout = child.stdout.take().map(read_all);
        let stderr = child.stderr.take().map(read_all);
        let mut output = None;
        let ended = self.wait(&mut child, stdout.as_ref(), &mut output)?;
        let collect = |output: Option<Receiver<Vec<u8>>>| output?.recv_timeout(DRAIN).ok();
        let stdout = output.or_else(|| collect(stdout));
        let stderr = collect(stderr).unwrap_or_default();
        let stderr = String::from_utf8_lossy(&stderr).trim_end().to_owned();
        let (Some(status), Some(stdout)) = (ended, stdout) else {
            return Err(Error::TimedOut(stderr));
        };
        Ok(Finished { code: status.code(), signal: status.signal(), stdout, stderr })
    }

    /// Waits without reaping, so that the group's id stays ours until it has been signalled.
    /// `None` is a timeout. The end of the output, usually also the end of the program, cuts the
    /// pauses short.
    fn wait(
        &self,
        child: &mut Child,
        stdout: Option<&Receiver<Vec<u8>>>,
        output: &mut Option<Vec<u8>>,
    ) -> Result<Option<ExitStatus>, Error> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| Error::Io(io::Error::other("it has no process id")))?;
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let in_time = loop {
            match waitid(WaitId::Pid(pid), options) {
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Ok(Some(_)) | Err(_) => break true,
            }
            if started.elapsed() >= self.timeout {
                break false;
            }
            match stdout.filter(|_| output.is_none()).map(|stdout| stdout.recv_timeout(pause)) {
                Some(Ok(bytes)) => {
                    *output = Some(bytes);
                    pause = FIRST_PAUSE;
                    continue;
                }
                Some(Err(RecvTimeoutError::Timeout)) => {}
                Some(Err(RecvTimeoutError::Disconnected)) | None => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        let _ = kill_process_group(pid, Signal::KILL);
        let status = child.wait().map_err(Error::Io)?;
        Ok(in_time.then_some(status))
    }
}

/// The executable `name` on that `PATH`.
pub fn find(name: &str, path: Option<&str>) -> Option<PathBuf> {
    let folders = std::env::split_paths(path?);
    folders.map(|folder| folder.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

fn read_all(output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.take(MAX_OUTPUT).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, timeout: Duration, input: &[u8]) -> Result<Finished, Error> {
        let vars = BTreeMap::from([("GREETING".to_owned(), "hello".to_owned())]);
        let program = Program {
            path: Path::new("/bin/sh"),
            cwd: Some(Path::new("/")),
            vars: Some(&vars),
            timeout,
        };
        program.run(&["-c", script], input)
    }

    #[test]
    fn output_status_and_environment() {
        let long = Duration::from_secs(20);
        let done = shell("cat; echo $GREETING $HOME; echo oops >&2; exit 3", long, b"in ").unwrap();
        assert_eq!((done.code, done.text()), (Some(3), "in hello".to_owned()));
        assert!(!done.success());
        assert_eq!(done.how(), "failed with exit status 3: oops");
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_with_its_children() {
        let short = Duration::from_millis(50);
        let error = shell("sleep 60 & sleep 60", short, b"").unwrap_err();
        assert!(matches!(error, Error::TimedOut(_)));
    }

    #[test]
    fn programs_are_found_on_the_given_path_only() {
        assert!(find("sh", Some("/nowhere:/bin")).is_some());
        assert!(find("sh", Some("/nowhere")).is_none());
        assert!(find("sh", None).is_none());
    }
}
