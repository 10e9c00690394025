//! A program that prints an export: run with a time limit, its whole process group ended after.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use toolwright_runtime::{ErrorKind, Failure};

use crate::generated::wink::Error;
use crate::wink::failure::Result;

/// More than any sane export.
const MAX_OUTPUT: u64 = 64 << 20;
/// How much of stderr goes into an error.
const STDERR_TAIL: usize = 2_000;
/// How long output may trickle in after the program itself has ended.
const DRAIN: Duration = Duration::from_millis(500);

/// A program whose stdout is an export.
#[derive(Debug, Clone)]
pub struct ExportCommand {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Directory to run it in.
    pub cwd: Option<PathBuf>,
    /// How long it may take.
    pub timeout: Duration,
    /// Its output is reused until one of these changes; none means it runs for every call.
    pub watch: Vec<PathBuf>,
}

impl ExportCommand {
    /// The command that runs the shipped exporter over Python modules.
    pub fn for_modules(
        python: &[String],
        modules: &[String],
        cwd: Option<PathBuf>,
        timeout: Duration,
        watch: Vec<PathBuf>,
    ) -> Self {
        let mut argv = python.to_vec();
        argv.extend(["-c".to_owned(), super::EXPORTER.to_owned()]);
        argv.extend_from_slice(modules);
        Self { argv, cwd, timeout, watch }
    }

    /// The command line for messages, without the text of a script.
    pub fn display(&self) -> String {
        let words = self.argv.iter().map(|word| if word.contains('\n') { "…" } else { word });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Runs it and returns its stdout.
    pub(super) fn run(&self) -> Result<String> {
        let Some((program, arguments)) = self.argv.split_first() else {
            return Err(self.failed("is empty"));
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        let mut child = command
            .spawn()
            .map_err(|error| self.failed(format!("could not be started: {error}")))?;
        let stdout = child.stdout.take().map(read_all);
        let stderr = child.stderr.take().map(read_all);
        let ended = self.wait(&mut child)?;
        let collect = |output: Option<Receiver<Vec<u8>>>| output?.recv_timeout(DRAIN).ok();
        let (stdout, stderr) = (collect(stdout), collect(stderr).unwrap_or_default());
        let Some(status) = ended else {
            let limit = self.timeout.as_secs_f32();
            return Err(
                self.with_stderr(self.failed(format!("did not end within {limit} s")), &stderr)
            );
        };
        if !status.success() {
            let how = match (status.code(), status.signal()) {
                (Some(code), _) => format!("failed with exit status {code}"),
                (None, Some(signal)) => format!("was ended by signal {signal}"),
                _ => "failed".to_owned(),
            };
            return Err(self.with_stderr(self.failed(how), &stderr));
        }
        let stdout = stdout.ok_or_else(|| self.failed("ended but left its output open"))?;
        String::from_utf8(stdout).map_err(|_| {
            self.with_stderr(self.failed("printed something that is not UTF-8"), &stderr)
        })
    }

    /// Waits without reaping, so that the group's id stays ours until it has been signalled.
    /// `None` is a timeout.
    fn wait(&self, child: &mut Child) -> Result<Option<ExitStatus>> {
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
            return Err(self.failed("has no process id"));
        };
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let in_time = loop {
            match waitid(WaitId::Pid(pid), options) {
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Ok(Some(_)) | Err(_) => break true,
            }
            if started.elapsed() >= self.timeout {
                break false;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        let _ = kill_process_group(pid, Signal::KILL);
        let status = child.wait().map_err(|error| self.failed(error.to_string()))?;
        Ok(in_time.then_some(status))
    }

    fn failed(&self, how: impl std::fmt::Display) -> Failure<Error> {
        Error::DescriptorCommandFailed
            .because(format!("The descriptor command `{}` {how}.", self.display()))
            .hint(
                "Run the command by hand in the same directory; it must print a descriptor export \
                 to stdout and exit with status 0.",
            )
            .with("command", self.display())
    }

    fn with_stderr(&self, failure: Failure<Error>, stderr: &[u8]) -> Failure<Error> {
        let text = String::from_utf8_lossy(stderr);
        let text = text.trim_end();
        let mut start = text.len().saturating_sub(STDERR_TAIL);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        if text.is_empty() { failure } else { failure.with("stderr", &text[start..]) }
    }
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
