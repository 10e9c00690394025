//! The states that wa's examples are `given`: a workspace, and a real tmux server with real shells.

mod picture;
mod terminal;

use std::any::Any;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use toolwright_runtime::clock::{Clock as _, FixedClock, SystemClock};
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo};
use wa::engine::{Engine, Setup};
use wa::generated::SURFACE;
use wa::history::{CaptureMark, NewEvent};
use wa::model::{Action, ActorKind, BackendKind};
use wa::patterns::Scope;
use wa::policy::{Attempt, Request};
use wa::workflow::Status;
use wa::{accounts, setup};

use picture::picture;
use terminal::{Pane, Terminal};
use toolwright_testing::contract::{self as kit, Beyond, State, StateSettings};
use toolwright_testing::{eventually, files};

const TWO_DAYS: u64 = 2 * 24 * 60 * 60 * 1000;
/// The session that the examples are called in, and one that they are not.
const OURS: &str = "mcp:ours";
const OTHER: &str = "mcp:other";

const LIMIT: &str = "■ You've hit your usage limit. Upgrade to Pro or try again at 3:00 PM.\n";
const SECRET: &str = "token sk-proj-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6\n";
/// What Claude Code shows while it waits for a prompt.
const CLAUDE: &str = "\
╭───────────────────────────────────────────────╮
│ ✻ Welcome to Claude Code!                     │
╰───────────────────────────────────────────────╯

───────────────────────────────────────────────
❯ Try \"fix lint errors\"
───────────────────────────────────────────────
  ? for shortcuts
";
const GREET: &str = "\
schema_version: 1
name: greet
description: Says hello and waits for it.
steps:
  - {id: say, type: send_text, text: 'echo hel\"\"lo'}
  - {id: heard, type: wait_for, matcher: {kind: substring, value: hello}, timeout_ms: 30000}
";
const PATIENT: &str = "\
schema_version: 1
name: patient
description: Waits for what never comes.
steps:
  - {id: wait, type: wait_for, matcher: {kind: substring, value: never printed}, timeout_ms: 120000}
";
const ACCOUNTS: &str = r#"{"accounts": [
  {"id": "work", "service": "openai", "percent_remaining": 80},
  {"id": "home", "service": "openai", "percent_remaining": 0}
]}"#;

/// wa's states.
pub(crate) struct States;

impl kit::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        let given = given.unwrap_or("no_terminal");
        let words = given.split('_').next().unwrap_or_default();
        match words {
            "accounts" => with_accounts(given),
            "held" => held(given),
            "reserved" => reserved(given),
            "workflow" | "with" => with_workflows(given),
            "captured" | "detected" => recorded(given),
            _ => plain(given),
        }
    }

    /// Nothing random is typed into a shell, and nothing waits for what never comes.
    fn for_random(&self, tool: &'static ToolInfo) -> Option<&'static str> {
        ["send", "wait_for", "workflow_run"].contains(&tool.name).then_some("no_terminal")
    }

    fn beyond(&self) -> &'static [Beyond] {
        BEYOND
    }
}

/// Names that depend on rules, codes and reservations there are, or that are taken in any case and
/// under several spellings.
const NAMES: &str = "no list in a schema has all of them";
/// What the contract of wa answers with its one code for arguments that cannot be used.
const BEYOND: &[Beyond] = &[
    Beyond { tool: "wa.accounts", says: "`service`: ", why: NAMES },
    Beyond { tool: "wa.accounts_refresh", says: "`service`: ", why: NAMES },
    Beyond { tool: "wa.events", says: "`rule_id`: there is no rule", why: NAMES },
    Beyond { tool: "wa.release", says: "was never issued", why: NAMES },
    Beyond { tool: "wa.rules_lint", says: "`pack`: there is no pack", why: NAMES },
    Beyond { tool: "wa.rules_list", says: "`pack`: there is no pack", why: NAMES },
    Beyond { tool: "wa.rules_show", says: "`rule_id`: there is no rule", why: NAMES },
    Beyond { tool: "wa.rules_test", says: "`agent`: ", why: NAMES },
    Beyond { tool: "wa.search", says: "robot.fts_query_error", why: "a query needs a word" },
    Beyond {
        tool: "wa.send",
        says: "`text` ",
        why: "keys are allowed alone, not inside of a text",
    },
    Beyond { tool: "wa.send", says: "`wait_for` ", why: "it must be a regular expression" },
    Beyond { tool: "wa.state", says: "`agent`: ", why: NAMES },
    Beyond { tool: "wa.wait_for", says: "`pattern` ", why: "it must be a regular expression" },
    Beyond { tool: "wa.why", says: "robot.code_not_found", why: NAMES },
];

