//! The server process on a instance's database, and a user who calls it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::instance::Instance;
use toolwright_testing::http_client::{Response, Web};

/// No wait is longer. Only a broken test ever waits so long.
pub(super) const LIMIT: Duration = Duration::from_secs(180);

/// A server; killed when dropped.
pub(super) struct Server {
    child: Child,
    pub(super) address: SocketAddr,
    pub(super) ready: PathBuf,
    log: PathBuf,
}

impl Instance {
    /// `yarnnn mcp --http` with these flags besides.
    pub(super) fn serve(&self, flags: &[&str]) -> Server {
        self.start(self.yarnnn(&["mcp"]), flags)
    }

    /// A prepared command with `--http`.
    pub(super) fn start(&self, mut command: Command, flags: &[&str]) -> Server {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("server-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let ready = self.folder.path().join(&name);
        let log = self.folder.path().join(format!("{name}.log"));
        let child = command
            .args(["--http", "127.0.0.1:0", "--http-ready-file"])
            .arg(&ready)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&log).expect("writable"))
            .spawn()
            .expect("the server starts");
        let url = eventually("the server listens", || std::fs::read_to_string(&ready).ok());
        let address = url.trim().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp"));
        let address = address.and_then(|address| address.parse().ok()).expect("an address");
        Server { child, address, ready, log }
    }
}

impl Server {
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn connect(&self) -> Web {
        Web::connect(self.address)
    }

    /// A user with this token.
    pub(super) fn user(&self, token: &str) -> HttpUser {
        HttpUser { web: self.connect(), authorization: format!("Bearer {token}") }
    }

    /// Everything that it has logged.
    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("readable")
    }

    /// Asks it to stop.
    pub(super) fn ask_to_stop(&self) {
        super::output(Command::new("kill").arg(self.child.id().to_string()));
    }

    /// Waits for its end; its status.
    pub(super) fn wait(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    /// Ends it without a warning.
    pub(super) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A user who calls tools over one connection.
pub(super) struct HttpUser {
    web: Web,
    authorization: String,
}

impl HttpUser {
    /// Any request of a handshake revision; the whole response.
    pub(super) fn send(&mut self, method: &str, params: Value) -> Response {
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let headers = [
            ("Authorization", self.authorization.as_str()),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("User-Agent", "visitor/1.0"),
        ];
        self.web.post(&headers, &message.to_string())
    }

    /// A call of revision 2026-07-28, whose client can ask people; the result or error.
    pub(super) fn modern(&mut self, params: Value) -> Value {
        let headers = [("Authorization", self.authorization.as_str())];
        self.web.modern(&headers, "tools/call", params)
    }

    /// The result of a call of a tool.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.send("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(response.status, 200, "{response:?}");
        let mut answer = response.json();
        assert!(answer.get("error").is_none(), "{tool}: {answer}");
        answer["result"].take()
    }

    /// The answer of a call that must succeed.
    pub(super) fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].take()
    }

    /// The answer of a call that must fail with this code.
    pub(super) fn fails(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["structuredContent"]["code"], code, "{tool}: {result}");
        result["structuredContent"].take()
    }
}

/// Waits until `check` gives something.
pub(super) fn eventually<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(started.elapsed() < LIMIT, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
