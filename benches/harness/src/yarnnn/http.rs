//! Many clients over HTTP at once: how much slower the slowest of a hundred calls is than the usual
//! one. An error ends the measurement.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Workspace;
use super::workspace::{basket_id, statement, vector};
use crate::stats::micros;
use crate::table::{Row, Table};
use crate::{Plan, Programs, Result};

const CLIENTS: usize = 64;
/// The slowest of a hundred may take so many times what the usual one takes.
const SPREAD: f64 = 10.0;

pub(super) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let workspace = Workspace::with_blocks("yarnnn-http", plan.http_blocks)?;
    let mut web = Web::start(programs, &workspace)?;
    let recalls = |client: usize, call: usize| {
        let word = ["garden", "sensor", "refund", "4711"][(client + call) % 4];
        ("get_substrate", json!({"keywords": [word], "limit": 5}))
    };
    let adds = |client: usize, call: usize| {
        let number = 20_000_000 + client * 10_000 + call;
        let fingerprint = json!({"embedding": vector(client % 10)});
        let arguments = json!({
            "content": statement(number),
            "basket_id": basket_id(client % 50),
            "session_fingerprint": fingerprint,
        });
        ("add_to_substrate", arguments)
    };
    for (what, calls, make) in [
        ("recall", plan.http_calls, &recalls as &(dyn Fn(usize, usize) -> _ + Sync)),
        ("add", plan.http_calls / 10, &adds),
    ] {
        let mut times = web.crowd(calls, make)?;
        times.sort_by(f64::total_cmp);
        let usual = times[times.len() / 2];
        let slow = times[times.len() * 99 / 100];
        let row = Row::new(format!("{CLIENTS} HTTP clients, {what}: p99 / p50"), "×", slow / usual);
        table.add(row.limit(SPREAD));
        table.add(Row::new(format!("{CLIENTS} HTTP clients, {what}: p50"), "µs", usual));
    }
    web.child.kill()?;
    web.child.wait()?;
    Ok(())
}

/// A server over HTTP.
struct Web {
    child: Child,
    address: String,
    token: String,
}

impl Web {
    fn start(programs: &Programs, workspace: &Workspace) -> Result<Self> {
        let ready = format!("{}.url", workspace.file());
        let child = Command::new(&programs.yarnnn)
            .args(["mcp", "--http", "127.0.0.1:0", "--http-ready-file", &ready])
            .env("YARNNN_DATABASE_FILE", workspace.file())
            .env("YARNNN_LOG_LEVEL", "WARNING")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Ok(url) = std::fs::read_to_string(&ready)
                && let Some(rest) = url.trim().strip_prefix("http://")
            {
                let address = rest.split('/').next().unwrap_or_default().to_owned();
                return Ok(Self { child, address, token: workspace.token.clone() });
            }
            if Instant::now() > deadline {
                return Err("the server over HTTP did not start".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Lets every client make its calls; gives all times in microseconds.
    fn crowd(
        &self,
        calls: usize,
        make: &(dyn Fn(usize, usize) -> (&'static str, Value) + Sync),
    ) -> Result<Vec<f64>> {
        let each = calls.div_ceil(CLIENTS).max(2);
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    scope.spawn(move || -> std::result::Result<Vec<f64>, String> {
                        let mut line = Line::open(&self.address, &self.token)
                            .map_err(|error| error.to_string())?;
                        (0..each)
                            .map(|call| {
                                let (tool, arguments) = make(client, call);
                                line.call(call, tool, &arguments).map_err(|error| error.to_string())
                            })
                            .collect()
                    })
                })
                .collect();
            let mut all = Vec::new();
            for client in clients {
                all.extend(client.join().map_err(|_| "a client panicked")??);
            }
            Ok(all)
        })
    }
}

/// A connection that is kept.
struct Line {
    stream: BufReader<TcpStream>,
    address: String,
    token: String,
}

impl Line {
    fn open(address: &str, token: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            address: address.to_owned(),
            token: token.to_owned(),
        })
    }

    fn call(&mut self, id: usize, tool: &str, arguments: &Value) -> Result<f64> {
        let body = json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        })
        .to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{body}",
            self.address, self.token, body.len()
        );
        let start = Instant::now();
        self.stream.get_mut().write_all(request.as_bytes())?;
        let answer = self.answer()?;
        let time = micros(start.elapsed());
        let answer: Value = serde_json::from_slice(&answer)?;
        if answer.get("result").is_none_or(|result| result["isError"] == true) {
            return Err(format!("{tool}: {answer}").into());
        }
        Ok(time)
    }

    fn answer(&mut self) -> Result<Vec<u8>> {
        let mut length = 0;
        let mut first = true;
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the server hung up".into());
            }
            if first && !line.contains(" 200 ") {
                return Err(format!("refused: {line}").into());
            }
            first = false;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(body)
    }
}