/// States that are made by what panes show and files say.
fn plain(given: &str) -> State {
    let builder = StateBuilder::new();
    match given {
        "no_terminal" => builder.open(),
        "two_panes" => builder.two_panes().open(),
        "shell" => builder.panes(&[Pane::shell()]).open(),
        "long_pane" => {
            let text: String = (1..=100).map(|line| format!("line {line}\n")).collect();
            builder.showing(&text, "line 100").open()
        }
        "secret_pane" => builder.showing(SECRET, "token").open(),
        "limit_reached" => builder.showing(LIMIT, "3:00 PM").open(),
        "agent_pane" => {
            let text = builder.file("screen", CLAUDE);
            let agent = builder.script(
                "claude",
                &format!("cat '{}'\nwhile :; do read -r line; done", text.display()),
            );
            let agent = Pane::running(&agent, "for shortcuts");
            builder.panes(&[Pane::shell(), Pane::shell(), agent]).open()
        }
        "dead_pane" => {
            let builder = builder.panes(&[Pane::shell()]);
            builder.terminal().end(0);
            builder.open()
        }
        "hanging_terminal" => {
            let program = builder.script("tmux", "exec sleep 60").display().to_string();
            builder.flag("tmux.program", &program).flag("backend_timeout_ms", "300").open()
        }
        "broken_storage" => {
            builder.file("work/.wa/wa.db", "this is no database, and long enough to be looked at");
            builder.open()
        }
        "forbidden_by_rule" => {
            let rule = "rules:\n  - id: hands-off\n    match: {actions: [approve, \
                        workflow_abort]}\n    decision: deny\n";
            builder.file("work/.wa/policy.yaml", rule);
            builder.open()
        }
        "broken_pack" => {
            builder.file("work/.wa/rules/mine.yaml", "pack: mine\nrules: [\n");
            builder.open()
        }
        "bad_rule" => {
            let rule = "patterns:\n  - {id: Nameless, pattern: 'boom \\d+', severity: info}\n";
            builder.file("work/.wa/rules/mine.yaml", rule);
            builder.open()
        }
        other => panic!("no state is called `{other}`; make it here"),
    }
}

/// Where accounts come from, and whether they were asked for.
fn with_accounts(given: &str) -> State {
    let builder = StateBuilder::new();
    let file = builder.file("accounts.json", ACCOUNTS).display().to_string();
    match given {
        "accounts_file" => builder.flag("accounts.file", &file).open(),
        "accounts_refreshed" => {
            let builder = builder.flag("accounts.file", &file);
            let engine = builder.engine(OURS);
            let accounts = &engine.records().expect("a database").accounts;
            accounts.refresh(None, engine.now()).expect("the file is good");
            builder.open()
        }
        "accounts_missing" => builder.open_with(|setup| {
            setup.accounts.program = "/nowhere/caut".to_owned();
        }),
        "accounts_hang" => builder.open_with(|setup| {
            setup.accounts.source = accounts::Source::Command;
            setup.accounts.command = ["sleep", "60"].map(str::to_owned).into();
            setup.accounts.timeout = Duration::from_millis(300);
        }),
        other => panic!("no state is called `{other}`; make it here"),
    }
}

/// Pane 0 is reserved; `<reservation>` stands for its id.
fn reserved(given: &str) -> State {
    let builder = StateBuilder::new().two_panes();
    let (session, owner) = match given {
        "reserved" => (OURS, None),
        "reserved_by_another" => (OTHER, Some("somebody")),
        other => panic!("no state is called `{other}`; make it here"),
    };
    let engine = builder.engine(session);
    let pane = engine.find(0).expect("pane 0").row;
    let policy = &engine.records().expect("a database").policy;
    let (actor, now) = (engine.actor(None), engine.now());
    let made = policy.reserve(&pane, &actor, owner, None, None, &*engine.setup.ids, now);
    builder.open().with("reservation", made.expect("it is free").reservation.id)
}

/// A command was held; `<code>` stands for the code that lets it pass.
fn held(given: &str) -> State {
    let builder = StateBuilder::new().two_panes();
    let session = if given == "held" { OURS } else { OTHER };
    let mut setup = builder.setup(session);
    if given == "held_long_ago" {
        let now = SystemClock::default().now().as_millisecond().unsigned_abs();
        setup.clock = Arc::new(FixedClock::at(now - TWO_DAYS));
    }
    let engine = Engine::new(setup);
    let seen = engine.inspect(0).expect("pane 0");
    let policy = &engine.records().expect("a database").policy;
    let actor = engine.actor(None);
    let request = Request {
        actor: &actor,
        action: Action::SendText,
        pane: Some(&seen.found.row),
        state: Some(&seen.state),
        text: Some("rm -rf build"),
        workflow: None,
    };
    let attempt = policy.attempt(&request, &*engine.setup.ids, engine.now()).expect("a decision");
    let Attempt::Refused(refused) = attempt else { panic!("it is held: {attempt:?}") };
    let code = refused.code.expect("a person may let it pass");
    if given == "held_and_used" {
        let person = builder.engine("human:1");
        policy
            .approve(&code, None, None, &person.actor(None), false, person.now())
            .expect("the code is good");
    }
    builder.open().with("code", code)
}

