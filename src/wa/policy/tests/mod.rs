//! The policy on a real database.

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_runtime::clock::CountingIds;

use super::*;
use crate::model::{ActorKind, Agent, AgentActivity, AgentSeen, BackendKind, PaneRow, PaneState};

mod approvals;
mod decisions;
mod external_rules;
mod limits;
mod reservations;

const NOW: Millis = 1_700_000_000_000;
const MINUTE: Millis = 60_000;

/// A workspace with its database.
struct TestWorkspace {
    folder: tempfile::TempDir,
    ids: CountingIds,
}

impl TestWorkspace {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), ids: CountingIds::default() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A policy with a database connection of its own, as another process has it.
    fn policy(&self, change: impl FnOnce(&mut Options)) -> Policy {
        self.try_policy(change).unwrap()
    }

    fn try_policy(&self, change: impl FnOnce(&mut Options)) -> Result<Policy> {
        let store = Store::open(&self.folder.path().join(".wa"), &[SCHEMA]).unwrap();
        let mut options = Options { workspace: "/srv".to_owned(), ..Options::default() };
        change(&mut options);
        Policy::new(Arc::new(store), options)
    }

    /// The database, byte for byte.
    fn bytes(&self) -> Vec<Vec<u8>> {
        let read = |name: &str| std::fs::read(self.folder.path().join(".wa").join(name));
        ["wa.db", "wa.db-wal"].map(|name| read(name).unwrap_or_default()).into()
    }
}

fn actor(kind: ActorKind, session: &str) -> Actor {
    Actor { kind, id: format!("{kind}-client"), session: session.to_owned() }
}

fn mcp() -> Actor {
    actor(ActorKind::Mcp, "s1")
}

fn human() -> Actor {
    actor(ActorKind::Human, "cli")
}

fn pane(pane_id: u64) -> PaneRow {
    PaneRow {
        pane_id,
        native_id: pane_id,
        backend: BackendKind::Tmux,
        identity: format!("tmux|sock|1|%{pane_id}|77|1"),
        tab_id: 0,
        window_id: 0,
        domain: "tmux".to_owned(),
        title: Some("build box".to_owned()),
        cwd: Some("/home/ann/project".to_owned()),
        cursor: None,
        size: None,
        is_active: true,
        tty: None,
        root_pid: None,
        alt_screen: None,
        bracketed_paste: None,
        activity: None,
        dead: None,
    }
}

/// A shell that waits for a command.
fn prompt() -> PaneState {
    PaneState {
        prompt_active: Some(true),
        command_running: Some(false),
        alt_screen: Some(false),
        foreground: vec!["bash".to_owned()],
        ..PaneState::default()
    }
}

fn agent(activity: AgentActivity) -> PaneState {
    PaneState {
        prompt_active: Some(false),
        command_running: Some(true),
        alt_screen: Some(true),
        agent: Some(AgentSeen { agent: Agent::ClaudeCode, activity }),
        ..PaneState::default()
    }
}

fn request<'a>(
    actor: &'a Actor,
    action: Action,
    pane: &'a PaneRow,
    state: &'a PaneState,
    text: Option<&'a str>,
) -> Request<'a> {
    Request { actor, action, pane: Some(pane), state: Some(state), text, workflow: None }
}

/// Sends a text to pane 1, where a shell waits.
fn send(
    policy: &Policy,
    workspace: &TestWorkspace,
    who: &Actor,
    text: &str,
    now: Millis,
) -> Attempt {
    let (pane, state) = (pane(1), prompt());
    let request = request(who, Action::SendText, &pane, &state, Some(text));
    policy.attempt(&request, &workspace.ids, now).unwrap()
}

fn refused(attempt: Attempt) -> Refused {
    match attempt {
        Attempt::Refused(refused) => refused,
        Attempt::Cleared(cleared) => panic!("it was cleared: {cleared:?}"),
    }
}

fn cleared(attempt: Attempt) -> Cleared {
    attempt.cleared().unwrap()
}

/// Sends a text that is held, and returns its code.
fn held_code(
    policy: &Policy,
    workspace: &TestWorkspace,
    who: &Actor,
    text: &str,
    now: Millis,
) -> String {
    refused(send(policy, workspace, who, text, now)).code.unwrap()
}

#[test]
fn every_code_is_explained() {
    let mut all: Vec<&str> = REASONS.to_vec();
    all.extend(gate::RULES.iter().map(|(rule, _)| *rule));
    all.extend(risk::FACTORS.iter().map(|(factor, _)| *factor));
    for code in all {
        let explained = crate::why::explain(code).unwrap();
        assert_eq!(explained.code, code);
    }
    assert_eq!(crate::why::explain("config.rule.no-prod").unwrap().code, "config.rule.no-prod");
    for (rule, _) in gate::RULES {
        assert!(REASONS.contains(rule), "{rule}");
    }
}
