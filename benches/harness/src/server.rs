//! A server under measurement: its process, its streams, and a client that costs little.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::{Value, json};

use crate::Result;
use crate::call_text::CallText;
use crate::program::Program;
use crate::stats::micros;

/// The revision that is agreed on by a handshake.
const HANDSHAKE: &str = "2025-11-25";

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
    /// Where the next answer begins.
    start: usize,
    /// Up to here no end of it was found.
    seen: usize,
    next_id: u64,
}

impl Server {
    /// Starts the program; nothing has been sent yet.
    pub(crate) fn start(program: &Program, streams: Streams) -> Result<Self> {
        let mut command = program.command();
        command.stderr(Stdio::null());
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
        let mut child = spawned.map_err(|error| format!("{}: {error}", program.name))?;
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
            seen: 0,
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

    /// The list of tools, as text.
    pub(crate) fn list(&mut self) -> Result<&[u8]> {
        let id = self.new_id();
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}}))?;
        self.line()
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
            call.id_of(answer)?;
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
                    ids = ids.wrapping_sub(call.id_of(answer)?);
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
        self.memory("VmRSS:")
    }

    /// The most that it has been so far.
    pub(crate) fn peak(&self) -> Option<f64> {
        self.memory("VmHWM:")
    }

    fn memory(&self, which: &str) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with(which))?;
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
        let (start, end) = loop {
            match self.find_line() {
                Some(line) => break line,
                None => self.fill()?,
            }
        };
        Ok(&self.buffer[start..end])
    }

    fn next_line(&mut self) -> Option<&[u8]> {
        self.find_line().map(|(start, end)| &self.buffer[start..end])
    }

    /// The ends of the next answer, which is taken.
    fn find_line(&mut self) -> Option<(usize, usize)> {
        let Some(length) = memchr::memchr(b'\n', &self.buffer[self.seen..]) else {
            self.seen = self.buffer.len();
            return None;
        };
        let line = (self.start, self.seen + length);
        self.start = line.1 + 1;
        self.seen = self.start;
        Some(line)
    }

    fn fill(&mut self) -> Result<()> {
        self.buffer.drain(..self.start);
        self.seen -= self.start;
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
