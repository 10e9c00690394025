//! The program on a instance's store: `worldforge mcp` over stdio and HTTP, and commands.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright_runtime::client::Client;

use super::instance::{Instance, TestTenant, ToolReply, text};
use toolwright_testing::http_client::{Response, Web, message};

/// No wait is longer. Only a broken test ever waits so long.
const LIMIT: Duration = Duration::from_secs(180);

/// Waits until `check` returns something.
pub(crate) fn eventually<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(started.elapsed() < LIMIT, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

impl Instance {
    /// `worldforge` on this instance's store, for its tenant's users.
    pub(crate) fn worldforge(&self, arguments: &[&str]) -> Command {
        let mut command = self.bare(arguments);
        command
            .env("WORLDFORGE_TENANT", &self.fixture.tenant)
            .env("WORLDFORGE_USERS", self.fixture.users().join(","));
        command
    }

    /// The same, for no user.
    pub(crate) fn bare(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(toolwright_testing::program("worldforge"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("WORLDFORGE_DATABASE_URL", &self.url)
            .env("WORLDFORGE_DATABASE_NAME", &self.name)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// A session with a server of its own.
    pub(crate) fn session(&self) -> Session {
        self.session_of(self.worldforge(&["mcp"]))
    }

    /// A session with a prepared server.
    pub(crate) fn session_of(&self, command: Command) -> Session {
        let client = Client::spawn(command, "worldforge-test").expect("the server starts");
        Session { client, fixture: self.fixture.clone() }
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(self.worldforge(arguments))
    }

    /// `worldforge mcp --http` with these tokens, each of a user.
    pub(crate) fn serve(&self, tokens: &[(&str, &str)]) -> Server {
        let tokens: Vec<String> =
            tokens.iter().map(|(token, user)| format!("{token}={user}")).collect();
        let mut command = self.bare(&["mcp"]);
        command.env("WORLDFORGE_TOKENS", tokens.join(","));
        self.serve_with(command)
    }

    /// A prepared command with `--http`.
    pub(crate) fn serve_with(&self, mut command: Command) -> Server {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("server-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let (ready, log) = (self.path(&name), self.path(&format!("{name}.log")));
        let child = command
            .args(["--http", "127.0.0.1:0", "--http-ready-file"])
            .arg(&ready)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&log).expect("writable"))
            .spawn()
            .expect("the server starts");
        let url = eventually("the server listens", || std::fs::read_to_string(&ready).ok());
        let address = url.trim().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp"));
        let address = address.and_then(|address| address.parse().ok()).expect("an address");
        Server { child, address, log }
    }
}

/// A server over stdio, and its client.
pub(crate) struct Session {
    pub(crate) client: Client,
    fixture: TestTenant,
}

impl Session {
    /// The arguments with who and where.
    pub(crate) fn with_scope(&self, tool: &str, user: &str, arguments: &Value) -> Value {
        let mut whole = json!({"tenantId": self.fixture.tenant, "userId": user});
        if tool != "project.create" {
            whole["projectId"] = json!(self.fixture.project);
        }
        for (name, value) in arguments.as_object().expect("arguments are an object") {
            whole[name] = value.clone();
        }
        whole
    }

    /// Calls a tool as the tenant's admin.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> ToolReply {
        let whole = self.with_scope(tool, &self.fixture.admin.clone(), arguments);
        let answer = self.client.call(tool, whole).expect("an answer");
        ToolReply { text: answer.body.to_string(), is_error: answer.is_error }
    }

    /// The answer of a call that must go well.
    pub(crate) fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.call(tool, &arguments);
        assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
        reply.body()
    }

    /// Ends the server at once.
    pub(crate) fn kill(&self) {
        let pid = i32::try_from(self.client.process_id()).expect("a process id");
        let pid = rustix::process::Pid::from_raw(pid).expect("a process id");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it runs");
    }
}

/// A server over HTTP; killed when dropped.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// A call with a token, or without one; the whole response.
    pub(crate) fn send(&self, token: Option<&str>, tool: &str, arguments: &Value) -> Response {
        let authorization = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![("MCP-Protocol-Version", "2025-11-25")];
        headers.extend(authorization.as_deref().map(|value| ("Authorization", value)));
        let call = message(7, "tools/call", json!({"name": tool, "arguments": arguments}));
        Web::connect(self.address).post(&headers, &call.to_string())
    }

    /// A call that is let in.
    pub(crate) fn call(&self, token: &str, tool: &str, arguments: &Value) -> ToolReply {
        let response = self.send(Some(token), tool, arguments);
        assert_eq!(response.status, 200, "{response:?}");
        let result = response.json()["result"].take();
        let is_error = result["isError"] == true;
        ToolReply { text: result["structuredContent"].to_string(), is_error }
    }

    /// The names of the tools that are listed for a token.
    pub(crate) fn tools(&self, token: &str) -> Vec<String> {
        let authorization = format!("Bearer {token}");
        let headers = [("Authorization", authorization.as_str())];
        let answer = Web::connect(self.address).legacy(&headers, "tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().expect("a list");
        tools.iter().map(|tool| text(&tool["name"])).collect()
    }

    /// Status of a path.
    pub(crate) fn status(&self, path: &str) -> u16 {
        Web::connect(self.address).get(path).status
    }

    /// Everything that it has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("readable")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    pub(crate) fn of(mut command: Command) -> Self {
        let ran = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output();
        Self::from(ran.expect("worldforge runs"))
    }

    /// What it printed, when it went well.
    pub(crate) fn success(self) -> String {
        assert_eq!(self.status, 0, "{self:?}");
        self.stdout
    }

    /// The only line that it printed, when it went well.
    pub(crate) fn line(self) -> String {
        let out = self.success();
        assert_eq!(out.lines().count(), 1, "{out}");
        out.trim_end().to_owned()
    }
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
