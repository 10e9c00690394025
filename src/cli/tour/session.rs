//! The session of a chapter: a temporary folder, a server in it, and the printed steps.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use toolwright_commands::terminal;
use toolwright_runtime::client::{Answer, Client};

/// Why a chapter failed.
pub(super) type Error = Box<dyn std::error::Error>;

/// One chapter's folder, server and step counter.
pub(super) struct TourSession {
    folder: Folder,
    surface: String,
    /// Where the server starts, below the folder.
    start: PathBuf,
    variables: BTreeMap<&'static str, String>,
    /// Hidden arguments.
    hidden: &'static [&'static str],
    client: Option<Client>,
    /// Further arguments of the server's command.
    flags: &'static [&'static str],
    /// The client can ask its user.
    asks: bool,
    step: u32,
}

impl TourSession {
    /// Creates the folder. The server starts with the first call.
    pub(super) fn open(surface: &str) -> Result<Self, Error> {
        let folder = Folder::new(&format!("toolwright-tour-{surface}"))?;
        Ok(Self {
            folder,
            surface: surface.to_owned(),
            start: PathBuf::new(),
            variables: BTreeMap::new(),
            hidden: &[],
            client: None,
            flags: &[],
            asks: false,
            step: 0,
        })
    }

    /// Sets the working folder of the server, below the session's folder.
    pub(super) fn start_in(&mut self, folder: &str) {
        self.start = folder.into();
    }

    /// Sets an environment variable of the server.
    pub(super) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.variables.insert(name, value.into());
    }

    /// Hides arguments that every call has.
    pub(super) fn hide_arguments(&mut self, names: &'static [&'static str]) {
        self.hidden = names;
    }

    /// Ends the server. The next call starts one with these flags.
    pub(super) fn restart_with(&mut self, flags: &'static [&'static str]) {
        self.client = None;
        self.flags = flags;
    }

    /// Ends the server. The next call starts one for a client that can ask its user.
    pub(super) fn restart_asking(&mut self) {
        self.client = None;
        self.asks = true;
    }

    /// Calls a tool that asks, and has the user say yes or no. Shows the question.
    pub(super) fn call_before(
        &mut self,
        agrees: bool,
        tool: &str,
        arguments: Value,
    ) -> Result<Answer, Error> {
        self.show(&format!("> {tool} {}", shortened(&arguments)));
        let mut questions = Vec::new();
        let user = |question: &str| {
            questions.push(question.to_owned());
            agrees
        };
        let answer = self.client()?.call_before(user, tool, arguments)?;
        let [question] = questions.as_slice() else {
            return Err(
                format!("{tool} asked {} questions: {}", questions.len(), answer.raw).into()
            );
        };
        self.show("the client shows its user:");
        self.show(&question.lines().map(|line| format!("| {line}\n")).collect::<String>());
        self.show(if agrees { "the user agrees" } else { "the user declines" });
        Ok(answer)
    }

    /// Lists the names of the server's tools.
    pub(super) fn tool_names(&mut self) -> Result<Vec<String>, Error> {
        let tools = self.client()?.tools()?;
        Ok(tools.iter().map(|tool| text(&tool["name"]).to_owned()).collect())
    }

    /// Calls a tool that the server does not offer, and shows the refusal.
    pub(super) fn expect_left_out(&mut self, tool: &str, arguments: Value) -> Result<(), Error> {
        self.show(&format!("> {tool} {}", shortened(&arguments)));
        let params = json!({"name": tool, "arguments": arguments});
        let response = self.client()?.exchange("tools/call", params)?;
        match response.pointer("/error/message").and_then(Value::as_str) {
            Some(message) => self.show(&format!("refused: {message}")),
            None => return Err(format!("{tool} should not be offered: {response}").into()),
        }
        Ok(())
    }

    /// A path in the folder.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path.join(path)
    }

    /// Reads a file of the folder.
    pub(super) fn read(&self, path: &str) -> io::Result<String> {
        std::fs::read_to_string(self.path(path))
    }

    /// Runs a program in a folder of the session with the server's variables. It must succeed.
    pub(super) fn run(&self, folder: &str, words: &[&str]) -> Result<String, Error> {
        let output = Command::new(words.first().copied().unwrap_or_default())
            .args(words.get(1..).unwrap_or_default())
            .current_dir(self.path(folder))
            .envs(&self.variables)
            .output()?;
        if !output.status.success() {
            let talk = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("`{}` failed: {talk}", words.join(" ")).into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Writes a file into the folder.
    pub(super) fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.folder.path.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)
    }

    /// Prints the next step.
    pub(super) fn step(&mut self, text: &str) {
        self.step += 1;
        terminal::line(&format!("\n {:2}. {text}", self.step));
    }

    /// Prints a detail of the step.
    pub(super) fn show(&self, text: &str) {
        for line in text.lines() {
            terminal::line(&format!("     {line}"));
        }
    }

    /// Calls a tool that must succeed.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        let answer = self.ask(tool, arguments)?;
        if answer.is_error {
            return Err(format!("{tool} failed: {}", answer.body).into());
        }
        Ok(answer.body)
    }

    /// Calls a tool that must be refused with this code.
    pub(super) fn expect_error(
        &mut self,
        tool: &str,
        arguments: Value,
        code: &str,
    ) -> Result<Value, Error> {
        let answer = self.ask(tool, arguments)?;
        // The error is the answer itself, or is in its envelope.
        let error = answer.body.pointer("/errors/0").unwrap_or(&answer.body).clone();
        if !answer.is_error || (error["code"] != code && error["error_code"] != code) {
            return Err(format!("{tool} should have failed with {code}: {}", answer.body).into());
        }
        let message = error.get("message").unwrap_or(&error["error"]);
        self.show(&format!("refused: {code}: {}", text(message)));
        Ok(error)
    }

    /// Calls a tool that must succeed, without printing the call.
    pub(super) fn call_hidden(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        let answer = self.send(tool, arguments)?;
        if answer.is_error {
            return Err(format!("{tool} failed: {}", answer.body).into());
        }
        Ok(answer.body)
    }

    fn ask(&mut self, tool: &str, arguments: Value) -> Result<Answer, Error> {
        let mut shown = arguments.clone();
        if let Value::Object(members) = &mut shown {
            members.retain(|name, _| !self.hidden.contains(&name.as_str()));
        }
        self.show(&format!("> {tool} {}", shortened(&shown)));
        self.send(tool, arguments)
    }

    fn send(&mut self, tool: &str, arguments: Value) -> Result<Answer, Error> {
        Ok(self.client()?.call(tool, arguments)?)
    }

    /// The client of the running server, which is started where it does not run.
    fn client(&mut self) -> Result<&mut Client, Error> {
        if self.client.is_none() {
            let mut command = Command::new(std::env::current_exe()?);
            command
                .args(["serve", &self.surface])
                .args(self.flags)
                .current_dir(self.folder.path.join(&self.start))
                .envs(&self.variables)
                .stderr(Stdio::null());
            let spawn = if self.asks { Client::spawn_asking } else { Client::spawn };
            self.client = Some(spawn(command, "toolwright-tour")?);
        }
        self.client.as_mut().ok_or_else(|| "the server did not start".into())
    }
}

/// The text of a JSON string, or nothing.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn shortened(arguments: &Value) -> String {
    let text = arguments.to_string();
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A temporary folder, removed on drop.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new(name: &str) -> io::Result<Self> {
        let base = std::env::temp_dir();
        let pid = std::process::id();
        for attempt in 0..100 {
            let path = base.join(format!("{name}-{pid}-{attempt}"));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path: path.canonicalize()? }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("no free name for a temporary folder"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
