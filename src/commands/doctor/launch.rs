//! Rows about starting the server: runs the command that `install` writes, in the minimal environments
//! that clients provide, with every revision of the protocol.
//!
//! The home of these runs is an empty temporary folder: a server that creates its store at startup
//! creates it there.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::install::server::Server;
use toolwright_platform::health::Row;
use toolwright_runtime::client::Client;
use toolwright_runtime::contract::SurfaceInfo;

/// Revisions with a handshake, and the one without.
const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", NEWEST];
const NEWEST: &str = "2026-07-28";

/// The environment of a program started from a desktop.
const DESKTOP: &[(&str, &str)] =
    &[("PATH", "/usr/bin:/bin:/usr/sbin:/sbin"), ("LANG", "C.UTF-8"), ("USER", "somebody")];

/// Clients give up on slower starts too.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// Rows about starts and revisions.
pub(super) fn rows(info: &SurfaceInfo, server: &Server) -> Vec<Row> {
    let home = match tempfile::tempdir() {
        Ok(home) => home,
        Err(error) => {
            return vec![
                Row::doubtful("launch", "not tried")
                    .cause(format!("cannot create a temporary folder: {error}")),
            ];
        }
    };
    let starts = [("launch.empty", &[][..]), ("launch.desktop", DESKTOP), ("", &[]), ("", &[])];
    let tried: Vec<Result<String, String>> = starts
        .iter()
        .zip(REVISIONS)
        .map(|((_, variables), revision)| probe(info, server, variables, revision, home.path()))
        .collect();
    let command = format!("`{} {}`", server.command.display(), server.args.join(" "));
    let mut rows: Vec<Row> = starts
        .iter()
        .zip(&tried)
        .filter(|((check, _), _)| !check.is_empty())
        .map(|((check, _), tried)| match tried {
            Ok(measured) => Row::good(*check, format!("{command}: {measured}")),
            Err(cause) => Row::bad(*check, format!("{command} does not serve"))
                .expected(format!("{} tools and the digest of this contract", info.tools.len()))
                .cause(cause.clone())
                .remedy("Run it manually with `env -i` and read its output."),
        })
        .collect();
    rows.push(revisions(&tried));
    rows
}

fn revisions(tried: &[Result<String, String>]) -> Row {
    let answered = REVISIONS.iter().zip(tried).filter(|(_, tried)| tried.is_ok());
    let answered: Vec<&str> = answered.map(|(revision, _)| *revision).collect();
    let failed = REVISIONS
        .iter()
        .zip(tried)
        .find_map(|(revision, tried)| Some(format!("{revision}: {}", tried.as_ref().err()?)));
    match failed {
        None => Row::good("protocol", answered.join(", ")),
        Some(cause) => {
            Row::bad("protocol", answered.join(", ")).expected(REVISIONS.join(", ")).cause(cause)
        }
    }
}

/// Starts the server and lists its tools; returns the measured value or the error.
fn probe(
    info: &SurfaceInfo,
    server: &Server,
    variables: &[(&str, &str)],
    revision: &str,
    home: &Path,
) -> Result<String, String> {
    let log = home.join(format!("stderr-{revision}"));
    let started = fs::File::create(&log).and_then(|log| {
        let mut command = Command::new(&server.command);
        command.args(&server.args).current_dir("/").env_clear().env("HOME", home);
        command.envs(variables.iter().copied()).stderr(Stdio::from(log));
        Client::connect(command)
    });
    let seen = started.and_then(|mut client| {
        let _guard = KillOnTimeout::of(&client);
        handshake(&mut client, revision)
    });
    match seen {
        Ok((list, about)) => verify(info, &list, &about),
        Err(error) => {
            let said = fs::read_to_string(&log).unwrap_or_default();
            let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            let last: String = last.chars().take(400).collect();
            Err(if last.is_empty() { error.to_string() } else { format!("{error}; {last}") })
        }
    }
}

fn verify(info: &SurfaceInfo, tools: &[Value], about: &Value) -> Result<String, String> {
    if tools.len() != info.tools.len() {
        return Err(format!("it lists {} tools", tools.len()));
    }
    if !about.to_string().contains(info.digest) {
        return Err("it serves another version of the contract".to_owned());
    }
    Ok(format!("{} tools, digest as expected", tools.len()))
}

/// The server's tools, and its answer to the handshake or discovery.
fn handshake(client: &mut Client, revision: &str) -> io::Result<(Vec<Value>, Value)> {
    let me = json!({"name": "toolwright-doctor", "version": env!("CARGO_PKG_VERSION")});
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": me,
    });
    let (method, params) = if revision == NEWEST {
        ("server/discover", json!({"_meta": meta}))
    } else {
        let hello = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": me});
        ("initialize", hello)
    };
    let hello = json!({"jsonrpc": "2.0", "id": "hello", "method": method, "params": params});
    // What a program printed before it exited is more useful than the write error.
    let sent = client.send(&hello);
    let line = client.receive_line().or_else(|silence| sent.and(Err(silence)))?;
    let answer: Value = match line.starts_with('{') {
        true => serde_json::from_str(&line)?,
        false => {
            let start: String = line.chars().take(80).collect();
            return Err(io::Error::other(format!(
                "its output is not a JSON-RPC message: {start:?}"
            )));
        }
    };
    let about = answer["result"].clone();
    let agreed = about["protocolVersion"] == revision
        || (revision == NEWEST && about.to_string().contains(NEWEST));
    if !agreed {
        return Err(io::Error::other(format!("it does not support {revision}: {answer}")));
    }
    let params = if revision == NEWEST {
        json!({"_meta": meta})
    } else {
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        json!({})
    };
    let mut list = client.request("tools/list", params)?;
    match list["tools"].take() {
        Value::Array(tools) => Ok((tools, about)),
        _ => Err(io::Error::other("it does not list its tools")),
    }
}

/// Kills a server that does not answer in time. Dropped before the client, so that the process id is
/// still valid.
struct KillOnTimeout {
    _done: Sender<()>,
}

impl KillOnTimeout {
    fn of(client: &Client) -> Self {
        let (done, waiting) = channel::<()>();
        let process = i32::try_from(client.process_id()).ok().and_then(Pid::from_raw);
        std::thread::spawn(move || {
            let late = waiting.recv_timeout(START_TIMEOUT)
                == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
            if let (true, Some(process)) = (late, process) {
                let _ = kill_process(process, Signal::KILL);
            }
        });
        Self { _done: done }
    }
}
