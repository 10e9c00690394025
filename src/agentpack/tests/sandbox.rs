//! A temporary machine: home, agentpack home with a config repo, project.
//!
//! ```text
//! store/home/.agentpack/repo   the config repo, under git
//! store/project                the project, under git
//! tmp                          short-lived files of the server
//! ```

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use agentpack::environment::Environment;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright_testing::{Finished, ServerHome, StdioSession, ToolReply, files, run};

/// Where the config repo is.
pub(crate) const REPO: &str = "home/.agentpack/repo";
/// What the standard config deploys for codex.
pub(crate) const AGENTS: &str = "home/.codex/AGENTS.md";
pub(crate) const PROMPT: &str = "home/.codex/prompts/draft.md";
pub(crate) const SKILL: &str = "home/.codex/skills/hello/SKILL.md";

const TARGETS: &str = "targets:
  codex: {mode: files, scope: user}
  claude_code: {mode: files, scope: project}
  cursor: {mode: files, scope: project}
  vscode: {mode: files, scope: project}
";

const MODULES: [(&str, &str, &str); 5] = [
    ("command:ship", "command", "modules/commands/ship.md"),
    ("instructions:base", "instructions", "modules/base"),
    ("instructions:team", "instructions", "modules/team"),
    ("prompt:draft", "prompt", "modules/prompts/draft.md"),
    ("skill:hello", "skill", "modules/hello"),
];

/// The temporary machine.
pub(crate) struct Sandbox {
    /// In `store/project`, where servers are started.
    pub(crate) home: ServerHome,
    base: PathBuf,
    _folder: TempDir,
}

impl Sandbox {
    /// Empty config repo, empty project; neither is under git.
    pub(crate) fn bare() -> Self {
        Self::within(tempfile::tempdir().expect("a temporary folder"))
    }

    /// The same on a disk in memory, where there is one with room: for tests that write much and in
    /// which processes die but not the machine. In containers it is often small.
    pub(crate) fn in_memory() -> Self {
        const NEEDED: u64 = 256 << 20;
        let disk = rustix::fs::statvfs("/dev/shm");
        let memory = match disk.is_ok_and(|disk| disk.f_bavail * disk.f_frsize >= NEEDED) {
            true => tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()),
            false => tempfile::tempdir(),
        };
        Self::within(memory.expect("a temporary folder"))
    }

    fn within(dir: TempDir) -> Self {
        let base = dir.path().canonicalize().expect("the folder is there");
        for folder in ["store/home/.agentpack/repo", "store/project", "tmp"] {
            std::fs::create_dir_all(base.join(folder)).expect("writable");
        }
        let text = |name: &str| base.join(name).display().to_string();
        let program = toolwright_testing::program("agentpack");
        let home = ServerHome::at(program, &base.join("store/project"))
            .with_path()
            .env("HOME", text("store/home"))
            .env("TMPDIR", text("tmp"))
            .env("AGENTPACK_MACHINE_ID", "Test Box")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Tester")
            .env("GIT_AUTHOR_EMAIL", "tester@example.com")
            .env("GIT_COMMITTER_NAME", "Tester")
            .env("GIT_COMMITTER_EMAIL", "tester@example.com");
        Self { home, base, _folder: dir }
    }

    /// A config repo with a module of every type and all four targets, and a project.
    pub(crate) fn new() -> Self {
        Self::bare().furnished()
    }

    /// The same in an empty sandbox.
    pub(crate) fn furnished(self) -> Self {
        self.standard_modules();
        self.config(TARGETS, &MODULES);
        self.write("project/.gitignore", ".agentpack.manifest*.json\n");
        self.commit("project");
        self.commit(REPO);
        self
    }

    fn standard_modules(&self) {
        self.repo("modules/base/AGENTS.md", "# Base\n\nBe brief.\n");
        self.repo("modules/team/AGENTS.md", "# Team\n\nAsk before pushing.\n");
        self.repo("modules/prompts/draft.md", "Draft a reply.\n");
        self.repo(
            "modules/commands/ship.md",
            "---\ndescription: Ship it\n---\nRun the release checklist.\n",
        );
        self.repo(
            "modules/hello/SKILL.md",
            "---\nname: hello\ndescription: Says hello\n---\nRun scripts/hello.sh.\n",
        );
        let script = self.repo("modules/hello/scripts/hello.sh", "#!/bin/sh\necho hello\n");
        std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    /// Writes `agentpack.yaml`: the targets as they are, and modules `(id, type, local path)` that
    /// the profile `default` includes.
    pub(crate) fn config(&self, targets: &str, modules: &[(&str, &str, &str)]) {
        let mut text =
            format!("version: 1\nprofiles:\n  default: {{include_tags: [all]}}\n{targets}");
        text.push_str("modules:\n");
        for (id, kind, path) in modules {
            text.push_str(&format!(
                "  - {{id: '{id}', type: {kind}, tags: [all], source: {{local_path: {{path: '{path}'}}}}}}\n"
            ));
        }
        self.repo("agentpack.yaml", &text);
    }

    /// The standard targets with other modules.
    pub(crate) fn modules(&self, modules: &[(&str, &str, &str)]) {
        self.config(TARGETS, modules);
    }

    /// The standard modules for one target only, such as `cursor: {mode: files, scope: project}`.
    pub(crate) fn target(&self, target: &str) {
        self.config(&format!("targets:\n  {target}\n"), &MODULES);
    }

    /// Everything that the server may read or change.
    pub(crate) fn store(&self) -> PathBuf {
        self.base.join("store")
    }

    /// Something in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("../") {
            Some(name) => self.base.join(name),
            None => self.store().join(name),
        }
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        files::write(&path, text);
        path
    }

    /// Writes a file of the config repo.
    pub(crate) fn repo(&self, name: &str, text: &str) -> PathBuf {
        self.write(&format!("{REPO}/{name}"), text)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    pub(crate) fn remove(&self, name: &str) {
        let path = self.path(name);
        let removed = if path.is_dir() {
            std::fs::remove_dir_all(&path)
        } else {
            std::fs::remove_file(&path)
        };
        removed.expect("it can be removed");
    }

    /// Runs git in a folder of the sandbox, with a test identity.
    pub(crate) fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let mut git = self.home.command_of("git", arguments);
        git.current_dir(self.path(folder));
        run(git).ok().stdout.trim_end().to_owned()
    }

    /// Commits everything in a folder, making it a repository if it is none.
    pub(crate) fn commit(&self, folder: &str) {
        if !self.exists(&format!("{folder}/.git")) {
            self.git(folder, &["init", "-q", "-b", "main"]);
        }
        self.git(folder, &["add", "-A"]);
        self.git(folder, &["commit", "-q", "--allow-empty", "-m", "state"]);
    }

    /// The environment of a server, for a surface in this process.
    pub(crate) fn environment(&self) -> Environment {
        Environment::new(self.home.environment().clone(), self.path("project"))
    }

    /// The binary, started in `project`.
    pub(crate) fn agentpack(&self, arguments: &[&str]) -> Command {
        self.home.command(arguments)
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        self.home.run(arguments)
    }

    /// The server, prepared by `script` in namespaces of its own; `$STORE` and `$CODEX` are folders.
    pub(crate) fn unshared(&self, options: &[&str], script: &str) -> Command {
        let folder = |name: &str| self.path(name).display().to_string();
        let home = self.home.clone().env("STORE", folder("")).env("CODEX", folder("home/.codex"));
        home.unshared(options, script)
    }

    /// A session with a server of its own.
    pub(crate) fn session(&self) -> Session {
        Session::start(self.agentpack(&["mcp"]))
    }

    /// Deploys, and returns the snapshot's id.
    pub(crate) fn deploy(&self, arguments: Value) -> String {
        let data = self.session().deploy(arguments);
        data["snapshot_id"].as_str().expect("a snapshot").to_owned()
    }

    /// Every file of the store with its bytes, but for the insides of git and the lock.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let is_part = |path: &PathBuf| {
            let is_git = path.components().any(|part| part.as_os_str() == ".git");
            !is_git && !path.ends_with(".agentpack/state/lock")
        };
        let content = |path: PathBuf| match std::fs::read_link(&path) {
            Ok(goal) => Some((path, goal.display().to_string().into_bytes())),
            Err(_) if path.is_dir() => None,
            Err(_) => Some((path.clone(), std::fs::read(&path).unwrap_or_default())),
        };
        files::walk(&self.store()).into_iter().filter(is_part).filter_map(content).collect()
    }
}

