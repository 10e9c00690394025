//! Shutdown, and the kinds of descriptors that can be served.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolwright_runtime::server::ServeOptions;

use crate::client::{Client, patient, serve};
use crate::surface::Surface;

#[test]
fn a_closed_input_ends_the_server_after_the_last_answers() {
    let mut client = Client::legacy_with("2025-11-25", "tests", patient());
    let id = client.start("tools/call", json!({"name": "test.slow", "arguments": {"ms": 50}}));
    let lazy = client.start("tools/call", json!({"name": "test.lazy"}));
    client.to_server = None;
    let mut answered = [client.receive()["id"].clone(), client.receive()["id"].clone()];
    answered.sort_by_key(Value::to_string);
    assert_eq!(answered, [json!(id), json!(lazy)]);
    client.join().unwrap();
    client.expect_end();
}

#[test]
fn calls_that_do_not_end_in_time_are_cancelled() {
    let options = ServeOptions { grace: Duration::from_millis(50), ..ServeOptions::default() };
    let mut client = Client::legacy_with("2025-11-25", "tests", options);
    client.start("tools/call", json!({"name": "test.slow", "arguments": {"forever": 1}}));
    client.call("test.slow", json!({}));
    let surface = client.surface.clone();
    client.close().unwrap();
    assert_eq!(surface.cancelled.load(Ordering::SeqCst), 1);
}

#[test]
fn a_call_that_ends_when_it_is_told_to_is_still_answered() {
    // A quarter of it is what the answer has to be written in, also on a busy machine.
    let options = ServeOptions { grace: Duration::from_secs(4), ..ServeOptions::default() };
    let mut client = Client::legacy_with("2025-11-25", "tests", options);
    let id = client.start("tools/call", json!({"name": "test.slow", "arguments": {"forever": 1}}));
    client.to_server = None;
    assert_eq!(client.receive()["id"], id);
    client.join().unwrap();
}

#[test]
fn a_question_is_given_up_when_the_client_has_gone() {
    let mut client = Client::legacy_with("2025-11-25", "tests", patient());
    let id = client.start("tools/call", json!({"name": "test.ask"}));
    assert_eq!(client.receive()["method"], "elicitation/create");
    client.to_server = None;
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(true)));
    client.join().unwrap();
}

#[test]
fn a_call_with_progress_is_answered_after_the_input_has_closed() {
    let mut client = Client::legacy_with("2025-11-25", "tests", patient());
    let arguments = json!({"ms": 50, "steps": 3, "late": true});
    let id = client.start(
        "tools/call",
        json!({"name": "test.slow", "arguments": arguments, "_meta": {"progressToken": 1}}),
    );
    client.to_server = None;
    loop {
        let message = client.receive();
        if message["id"] == id {
            assert_eq!(message["result"]["isError"], false);
            break;
        }
    }
    client.join().unwrap();
}

#[test]
fn being_told_to_stop_ends_the_server_while_the_input_is_open() {
    let stop = CancellationToken::new();
    let options = ServeOptions { stop: stop.clone(), ..ServeOptions::default() };
    let mut client = Client::legacy_with("2025-11-25", "tests", options);
    client.call("test.echo", json!({}));
    stop.cancel();
    client.join().unwrap();
}

#[test]
fn a_closed_output_ends_the_server_without_an_error() {
    for tool in ["test.echo", "test.slow"] {
        let (input, mut to_server) = std::io::pipe().unwrap();
        let (from_server, output) = std::io::pipe().unwrap();
        drop(from_server);
        let server = serve(
            Arc::new(Surface::default()),
            ServeOptions::default(),
            input.into(),
            output.into(),
        );
        let meta = crate::surface::modern_meta();
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": tool, "_meta": meta}});
        to_server.write_all(format!("{call}\n").as_bytes()).unwrap();
        // The input stays open: only the failing output can end it.
        server.join().unwrap().unwrap();
    }
}

#[test]
fn serves_over_unix_sockets_and_gives_them_back_as_they_were() {
    let (input, to_server) = UnixStream::pair().unwrap();
    let (output, from_server) = UnixStream::pair().unwrap();
    let (input, output) = (OwnedFd::from(input), OwnedFd::from(output));
    let kept = [input.try_clone().unwrap(), output.try_clone().unwrap()];
    let mut client = Client::over(
        OwnedFd::from(to_server).into(),
        OwnedFd::from(from_server).into(),
        |surface| serve(surface, ServeOptions::default(), input, output),
    );
    client.initialize("2025-11-25", "tests");
    for fd in &kept {
        assert!(fcntl_getfl(fd.as_fd()).unwrap().contains(OFlags::NONBLOCK));
    }
    assert_eq!(client.call("test.echo", json!({}))["isError"], false);
    assert_eq!(client.call("test.slow", json!({}))["isError"], false);
    client.close().unwrap();
    for fd in &kept {
        assert!(!fcntl_getfl(fd.as_fd()).unwrap().contains(OFlags::NONBLOCK));
    }
}

#[test]
fn serves_from_one_file_into_another() {
    let folder = tempfile::tempdir().unwrap();
    let (questions, answers) = (folder.path().join("in"), folder.path().join("out"));
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "test.echo"}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "test.slow"}}),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n");
    std::fs::write(&questions, lines).unwrap();
    let (input, output) = (File::open(&questions).unwrap(), File::create(&answers).unwrap());
    serve(Arc::new(Surface::default()), patient(), input.into(), output.into())
        .join()
        .unwrap()
        .unwrap();
    let written = std::fs::read_to_string(&answers).unwrap();
    let mut ids: Vec<_> = written
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
}

#[test]
fn a_client_that_does_not_read_is_waited_for() {
    let (input, mut to_server) = std::io::pipe().unwrap();
    let (mut from_server, output) = std::io::pipe().unwrap();
    let server = serve(Arc::new(Surface::default()), patient(), input.into(), output.into());
    let meta = crate::surface::modern_meta();
    let text = "x".repeat(50_000);
    let count = 150;
    let writing = std::thread::spawn(move || {
        for id in 0..count {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                "name": "test.echo", "_meta": meta, "arguments": {"text": text}}});
            to_server.write_all(format!("{call}\n").as_bytes()).unwrap();
        }
    });
    // 15 MB of answers do not fit into the server: it must have stopped reading.
    std::thread::sleep(Duration::from_millis(300));
    assert!(!writing.is_finished());
    let mut answers = Vec::new();
    from_server.read_to_end(&mut answers).unwrap();
    writing.join().unwrap();
    server.join().unwrap().unwrap();
    assert_eq!(answers.iter().filter(|byte| **byte == b'\n').count(), count);
}
