//! Agents in panes: recognised by their process, driven by their activity, on either screen.

use serde_json::json;

use crate::session::text;
use crate::workspace::{Workspace, on_every_backend};
use toolwright_testing::eventually;

on_every_backend!(an_agent_is_driven_by_what_it_does, a_compacted_agent_is_prompted_by_itself);

/// Paints like the real one: prompt at the bottom, on the alternate screen when `FULL` is set; `work`
/// `ask` and `compact` change what it does, everything else is answered.
const CLAUDE: &str = r#"
paint() { printf '\033[H\033[2J%s\n\n%s\n' "$1" "$2"; }
idle() { paint "$1" '────────────────────
> 
────────────────────
  ? for shortcuts'; }
[ -z "$FULL" ] || printf '\033[?1049h'
idle 'Welcome'
while IFS= read -r line; do
  case "$line" in
    work) paint 'Working' '* Pondering… (12s · esc to interrupt)

> 
  ? for shortcuts' ;;
    compact) printf '\n✻ Conversation compacted (ctrl+o for history)\n\n> \n  ? for shortcuts\n' ;;
    ask) paint 'Do you want to proceed?' '❯ 1. Yes
  2. No
 Esc to cancel' ;;
    *) echo "$line" >> heard.txt; idle "heard: $line" ;;
  esac
done
"#;

fn an_agent_is_driven_by_what_it_does(workspace: Workspace) {
    workspace.script("bin/claude", CLAUDE);
    let mut session = workspace.session();
    let shell = workspace.shell(&mut session);
    let pane = workspace.terminal.open(&["env", "LC_ALL=C.UTF-8", "FULL=1", "./bin/claude"]);
    let panes =
        session.until("it is recognised", "wa.state", json!({"agent": "claude_code"}), |panes| {
            panes[0]["pane_state"]["prompt_active"] == true
        });
    assert_eq!(panes.as_array().map(Vec::len), Some(1));
    assert_eq!(panes[0]["pane_id"], pane);
    assert_eq!(session.data("wa.state", json!({"agent": "codex"})), json!([]));

    // On the alternate screen, yet it gets its text, as prose.
    let prose = "please look at `rm -rf build` in the Makefile";
    let sent =
        session.data("wa.send", json!({"pane_id": pane, "text": prose, "wait_for": "heard:"}));
    assert_eq!(sent["wait_for_result"]["matched"], true, "{sent}");
    assert_eq!(std::fs::read_to_string(workspace.path("heard.txt")).unwrap(), format!("{prose}\n"));

    workspace.terminal.type_line(pane, "work");
    session.wait_for_state(pane, "command_running", true);
    let busy = session.refused("wa.send", json!({"pane_id": pane, "text": "hello"}), "WA-MCP-0006");
    assert_eq!(busy.reason(), "policy.agent_busy", "{busy:?}");

    workspace.terminal.type_line(pane, "ask");
    session.wait_for_text(pane, |text| text.contains("proceed"));
    let code =
        session.held("wa.send", json!({"pane_id": pane, "text": "hello"}), "policy.agent_asking");
    workspace.approve(&code);
    assert_eq!(session.data("wa.send", json!({"pane_id": pane, "text": "hello"}))["sent"], true);
    session.wait_for_text(pane, |text| text.contains("heard: hello"));
    let dry = session.data("wa.send", json!({"pane_id": shell, "text": "ls", "dry_run": true}));
    assert_eq!(dry["policy_decision"], "allow", "a shell is a shell: {dry}");
}

fn a_compacted_agent_is_prompted_by_itself(workspace: Workspace) {
    workspace.script("bin/claude", CLAUDE);
    let workspace = workspace.set("WA_AUTO_HANDLE", "true");
    let mut session = workspace.session();
    let keeper = workspace.shell(&mut session);
    let pane = workspace.terminal.open(&["env", "LC_ALL=C.UTF-8", "./bin/claude"]);
    session.until("it is recognised", "wa.state", json!({"agent": "claude_code"}), |panes| {
        panes[0]["pane_state"]["prompt_active"] == true
    });
    let _ = keeper;
    let rule = session.data("wa.rules_show", json!({"rule_id": "claude_code.compaction"}));
    assert_eq!(rule["workflow"], "handle_compaction");
    workspace.terminal.type_line(pane, "compact");
    let of_pane = json!({"pane_id": pane});
    let listed = session.until("the workflow runs", "wa.workflow_status", of_pane, |list| {
        list["executions"][0]["status"] == "completed"
    });
    assert_eq!(listed["executions"][0]["workflow_name"], "handle_compaction");
    let heard = eventually("the agent hears it", || {
        std::fs::read_to_string(workspace.path("heard.txt"))
            .ok()
            .filter(|heard| heard.ends_with('\n'))
    });
    assert_eq!(heard.lines().count(), 1, "one prompt and no more: {heard}");
    let page = session.data("wa.events", json!({"event_type": "session.compaction"}));
    assert_eq!(
        text(&page["events"][0]["workflow_id"]),
        text(&listed["executions"][0]["execution_id"])
    );
}
