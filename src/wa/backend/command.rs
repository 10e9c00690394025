//! Runs a terminal's command line: argument lists without a shell, a time limit, an output limit, a
//! limit on concurrent calls, and a circuit breaker.
//!
//! Knows nothing of the programs' output, except how they report that they cannot be reached.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::backend::{BAD_ANSWER, NO_ANSWER, NOT_RUNNING, PROGRAM_MISSING, REFUSED, RESTING};
use crate::error::{Error, Kind, Result};
use toolwright_platform::process::{self, Finished, Program};

/// Maximum concurrent calls; more wait, within their time limit.
const MAX_CONCURRENT: usize = 8;
/// More than a terminal's whole history.
const MAX_OUTPUT: usize = 32 << 20;
/// After this many failures in a row, calls are paused …
const FAILURES: u32 = 5;
/// … for this long.
const REST: Duration = Duration::from_secs(2);
/// Maximum characters of a program's error output in a message.
const MAX_MESSAGE: usize = 300;

/// Names and hints of a program, and how it reports that its server is unreachable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    /// Its display name.
    pub name: &'static str,
    /// Whether an error text means that its server cannot be reached.
    pub unreachable: fn(&str) -> bool,
    /// How to start it.
    pub start: &'static str,
    /// What to do when the program is not there.
    pub install: &'static str,
}

/// A terminal's command line.
#[derive(Debug)]
pub(super) struct Cli {
    dialect: Dialect,
    program: String,
    base_args: Vec<String>,
    vars: Option<BTreeMap<String, String>>,
    timeout: Duration,
    running: Mutex<usize>,
    ended: Condvar,
    breaker: Mutex<Breaker>,
}

/// Failures in a row, and until when calls are not even tried.
#[derive(Debug, Default)]
struct Breaker {
    failures: u32,
    rest_until: Option<Instant>,
    last: String,
}

impl Cli {
    /// `base_args` precede the arguments of every call; `env` is added to the environment of
    /// this process.
    pub(super) fn new(
        dialect: Dialect,
        program: impl Into<String>,
        base_args: Vec<String>,
        env: &[(String, String)],
        timeout: Duration,
    ) -> Self {
        let vars = (!env.is_empty()).then(|| {
            let own = std::env::vars_os();
            let own = own.filter_map(|(key, value)| {
                Some((key.into_string().ok()?, value.into_string().ok()?))
            });
            own.chain(env.iter().cloned()).collect()
        });
        Self {
            dialect,
            program: program.into(),
            base_args,
            vars,
            timeout,
            running: Mutex::default(),
            ended: Condvar::new(),
            breaker: Mutex::default(),
        }
    }

    /// Runs a call. `Ok` with any exit status; `Err` if the program was not reached.
    pub(super) fn run(&self, args: &[&str], input: &[u8]) -> Result<Finished> {
        self.check_breaker()?;
        self.run_now(args, input)
    }

    /// As [`Cli::run`], but tried even when calls before it failed: it may start the server.
    pub(super) fn run_now(&self, args: &[&str], input: &[u8]) -> Result<Finished> {
        let started = Instant::now();
        let _turn = self.acquire_permit(started)?;
        let program = Program {
            path: Path::new(&self.program),
            cwd: None,
            vars: self.vars.as_ref(),
            timeout: self.timeout.saturating_sub(started.elapsed()),
        };
        let base = self.base_args.iter().map(String::as_str);
        let args: Vec<&str> = base.chain(args.iter().copied()).collect();
        match program.run(&args, input) {
            Ok(finished) => self.reached(finished),
            Err(process::Error::TimedOut(said)) => {
                Err(self.failed(self.timed_out().internal(said)))
            }
            Err(process::Error::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                Err(Kind::Backend
                    .because(format!("The program `{}` is not installed.", self.program))
                    .reason(PROGRAM_MISSING)
                    .hint(self.dialect.install))
            }
            Err(process::Error::Io(error)) => Err(Kind::Backend
                .because(format!("`{}` cannot be run: {error}.", self.program))
                .reason(REFUSED)
                .hint(self.dialect.install)),
        }
    }

    /// The error for a call that failed although the program was reached.
    pub(super) fn refused(&self, finished: &Finished) -> Error {
        Kind::Backend
            .because(format!("{} {}.", self.dialect.name, shorten(&finished.how())))
            .reason(REFUSED)
    }

    /// The error for an answer that cannot be read. `what` names the part.
    pub(super) fn bad_answer(&self, what: &str) -> Error {
        Kind::Backend
            .because(format!(
                "{} returned output that cannot be parsed: {what}.",
                self.dialect.name
            ))
            .reason(BAD_ANSWER)
            .hint(format!("Check that `{}` is the right program and up to date.", self.program))
    }

    fn reached(&self, finished: Finished) -> Result<Finished> {
        if !finished.success() && (self.dialect.unreachable)(&finished.stderr) {
            let said = shorten(finished.stderr.trim());
            return Err(self.failed(
                Kind::Backend
                    .because(format!("{} cannot be reached: {said}.", self.dialect.name))
                    .reason(NOT_RUNNING)
                    .hint(self.dialect.start),
            ));
        }
        *self.breaker() = Breaker::default();
        if finished.stdout.len() > MAX_OUTPUT {
            return Err(self.bad_answer("it is longer than 32 MiB"));
        }
        Ok(finished)
    }

    /// Counts a failure.
    fn failed(&self, error: Error) -> Error {
        let mut breaker = self.breaker();
        breaker.failures = breaker.failures.saturating_add(1);
        breaker.last.clone_from(&error.message);
        if breaker.failures >= FAILURES {
            breaker.rest_until = Some(Instant::now() + REST);
        }
        error
    }

    /// An error while calls are paused. Afterwards calls are let through again; the first
    /// failure starts the next pause.
    fn check_breaker(&self) -> Result<()> {
        let breaker = self.breaker();
        match breaker.rest_until {
            Some(until) if Instant::now() < until => Err(Kind::Backend
                .because(format!(
                    "{} failed {} times in a row; calls are paused for {} seconds. {}",
                    self.dialect.name,
                    breaker.failures,
                    REST.as_secs(),
                    breaker.last
                ))
                .reason(RESTING)
                .hint(self.dialect.start)),
            _ => Ok(()),
        }
    }

    /// Waits for a free call slot.
    fn acquire_permit(&self, started: Instant) -> Result<CallPermit<'_>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let left = self.timeout.saturating_sub(started.elapsed());
        let (mut running, waited) = self
            .ended
            .wait_timeout_while(running, left, |running| *running >= MAX_CONCURRENT)
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() && *running >= MAX_CONCURRENT {
            return Err(self.timed_out());
        }
        *running += 1;
        Ok(CallPermit(self))
    }

    fn timed_out(&self) -> Error {
        Kind::Timeout
            .because(format!(
                "{} did not answer within {} ms.",
                self.dialect.name,
                self.timeout.as_millis()
            ))
            .reason(NO_ANSWER)
            .hint("Check whether it hangs or the machine is overloaded, then try again.")
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot among the concurrent calls; released when dropped.
struct CallPermit<'a>(&'a Cli);

impl Drop for CallPermit<'_> {
    fn drop(&mut self) {
        let mut running = self.0.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = running.saturating_sub(1);
        self.0.ended.notify_one();
    }
}

/// The first line or so, without control characters.
fn shorten(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let short: String = plain.take(MAX_MESSAGE).collect();
    short.trim_end_matches([' ', '.']).to_owned()
}

#[cfg(test)]
mod tests;
