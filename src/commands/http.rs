//! The `--http-*` flags of `mcp`. They are not settings of a surface: every surface has them.

use std::env::VarError;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use sha2::{Digest as _, Sha256};
use toolwright_runtime::server::{Bearer, HttpOptions, Rate, ServeOptions, Tokens};

/// Tokens, one per line, in addition to those of the file.
const TOKENS: &str = "TOOLWRIGHT_HTTP_TOKENS";
/// Minimum length of the shared secret.
const KEY_BYTES: usize = 32;

const ADDRESS: &str = "http";
const GRACE: &str = "http-grace";
const HOST: &str = "http-host";
const KEY_FILE: &str = "http-key-file";
const MAX_BODY: &str = "http-max-body";
const MAX_CALLS: &str = "http-max-calls";
const NO_PAGE: &str = "http-no-page";
const ORIGIN: &str = "http-origin";
const RATE: &str = "http-rate";
const READY_FILE: &str = "http-ready-file";
const TIMEOUT: &str = "http-timeout";
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
        flag(MAX_BODY, "BYTES", "Maximum size of a request body")
            .default_value("4194304")
            .value_parser(value_parser!(u32).range(1..)),
        flag(MAX_CALLS, "NUMBER", "Maximum number of concurrent calls; as many again are queued, more are rejected")
            .default_value("256")
            .value_parser(value_parser!(u32).range(1..=65_536)),
        flag(RATE, "NUMBER/BURST", "Rate limit per caller: requests per second and burst [example: 10/30]")
            .value_parser(rate),
        flag(TIMEOUT, "SECONDS", "Time limit per call; longer calls are cancelled")
            .default_value("300")
            .value_parser(value_parser!(u32).range(1..)),
        flag(GRACE, "SECONDS", "Grace period for running calls on shutdown")
            .default_value("10")
            .value_parser(value_parser!(u32)),
        flag(NO_PAGE, "", "Do not serve the web page and /contract.json").action(ArgAction::SetTrue),
        file(READY_FILE, "Write the server's URL to this file once it accepts connections"),
    ])
}

/// Reads the flags; `None` means stdio.
pub(super) fn read(
    matches: &ArgMatches,
    bearer: Bearer,
    options: &mut ServeOptions,
) -> Result<Option<HttpOptions>, String> {
    let Some(&address) = matches.get_one::<SocketAddr>(ADDRESS) else { return Ok(None) };
    let number = |name| matches.get_one::<u32>(name).copied().unwrap_or_default();
    let seconds = |name| Duration::from_secs(number(name).into());
    let list = |name| matches.get_many(name).into_iter().flatten().cloned().collect();
    let file = |name| matches.get_one::<PathBuf>(name);
    options.max_calls = number(MAX_CALLS) as usize;
    options.grace = seconds(GRACE);
    if let Some(file) = file(KEY_FILE) {
        options.seal_key = Some(key(file)?);
    }
    let http = HttpOptions {
        address,
        tokens: tokens(file(TOKEN_FILE).map(PathBuf::as_path))?,
        bearer,
        origins: list(ORIGIN),
        hosts: list(HOST),
        max_body_bytes: number(MAX_BODY) as usize,
        max_waiting: options.max_calls,
        call_timeout: seconds(TIMEOUT),
        rate: matches.get_one(RATE).copied(),
        page: !matches.get_flag(NO_PAGE),
        ready_file: file(READY_FILE).cloned(),
        ..HttpOptions::default()
    };
    http.check().map_err(|error| error.to_string())?;
    Ok(Some(http))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let local = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    local
        .map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .or_else(|| text.parse().ok())
        .ok_or_else(|| "expected an IP address and a port, such as 127.0.0.1:8080".to_owned())
}

fn rate(text: &str) -> Result<Rate, String> {
    let read = |number: &str| number.trim().parse().ok();
    let (per_second, burst) = text.split_once('/').unwrap_or((text, text));
    match (read(per_second), read(burst)) {
        (Some(per_second), Some(burst)) => Ok(Rate { per_second, burst }),
        _ => Err("expected two numbers of at least 1, such as 10/30".to_owned()),
    }
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
