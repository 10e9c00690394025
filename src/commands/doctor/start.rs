//! Starts a server as a client does, performs the handshake and lists its tools.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use toolwright_runtime::client::Client;
use toolwright_runtime::contract::SurfaceInfo;

/// The revision without a handshake.
pub(super) const NEWEST: &str = "2026-07-28";

/// The environment of a program started from a desktop.
pub(super) const DESKTOP: &[(&str, &str)] =
    &[("PATH", "/usr/bin:/bin:/usr/sbin:/sbin"), ("LANG", "C.UTF-8"), ("USER", "somebody")];

/// Clients give up on slower starts too.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// More of what a server printed is not shown.
const SHOWN: usize = 400;

/// What a server answered.
pub(super) struct Seen {
    /// The tools that it lists.
    pub(super) tools: Vec<Value>,
    /// Its answer to the handshake or discovery.
    pub(super) about: Value,
}

impl Seen {
    /// Whether it serves exactly this contract.
    pub(super) fn serves(&self, info: &SurfaceInfo) -> bool {
        self.about.to_string().contains(info.digest)
    }
}

/// Runs the command until its tools are known. Its standard error goes to the file `log`; the error
/// contains what it said there.
pub(super) fn start(mut command: Command, revision: &str, log: &Path) -> Result<Seen, String> {
    let started = File::create(log).and_then(|log| {
        Client::connect({
            command.stderr(Stdio::from(log));
            command
        })
    });
    let mut client = started.map_err(|error| error.to_string())?;
    let guard = KillOnTimeout::of(&client);
    let error = match handshake(&mut client, revision) {
        Ok(seen) => return Ok(seen),
        Err(error) => error,
    };
    // What ended on its own has a status to tell.
    let closed = matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe);
    let status = client.close().ok().filter(|_| closed);
    drop(guard);
    let error = status.map_or_else(|| error.to_string(), ended);
    let said = said(&fs::read_to_string(log).unwrap_or_default());
    Err(if said.is_empty() { error } else { format!("{error}; {said}") })
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (_, Some(9)) => {
            format!("it did not answer within {} seconds", START_TIMEOUT.as_secs())
        }
        (Some(code), _) => format!("it ended with status {code} without an answer"),
        _ => format!("it ended without an answer ({status})"),
    }
}

/// The error that a program printed, or else its last line.
fn said(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let error: Vec<&str> = lines()
        .skip_while(|line| !line.starts_with("error:"))
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .collect();
    let said = match error[..] {
        [] => lines().next_back().unwrap_or_default().to_owned(),
        _ => error.join(" "),
    };
    said.chars().take(SHOWN).collect()
}

/// The server's tools, and its answer to the handshake or discovery.
fn handshake(client: &mut Client, revision: &str) -> io::Result<Seen> {
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
        Value::Array(tools) => Ok(Seen { tools, about }),
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
