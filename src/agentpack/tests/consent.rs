//! `deploy_apply` and `rollback` ask the user where the client can: after everything that would refuse
//! the call, before anything is written.

use serde_json::{Value, json};
use toolwright_runtime::client::PROTOCOL;
use toolwright_testing::session::STATELESS;
use toolwright_testing::{Person, StdioSession};

use crate::sandbox::{AGENTS, REPO, Sandbox, confirmed};

fn codex() -> Value {
    json!({"target": "codex"})
}

fn asking(sandbox: &Sandbox, revision: &'static str) -> StdioSession {
    StdioSession::start_asking(sandbox.agentpack(&["mcp"]), "desk", revision)
}

fn token(session: &mut StdioSession) -> String {
    let (asked, deployed) = session.call_before(Person::Agrees, "deploy", codex());
    assert!(asked.is_empty(), "a plan changes nothing: {asked:?}");
    deployed.ok()["data"]["confirm_token"].as_str().expect("a token").to_owned()
}

#[test]
fn a_deploy_asks_about_the_plan_and_a_no_uses_no_token_up() {
    for revision in [PROTOCOL, STATELESS] {
        let sandbox = Sandbox::new();
        let mut session = asking(&sandbox, revision);
        let before = sandbox.files();
        let token = token(&mut session);
        // What the seed refuses is refused without a question.
        for (arguments, code) in [
            (json!({"target": "codex", "confirm_token": token}), "E_CONFIRM_REQUIRED"),
            (json!({"target": "codex", "yes": true}), "E_CONFIRM_TOKEN_REQUIRED"),
            (confirmed(codex(), &"0".repeat(64)), "E_CONFIRM_TOKEN_MISMATCH"),
        ] {
            let (asked, refused) = session.call_before(Person::Agrees, "deploy_apply", arguments);
            assert!(asked.is_empty(), "{asked:?}");
            refused.fails(code);
        }
        let apply = confirmed(codex(), &token);
        let (asked, no) = session.call_before(Person::Declines, "deploy_apply", apply.clone());
        let [question] = asked.as_slice() else { panic!("{asked:?}") };
        for shown in ["to codex?", "to create", "AGENTS.md"] {
            assert!(question.contains(shown), "{shown}: {question}");
        }
        assert_eq!(no.fails("E_CONFIRM_REQUIRED")["errors"][0]["details"]["asked"], *question);
        assert_eq!(sandbox.files(), before);
        let (_, yes) = session.call_before(Person::Agrees, "deploy_apply", apply.clone());
        assert_eq!(yes.ok()["data"]["applied"], true);
        let (asked, used) = session.call_before(Person::Agrees, "deploy_apply", apply);
        assert!(asked.is_empty());
        used.fails("E_CONFIRM_TOKEN_MISMATCH");
        session.close();
    }
}

#[test]
fn the_plan_is_computed_again_after_the_answer() {
    let sandbox = Sandbox::new();
    let mut session = asking(&sandbox, PROTOCOL);
    let token = token(&mut session);
    let id = session.begin_call("deploy_apply", &confirmed(codex(), &token));
    let question = session.receive();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    sandbox.repo("modules/base/AGENTS.md", "changed while the user thought\n");
    let changed = sandbox.files();
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"confirm": true}}}));
    session.reply(id).fails("E_CONFIRM_TOKEN_MISMATCH");
    assert_eq!(sandbox.files(), changed);
    session.close();
}

#[test]
fn nothing_to_do_asks_nothing_and_clients_that_cannot_ask_are_not_asked() {
    let sandbox = Sandbox::new();
    sandbox.deploy(codex());
    let mut session = asking(&sandbox, PROTOCOL);
    let token = token(&mut session);
    let apply = confirmed(codex(), &token);
    let (asked, done) = session.call_before(Person::Declines, "deploy_apply", apply);
    assert!(asked.is_empty(), "{asked:?}");
    assert_eq!(done.ok()["data"]["reason"], "no_changes");
    session.close();
}

#[test]
fn a_rollback_asks_what_it_would_change_and_holds_to_it() {
    for revision in [PROTOCOL, STATELESS] {
        let sandbox = Sandbox::new();
        let first = sandbox.deploy(codex());
        sandbox.repo("modules/base/AGENTS.md", "second\n");
        sandbox.deploy(codex());
        let second = sandbox.read(AGENTS);
        let mut session = asking(&sandbox, revision);
        let back = json!({"to": first, "yes": true});
        for (arguments, code) in [
            (json!({"to": first}), "E_CONFIRM_REQUIRED"),
            (json!({"to": "12345", "yes": true}), "E_SNAPSHOT_NOT_FOUND"),
        ] {
            let (asked, refused) = session.call_before(Person::Agrees, "rollback", arguments);
            assert!(asked.is_empty(), "{asked:?}");
            refused.fails(code);
        }
        let (asked, no) = session.call_before(Person::Declines, "rollback", back.clone());
        let [question] = asked.as_slice() else { panic!("{asked:?}") };
        assert!(question.contains(&first) && question.contains("AGENTS.md"), "{question}");
        no.fails("E_CONFIRM_REQUIRED");
        assert_eq!(sandbox.read(AGENTS), second);
        let (_, yes) = session.call_before(Person::Agrees, "rollback", back.clone());
        assert_eq!(yes.ok()["data"]["rolled_back_to"], first);
        assert_ne!(sandbox.read(AGENTS), second);
        // The files are there already: nothing to ask.
        let (asked, again) = session.call_before(Person::Declines, "rollback", back);
        assert!(asked.is_empty(), "{asked:?}");
        again.ok();
        session.close();
    }
}

#[test]
fn a_yes_to_a_rollback_is_for_the_files_as_they_were_shown() {
    let sandbox = Sandbox::new();
    let first = sandbox.deploy(codex());
    sandbox.repo("modules/base/AGENTS.md", "second\n");
    sandbox.deploy(codex());
    let mut session = asking(&sandbox, PROTOCOL);
    let id = session.begin_call("rollback", &json!({"to": first, "yes": true}));
    let question = session.receive();
    sandbox.write(AGENTS, "edited while the user thought\n");
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"confirm": true}}}));
    session.reply(id).fails("E_CONFIRM_REQUIRED");
    assert_eq!(sandbox.read(AGENTS), "edited while the user thought\n");
    assert!(sandbox.path(REPO).exists());
    session.close();
}
