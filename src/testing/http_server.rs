//! A server process that listens for HTTP on a free port of its own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::http_client::Web;
use crate::http_user::HttpUser;
use crate::log::Log;
use crate::wait::eventually;

/// The file's name.
const READY: &str = "ready";

/// A server process; killed when dropped.
#[derive(Debug)]
pub struct HttpServer {
    child: Child,
    /// Before the folder that it may be in.
    log: Option<Log>,
    /// For the file that it writes when it listens.
    folder: TempDir,
    /// Where it listens.
    pub address: SocketAddr,
}

impl HttpServer {
    /// Starts a server's command with `--http` and waits until it listens; its log is kept, and shown
    /// when the test fails.
    pub fn spawn(command: Command) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let log = Log::at(folder.path().join("log"));
        let stream = log.stream();
        Self::listening(command, folder, stream, Some(log))
    }

    /// The same with a place of its own for the log.
    pub fn spawn_logging(command: Command, log: impl Into<Stdio>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::listening(command, folder, log.into(), None)
    }

    fn listening(mut command: Command, folder: TempDir, stderr: Stdio, log: Option<Log>) -> Self {
        let ready = folder.path().join(READY);
        command.args(["--http", "127.0.0.1:0", "--http-ready-file"]).arg(&ready);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let url = eventually("the server listens", || {
            let ended = child.try_wait().expect("a child of this process");
            assert!(ended.is_none(), "{command:?} ended: {ended:?}");
            std::fs::read_to_string(&ready).ok()
        });
        let address = url.trim().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp"));
        let address = address.and_then(|address| address.parse().ok()).expect("an address");
        Self { child, log, folder, address }
    }

    /// A new connection.
    pub fn connect(&self) -> Web {
        Web::connect(self.address)
    }

    /// A user with this token, on a connection of its own.
    pub fn user(&self, token: &str) -> HttpUser {
        HttpUser::new(self.connect(), token)
    }

    /// The URL of its MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The HTTP status of a path.
    pub fn status(&self, path: &str) -> u16 {
        self.connect().get(path).status
    }

    /// The file with its URL, which is there while it listens.
    pub fn ready_file(&self) -> PathBuf {
        self.folder.path().join(READY)
    }

    /// Its process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        self.log.as_ref().expect("the log is kept").text()
    }

    /// Asks it to stop (SIGTERM).
    pub fn ask_to_stop(&self) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("it runs");
    }

    /// Waits for its end; its exit status.
    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    /// Asks it to stop and waits; its exit status.
    pub fn stop(&mut self) -> Option<i32> {
        self.ask_to_stop();
        self.wait()
    }

    /// kill -9.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
