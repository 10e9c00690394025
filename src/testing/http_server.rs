//! A surface's binary behind an address of its own: a real process that serves over HTTP.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::http_client::Web;

/// Only ever reached by a test that fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server process; stopped when dropped.
pub struct Listening {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Listening {
    /// Starts a surface's binary with more arguments than it has, and waits until it can be
    /// reached. The folder is for its address.
    pub fn start(command: Command, folder: &Path, arguments: &[&str]) -> Self {
        Self::logging(command, folder, arguments, Stdio::null())
    }

    /// The same, and what it logs goes somewhere.
    pub fn logging(
        mut command: Command,
        folder: &Path,
        arguments: &[&str],
        log: impl Into<Stdio>,
    ) -> Self {
        let ready = folder.join("ready");
        let child = command
            .args(["--http", "127.0.0.1:0", "--http-ready-file"])
            .arg(&ready)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        let start = Instant::now();
        while !ready.exists() {
            assert!(start.elapsed() < PATIENCE, "the server does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
        let url = std::fs::read_to_string(&ready).expect("readable");
        let address = url.trim().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp"));
        let address = address.and_then(|address| address.parse().ok()).expect("an address");
        Self { child, address }
    }

    /// A connection to it.
    pub fn connect(&self) -> Web {
        Web::connect(self.address)
    }

    /// Where its MCP endpoint is.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Its process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
