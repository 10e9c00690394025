//! A client that sends far more than it reads: the server stops reading before it takes too much memory,
//! whatever the requests are, and later answers every one of them once.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_testing::process::Watchdog;

use crate::fixtures::{self, SurfaceFixture};

/// What is promised of a server's peak resident size.
const MAX_KIB: u64 = 100 * 1024;
/// Requests of one flood. Unbounded, the answers to them would take more than [`MAX_KIB`].
const REQUESTS: usize = 20_000;
/// The same for large answers.
const LARGE: usize = 6_000;

/// One kind of request; the number is the id.
type Request = fn(&SurfaceFixture, usize) -> Value;

fn request(id: usize, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn list_resources(_: &SurfaceFixture, id: usize) -> Value {
    request(id, "resources/list", json!({}))
}

fn list_tools(_: &SurfaceFixture, id: usize) -> Value {
    request(id, "tools/list", json!({}))
}

fn call(fixture: &SurfaceFixture, id: usize) -> Value {
    let call = &fixture.read;
    request(id, "tools/call", json!({"name": call.tool, "arguments": call.arguments}))
}

fn read_file(_: &SurfaceFixture, id: usize) -> Value {
    request(id, "resources/read", json!({"uri": format!("none://{}", "x".repeat(5_000))}))
}

/// A request for the SDK between notifications, which get no answer.
fn after_notifications(_: &SurfaceFixture, id: usize) -> Value {
    request(id, "server/discover", json!({}))
}

/// Sends everything on a thread of its own, because nobody reads; the bytes that are sent.
fn send(mut stdin: ChildStdin, text: String) -> Arc<AtomicUsize> {
    let sent = Arc::new(AtomicUsize::new(0));
    let progress = sent.clone();
    std::thread::spawn(move || {
        for piece in text.as_bytes().chunks(1024) {
            // A server that has ended is noticed by who reads its answers.
            if stdin.write_all(piece).is_err() {
                return;
            }
            progress.fetch_add(piece.len(), Ordering::SeqCst);
        }
        // Kept open, or the server would end.
        std::mem::forget(stdin);
    });
    sent
}

/// Waits until the server takes no more, or has taken all.
fn until_it_stops_reading(sent: &AtomicUsize, all: usize) {
    let (mut before, mut same) = (0, 0);
    while same < 20 && before < all {
        std::thread::sleep(Duration::from_millis(50));
        let now = sent.load(Ordering::SeqCst);
        same = if now == before { same + 1 } else { 0 };
        before = now;
    }
}

fn peak_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it lives");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    peak.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn flood(surface: &str, kind: Request, count: usize, notifications: usize) {
    let fixture = fixtures::named(surface);
    let mut server: Command = fixture.server();
    let spawned = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut server = spawned.expect("the server starts");
    let _watchdog = Watchdog::over(server.id().try_into().expect("a process id"));
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "flood", "version": "1"}});
    let mut text = format!("{}\n", request(0, "initialize", hello));
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    for id in 1..=count {
        text += &format!("{}\n", kind(&fixture, id));
        text += &format!("{notification}\n").repeat(notifications);
    }
    let all = text.len();
    let sent = send(server.stdin.take().expect("piped"), text);
    until_it_stops_reading(&sent, all);
    let unread = peak_kib(server.id());
    let answers = BufReader::new(server.stdout.take().expect("piped"));
    let mut answered = vec![false; count + 1];
    for line in answers.lines().take(count + 1) {
        let answer: Value = serde_json::from_str(&line.expect("readable")).expect("a message");
        let id = answer["id"].as_u64().expect("an id") as usize;
        assert!(!std::mem::replace(&mut answered[id], true), "{id} is answered twice");
    }
    assert!(answered.iter().all(|answered| *answered), "some requests got no answer");
    let peak = peak_kib(server.id());
    assert!(peak < MAX_KIB, "{peak} KiB, of which {unread} KiB while nobody read");
    eprintln!("{surface}: {unread} KiB unread, {peak} KiB at all, of {all} bytes");
    server.kill().expect("it can be killed");
    server.wait().expect("it ends");
}

#[test]
fn lists_of_resources_take_bounded_memory() {
    flood("wink", list_resources, REQUESTS, 0);
}

#[test]
fn lists_of_tools_take_bounded_memory() {
    flood("wink", list_tools, LARGE, 0);
}

#[test]
fn calls_take_bounded_memory() {
    flood("wink", call, REQUESTS, 0);
}

#[test]
fn errors_take_bounded_memory() {
    flood("wa", read_file, REQUESTS, 0);
}

#[test]
fn notifications_take_bounded_memory() {
    flood("wink", after_notifications, REQUESTS / 20, 100);
}
