//! Reads accounts from their source: `caut`, a command, or a file.
//!
//! Programs run without a shell, with a time limit and an output limit. Stores nothing.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::dialects::{self, Parsed, of_service};
use super::{Account, Options, Problem, Service, Source};
use crate::error::{Error, Kind, Result};
use toolwright_platform::process::{self, Finished, Program};

/// More than any list of accounts.
const MAX_OUTPUT: usize = 256 << 10;

/// Accounts read from a source.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) accounts: Vec<Account>,
    pub(super) problems: Vec<Problem>,
    pub(super) version: Option<String>,
    /// Services that the source answered about.
    pub(super) answered: BTreeSet<Service>,
    /// Those of them that it could read: accounts it does not list are gone.
    pub(super) complete: BTreeSet<Service>,
}

/// Asks about these services. Fails when nothing could be read at all.
pub(super) fn read(options: &Options, services: &[Service]) -> Result<Read> {
    match options.source {
        Source::Caut => caut(options, services),
        Source::Command => command(options, services),
        Source::File => file(options, services),
    }
}

fn caut(options: &Options, services: &[Service]) -> Result<Read> {
    let mut read = Read::default();
    let (version, answers) = std::thread::scope(|scope| {
        let version = scope.spawn(|| run(options, &["--version".to_owned()], options.timeout));
        let ask = |service: Service| scope.spawn(move || ask_caut(options, service));
        let asked: Vec<_> = services.iter().map(|service| (*service, ask(*service))).collect();
        let answers: Vec<_> =
            asked.into_iter().map(|(service, asked)| (service, joined(asked.join()))).collect();
        (joined(version.join()), answers)
    });
    // Some releases have no --version; nothing depends on it.
    read.version = version.ok().filter(Finished::success).and_then(|finished| {
        let line = finished.text().lines().next()?.trim().to_owned();
        Some(line.chars().take(80).collect()).filter(|line: &String| !line.is_empty())
    });
    gather(read, answers)
}

/// A thread that panicked isan error, not the end.
fn joined<T>(outcome: std::thread::Result<Result<T>>) -> Result<T> {
    outcome.unwrap_or_else(|_| Err(Kind::Config.because("Reading the accounts failed.")))
}

/// The published dialect first, then the other one where the program does not know it.
fn ask_caut(options: &Options, service: Service) -> Result<Parsed> {
    let started = Instant::now();
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let usage = words(&format!("usage --provider {} --all-accounts --json", service.provider()));
    let finished = run(options, &usage, options.timeout)?;
    if !unknown_words(&finished) {
        return understood(options, &finished, service);
    }
    let refresh = words(&format!("refresh --service {} --format json", service.as_str()));
    let left = options.timeout.saturating_sub(started.elapsed());
    let finished = run(options, &refresh, left.max(Duration::from_millis(100)))?;
    understood(options, &finished, service)
}

/// The program did not understand its arguments.
fn unknown_words(finished: &Finished) -> bool {
    let said = finished.stderr.to_ascii_lowercase();
    let words = ["unrecognized", "unexpected argument", "unknown", "no such", "invalid subcommand"];
    !finished.success()
        && finished.stdout.iter().all(u8::is_ascii_whitespace)
        && (finished.code == Some(2) || words.iter().any(|word| said.contains(word)))
}

fn command(options: &Options, services: &[Service]) -> Result<Read> {
    if options.command.is_empty() {
        return Err(Kind::Config
            .because("`accounts.command` is empty.")
            .hint("Set a program and its arguments, or choose another source."));
    }
    let per_service = options
        .command
        .iter()
        .any(|word| word.contains("{service}") || word.contains("{provider}"));
    if !per_service {
        let finished = run_words(&options.command, options.timeout)?;
        return Ok(of_all(document(options, &finished, None)?, services));
    }
    let answers = services.iter().map(|service| {
        let fill = |word: &String| {
            word.replace("{service}", service.as_str()).replace("{provider}", service.provider())
        };
        let words: Vec<String> = options.command.iter().map(fill).collect();
        let answer = run_words(&words, options.timeout)
            .and_then(|finished| understood(options, &finished, *service));
        (*service, answer)
    });
    gather(Read::default(), answers.collect())
}

