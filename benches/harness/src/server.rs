//! A server under measurement: its process, its streams, and a client that costs little.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::{Value, json};

use crate::Result;
use crate::stats::micros;

/// The revision that is agreed on by a handshake.
const HANDSHAKE: &str = "2025-11-25";

/// A program that can be started.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    path: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Program {
    pub(crate) fn new(name: &'static str, path: impl Into<PathBuf>) -> Self {
        Self { name, path: path.into(), arguments: Vec::new(), environment: Vec::new() }
            .with("ECHO_LOG", "warning")
    }

    /// The wink server over one store.
    pub(crate) fn wink(path: &Path, store: &Path) -> Self {
        let mut program = Self::new("wink", path)
            .with("WINK_OVERRIDES_DIR", &store.display().to_string())
            .with("HOME", &store.display().to_string());
        program.arguments = vec!["mcp".to_owned()];
        program
    }

    /// The agentpack server for a user's home; the project is a folder in it.
    pub(crate) fn agentpack(path: &Path, home: &Path) -> Self {
        let text = |path: PathBuf| path.display().to_string();
        let mut program = Self::new("agentpack", path)
            .with("HOME", &text(home.to_owned()))
            .with("CODEX_HOME", &text(home.join(".codex")))
            .with("AGENTPACK_HOME", &text(home.join(".agentpack")))
            .with("AGENTPACK_PROJECT_DIR", &text(home.join("project")));
        program.arguments = vec!["mcp".to_owned()];
        program
    }

    /// The wa server of one workspace, with panes of its own only.
    pub(crate) fn wa(path: &Path, workspace: &Path) -> Self {
        let mut program = Self::new("wa", path)
            .with("HOME", &workspace.display().to_string())
            .with("WA_WORKSPACE", &workspace.display().to_string())
            .with("WA_BACKEND", "embedded");
        program.arguments = vec!["mcp".to_owned()];
        program
    }

    /// The yarnnn server over one database file.
    pub(crate) fn yarnnn(path: &Path, file: &str, token: &str) -> Self {
        let mut program = Self::new("yarnnn", path)
            .with("YARNNN_DATABASE_FILE", file)
            .with("YARNNN_TOKEN", token)
            .with("YARNNN_LOG_LEVEL", "WARNING");
        program.arguments = vec!["mcp".to_owned()];
        program
    }

    /// The same with another environment.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut program = self.clone();
        program.environment.push((name.to_owned(), value.to_owned()));
        program
    }
}

/// What the server gets as its standard streams.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    /// What shells and most hosts hand over.
    Pipes,
    /// What hosts written in Node hand over.
    Sockets,
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    input: Option<File>,
    output: File,
    buffer: Vec<u8>,
    start: usize,
    next_id: u64,
}

