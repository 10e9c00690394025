//! Serving over HTTP: the `--http…` flags of `mcp` that are for one start of a server, and the
//! `http.*` settings, which every server has.

use std::env::VarError;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use sha2::{Digest as _, Sha256};
use toolwright_runtime::server::{Bearer, HttpOptions, ServeOptions, Tokens};
use toolwright_runtime::settings::Loaded;

use crate::http_settings;

/// Tokens, one per line, in addition to those of the file.
const TOKENS: &str = "TOOLWRIGHT_HTTP_TOKENS";
/// Minimum length of the shared secret.
const KEY_BYTES: usize = 32;

const ADDRESS: &str = "http";
const HOST: &str = "http-host";
const KEY_FILE: &str = "http-key-file";
const NO_PAGE: &str = "http-no-page";
const ORIGIN: &str = "http-origin";
const READY_FILE: &str = "http-ready-file";
const TOKEN_FILE: &str = "http-token-file";

/// Adds the flags.
pub fn with_flags(command: Command) -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        let flag = Arg::new(name).long(name).value_name(value).help(help).help_heading("HTTP");
        if name == ADDRESS { flag.value_parser(address) } else { flag.requires(ADDRESS) }
    };
    let many = |name, value, help| flag(name, value, help).action(ArgAction::Append);
    let file = |name, help| flag(name, "FILE", help).value_parser(value_parser!(PathBuf));
    command.args([
        flag(ADDRESS, "ADDRESS", "Serve over HTTP at this address, such as 127.0.0.1:8080, instead of stdio"),
        file(TOKEN_FILE, "File of bearer tokens, one per line; also TOOLWRIGHT_HTTP_TOKENS. Required beyond loopback"),
        many(ORIGIN, "ORIGIN", "Allow web pages of this origin, such as https://app.example.com"),
        many(HOST, "NAME", "Allow this host name, besides localhost and the server's address"),
        file(KEY_FILE, "Secret shared by replicas, so that any of them accepts the answer to a question of another"),
        flag(NO_PAGE, "", "Do not serve the web page and /contract.json").action(ArgAction::SetTrue),
        file(READY_FILE, "Write the server's URL to this file once it accepts connections"),
    ])
}

/// Reads flags and settings; `None` means stdio.
pub(super) fn read(
    matches: &ArgMatches,
    loaded: &Loaded,
    bearer: Bearer,
    options: &mut ServeOptions,
) -> Result<Option<HttpOptions>, String> {
    let Some(&address) = matches.get_one::<SocketAddr>(ADDRESS) else {
        http_settings::refuse_flags(loaded)?;
        return Ok(None);
    };
    let list = |name| matches.get_many(name).into_iter().flatten().cloned().collect();
    let file = |name| matches.get_one::<PathBuf>(name);
    if let Some(file) = file(KEY_FILE) {
        options.seal_key = Some(key(file)?);
    }
    let http = HttpOptions {
        address,
        tokens: tokens(file(TOKEN_FILE).map(PathBuf::as_path))?,
        bearer,
        origins: list(ORIGIN),
        hosts: list(HOST),
        page: !matches.get_flag(NO_PAGE),
        ready_file: file(READY_FILE).cloned(),
        ..http_settings::read(loaded, options).map_err(|problem| problem.to_string())?
    };
    http.check().map_err(|error| error.to_string())?;
    Ok(Some(http))
}

/// The flags that name files with secrets, for a command that only looks at who can open them.
pub(super) fn secret_flags() -> [Arg; 2] {
    let flag = |name, help| {
        let flag = Arg::new(name).long(name).value_name("FILE").global(true);
        flag.value_parser(value_parser!(PathBuf)).help(help)
    };
    [
        flag(TOKEN_FILE, "Also check who can open this file of bearer tokens"),
        flag(KEY_FILE, "Also check who can open this file with the secret of replicas"),
    ]
}

/// The files with secrets that the flags name.
pub(super) fn secret_files(matches: &ArgMatches) -> Vec<PathBuf> {
    [TOKEN_FILE, KEY_FILE].iter().filter_map(|flag| matches.get_one(flag).cloned()).collect()
}

/// An address to listen on.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let local = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    local
        .map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .or_else(|| text.parse().ok())
        .ok_or_else(|| "expected an IP address and a port, such as 127.0.0.1:8080".to_owned())
}

fn tokens(file: Option<&Path>) -> Result<Tokens, String> {
    let mut tokens = match std::env::var(TOKENS) {
        Ok(text) => Tokens::parse(&text).map_err(|error| format!("{TOKENS}: {error}"))?,
        Err(VarError::NotPresent) => Tokens::default(),
        Err(VarError::NotUnicode(_)) => return Err(format!("{TOKENS}: not UTF-8")),
    };
    if let Some(file) = file {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| named(&error))?;
        let read = Tokens::parse(&text).map_err(|error| named(&error))?;
        if read.is_empty() {
            // An empty file must not open the server to everyone.
            return Err(named(&"contains no token"));
        }
        tokens = tokens.with(read);
    }
    Ok(tokens)
}

fn key(file: &Path) -> Result<[u8; 32], String> {
    let secret = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let secret = secret.trim_ascii();
    if secret.len() < KEY_BYTES {
        return Err(format!("{}: the secret must have at least {KEY_BYTES} bytes", file.display()));
    }
    Ok(Sha256::digest(secret).into())
}