/// Two declared workflows; `<execution>` stands for a run of one of them.
fn with_workflows(given: &str) -> State {
    let builder = StateBuilder::new().two_panes();
    builder.file("work/.wa/workflows/greet.yaml", GREET);
    builder.file("work/.wa/workflows/patient.yaml", PATIENT);
    let (name, until) = match given {
        "with_workflows" => return builder.open(),
        "workflow_running" => ("patient", Status::Waiting),
        "workflow_completed" => ("greet", Status::Completed),
        other => panic!("no state is called `{other}`; make it here"),
    };
    // As another server of the workspace would run it.
    let runner = Runner(builder.engine(OURS));
    let engine = runner.0.workflows().expect("an engine");
    let id = engine.run(name, 0, false, &runner.0.actor(None), None).expect("it starts");
    eventually("the run is as far as that", || {
        let execution = engine.status(&id, true).expect("it was started");
        (execution.status == until).then_some(())
    });
    let mut state = builder.open().with("execution", id);
    state.keep.insert(0, Box::new(runner));
    state
}

/// Runs workflows until it is dropped.
struct Runner(Engine);

impl Drop for Runner {
    fn drop(&mut self) {
        if let Ok(engine) = self.0.workflows() {
            engine.stop();
        }
    }
}

/// Output of pane 0 is in the history; for `detected` with what a rule finds in it.
fn recorded(given: &str) -> State {
    let builder = StateBuilder::new().two_panes();
    let engine = builder.engine(OURS);
    let records = engine.records().expect("a database");
    let (history, now) = (&records.history, engine.now());
    let listing = engine.mux_set().and_then(|set| set.list()).expect("tmux answers");
    let keys = history.observe(&listing.panes, &[BackendKind::Tmux], &*engine.setup.ids, now);
    let pane = keys.expect("the panes are new")[&0];
    let text = if given == "detected" { LIMIT } else { "error: linker failed\n" };
    let mark = CaptureMark { snapshot_tail: text.to_owned(), output_mark: 0 };
    let stored = history.append(pane, text, None, &mark, now).expect("it is stored");
    let found = engine.patterns().scan(text, None, Scope::Log);
    assert_eq!(found.len(), usize::from(given == "detected"), "{found:?}");
    for detection in found {
        let event = NewEvent {
            pane,
            rule_id: detection.rule_id,
            pack_id: detection.pack_id,
            agent: detection.agent,
            event_type: detection.event_type,
            severity: detection.severity,
            confidence: detection.confidence,
            extracted: detection.extracted,
            matched_text: Some(detection.matched),
            segment: stored.segment_at(detection.span.0),
            dedupe: detection.dedupe,
            detected_at: now,
        };
        history.record(&event, now).expect("it is recorded");
    }
    builder.open()
}

/// A workspace on its way to becoming a state.
struct StateBuilder {
    folder: TempDir,
    settings: StateSettings,
    terminal: Option<Rc<Terminal>>,
}

impl StateBuilder {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = folder.path().join("work").display().to_string();
        let socket = folder.path().join("tmux.socket").display().to_string();
        let builder = Self { folder, settings: StateSettings::of(&SURFACE), terminal: None };
        builder.file("work/readme", "");
        builder
            .flag("workspace", &workspace)
            .flag("backend", "tmux")
            .flag("tmux.socket", &socket)
            // Nothing here is about being quick.
            .flag("backend_timeout_ms", "30000")
            .flag("workflows.run_wait_ms", "30000")
    }

    fn flag(mut self, key: &str, text: &str) -> Self {
        self.settings.set(key, text);
        self
    }

    fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        files::write(&path, text);
        path
    }

    fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.folder.path().join("bin").join(name);
        files::script(&path, body);
        path
    }

    fn panes(mut self, panes: &[Pane]) -> Self {
        let socket = self.folder.path().join("tmux.socket");
        self.terminal = Some(Rc::new(Terminal::start(&socket, panes)));
        self
    }

    fn two_panes(self) -> Self {
        self.panes(&[Pane::shell_after("Finished in 3 s"), Pane::shell()])
    }

    fn showing(self, text: &str, ready: &str) -> Self {
        let file = self.file("screen", text);
        self.panes(&[Pane::showing(&file, ready)])
    }

    fn terminal(&self) -> &Terminal {
        self.terminal.as_deref().expect("it has panes")
    }

    fn setup(&self, session: &str) -> Setup {
        let loaded = self.settings.load();
        let settings = loaded.typed().expect("the settings are good");
        let setup = setup::from_settings(&settings, ActorKind::Mcp);
        Setup { session: session.to_owned(), ..setup }
    }

    fn engine(&self, session: &str) -> Engine {
        Engine::new(self.setup(session))
    }

    fn open(self) -> State {
        self.open_with(|_| ())
    }

    fn open_with(self, change: impl FnOnce(&mut Setup)) -> State {
        let mut setup = self.setup(OURS);
        change(&mut setup);
        let dispatch = Arc::new(wa::surface(setup, None));
        let folder = self.folder.path().join("work");
        let mut keep: Vec<Box<dyn Any>> = Vec::new();
        let terminal = self.terminal;
        keep.extend(terminal.clone().map(|terminal| Box::new(terminal) as Box<dyn Any>));
        keep.push(Box::new(self.folder));
        let database = folder.join(".wa/wa.db");
        let mut state = State::in_process(dispatch, folder, keep);
        state.view = Some(Box::new(move || picture(&database, terminal.as_deref())));
        state
    }
}
