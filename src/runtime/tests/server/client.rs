//! A client that sends raw lines, so that tests see exactly what is on the wire.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_runtime::server::{ServeError, ServeOptions, serve_descriptors};

use crate::surface::{Surface, modern_meta, test_services};

/// Only ever reached by a test that fails.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    pub(crate) to_server: Option<File>,
    lines: Receiver<String>,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    pub(crate) surface: Arc<Surface>,
    next_id: u64,
}

/// For tests that hear something after they have closed the input: the usual grace is shorter than
/// a busy machine may stand still.
pub(crate) fn patient() -> ServeOptions {
    ServeOptions { grace: PATIENCE, ..ServeOptions::default() }
}

/// Serves on a thread of its own.
pub(crate) fn serve(
    surface: Arc<Surface>,
    options: ServeOptions,
    input: OwnedFd,
    output: OwnedFd,
) -> JoinHandle<Result<(), ServeError>> {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(serve_descriptors(surface, test_services(), options, input, output))
    })
}

impl Client {
    /// Connected through FIFOs, before any handshake.
    pub(crate) fn raw(options: ServeOptions) -> Self {
        let (input, to_server) = std::io::pipe().unwrap();
        let (from_server, output) = std::io::pipe().unwrap();
        let server = |surface| serve(surface, options, input.into(), output.into());
        Self::over(OwnedFd::from(to_server).into(), OwnedFd::from(from_server).into(), server)
    }

    pub(crate) fn over(
        to_server: File,
        from_server: File,
        server: impl FnOnce(Arc<Surface>) -> JoinHandle<Result<(), ServeError>>,
    ) -> Self {
        let surface = Arc::new(Surface::default());
        let server = server(surface.clone());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(from_server).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { to_server: Some(to_server), lines, server: Some(server), surface, next_id: 1 }
    }

    /// After a handshake of the given revision.
    pub(crate) fn legacy_with(version: &str, name: &str, options: ServeOptions) -> Self {
        let mut client = Self::raw(options);
        client.initialize(version, name);
        client
    }

    pub(crate) fn legacy() -> Self {
        Self::legacy_with("2025-11-25", "tests", ServeOptions::default())
    }

    pub(crate) fn initialize(&mut self, version: &str, name: &str) -> Value {
        let result = self.request(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": {"elicitation": {}},
                "clientInfo": {"name": name, "version": "1"},
            }),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        result
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.to_server.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// The next line as it came.
    pub(crate) fn receive_line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("an answer")
    }

    /// The next line, as JSON.
    pub(crate) fn receive(&self) -> Value {
        let line = self.receive_line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The output has ended without another line.
    pub(crate) fn expect_end(&self) {
        match self.lines.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Disconnected) => {}
            other => panic!("expected the end, got {other:?}"),
        }
    }

    pub(crate) fn start(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and returns its whole response, which must be the next message.
    pub(crate) fn exchange(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        let response = self.receive();
        assert_eq!(response["id"], id, "{response}");
        response
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let mut response = self.exchange(method, params);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].take()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// A request of revision 2026-07-28.
    pub(crate) fn modern(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = modern_meta().into();
        self.exchange(method, params)
    }

    /// Closes the server's input and waits for it to end.
    pub(crate) fn close(mut self) -> Result<(), ServeError> {
        self.to_server = None;
        self.join()
    }

    pub(crate) fn join(&mut self) -> Result<(), ServeError> {
        self.server.take().unwrap().join().unwrap()
    }
}
