//! Programs that run to their end, and what they printed.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A program that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Its exit status; -1 when a signal ended it.
    pub code: i32,
    /// Everything on standard output.
    pub stdout: String,
    /// Everything on standard error.
    pub stderr: String,
}

/// Runs a command without input to its end. Panics when it cannot be started.
pub fn run(command: Command) -> Finished {
    run_reading(command, Stdio::null())
}

/// The same with an input.
pub fn run_reading(mut command: Command, input: impl Into<Stdio>) -> Finished {
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Finished::from(output)
}

impl Finished {
    /// Checks that it succeeded.
    #[track_caller]
    pub fn ok(self) -> Self {
        self.exits_with(0)
    }

    /// Checks its exit status.
    #[track_caller]
    pub fn exits_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        self
    }

    /// Checks that it failed with this status and reported all of this on standard error.
    #[track_caller]
    pub fn fails(self, code: i32, words: &[&str]) -> Self {
        let finished = self.exits_with(code);
        for word in words {
            assert!(finished.stderr.contains(word), "no `{word}` in {}", finished.stderr);
        }
        finished
    }

    /// It exited with status 0.
    pub fn succeeded(&self) -> bool {
        self.code == 0
    }

    /// Standard output as one JSON document.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The only line that it printed, when it succeeded.
    #[track_caller]
    pub fn into_line(self) -> String {
        self.ok().line().to_owned()
    }

    /// The only line of standard output.
    #[track_caller]
    pub fn line(&self) -> &str {
        assert_eq!(self.stdout.lines().count(), 1, "{self:?}");
        self.stdout.trim_end()
    }
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Finished {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command)
    }

    #[test]
    fn status_and_both_streams_are_kept() {
        let finished = shell("echo '{\"a\": 1}'; echo problem >&2; exit 3");
        assert_eq!(finished.json()["a"], 1);
        let finished = finished.fails(3, &["problem"]);
        assert_eq!(finished.line(), "{\"a\": 1}");
    }

    #[test]
    #[should_panic(expected = "no `reason`")]
    fn a_message_that_is_missing_fails_the_test() {
        shell("exit 1").fails(1, &["reason"]);
    }
}
