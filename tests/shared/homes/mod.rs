//! All surfaces, each furnished in a temporary folder and ready to be served by its own binary, with
//! one call of every kind. What tests do with them is up to the tests.

#![allow(dead_code, reason = "several test binaries share it and need different parts")]
mod agentpack;
mod wa;
mod wink;
mod worldforge;
mod yarnnn;

use std::any::Any;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use toolwright_runtime::contract::SurfaceInfo;

use toolwright_testing::http_server::Listening;

/// Variables of a process.
pub(crate) type Environment = BTreeMap<String, String>;

/// A tool and its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

impl Ask {
    fn new(tool: &'static str, arguments: Value) -> Self {
        Self { tool, arguments }
    }
}

/// A furnished surface.
pub(crate) struct Home {
    pub(crate) info: &'static SurfaceInfo,
    pub(crate) program: &'static str,
    /// Where the server is started.
    pub(crate) folder: PathBuf,
    pub(crate) environment: Environment,
    /// Reads and succeeds.
    pub(crate) read: Ask,
    /// Does not fit the schema.
    pub(crate) invalid: Ask,
    /// Is refused with this code.
    pub(crate) refused: (Ask, &'static str),
    /// Writes and succeeds, whatever the number.
    pub(crate) write: Box<dyn Fn(u64) -> Ask>,
    /// Goes on until it is cancelled, where the surface has something that does.
    pub(crate) slow: Option<Ask>,
    /// What lets a caller in over HTTP, where the surface wants something.
    pub(crate) token: Option<String>,
    /// Folders and processes that end with the home.
    held: Box<dyn Any>,
}

impl Home {
    pub(crate) fn name(&self) -> &'static str {
        self.info.name
    }

    /// The binary with arguments, in an environment of its own.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        prepared(self.program, arguments, &self.folder, &self.environment)
    }

    /// The server over standard streams.
    pub(crate) fn server(&self) -> Command {
        self.command(&["mcp"])
    }

    /// The server over HTTP.
    pub(crate) fn listen(&self) -> Listening {
        let notes = tempfile::tempdir().expect("a temporary folder");
        Listening::start(self.server(), notes.path(), &[])
    }
}

/// Makes a home.
type Furnish = fn() -> Home;

/// Every surface of this build, by name.
const HOMES: &[(&str, Furnish)] = &[
    ("agentpack", agentpack::home),
    ("wa", wa::home),
    ("wink", wink::home),
    ("worldforge", worldforge::home),
    ("yarnnn", yarnnn::home),
];

/// All of them.
pub(crate) fn all() -> Vec<Home> {
    HOMES.iter().map(|(_, furnish)| furnish()).collect()
}

/// One of them.
pub(crate) fn named(name: &str) -> Home {
    let (_, furnish) = HOMES.iter().find(|(known, _)| *known == name).expect("a surface");
    furnish()
}

fn prepared(
    program: &str,
    arguments: &[&str],
    folder: &std::path::Path,
    environment: &Environment,
) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// What a command that furnishes a home printed.
fn printed(mut command: Command) -> String {
    let output = command.stderr(Stdio::piped()).output().expect("the program runs");
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {talk}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn environment<const N: usize>(variables: [(&str, String); N]) -> Environment {
    variables.map(|(name, value)| (name.to_owned(), value)).into()
}
