//! A program that prints an export.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_runtime::{ErrorKind, Failure};

use crate::failure::Result;
use crate::generated::Error;
use toolwright_platform::process::{self, Program};

/// How much of stderr goes into an error.
const STDERR_TAIL: usize = 2_000;
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
        let program = Program {
            path: Path::new(program),
            cwd: self.cwd.as_deref(),
            vars: None,
            timeout: self.timeout,
        };
        let done = program.run(arguments, b"").map_err(|error| match error {
            process::Error::Io(error) => self.failed(format!("could not be started: {error}")),
            process::Error::TimedOut(stderr) => {
                let limit = self.timeout.as_secs_f32();
                self.with_stderr(self.failed(format!("did not end within {limit} s")), &stderr)
            }
        })?;
        if !done.success() {
            return Err(self.with_stderr(self.failed(done.ended()), &done.stderr));
        }
        let stderr = done.stderr;
        String::from_utf8(done.stdout).map_err(|_| {
            self.with_stderr(self.failed("printed something that is not UTF-8"), &stderr)
        })
    }

    fn failed(&self, how: impl std::fmt::Display) -> Failure<Error> {
        Error::DescriptorCommandFailed
            .because(format!("The descriptor command `{}` {how}.", self.display()))
            .hint(
                "Run the command manually in the same directory; it must print a descriptor export \
                 to stdout and exit with status 0.",
            )
            .with("command", self.display())
    }

    fn with_stderr(&self, failure: Failure<Error>, stderr: &str) -> Failure<Error> {
        let start = stderr.ceil_char_boundary(stderr.len().saturating_sub(STDERR_TAIL));
        if stderr.is_empty() { failure } else { failure.with("stderr", &stderr[start..]) }
    }
}
