//! Where the client can ask its user, a held action asks: a yes lets it pass once, a no denies it.

use serde_json::json;
use toolwright_runtime::client::PROTOCOL;
use toolwright_testing::session::STATELESS;
use toolwright_testing::{Person, StdioSession};

use crate::session::{Refusal, text};
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(a_held_action_asks_and_a_yes_lets_it_pass_once);

fn asking(workspace: &Workspace, revision: &'static str) -> StdioSession {
    StdioSession::start_asking(workspace.command(&["mcp", "serve"]), "desk", revision)
}

fn a_held_action_asks_and_a_yes_lets_it_pass_once(workspace: Workspace) {
    let mut other = workspace.session();
    let pane = workspace.shell(&mut other);
    for revision in [PROTOCOL, STATELESS] {
        workspace.write("build/old.o", "");
        let mut session = asking(&workspace, revision);
        let delete =
            json!({"pane_id": pane, "text": "rm -rf build; echo go''ne", "wait_for": "gone"});
        let (asked, no) = session.call_before(Person::Declines, "wa.send", delete.clone());
        let [question] = asked.as_slice() else { panic!("{asked:?}") };
        for shown in ["desk", "rm -rf build; echo go''ne", "command.rm_rf", "on its screen"] {
            assert!(question.contains(shown), "{shown}: {question}");
        }
        assert!(question.contains(&format!("Pane {pane} ")), "{question}");
        let refusal = Refusal::of("wa.send", &no.body, "WA-MCP-0006");
        assert_eq!((refusal.reason(), refusal.code()), ("command.rm_rf", None), "{refusal:?}");
        assert!(workspace.path("build/old.o").exists());

        // Denied is denied, and what is allowed is not asked about.
        let root = json!({"pane_id": pane, "text": "rm -rf /"});
        let (asked, root) = session.call_before(Person::Agrees, "wa.send", root);
        assert!(asked.is_empty() && root.is_error, "{asked:?}");
        let dry = json!({"pane_id": pane, "text": "rm -rf build", "dry_run": true});
        let (asked, dry) = session.call_before(Person::Agrees, "wa.send", dry);
        assert!(asked.is_empty(), "{asked:?}");
        assert_eq!(dry.ok()["data"]["policy_decision"], "require_approval");

        let (asked, yes) = session.call_before(Person::Agrees, "wa.send", delete.clone());
        assert_eq!(asked.len(), 1);
        assert_eq!(yes.ok()["data"]["wait_for_result"]["matched"], true);
        assert!(!workspace.path("build").exists());
        other.wait_for_prompt(pane);
        // Once: the next one is asked about again, and nobody else gained anything.
        other.held("wa.send", delete.clone(), "command.rm_rf");
        let (asked, _) = session.call_before(Person::Declines, "wa.send", delete);
        assert_eq!(asked.len(), 1);
        session.close();
    }
    let passed = "policy_audit WHERE reason LIKE 'The user agreed.%' AND decision = 'allow'";
    assert_eq!(workspace.count(&format!("SELECT count(*) FROM {passed}")), 2);
    let used = "approvals WHERE consumed_at IS NOT NULL AND granted_by LIKE 'human:asked by %'";
    assert_eq!(workspace.count(&format!("SELECT count(*) FROM {used}")), 2);
}

/// Who does not answer leaves the action held, and so does a workspace in which only the command line
/// approves.
#[test]
fn without_an_answer_an_action_is_held_with_its_code() {
    let workspace = Workspace::new(crate::terminal::Backend::Embedded).set("WA_ASK_TIMEOUT", "1");
    let mut other = workspace.session();
    let pane = workspace.shell(&mut other);
    let reset = json!({"pane_id": pane, "text": "git reset --hard"});
    for (setting, questions) in [("other_session", 1), ("off", 0)] {
        let mut command = workspace.command(&["mcp", "serve"]);
        command.env("WA_APPROVALS_BY_CLIENT", setting);
        let mut session = StdioSession::start_asking(command, "desk", PROTOCOL);
        let (asked, held) = session.call_before(Person::IsAway, "wa.send", reset.clone());
        assert_eq!(asked.len(), questions, "{setting}");
        let refusal = Refusal::of("wa.send", &held.body, "WA-MCP-0006");
        assert!(refusal.code().is_some(), "{setting}: {refusal:?}");
        assert!(text(&held.body["error"]).contains("git"), "{}", held.body);
        session.close();
    }
}
