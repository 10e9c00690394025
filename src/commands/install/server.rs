//! The entry of a server in a client's file: command, arguments, environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::{Value, json};

use super::client::Client;
use super::environment::Environment;
use super::text::{Members, Update};
use crate::{arguments, serve};
use toolwright_runtime::contract::{SettingInfo, SettingKind, SurfaceInfo};

/// The kind of the running program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The binary of one surface: `wink mcp`.
    SingleSurface,
    /// A binary that serves any surface by name: `toolwright serve wink`.
    MultiSurface,
}

/// How a client starts a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    /// An absolute path.
    pub command: PathBuf,
    /// The arguments.
    pub args: Vec<String>,
    /// Additional environment variables.
    pub env: BTreeMap<String, String>,
}

impl Server {
    /// The surface's own binary, or the running one with the surface's name.
    pub(crate) fn of(info: &SurfaceInfo, program: Program, environment: &Environment) -> Self {
        let running = &environment.executable;
        let own = match program {
            Program::SingleSurface => Some(running.clone()),
            Program::MultiSurface => {
                let beside = format!("{}{}", info.name, std::env::consts::EXE_SUFFIX);
                let beside = running.with_file_name(beside);
                beside.canonicalize().ok().filter(|file| is_executable(file))
            }
        };
        let (command, args) = match own {
            Some(own) => (own, vec!["mcp".to_owned()]),
            None => (running.clone(), vec!["serve".to_owned(), info.name.to_owned()]),
        };
        Self { command, args, env: BTreeMap::new() }
    }

    /// The members of the entry, in conventional order.
    pub(super) fn members(&self, client: Client) -> Result<Members, String> {
        let command = self.command_text()?;
        let mut members: Members = Vec::new();
        if client.names_transport() {
            members.push(("type".to_owned(), json!("stdio")));
        }
        members.push(("command".to_owned(), json!(command)));
        members.push(("args".to_owned(), json!(self.args)));
        if !self.env.is_empty() {
            members.push(("env".to_owned(), json!(self.env)));
        }
        Ok(members)
    }

    /// What makes a present entry start this server. Everything else of it stays.
    pub(super) fn update(&self, client: Client, present: &Value) -> Result<Update<'_>, String> {
        let mut set = Vec::new();
        if client.names_transport() || present.get("type").is_some() {
            set.push((vec!["type"], json!("stdio")));
        }
        set.push((vec!["command"], json!(self.command_text()?)));
        set.push((vec!["args"], json!(self.args)));
        let variables = self.env.iter();
        set.extend(variables.map(|(name, value)| (vec!["env", name.as_str()], json!(value))));
        let drop = REMOTE.into_iter().filter(|name| present.get(name).is_some()).collect();
        Ok(Update { set, drop })
    }

    /// The command as it is written in an entry.
    pub(super) fn command_text(&self) -> Result<&str, String> {
        self.command.to_str().ok_or_else(|| {
            format!("`{}` is not UTF-8, so clients cannot run it", self.command.display())
        })
    }

    /// Whether the entry starts this binary as this server.
    pub(crate) fn is_started_by(&self, entry: &Entry) -> bool {
        // `mcp`, or `serve` and the name.
        let words = if self.args.first().is_some_and(|word| word == "serve") { 2 } else { 1 };
        entry.command.canonicalize().is_ok_and(|command| command == self.command)
            && entry.args.get(..words).is_some_and(|given| Some(given) == self.args.get(..words))
    }
}

/// Members of an entry for a server over the network, which one that is started cannot have.
const REMOTE: [&str; 8] = [
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
    "http_headers",
    "env_http_headers",
    "bearer_token_env_var",
    "oauth",
];

/// The relevant members of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The command.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Entry {
    /// `None` for servers over the network.
    pub(crate) fn read(entry: &Value) -> Option<Self> {
        let args = entry["args"].as_array().into_iter().flatten();
        let args = args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect();
        Some(Self { command: PathBuf::from(entry["command"].as_str()?), args })
    }

    /// Whether it seems to start this surface, with any binary.
    pub(crate) fn is_like(&self, info: &SurfaceInfo) -> bool {
        let serves = self.args.iter().map(String::as_str).take(2).eq(["serve", info.name]);
        serves || self.command.file_stem().is_some_and(|stem| stem == info.name)
    }

    /// Whether its arguments make a binary of this surface serve.
    pub(crate) fn is_server(&self, info: &SurfaceInfo) -> bool {
        match self.args.first().map(String::as_str) {
            Some("mcp") => true,
            Some("serve") => self.args.get(1).is_some_and(|name| name == info.name),
            _ => false,
        }
    }
}

/// The variables of an entry.
pub(crate) fn variables(entry: &Value) -> BTreeMap<String, String> {
    let members = entry["env"].as_object().into_iter().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    members.map(|(name, value)| (name.clone(), text(value))).collect()
}

/// The setting that other relative paths of a surface are relative to.
pub(super) const ROOT: &str = "workspace_root";

/// How given paths are written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Paths<'a> {
    /// The folder that makes relative paths absolute; `None` leaves them relative.
    pub from: Option<&'a Path>,
    /// [`ROOT`] is set, so that other relative paths do not depend on the current folder.
    pub rooted: bool,
}

impl Paths<'_> {
    fn setting(&self, setting: &SettingInfo, text: String) -> Result<String, String> {
        match setting.kind {
            SettingKind::Path | SettingKind::PathList if !self.rooted || setting.key == ROOT => {
                self.absolute(text)
            }
            _ => Ok(text),
        }
    }

    /// The server expands `~` and variables, and rejects empty paths.
    fn absolute(&self, text: String) -> Result<String, String> {
        let Some(from) = self.from else { return Ok(text) };
        if text.is_empty() || text.starts_with(['~', '$']) {
            return Ok(text);
        }
        // Components: without the dots of `./x`.
        let path: PathBuf = from.join(text).components().collect();
        let not_text = |path: PathBuf| format!("`{}` is not UTF-8", path.display());
        path.into_os_string().into_string().map_err(|path| not_text(path.into()))
    }
}

/// The given flags of the surface's settings, as arguments.
pub(super) fn setting_arguments(
    info: &'static SurfaceInfo,
    matches: &ArgMatches,
    paths: &Paths<'_>,
) -> Result<Vec<String>, String> {
    let mut given = Vec::new();
    if let Some(config) = &info.config
        && let Some(file) = matches.get_one::<String>(serve::CONFIG)
    {
        given.push(format!("{}={}", config.flag, paths.absolute(file.clone())?));
    }
    for setting in info.all_settings() {
        let flag = setting.flag.unwrap_or_default();
        for text in arguments::setting_values(setting, matches).unwrap_or_default() {
            given.push(format!("{flag}={}", paths.setting(setting, text)?));
        }
    }
    Ok(given)
}

/// Whether it is an executable file.
pub(crate) fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}