impl Server {
    /// Starts the program; nothing has been sent yet.
    pub(crate) fn start(program: &Program, streams: Streams) -> Result<Self> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stderr(Stdio::null());
        command.envs(program.environment.iter().map(|(name, value)| (name, value)));
        let ours = match streams {
            Streams::Pipes => {
                command.stdin(Stdio::piped()).stdout(Stdio::piped());
                None
            }
            Streams::Sockets => {
                let (input, their_input) = UnixStream::pair()?;
                let (output, their_output) = UnixStream::pair()?;
                command.stdin(OwnedFd::from(their_input)).stdout(OwnedFd::from(their_output));
                Some((OwnedFd::from(input), OwnedFd::from(output)))
            }
        };
        let spawned = command.spawn();
        let mut child = spawned.map_err(|error| format!("{}: {error}", program.path.display()))?;
        // The command keeps the server's ends open, and an open end is no end.
        drop(command);
        let (input, output) = match ours {
            Some(ours) => ours,
            None => (
                child.stdin.take().ok_or("no stdin")?.into(),
                child.stdout.take().ok_or("no stdout")?.into(),
            ),
        };
        Ok(Self {
            child,
            input: Some(input.into()),
            output: output.into(),
            buffer: Vec::with_capacity(1 << 20),
            start: 0,
            next_id: 1_000_000,
        })
    }

    /// Starts the program and makes the handshake.
    pub(crate) fn open(program: &Program, streams: Streams) -> Result<Self> {
        let mut server = Self::start(program, streams)?;
        server.shake_hands()?;
        Ok(server)
    }

    /// The handshake.
    pub(crate) fn shake_hands(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": HANDSHAKE,
            "capabilities": {},
            "clientInfo": {"name": "harness", "version": "1"},
        });
        self.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))?;
        let answer = self.line()?;
        let answer: Value = serde_json::from_slice(answer)?;
        if answer["result"]["serverInfo"].is_null() {
            return Err(format!("no handshake: {answer}").into());
        }
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    }

    /// Calls a tool and returns its structured content.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let id = self.new_id();
        let params = json!({"name": tool, "arguments": arguments});
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))?;
        let mut answer: Value = serde_json::from_slice(self.line()?)?;
        if answer["id"] != id || answer["result"]["isError"] != false {
            return Err(format!("`{tool}` failed: {answer}").into());
        }
        Ok(answer["result"]["structuredContent"].take())
    }

    /// Microseconds of each of `count` calls, one after the other.
    pub(crate) fn sequential(&mut self, call: &CallText, count: usize) -> Result<Vec<f64>> {
        let mut request = Vec::new();
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let id = self.new_id();
            request.clear();
            call.write(id, &mut request);
            let start = Instant::now();
            self.input()?.write_all(&request)?;
            let answer = self.line()?;
            times.push(micros(start.elapsed()));
            check(answer, call)?;
        }
        Ok(times)
    }

    /// Calls per second over `count` calls, with `window` of them outstanding.
    pub(crate) fn pipelined(
        &mut self,
        call: &CallText,
        count: usize,
        window: usize,
    ) -> Result<f64> {
        self.set_blocking(false)?;
        let start = Instant::now();
        let (mut sent, mut answered) = (0, 0);
        let mut ids = 0_u64;
        let mut pending: Vec<u8> = Vec::new();
        let mut written = 0;
        while answered < count {
            if written == pending.len() {
                pending.clear();
                written = 0;
                while sent < count && sent - answered < window {
                    let id = self.new_id();
                    ids = ids.wrapping_add(id);
                    call.write(id, &mut pending);
                    sent += 1;
                }
            }
            let wants = if written < pending.len() { PollFlags::OUT } else { PollFlags::empty() };
            let input = self.input.as_ref().ok_or("closed")?;
            let mut both = [PollFd::new(&self.output, PollFlags::IN), PollFd::new(input, wants)];
            poll(&mut both, None)?;
            let readable = !both[0].revents().is_empty();
            if !both[1].revents().is_empty() {
                match self.input()?.write(&pending[written..]) {
                    Ok(more) => written += more,
                    Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if readable {
                self.fill()?;
                while let Some(answer) = self.next_line() {
                    ids = ids.wrapping_sub(check(answer, call)?);
                    answered += 1;
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        self.set_blocking(true)?;
        if ids != 0 {
            return Err("an answer came twice or not at all".into());
        }
        Ok(count as f64 / seconds)
    }

    /// Resident memory in MiB, where the system tells.
    pub(crate) fn resident(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib / 1024.0)
    }

    /// Processor time of the server so far, all threads, where the system tells.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name may hold blanks; what follows its bracket does not.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
        // User and system time, in hundredths of a second on every Linux there is.
        Some(Duration::from_millis((ticks(11)? + ticks(12)?) * 10))
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn input(&mut self) -> Result<&mut File> {
        self.input.as_mut().ok_or_else(|| "closed".into())
    }

    fn send(&mut self, message: Value) -> Result<()> {
        let mut text = message.to_string();
        text.push('\n');
        Ok(self.input()?.write_all(text.as_bytes())?)
    }

    fn line(&mut self) -> Result<&[u8]> {
        while !self.buffer[self.start..].contains(&b'\n') {
            self.fill()?;
        }
        self.next_line().ok_or_else(|| "no line".into())
    }

    fn next_line(&mut self) -> Option<&[u8]> {
        let length = self.buffer[self.start..].iter().position(|byte| *byte == b'\n')?;
        let start = self.start;
        self.start += length + 1;
        Some(&self.buffer[start..start + length])
    }

    fn fill(&mut self) -> Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let used = self.buffer.len();
        self.buffer.resize(used + 256 * 1024, 0);
        let count = self.output.read(&mut self.buffer[used..])?;
        self.buffer.truncate(used + count);
        if count == 0 { Err("the server closed its output".into()) } else { Ok(()) }
    }

    fn set_blocking(&self, blocking: bool) -> Result<()> {
        for file in self.input.iter().chain([&self.output]) {
            let mut flags = fcntl_getfl(file)?;
            flags.set(OFlags::NONBLOCK, !blocking);
            fcntl_setfl(file, flags)?;
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// A call as text, with a hole for its id.
pub(crate) struct CallText {
    before: Vec<u8>,
    after: Vec<u8>,
    /// What every answer must contain.
    expected: Vec<u8>,
}

impl CallText {
    pub(crate) fn new(params: &Value, expected: &str) -> Self {
        Self {
            before: br#"{"jsonrpc":"2.0","id":"#.to_vec(),
            after: format!(",\"method\":\"tools/call\",\"params\":{params}}}\n").into_bytes(),
            expected: expected.as_bytes().to_vec(),
        }
    }

    fn write(&self, id: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before);
        // Into memory: cannot fail.
        let _ = write!(out, "{id}");
        out.extend_from_slice(&self.after);
    }
}

/// The answer's id, if it is the answer that is wanted.
fn check(answer: &[u8], call: &CallText) -> Result<u64> {
    let id = answer
        .strip_prefix(br#"{"jsonrpc":"2.0","id":"#)
        .and_then(|rest| std::str::from_utf8(rest.get(..7)?).ok()?.parse().ok());
    // The body is last but for a few words: searched from the end, it is found at once.
    let right = answer.windows(call.expected.len()).rev().any(|part| part == call.expected);
    match id {
        Some(id) if right => Ok(id),
        _ => Err(format!("unexpected answer: {}", String::from_utf8_lossy(answer)).into()),
    }
}