/// A session: calls that must succeed, calls that must not.
pub(crate) struct Session {
    pub(crate) stdio: StdioSession,
}

impl Session {
    pub(crate) fn start(command: Command) -> Self {
        Self { stdio: StdioSession::start(command, "live-test") }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> ToolReply {
        self.stdio.call(tool, arguments)
    }

    /// The envelope of a call that must go well.
    pub(crate) fn envelope(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments);
        assert!(!answer.is_error && answer.body["ok"] == true, "{tool}: {}", answer.body);
        answer.body
    }

    /// The data of a call that must go well.
    pub(crate) fn data(&mut self, tool: &str, arguments: Value) -> Value {
        self.envelope(tool, arguments)["data"].take()
    }

    /// The error of a call that must fail with this code. Every refusal has next actions.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let mut answer = self.call(tool, arguments);
        assert!(answer.is_error && answer.body["ok"] == false, "{tool}: {}", answer.body);
        assert_eq!(answer.body["data"], json!({}), "{tool}: {}", answer.body);
        let error = answer.body["errors"][0].take();
        assert_eq!(error["code"], code, "{tool}: {error}");
        assert!(error["details"]["reason_code"].is_string(), "{tool}: {error}");
        let actions = error["details"]["next_actions"].as_array();
        assert!(actions.is_some_and(|actions| !actions.is_empty()), "{tool}: {error}");
        error
    }

    /// A reviewed plan's token.
    pub(crate) fn token(&mut self, arguments: Value) -> String {
        let data = self.data("deploy", arguments);
        data["confirm_token"].as_str().expect("a token").to_owned()
    }

    /// `deploy`, then `deploy_apply` with its token.
    pub(crate) fn deploy(&mut self, arguments: Value) -> Value {
        let token = self.token(arguments.clone());
        self.data("deploy_apply", confirmed(arguments, &token))
    }
}

/// Arguments of an apply.
pub(crate) fn confirmed(mut arguments: Value, token: &str) -> Value {
    arguments["yes"] = json!(true);
    arguments["confirm_token"] = json!(token);
    arguments
}
