//! The states that agentpack's examples are `given`: a home, a config repo and a project, made
//! with real git in a temporary folder.

use std::sync::Arc;
use std::time::Duration;

use agentpack::environment::Environment;
use agentpack::generated::SURFACE;
use serde_json::{Value, json};
use toolwright_platform::lock::FileLock;
use toolwright_runtime::clock::FixedClock;
use toolwright_runtime::contract::SurfaceInfo;

use crate::sandbox::{AGENTS, PROMPT, REPO, SKILL, Sandbox, confirmed};
use toolwright_testing::contract::{self as kit, State};
use toolwright_testing::namespace::MOUNTS;

/// The first deploy of a state is at this moment; its snapshot is named after it.
const FIRST: u64 = 1_700_000_000_000;
const TEN_MINUTES: u64 = 600_000;

/// agentpack's states.
pub(crate) struct States;

impl kit::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        let given = given.expect("every example of agentpack is given a state");
        match given.strip_prefix("reviewed") {
            Some(rest) => reviewed(rest.trim_start_matches('_')),
            None => plain(given),
        }
    }
}

/// States before a review: config repos, and what is deployed of them.
fn plain(given: &str) -> State {
    let setup = Setup::new();
    let sandbox = &setup.sandbox;
    match given {
        "fresh" => {}
        "long_path" => return setup.open().with("path", format!("/{}", "x".repeat(300))),
        "deployed" | "deployed_twice" => {
            let mut open = setup.deployed();
            if given == "deployed_twice" {
                open.sandbox().repo("modules/base/AGENTS.md", "# Base\n\nBe very brief.\n");
                open.deploy(json!({}));
            }
            return open.into();
        }
        "source_changed" => {
            let open = setup.deployed();
            open.sandbox().repo("modules/base/AGENTS.md", "# Base\n\nBe very brief.\n");
            return open.into();
        }
        "edited" | "edited_without_git" | "edited_dirty" => return edited(setup, given),
        "missing_file" => {
            let open = setup.deployed();
            open.sandbox().remove(PROMPT);
            return open.into();
        }
        "broken_snapshot" => {
            let open = setup.deployed();
            let snapshot = format!("home/.agentpack/state/snapshots/{FIRST}000000.json");
            assert!(open.sandbox().exists(&snapshot), "the first deploy has its moment's name");
            open.sandbox().write(&snapshot, "{");
            return open.into();
        }
        "no_git" => {
            sandbox.repo("agentpack.yaml", &git_module("https://example.com/a.git"));
            return setup.open_in(|vars| vars.vars.insert("PATH".into(), "/nowhere".into())).into();
        }
        "unreadable_source" => {
            sandbox.repo("modules/base/AGENTS.md", "secret");
            let script = "chmod 0 \"$STORE\"/home/.agentpack/repo/modules/base/AGENTS.md";
            // Without a mapping the server keeps the tester's files and loses root's rights.
            return setup.over_stdio(&["--user"], script).into();
        }
        _ => damage(sandbox, given),
    }
    setup.open().into()
}

