//! A temporary machine: home, agentpack home with a config repo, project.
//!
//! ```text
//! store/home/.agentpack/repo   the config repo, under git
//! store/project                the project, under git
//! tmp                          short-lived files of the server
//! ```

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use agentpack::environment::Environment;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright_runtime::client::{Answer, Client};

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
    dir: TempDir,
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
        let sandbox = Self { dir };
        for folder in [REPO, "project", "../tmp"] {
            std::fs::create_dir_all(sandbox.path(folder)).expect("writable");
        }
        sandbox
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
        self.dir.path().canonicalize().expect("the folder is there").join("store")
    }

    /// Something in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let base = self.dir.path().canonicalize().expect("the folder is there");
        match name.strip_prefix("../") {
            Some(name) => base.join(name),
            None => base.join("store").join(name),
        }
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(&path, text).expect("writable");
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
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.path(folder))
            .env_clear()
            .envs(self.variables())
            .output()
            .expect("git runs");
        let talk = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "git {arguments:?}: {talk}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Commits everything in a folder, making it a repository if it is none.
    pub(crate) fn commit(&self, folder: &str) {
        if !self.exists(&format!("{folder}/.git")) {
            self.git(folder, &["init", "-q", "-b", "main"]);
        }
        self.git(folder, &["add", "-A"]);
        self.git(folder, &["commit", "-q", "--allow-empty", "-m", "state"]);
    }

    /// The environment of a server, and nothing of the tester's own but `PATH`.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let text = |path: PathBuf| path.display().to_string();
        [
            ("HOME", text(self.path("home"))),
            ("TMPDIR", text(self.path("../tmp"))),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("AGENTPACK_MACHINE_ID", "Test Box".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_AUTHOR_NAME", "Tester".to_owned()),
            ("GIT_AUTHOR_EMAIL", "tester@example.com".to_owned()),
            ("GIT_COMMITTER_NAME", "Tester".to_owned()),
            ("GIT_COMMITTER_EMAIL", "tester@example.com".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    /// The same for a surface in this process, started in `project`.
    pub(crate) fn environment(&self) -> Environment {
        Environment::new(self.variables(), self.path("project"))
    }

    /// The binary, started in `project`.
    pub(crate) fn agentpack(&self, arguments: &[&str]) -> Command {
        self.prepared(Command::new(toolwright_testing::program("agentpack")), arguments)
    }

    /// The binary behind `script`, run by a shell in namespaces of its own: `unshare` options that
    /// suit the script, then `exec "$AGENTPACK" mcp`.
    pub(crate) fn unshared(&self, options: &[&str], script: &str) -> Command {
        let mut command = Command::new("unshare");
        command.args(options).args(["sh", "-ec"]);
        command.arg(format!("{script}\nexec \"$AGENTPACK\" mcp"));
        let mut command = self.prepared(command, &[]);
        command
            .env("AGENTPACK", toolwright_testing::program("agentpack"))
            .env("STORE", self.store())
            .env("CODEX", self.path("home/.codex"));
        command
    }

    fn prepared(&self, mut command: Command, arguments: &[&str]) -> Command {
        command
            .args(arguments)
            .current_dir(self.path("project"))
            .env_clear()
            .envs(self.variables())
            .stderr(Stdio::null());
        command
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
        let mut found = BTreeMap::new();
        collect(&self.store(), &mut found);
        found
    }
}

fn collect(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_symlink() {
            let goal = std::fs::read_link(&path).expect("a link");
            found.insert(path, goal.display().to_string().into_bytes());
        } else if path.is_dir() {
            if !path.ends_with(".git") {
                collect(&path, found);
            }
        } else if !path.ends_with(".agentpack/state/lock") {
            found.insert(path.clone(), std::fs::read(&path).unwrap_or_default());
        }
    }
}

/// A session: calls that must go well, calls that must not.
pub(crate) struct Session {
    pub(crate) client: Client,
}

impl Session {
    pub(crate) fn start(command: Command) -> Self {
        Self { client: Client::spawn(command, "live-test").expect("the server starts") }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        self.client.call(tool, arguments).expect("an answer")
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
