//! The built-in workflows, with small programs that behave like agents.

use super::*;
use crate::backend::testing::{script, type_line, until_state, until_text};
use crate::history::{EventFilter, HandledStatus};

/// Answers each line, as an agent would.
const CLAUDE: &str = r#"
printf '\342\234\273 Conversation compacted (ctrl+o for history)\n'
printf '\342\235\257 \n'
while IFS= read -r line; do
  echo "$line" >> "$0.got"
  printf '\n\342\217\272 Reading the notes.\n\342\235\257 \n'
done
"#;

/// Ends on the second Ctrl-C, with its usage and the way back.
const CODEX: &str = r#"
n=0
bye() {
  n=$((n+1))
  if [ $n -lt 2 ]; then echo 'ctrl + c again to quit'; return; fi
  echo 'Token usage: total=1,300 input=1,000 (+ 200 cached) output=100 (reasoning 50)'
  echo 'To continue this session, run codex resume 019bcea5-acb4-7370-a50d-8a2b59553cf6'
  exit 0
}
trap bye INT
echo "You've hit your usage limit. Visit settings or try again at 3:28 PM."
printf '\342\200\272 \n'
while :; do sleep 0.1; done
"#;

const ALLOW_CTRL_C: &str =
    "rules: [{id: exit, match: {actions: [send_ctrl_c], actors: [workflow]}, decision: allow}]";

fn start(server: &Server, name: &str, body: &str) -> PathBuf {
    let program = script(server.folder(), name, body);
    type_line(&server.tmux(), 0, program.to_str().unwrap());
    until_state(&server.tmux(), 0, name, |state| state.foreground.iter().any(|one| one == name));
    program
}

#[test]
fn compaction_sends_its_prompt_verifies_and_handles_the_event() {
    let (server, process) = fixture(Setup { options: fast_options(), ..Setup::default() });
    let program = start(&server, "claude", CLAUDE);
    until_text(&server.tmux(), 0, "\u{276f}");
    let event = process.event(0, "core.claude_code:compaction", Agent::ClaudeCode, &[]);
    let would = process
        .engine
        .would_handle(&process.context.history.event(event).unwrap().unwrap())
        .unwrap();
    assert_eq!(would.workflow, "handle_compaction");
    assert_eq!(would.first_step.as_deref(), Some("check_guards"));
    assert!(would.would_run, "{would:?}");
    let row = process.context.history.event(event).unwrap().unwrap();
    assert_eq!(process.engine.on_event(&row).unwrap(), None, "auto_handle is off");

    let done = process.run_to_end("handle_compaction", 0);
    assert_eq!(done.status, Status::Completed, "{done:?}");
    assert_eq!(done.trigger_event_id, Some(event));
    assert_eq!(done.result.unwrap()["status"], "prompt_sent");
    let got = std::fs::read_to_string(format!("{}.got", program.display())).unwrap();
    assert!(got.contains("CLAUDE.md"), "{got}");
    assert_eq!(got.lines().count(), 1, "{got}");
    let handled = eventually("handled", || {
        let event = process.context.history.event(event).unwrap().unwrap();
        event.handled_at.map(|_| event)
    });
    assert_eq!(handled.workflow_id.as_deref(), Some(done.id.as_str()));
    assert_eq!(handled.handled_status, Some(HandledStatus::Completed));

    let refused = process.engine.run("handle_compaction", 0, false, &client(), None).unwrap_err();
    assert_eq!(refused.reason.as_deref(), Some("workflow.already_handled"));
    assert!(refused.message.contains(&event.to_string()), "{refused}");
    assert!(!process.engine.plan("handle_compaction", 0, false).unwrap().would_run);
    assert!(process.engine.plan("handle_compaction", 0, true).unwrap().would_run);
    let id = process.engine.run("handle_compaction", 0, true, &client(), None).unwrap();
    assert_eq!(process.ended(&id).status, Status::Completed);
}

#[test]
fn an_event_starts_a_workflow_only_where_settings_say_so() {
    let options = Options { auto_handle: true, ..fast_options() };
    let (server, process) = fixture(Setup { options, ..Setup::default() });
    start(&server, "claude", CLAUDE);
    until_text(&server.tmux(), 0, "\u{276f}");
    let row = |id: i64| process.context.history.event(id).unwrap().unwrap();
    let summary = process.event(0, "core.claude_code:session_end", Agent::ClaudeCode, &[]);
    let would = process.engine.would_handle(&row(summary)).unwrap();
    assert_eq!((would.workflow.as_str(), would.would_run), ("handle_session_end", false));
    assert!(would.reason.unwrap().contains("disabled"));
    assert_eq!(process.engine.on_event(&row(summary)).unwrap(), None);

    let event = process.event(0, "core.claude_code:compaction", Agent::ClaudeCode, &[]);
    assert!(process.engine.would_handle(&row(event)).unwrap().would_run);
    let id = process.engine.on_event(&row(event)).unwrap().unwrap();
    let done = process.ended(&id);
    assert_eq!((done.status, done.trigger_event_id), (Status::Completed, Some(event)), "{done:?}");
    eventually("handled", || row(event).handled_at);
    assert_eq!(process.engine.on_event(&row(event)).unwrap(), None);
    let thinking = process.event(0, "core.claude_code:banner", Agent::ClaudeCode, &[]);
    assert_eq!(process.engine.would_handle(&row(thinking)), None);
}