/// Config repos that cannot be used.
fn damage(sandbox: &Sandbox, given: &str) {
    match given {
        "empty_repo" => sandbox.remove(&format!("{REPO}/agentpack.yaml")),
        "broken_yaml" => _ = sandbox.repo("agentpack.yaml", "version: 1\nmodules: [\n"),
        "future_config" => _ = sandbox.repo("agentpack.yaml", "version: 2\nprofiles: {}\n"),
        "jetbrains_only" => sandbox.target("jetbrains: {mode: files, scope: project}"),
        "source_gone" => sandbox.remove(&format!("{REPO}/modules/hello")),
        "broken_lockfile" => _ = sandbox.repo("agentpack.lock.json", "{"),
        "future_lockfile" => {
            sandbox.repo("agentpack.lock.json", r#"{"version": 2, "modules": []}"#);
        }
        "conflicting_modules" => {
            sandbox.repo("other/draft.md", "Another draft.\n");
            sandbox.modules(&[
                ("prompt:a", "prompt", "modules/prompts/draft.md"),
                ("prompt:b", "prompt", "other/draft.md"),
            ]);
        }
        "bad_patch" => {
            let overlay = "overlays/instructions_base--d39861fff1/.agentpack";
            sandbox.repo(&format!("{overlay}/overlay.json"), r#"{"overlay_kind": "patch"}"#);
            sandbox.repo(
                &format!("{overlay}/patches/AGENTS.md.patch"),
                "--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1 @@\n-# Nothing like it\n+# Other\n",
            );
        }
        "remote_gone" => {
            let remote = sandbox.path("home/no-such-remote.git").display().to_string();
            sandbox.repo("agentpack.yaml", &git_module(&remote));
        }
        "config_is_a_folder" => {
            sandbox.remove(&format!("{REPO}/agentpack.yaml"));
            sandbox.repo("agentpack.yaml/file", "");
        }
        "disk_error" => {
            // Nothing is mapped where it begins, so reading it is an input/output error.
            let config = sandbox.path(&format!("{REPO}/agentpack.yaml"));
            std::fs::remove_file(&config).expect("it is there");
            std::os::unix::fs::symlink("/proc/self/mem", config).expect("writable");
        }
        other => panic!("no state is called `{other}`; make it here"),
    }
}

fn git_module(url: &str) -> String {
    format!(
        "version: 1\nprofiles: {{default: {{include_tags: [all]}}}}\n\
         targets: {{codex: {{mode: files, scope: user}}}}\nmodules:\n  - {{id: 'prompt:far', \
         type: prompt, tags: [all], source: {{git: {{url: '{url}', ref: main}}}}}}\n"
    )
}

/// Deployed, then edited in a section of one module.
fn edited(setup: Setup, given: &str) -> State {
    let open = setup.deployed();
    let sandbox = open.sandbox();
    sandbox.write(AGENTS, &sandbox.read(AGENTS).replace("Be brief.", "Be brief and kind."));
    match given {
        "edited_without_git" => sandbox.remove(&format!("{REPO}/.git")),
        "edited_dirty" => _ = sandbox.repo("notes.txt", "not committed"),
        _ => {}
    }
    open.into()
}

/// States after a review: `<token>` stands for its token.
fn reviewed(rest: &str) -> State {
    let setup = Setup::new();
    let codex = || json!({"target": "codex"});
    match rest {
        "" => setup.open().review(codex()).into(),
        "up_to_date" => setup.deployed().review(json!({})).into(),
        "long_ago" => {
            let open = setup.open().review(codex());
            open.clock.advance(TEN_MINUTES);
            open.into()
        }
        "then_changed" => {
            let open = setup.open().review(codex());
            open.sandbox().repo("modules/prompts/draft.md", "Draft two replies.\n");
            open.into()
        }
        "foreign_file" => {
            setup.sandbox.write(AGENTS, "My own notes.\n");
            setup.open().review(codex()).into()
        }
        "root_is_a_file" => {
            setup.sandbox.write("project/.cursor/rules", "not a folder");
            setup.open().review(json!({})).into()
        }
        "in_home" => {
            let open =
                setup.open_in(|environment| environment.cwd = environment.home.clone().unwrap());
            open.review(json!({})).into()
        }
        "lock_held" => {
            let lock = setup.sandbox.write("home/.agentpack/state/lock", "");
            let file = std::fs::File::open(lock).expect("the lock file");
            let held = FileLock::acquire(file, Duration::ZERO).expect("a lock");
            let mut state: State = setup.open().review(codex()).into();
            state.keep.push(Box::new(held));
            state
        }
        "disk_full" => {
            // Another target is deployed, so the folders of the state are there.
            let mut open = setup.open();
            open.deploy(json!({"target": "vscode"}));
            let setup = open.setup;
            std::fs::create_dir(setup.sandbox.path("home/.codex")).expect("writable");
            // What `head` cannot write any more, the server cannot either.
            let script = "mount -t tmpfs -o size=64k none \"$CODEX\"
                head -c 1m /dev/zero > \"$CODEX/fill\" 2>/dev/null || true";
            setup.over_stdio(&MOUNTS, script).review(codex()).undone()
        }
        "apply_fails" => {
            let setup = setup.deployed().setup;
            let sandbox = &setup.sandbox;
            sandbox.repo("modules/base/AGENTS.md", "# Base\n\nBe very brief.\n");
            sandbox.repo("modules/hello/SKILL.md", "---\nname: hello\ndescription: Hi\n---\nHi.\n");
            // A file that something is mounted on can be read, but not replaced.
            let file = sandbox.path(SKILL).display().to_string();
            let script = format!("mount --bind '{file}' '{file}'");
            setup.over_stdio(&MOUNTS, &script).review(codex()).undone()
        }
        other => panic!("no state is called `reviewed_{other}`; make it here"),
    }
}

/// A sandbox on its way to becoming a state.
struct Setup {
    sandbox: Sandbox,
    clock: Arc<FixedClock>,
}

impl Setup {
    fn new() -> Self {
        let sandbox = Sandbox::in_memory().furnished();
        Self { sandbox, clock: Arc::new(FixedClock::at(FIRST)) }
    }

    fn open(self) -> OpenState {
        self.open_in(|_| ())
    }

    /// In this process, in an environment that differs.
    fn open_in<T>(self, change: impl FnOnce(&mut Environment) -> T) -> OpenState {
        let mut environment = self.sandbox.environment();
        change(&mut environment);
        let dispatch = Arc::new(agentpack::surface(environment));
        let (folder, clock) = (self.sandbox.store(), Arc::clone(&self.clock));
        OpenState::new(State::with_clock(dispatch, folder, Vec::new(), clock), self)
    }

    /// Everything is deployed.
    fn deployed(self) -> OpenState {
        let mut open = self.open();
        open.deploy(json!({}));
        open
    }

    /// In a process with namespaces of its own, prepared by `script`.
    fn over_stdio(self, options: &[&str], script: &str) -> OpenState {
        let (command, folder) = (self.sandbox.unshared(options, script), self.sandbox.store());
        OpenState::new(State::over_stdio(&SURFACE, command, folder, Vec::new()), self)
    }
}

/// A state that can be called and still be changed.
struct OpenState {
    state: State,
    setup: Setup,
    clock: Arc<FixedClock>,
}

impl OpenState {
    fn new(mut state: State, setup: Setup) -> Self {
        // Taking the lock leaves the holder's name; the journals of finished work leave no file.
        state.scratch.push(setup.sandbox.path("home/.agentpack/state/lock"));
        let clock = Arc::clone(&setup.clock);
        Self { state, setup, clock }
    }

    fn sandbox(&self) -> &Sandbox {
        &self.setup.sandbox
    }

    fn with(self, name: &'static str, value: String) -> State {
        State::from(self).with(name, value)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let index = SURFACE.tools.iter().position(|info| info.name == tool).expect("a tool");
        let mut reply = self.state.call(index, arguments);
        assert!(!reply.is_error, "{tool}: {}", reply.body);
        reply.body["data"].take()
    }

    fn token(&mut self, arguments: &Value) -> String {
        let reviewed = self.call("deploy", arguments);
        reviewed["confirm_token"].as_str().expect("a token").to_owned()
    }

    fn review(mut self, arguments: Value) -> Self {
        let token = self.token(&arguments);
        self.state.values.insert("token", token);
        self
    }

    fn deploy(&mut self, arguments: Value) {
        let token = self.token(&arguments);
        let applied = self.call("deploy_apply", &confirmed(arguments, &token));
        assert_eq!(applied["applied"], true, "{applied}");
        self.clock.advance(1_000);
    }

    /// The call will begin to write, fail, and undo everything.
    fn undone(self) -> State {
        let mut state: State = self.into();
        state.times = false;
        state
    }
}

impl From<OpenState> for State {
    fn from(open: OpenState) -> Self {
        let mut state = open.state;
        state.keep.push(Box::new(open.setup.sandbox));
        state
    }
}