fn file(options: &Options, services: &[Service]) -> Result<Read> {
    let Some(file) = &options.file else {
        return Err(Kind::Config
            .because("`accounts.file` is not set.")
            .hint("Set it to a JSON or YAML file with a list `accounts`."));
    };
    let unusable = |problem: String| {
        Kind::Config
            .because(format!("The accounts file `{}` cannot be used: {problem}.", file.display()))
            .hint("It must be JSON or YAML with a list `accounts` of `id`, `service` and remaining usage.")
    };
    let size = std::fs::metadata(file).map_err(|error| unusable(error.to_string()))?.len();
    if size > MAX_OUTPUT as u64 {
        return Err(unusable(format!("it has {size} bytes, more than {MAX_OUTPUT}")));
    }
    let text = std::fs::read_to_string(file).map_err(|error| unusable(error.to_string()))?;
    // JSON is YAML, too.
    let value: Value = serde_yaml::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    let parsed = dialects::parse(&value, None).map_err(unusable)?;
    Ok(of_all(parsed, services))
}

/// One text for all services: those that were not asked for are left out.
fn of_all(parsed: Parsed, services: &[Service]) -> Read {
    let clean = parsed.problems.is_empty();
    let all: BTreeSet<Service> = services.iter().copied().collect();
    let accounts = parsed.accounts.into_iter().filter(|account| all.contains(&account.service));
    Read {
        accounts: accounts.collect(),
        problems: parsed.problems,
        version: None,
        complete: if clean { all.clone() } else { BTreeSet::new() },
        answered: all,
    }
}

/// Puts the answers of several services together.
fn gather(mut read: Read, answers: Vec<(Service, Result<Parsed>)>) -> Result<Read> {
    let mut first_fault: Option<Error> = None;
    for (service, answer) in answers {
        match answer {
            Ok(parsed) => {
                read.answered.insert(service);
                if parsed.problems.is_empty() {
                    read.complete.insert(service);
                }
                let own = parsed.accounts.into_iter().filter(|one| one.service == service);
                read.accounts.extend(own);
                read.problems.extend(parsed.problems);
            }
            Err(error) => {
                read.problems.push(Problem {
                    account_id: of_service(Some(service)),
                    error: error.message.clone(),
                    error_code: error.reason.clone(),
                });
                first_fault.get_or_insert(error);
            }
        }
    }
    match first_fault {
        Some(error) if read.answered.is_empty() => Err(error),
        _ => Ok(read),
    }
}

fn understood(options: &Options, finished: &Finished, service: Service) -> Result<Parsed> {
    document(options, finished, Some(service))
}

/// Reads what a program said. A program that failed may still have said something useful.
fn document(options: &Options, finished: &Finished, service: Option<Service>) -> Result<Parsed> {
    let name = name(options);
    let about = service.map_or_else(String::new, |service| format!(" about {}", service.as_str()));
    let broken = |problem: String| {
        Kind::Config
            .because(format!("The output of `{name}`{about} cannot be used: {problem}."))
            .reason("accounts.broken_output")
            .hint(format!("Run `{name}` manually and check its output."))
    };
    if finished.stdout.len() > MAX_OUTPUT {
        let size = finished.stdout.len();
        return Err(broken(format!("it has {size} bytes, more than {MAX_OUTPUT}")));
    }
    let value = serde_json::from_slice::<Value>(&finished.stdout);
    match value {
        Ok(value) => dialects::parse(&value, service).map_err(broken),
        Err(_) if !finished.success() => {
            Err(broken(format!("it {}", finished.ended())).internal(&finished.stderr))
        }
        Err(error) => Err(broken(format!(
            "it is not JSON (line {}, column {})",
            error.line(),
            error.column()
        ))
        .internal(error)),
    }
}

fn name(options: &Options) -> &str {
    match options.source {
        Source::Command => options.command.first().map_or("", String::as_str),
        Source::Caut | Source::File => &options.program,
    }
}

fn run(options: &Options, args: &[String], timeout: Duration) -> Result<Finished> {
    let mut words = vec![options.program.clone()];
    words.extend_from_slice(args);
    run_words(&words, timeout)
}

fn run_words(words: &[String], timeout: Duration) -> Result<Finished> {
    let (name, args) = words.split_first().map_or(("", words), |(name, args)| (name, args));
    let program = Program { path: Path::new(name), cwd: None, vars: None, timeout };
    program.run(args, b"").map_err(|error| match error {
        process::Error::Io(error) if error.kind() == io::ErrorKind::NotFound => Kind::Config
            .because(format!("`{name}` is not installed, so accounts cannot be refreshed."))
            .reason("accounts.program_missing")
            .hint("Install it, or set accounts.source to `command` or `file`."),
        process::Error::Io(error) => Kind::Config
            .because(format!("`{name}` cannot be started: {error}."))
            .reason("accounts.program_missing")
            .hint("Check accounts.program and its permissions."),
        process::Error::TimedOut(said) => Kind::Timeout
            .because(format!("`{name}` did not respond within {} s.", timeout.as_secs_f64()))
            .reason("accounts.timeout")
            .hint(format!("Run `{name}` manually; it may be waiting for a sign-in."))
            .internal(said),
    })
}