#[test]
fn usage_limits_end_the_agent_and_choose_an_account() {
    let accounts = r#"{"accounts": [
        {"id": "one", "service": "openai", "percent_remaining": 2},
        {"id": "two", "service": "openai", "percent_remaining": 70}]}"#;
    let (server, process) = fixture(Setup {
        options: fast_options(),
        rules: Some(ALLOW_CTRL_C),
        accounts: Some(accounts),
        ..Setup::default()
    });
    start(&server, "codex", CODEX);
    until_text(&server.tmux(), 0, "usage limit");
    let event =
        process.event(0, "core.codex:usage_reached", Agent::Codex, &[("reset_time", "3:28 PM")]);
    let done = process.run_to_end("handle_usage_limits", 0);
    assert_eq!(done.status, Status::Completed, "{done:?}");
    assert_eq!(done.trigger_event_id, Some(event));
    let exit = done.step_logs[1].result_data.clone().unwrap();
    assert_eq!((&exit["ended"], &exit["ctrl_c"]), (&true.into(), &2.into()), "{exit}");
    let result = done.result.unwrap();
    assert_eq!(result["status"], "account_selected");
    assert_eq!(result["account"], "two");
    assert_eq!(result["session_id"], "019bcea5-acb4-7370-a50d-8a2b59553cf6");
    assert_eq!(result["reset_time"], "3:28 PM");
    assert!(result["resume_command"].as_str().unwrap().starts_with("codex resume 019b"));
    let facts: String = process
        .context
        .store
        .read(|reader| {
            let sql = "SELECT facts FROM agent_sessions WHERE reason = 'usage_limit'";
            Ok(reader.query_row(sql, [], |row| row.get(0))?)
        })
        .unwrap();
    assert!(facts.contains("\"total\":\"1,300\"") && facts.contains("\"reasoning\":\"50\""));
    let listing = process.context.accounts.list(None, process.now()).unwrap();
    let used: Vec<_> = listing.accounts.iter().map(|one| one.last_used_at.is_some()).collect();
    assert_eq!(used, [false, true]);
}

#[test]
fn ctrl_c_is_held_without_a_rule_that_allows_it() {
    let (server, process) = fixture(Setup { options: fast_options(), ..Setup::default() });
    start(&server, "codex", CODEX);
    until_text(&server.tmux(), 0, "usage limit");
    let plan = process.engine.plan("handle_usage_limits", 0, false).unwrap();
    assert_eq!(plan.policy.unwrap().decision, crate::model::Decision::RequireApproval);
    let paused = process.run_to_end("handle_usage_limits", 0);
    assert_eq!(paused.status, Status::Paused, "{paused:?}");
    assert_eq!(paused.policy.unwrap().rule.as_deref(), Some("policy.destructive_action"));
    assert!(!text(&server, 0).contains("again to quit"));
    process.engine.abort(&paused.id, None, false).unwrap();
}

#[test]
fn guards_keep_a_prompt_out_of_shells_and_other_programs() {
    let (server, process) = fixture(Setup { options: fast_options(), ..Setup::default() });
    let aborted = process.run_to_end("handle_compaction", 0);
    assert_eq!(aborted.status, Status::Aborted);
    assert_eq!(aborted.error_code.as_deref(), Some("workflow.guard_failed"));
    assert!(aborted.error.unwrap().contains("shell"));
    type_line(&server.tmux(), 0, "sleep 100");
    until_state(&server.tmux(), 0, "sleep", |state| state.command_running == Some(true));
    let aborted = process.run_to_end("handle_compaction", 0);
    assert_eq!(aborted.error_code.as_deref(), Some("deny.command_running"));
    let plan = process.engine.plan("handle_compaction", 0, false).unwrap();
    assert!(!plan.would_run);
    assert!(plan.reason.unwrap().contains("a command runs"));
    assert!(!text(&server, 0).contains("shortened"));
}

