//! Several terminals at once: every pane has a unique id that means the same pane in every process,
//! whichever terminal came up first.

use serde_json::{Value, json};

use crate::session::{Session, text};
use crate::terminal::{Backend, SHELL, Terminal};
use crate::workspace::Workspace;

/// A workspace in which all terminals are looked for, with tmux in it.
fn automatic() -> Option<Workspace> {
    Backend::Tmux.is_here().then(|| Workspace::new(Backend::Tmux).set("WA_BACKEND", "auto"))
}

/// Embedded panes in the same workspace.
fn own(workspace: &Workspace) -> Terminal {
    Terminal::new(Backend::Embedded, workspace)
}

fn domains(panes: &Value) -> Vec<(u64, String)> {
    let all = panes.as_array().expect("panes").iter();
    all.map(|pane| (pane["pane_id"].as_u64().unwrap(), text(&pane["domain"]).to_owned())).collect()
}

/// The pane is recorded, under the id that it is told with.
fn recorded(session: &mut Session, pane: u64, word: &str) {
    let sent = json!({"pane_id": pane, "text": format!("echo {word}''ed"), "wait_for": format!("{word}ed")});
    assert_eq!(session.data("wa.send", sent)["wait_for_result"]["matched"], true);
    let query = json!({"query": format!("{word}ed")});
    let found =
        session.until("it is recorded", "wa.search", query, |data| data["total_matches"] != 0);
    assert_eq!(found["results"][0]["pane_id"], pane, "recorded under another id: {found}");
    let panes = session.data("wa.state", json!({"pane_id": pane}));
    assert!(panes[0]["pane_uuid"].is_string(), "{panes}");
}

#[test]
fn ids_of_two_terminals_do_not_clash() {
    let Some(workspace) = automatic() else { return };
    let ours = own(&workspace);
    let mut session = workspace.session();
    let theirs = workspace.shell(&mut session);
    let mine = ours.open(&SHELL);
    session.wait_for_prompt(mine);
    assert_ne!(theirs, mine);
    let panes = session.data("wa.state", json!({}));
    let told = domains(&panes);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.contains(&(mine, "embedded".to_owned())), "{told:?}");
    assert!(
        told.iter().any(|(id, domain)| *id == theirs && domain.starts_with("tmux")),
        "{told:?}"
    );
    assert_eq!(session.data("wa.state", json!({"domain": "embedded"}))[0]["pane_id"], mine);
    recorded(&mut session, theirs, "their");
    recorded(&mut session, mine, "our");

    // Every process agrees, also when one of the terminals is gone.
    let other = workspace.robot("wa.state", &json!({})).0;
    assert_eq!(domains(&other["data"]), told);
    workspace.terminal.kill();
    let mut late = workspace.session();
    session.until("it is gone", "wa.state", json!({}), |panes| {
        panes.as_array().is_some_and(|all| all.len() == 1)
    });
    for session in [&mut session, &mut late] {
        assert_eq!(domains(&session.data("wa.state", json!({}))), [(mine, "embedded".to_owned())]);
        let refusal = session.call("wa.get_text", json!({"pane_id": theirs}));
        assert!(
            ["WA-MCP-0004", "WA-MCP-0007"].contains(&text(&refusal["error_code"])),
            "{refusal}"
        );
        session.data("wa.get_text", json!({"pane_id": mine}));
    }
    assert_eq!(ours.open(&SHELL), mine + 1);
}

#[test]
fn a_terminal_that_starts_later_is_recorded_under_the_listed_ids() {
    let Some(workspace) = automatic() else { return };
    // Nothing runs when the server starts and begins to watch.
    let mut session = workspace.session();
    assert_eq!(session.data("wa.state", json!({})), json!([]));
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let pane = workspace.terminal.open(&SHELL);
    session.until("it is seen", "wa.state", json!({}), |panes| panes[0]["pane_id"].is_u64());
    let seen = session.data("wa.state", json!({}))[0]["pane_id"].as_u64().unwrap();
    assert_eq!(seen, pane, "the first terminal that comes up keeps its numbers");
    session.wait_for_prompt(pane);
    recorded(&mut session, pane, "late");
    let ours = own(&workspace);
    let mine = ours.open(&SHELL);
    session.wait_for_prompt(mine);
    recorded(&mut session, mine, "later");
}
