//! Reads an agent's activity from the end of its screen.
//!
//! Asking wins over busy, busy over idle: the input sign is shown even while an agent works.

use super::lines::{after_sign, choice};
use crate::model::{Agent, AgentActivity};

/// Signs that a spinner of Claude Code goes through.
const SPINNER: [char; 9] = ['·', '✢', '✳', '✶', '✻', '✽', '✺', '∗', '*'];

/// What these lines, last one first, say about the agent.
pub(super) fn read(agent: Agent, tail: &[&str]) -> AgentActivity {
    let (asking, busy, idle) = match agent {
        Agent::ClaudeCode => (claude_asks(tail), claude_works(tail), claude_waits(tail)),
        Agent::Codex => (codex_asks(tail), codex_works(tail), codex_waits(tail)),
        Agent::Gemini => (gemini_asks(tail), gemini_works(tail), gemini_waits(tail)),
        Agent::Wezterm | Agent::Unknown => return AgentActivity::Unknown,
    };
    match (asking, busy, idle) {
        (true, _, _) => AgentActivity::Asking,
        (_, true, _) => AgentActivity::Busy,
        (_, _, true) => AgentActivity::Idle,
        _ => AgentActivity::Unknown,
    }
}

fn any(tail: &[&str], texts: &[&str]) -> bool {
    tail.iter().any(|line| texts.iter().any(|text| line.contains(text)))
}

/// Numbered choices, one of them selected. The lowest sign is that of the choice: where the input
/// is below, a numbered list was typed or printed.
fn choices(tail: &[&str], sign: char) -> bool {
    let lowest = tail.iter().find_map(|line| after_sign(line, &[sign]));
    lowest.and_then(choice).is_some_and(|number| {
        tail.iter().filter_map(|line| choice(line)).any(|other| other.abs_diff(number) == 1)
    })
}

fn claude_asks(tail: &[&str]) -> bool {
    let hints = ["Esc to cancel", "Enter to confirm", "Enter to select", "(y/n)"];
    choices(tail, '❯')
        || tail.iter().take(4).any(|line| hints.iter().any(|hint| line.contains(hint)))
}

fn claude_works(tail: &[&str]) -> bool {
    any(tail, &["esc to interrupt", "ctrl+c to interrupt", "⎿  Running…", "⎿ Running…"])
        || tail.iter().any(|line| spinner(line))
}

/// `✻ Pondering… (12s`; a turn that is over has no ellipsis: `✻ Cooked for 12s`.
fn spinner(line: &str) -> bool {
    let Some(text) = after_sign(line, &SPINNER) else { return false };
    let Some((word, rest)) = text.split_once('…') else { return false };
    let short = word.chars().count() <= 60 && word.starts_with(char::is_uppercase);
    short && (rest.is_empty() || rest.trim_start().starts_with('('))
}

fn claude_waits(tail: &[&str]) -> bool {
    tail.iter().take(8).any(|line| after_sign(line, &['❯', '>']).is_some())
}

fn codex_asks(tail: &[&str]) -> bool {
    let texts =
        ["Press enter to confirm", "Allow command?", "Apply changes?", "tell Codex what to"];
    choices(tail, '›') || any(tail, &texts)
}

fn codex_works(tail: &[&str]) -> bool {
    any(tail, &["esc to interrupt", "Esc to interrupt"])
}

fn codex_waits(tail: &[&str]) -> bool {
    let foot = ["⏎ send", "Ask Codex to do anything"];
    let near = &tail[..tail.len().min(8)];
    near.iter().any(|line| after_sign(line, &['›']).is_some()) || any(near, &foot)
}

fn gemini_asks(tail: &[&str]) -> bool {
    let texts = ["Waiting for user confirmation", "Apply this change?", "Yes, allow once"];
    choices(tail, '●') || any(tail, &texts)
}

fn gemini_works(tail: &[&str]) -> bool {
    any(tail, &["(esc to cancel, ", "(esc to cancel)"])
}

fn gemini_waits(tail: &[&str]) -> bool {
    let near = &tail[..tail.len().min(8)];
    let typed = near.iter().any(|line| after_sign(line, &['>', '*', '!']).is_some());
    typed || any(near, &["Type your message or @path/to/file"])
}