#[test]
fn plans_have_a_cooldown() {
    let (server, process) = fixture(Setup { options: fast_options(), ..Setup::default() });
    start(&server, "claude", CLAUDE);
    let event = process.event(
        0,
        "core.claude_code:usage_reached",
        Agent::ClaudeCode,
        &[("reset_time", "1am (Europe/Oslo)")],
    );
    let done = process.run_to_end("handle_claude_code_limits", 0);
    let result = done.result.unwrap();
    assert_eq!(result["kind"], "limit_reached");
    assert_eq!(result["reset_time"], "1am (Europe/Oslo)");
    assert_eq!(result["safe_to_send"], false);
    assert_eq!(done.trigger_event_id, Some(event));
    let id = process.engine.run("handle_claude_code_limits", 0, true, &client(), None).unwrap();
    let skipped = process.ended(&id);
    assert_eq!(skipped.status, Status::Completed);
    assert_eq!(skipped.result.unwrap()["status"], "cooldown_skipped");
    assert_eq!(skipped.steps_completed, 2);
    let plan = process.engine.plan("handle_claude_code_limits", 0, true).unwrap();
    assert!(plan.guards.iter().any(|guard| guard.name == "cooldown" && !guard.passed));

    let event = process.event(0, "core.codex:auth_device_code_prompt", Agent::Codex, &[]);
    let done = process.run_to_end("handle_auth_required", 0);
    assert_eq!(
        (done.trigger_event_id, done.result.unwrap()["kind"].clone()),
        (Some(event), "device_code".into())
    );
    let id = process.engine.run("handle_auth_required", 0, true, &client(), None).unwrap();
    assert_eq!(process.ended(&id).result.unwrap()["status"], "cooldown_skipped");
    let plan = process.run_to_end("handle_gemini_quota", 0).result.unwrap();
    assert_eq!(plan["status"], "plan", "each workflow has its own");
}

#[test]
fn a_backend_that_fails_for_a_moment_is_asked_again() {
    let server = Server::start();
    until_prompt(&server.tmux(), 0);
    let flag = server.folder().join("fail-once");
    std::fs::write(&flag, "").unwrap();
    let body = format!(
        "case \" $* \" in *' capture-pane '*)
           if rm '{}' 2>/dev/null; then echo 'lost server' >&2; exit 1; fi ;; esac
         exec tmux \"$@\"",
        flag.display()
    );
    let program = Some(script(server.folder(), "failing-tmux", &body));
    let setup = Setup { program, options: fast_options(), ..Setup::default() };
    let process = Process::new(server.folder(), server.socket(), setup);
    let done = process.run_to_end("handle_gemini_quota", 0);
    assert_eq!(done.status, Status::Completed, "{done:?}");
    let logs: Vec<_> = done.step_logs.iter().map(|log| (log.step_index, log.result_type)).collect();
    let expected = [
        (0, StepResult::Retry),
        (0, StepResult::Continue),
        (1, StepResult::Continue),
        (2, StepResult::Done),
    ];
    assert_eq!(logs, expected, "{:?}", done.step_logs);
    assert_eq!(done.steps_completed, 3);
}

#[test]
fn the_end_of_a_session_is_recorded() {
    let (server, process) = fixture(Setup::default());
    process.event(0, "core.codex:session_token_usage", Agent::Codex, &[("total", "7")]);
    let done = process.run_to_end("handle_session_end", 0);
    assert_eq!(done.result.unwrap()["facts"]["total"], "7");
    assert_eq!(text(&server, 0).trim(), "$", "nothing is typed");
    let handled = process.context.history.events(&EventFilter {
        pane_id: Some(0),
        unhandled_only: true,
        limit: 10,
        ..EventFilter::default()
    });
    assert!(handled.unwrap().events.is_empty());
}

#[test]
fn a_plan_leaves_no_trace() {
    let (server, process) = fixture(Setup { options: fast_options(), ..Setup::default() });
    process.event(0, "core.claude_code:compaction", Agent::ClaudeCode, &[]);
    declare(
        server.folder(),
        "sender",
        "{schema_version: 1, name: sender, steps: [{id: s, type: send_text, text: rm -rf /}]}",
    );
    let version = || -> i64 {
        let file = process.context.store.file();
        let reader = rusqlite::Connection::open(file).unwrap();
        let tables: Vec<String> = reader
            .prepare(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%fts%'",
            )
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(|name| name.unwrap())
            .collect();
        let count = |table: &String| -> i64 {
            let sql = format!("SELECT count(*) + coalesce(sum(rowid), 0) FROM \"{table}\"");
            let plain = format!("SELECT count(*) FROM \"{table}\"");
            let counted = reader.query_row(&sql, [], |row| row.get(0));
            counted.unwrap_or_else(|_| reader.query_row(&plain, [], |row| row.get(0)).unwrap())
        };
        let news: i64 = reader
            .query_row("SELECT coalesce(sum(count), 0) FROM news", [], |row| row.get(0))
            .unwrap();
        tables.iter().map(count).sum::<i64>() + news
    };
    let before = (version(), text(&server, 0));
    let plan = process.engine.plan("sender", 0, false).unwrap();
    assert_eq!(plan.policy.unwrap().decision, crate::model::Decision::Deny);
    assert!(plan.would_run && plan.steps.len() == 1);
    for built_in in process.engine.list().workflows {
        process.engine.plan(&built_in.name, 0, false).unwrap();
    }
    let again = process.engine.plan("sender", 0, false).unwrap();
    assert_eq!(again.plan_hash, plan.plan_hash);
    assert_eq!((version(), text(&server, 0)), before);
    assert!(!process.context.folder.join("runners").exists());
}
