//! Screens as the agents draw them.

use super::recognise;
use crate::model::{Agent, AgentActivity, AgentSeen, BackendKind, PaneRow, PaneState};

const RULE: &str = "────────────────────────────────────────────────────────────";

fn pane(title: Option<&str>) -> PaneRow {
    PaneRow {
        pane_id: 1,
        native_id: 1,
        backend: BackendKind::Tmux,
        identity: "tmux|1".to_owned(),
        tab_id: 0,
        window_id: 0,
        domain: "tmux".to_owned(),
        title: title.map(str::to_owned),
        cwd: None,
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

fn state(processes: &[(&str, &str)]) -> PaneState {
    PaneState {
        foreground: processes.iter().map(|(name, _)| (*name).to_owned()).collect(),
        foreground_commands: processes.iter().map(|(_, line)| (*line).to_owned()).collect(),
        ..PaneState::default()
    }
}

fn seen(agent: Agent, activity: AgentActivity) -> Option<AgentSeen> {
    Some(AgentSeen { agent, activity })
}

/// Name, agent, activity, screen.
fn screens() -> Vec<(&'static str, Agent, AgentActivity, String)> {
    use Agent::{ClaudeCode, Codex, Gemini};
    use AgentActivity::{Asking, Busy, Idle};
    vec![
        (
            "claude, old, idle",
            ClaudeCode,
            Idle,
            "⏺ Done. All 42 tests pass.\n\n╭──────────────────────╮\n│ >                    │\n\
             ╰──────────────────────╯\n  ? for shortcuts\n"
                .to_owned(),
        ),
        (
            "claude, idle after a turn",
            ClaudeCode,
            Idle,
            format!(
                "⏺ I fixed the parser.\n\n✻ Cooked for 1m 12s\n\n{RULE}\n❯ \n{RULE}\n  ⏵⏵ accept \
                 edits on (shift+tab to cycle)\n"
            ),
        ),
        (
            "claude, idle, list of tasks and a suggestion",
            ClaudeCode,
            Idle,
            format!(
                "  ⎿  ☒ one\n     ☒ two\n\n{RULE}\n❯ Try \"fix the bug\"\n{RULE}\n  You've used 75% \
                 of your weekly limit · resets 10pm (UTC)\n  ? for shortcuts\n"
            ),
        ),
        (
            "claude, idle, numbered lists above",
            ClaudeCode,
            Idle,
            format!(
                "❯ 1. do this\n  2. do that\n\n● 1. I did this.\n  2. I did that.\n\n{RULE}\n❯ \n{RULE}\n  \
                 ? for shortcuts\n"
            ),
        ),
        (
            "claude, old, busy",
            ClaudeCode,
            Busy,
            "✻ Thinking… (12s · ↑ 1.2k tokens · esc to interrupt)\n\n╭──────────╮\n│ >        │\n\
             ╰──────────╯\n  ? for shortcuts\n"
                .to_owned(),
        ),
        (
            "claude, busy, hint in the footer, tasks below the spinner",
            ClaudeCode,
            Busy,
            format!(
                "✶ Coalescing…\n  ⎿  ☐ a\n     ☐ b\n     ☐ c\n     ☐ d\n     ☐ e\n     ☐ f\n     ☐ g\n     \
                 ☐ h\n     ☐ i\n     ☐ j\n     ☐ k\n     ☐ l\n     ☐ m\n\n{RULE}\n❯ \n{RULE}\n  ⏵⏵ auto mode \
                 on (shift+tab to cycle)\n"
            ),
        ),
        (
            "claude, busy, no hint at all",
            ClaudeCode,
            Busy,
            format!("✻ Pondering… (2h 3m 1s)\n\n{RULE}\n❯ \n{RULE}\n  ? for shortcuts\n"),
        ),
        (
            "claude, old, permission",
            ClaudeCode,
            Asking,
            "╭───────────────────────────────────────────╮\n│ Bash command                              \
             │\n│   rm -r build                             │\n│ Do you want to proceed?                   \
             │\n│ ❯ 1. Yes                                  │\n│   2. Yes, and don't ask again             │\n\
             │   3. No, and tell Claude what to do differently (esc) │\n\
             ╰───────────────────────────────────────────╯\n"
                .to_owned(),
        ),
        (
            "claude, fullscreen, permission, tasks below",
            ClaudeCode,
            Asking,
            "  1234      const x = 1\n Do you want to make this edit to daemon.ts?\n ❯ 1. Yes\n   2. Yes, \
             allow all edits during this session (shift+tab)\n   3. No\n\n Esc to cancel · Tab to amend\n"
                .to_owned(),
        ),
        (
            "claude, question",
            ClaudeCode,
            Asking,
            "Which one?\n❯ 1. Enrich all three\n  2. Verify only\n\nEnter to select · ↑/↓ to navigate · \
             Esc to cancel\n"
                .to_owned(),
        ),
        (
            "codex, idle",
            Codex,
            Idle,
            "• Ran git status --short\n  └  M README.md\n\n─ Worked for 1m 34s ───────────\n\n› Summarize \
             recent commits\n\n  gpt-5-codex high · 87% context left · ? for shortcuts\n"
                .to_owned(),
        ),
        (
            "codex, busy",
            Codex,
            Busy,
            "• Explored\n  └ Read lib.rs\n\n• Working (12s • esc to interrupt)\n\n› Ask Codex to do \
             anything\n\n  87% context left\n"
                .to_owned(),
        ),
        (
            "codex, approval",
            Codex,
            Asking,
            "  Would you like to run the following command?\n\n  Reason: Do you want to allow network \
             access?\n\n  $ curl -I https://example.com\n\n› 1. Yes, proceed (y)\n  2. Yes, and don't ask \
             again for commands that start with curl -I (p)\n  3. No, and tell Codex what to do \
             differently (esc)\n\n  Press enter to confirm or esc to cancel\n"
                .to_owned(),
        ),
        (
            "gemini, idle",
            Gemini,
            Idle,
            "✦ The file is written.\n\nUsing: 1 GEMINI.md file\n╭───────────────╮\n│ >   Type your message \
             or @path/to/file │\n╰───────────────╯\n~/project   no sandbox   gemini-2.5-pro (98% context \
             left)\n"
                .to_owned(),
        ),
        (
            "gemini, idle, short footer",
            Gemini,
            Idle,
            "✦ Done.\n\n▄▄▄▄▄▄▄▄\n *   Type your message or @path/to/file\n▀▀▀▀▀▀▀▀\n ? for shortcuts\n"
                .to_owned(),
        ),
        (
            "gemini, busy",
            Gemini,
            Busy,
            "⠹ Polishing the code (esc to cancel, 12s)\n\n╭───────────────╮\n│ >   Type your message or \
             @path/to/file │\n╰───────────────╯\n~/project   no sandbox   gemini-2.5-pro (98% context \
             left)\n"
                .to_owned(),
        ),
        (
            "gemini, confirm",
            Gemini,
            Asking,
            "╭──────────────────────────────╮\n│ ?  Shell npm test                                     \
             │\n│ Allow execution of: 'npm test'?          │\n│                                          │\n│ \
             ● 1. Yes, allow once                     │\n│   2. Yes, allow always ...               │\n│   3. \
             No, suggest changes (esc)           │\n╰──────────────────────────────╯\n"
                .to_owned(),
        ),
    ]
}

fn process_of(agent: Agent) -> PaneState {
    match agent {
        Agent::ClaudeCode => state(&[("claude", "claude")]),
        Agent::Codex => state(&[
            ("codex", "/opt/codex/codex-x86_64-unknown-linux-musl"),
            ("node", "node /usr/lib/node_modules/@openai/codex/bin/codex.js"),
        ]),
        _ => state(&[("node", "node --no-warnings=DEP0040 /usr/local/bin/gemini --yolo")]),
    }
}

#[test]
fn activity_is_read_off_the_screen_of_a_known_process() {
    for (name, agent, activity, screen) in screens() {
        let found = recognise(&pane(None), &process_of(agent), &screen);
        assert_eq!(found, seen(agent, activity), "{name}");
    }
}

#[test]
fn without_processes_the_screen_is_enough() {
    for (name, agent, activity, screen) in screens() {
        let found = recognise(&pane(Some("host")), &PaneState::default(), &screen);
        assert_eq!(found, seen(agent, activity), "{name}");
        let over_ssh = state(&[("ssh", "ssh build")]);
        assert_eq!(recognise(&pane(None), &over_ssh, &screen), seen(agent, activity), "{name}");
    }
}

#[test]
fn a_transcript_that_was_printed_is_no_agent() {
    let shells = [
        state(&[("bash", "-bash")]),
        state(&[("cat", "cat transcript.txt")]),
        state(&[("less", "less codex.log")]),
        PaneState { prompt_active: Some(true), ..PaneState::default() },
        PaneState::default(),
    ];
    for (name, _, _, screen) in screens() {
        for state in &shells {
            let printed = format!("{screen}user@host:~/project$ \n");
            assert_eq!(recognise(&pane(Some("bash")), state, &printed), None, "{name}");
        }
    }
}

#[test]
fn shells_editors_and_pagers_are_no_agents() {
    let vim = "fn main() {\n    println!(\"esc to interrupt\");\n}\n~\n~\n\"main.rs\" 3L, 40B   1,1  All\n";
    let cases = [
        (state(&[("bash", "-bash")]), "user@host:~$ \n"),
        (state(&[("zsh", "zsh")]), "~/project ❯ \n"),
        (PaneState::default(), "~/project ❯ \n"),
        (PaneState::default(), "~/project\n❯ \n"),
        (state(&[("vim", "vim src/claude.rs")]), vim),
        (state(&[("vim", "vim codex")]), vim),
        (state(&[("node", "node server.js claude")]), "listening\n"),
        (state(&[("grep", "grep -r codex .")]), "codex resume\n"),
        (PaneState::default(), vim),
        (PaneState::default(), ""),
    ];
    for (state, screen) in cases {
        assert_eq!(recognise(&pane(Some("~/project")), &state, screen), None, "{state:?}");
    }
}

#[test]
fn agents_are_known_by_their_processes() {
    let cases = [
        ("claude", "claude --continue", Agent::ClaudeCode),
        ("node", "node /usr/bin/claude", Agent::ClaudeCode),
        ("node", "node /x/node_modules/@anthropic-ai/claude-code/cli.js", Agent::ClaudeCode),
        ("MainThread", "/home/u/.local/bin/claude", Agent::ClaudeCode),
        ("codex", "codex resume --last", Agent::Codex),
        ("codex-x86_64-un", "/opt/x", Agent::Codex),
        ("npm", "npm exec @openai/codex", Agent::Codex),
        ("node", "node /usr/bin/gemini", Agent::Gemini),
        ("npx", "npx --yes @google/gemini-cli@latest", Agent::Gemini),
    ];
    for (name, command, agent) in cases {
        let found = recognise(&pane(None), &state(&[(name, command)]), "");
        assert_eq!(found, seen(agent, AgentActivity::Unknown), "{command}");
    }
}

#[test]
fn titles_decide_where_processes_are_not_known() {
    let by_title =
        |title| recognise(&pane(Some(title)), &PaneState::default(), "").map(|s| s.agent);
    assert_eq!(by_title("✳ Fix the parser"), Some(Agent::ClaudeCode));
    assert_eq!(by_title("⠂ Claude Code"), Some(Agent::ClaudeCode));
    assert_eq!(by_title("codex"), Some(Agent::Codex));
    assert_eq!(by_title("Gemini - project"), Some(Agent::Gemini));
    assert_eq!(by_title("vim codex.rs"), None);
    assert_eq!(by_title("claude-notes.md"), None);
    let shell = PaneState { prompt_active: Some(true), ..PaneState::default() };
    assert_eq!(recognise(&pane(Some("✳ old title")), &shell, ""), None);
}
