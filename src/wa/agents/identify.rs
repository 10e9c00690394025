//! Identifies the agent by processes, title or screen.

use super::activity;
use super::lines::after_sign;
use crate::model::{Agent, AgentActivity};

/// What the foreground processes say.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    Agent(Agent),
    NoAgent,
    /// Nothing is known about them, or one of them may carry an agent.
    Unknown,
}

/// Programs that run other programs where their processes are not seen.
const CARRIERS: [&str; 19] = [
    "autossh",
    "distrobox",
    "docker",
    "et",
    "kubectl",
    "lxc",
    "mosh",
    "mosh-client",
    "nsenter",
    "podman",
    "screen",
    "script",
    "ssh",
    "systemd-run",
    "tmux",
    "tmux: client",
    "toolbox",
    "wezterm",
    "zellij",
];
/// Programs whose first argument is the program that runs.
const INTERPRETERS: [&str; 8] = ["bun", "deno", "node", "nodejs", "npm", "npx", "pnpm", "python3"];

/// By the names and command lines of the foreground group.
pub(super) fn by_process(names: &[String], commands: &[String]) -> Verdict {
    let named = names.iter().find_map(|name| by_program(name));
    if let Some(agent) = named.or_else(|| commands.iter().find_map(|command| by_command(command))) {
        return Verdict::Agent(agent);
    }
    let carried = names.iter().any(|name| CARRIERS.contains(&name.as_str()));
    if names.is_empty() || carried { Verdict::Unknown } else { Verdict::NoAgent }
}

fn by_command(command: &str) -> Option<Agent> {
    let mut words = command.split_whitespace();
    let program = base_name(words.next()?);
    if let Some(agent) = by_program(program) {
        return Some(agent);
    }
    let interpreter = INTERPRETERS.iter().any(|known| program.trim_end_matches(".exe") == *known);
    if !interpreter {
        return None;
    }
    // The script is the first word that is no option; `exec`, `run` and `x` only lead to it.
    let script =
        words.find(|word| !word.starts_with('-') && !matches!(*word, "exec" | "run" | "x"))?;
    by_script(script)
}

/// `…/node_modules/@openai/codex/bin/codex.js`, `/usr/bin/gemini`, `@google/gemini-cli@latest`.
fn by_script(script: &str) -> Option<Agent> {
    const PACKAGES: [(&str, Agent); 3] = [
        ("@anthropic-ai/claude-code", Agent::ClaudeCode),
        ("@openai/codex", Agent::Codex),
        ("@google/gemini-cli", Agent::Gemini),
    ];
    let package = PACKAGES.iter().find(|(package, _)| script.contains(package));
    let name = base_name(script);
    let stem = name.strip_suffix(".js").or_else(|| name.strip_suffix(".mjs")).unwrap_or(name);
    package.map(|(_, agent)| *agent).or_else(|| by_program(stem))
}

fn by_program(name: &str) -> Option<Agent> {
    match base_name(name).trim_end_matches(".exe") {
        "claude" | "claude-code" => Some(Agent::ClaudeCode),
        "codex" | "codex-cli" | "codex-tui" => Some(Agent::Codex),
        "gemini" | "gemini-cli" => Some(Agent::Gemini),
        // The kernel cuts names: `codex-x86_64-un`.
        name if ["codex-x86_64", "codex-aarch64", "codex-linux"]
            .iter()
            .any(|start| name.starts_with(start)) =>
        {
            Some(Agent::Codex)
        }
        _ => None,
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// By the title that an agent sets; a title that only mentions one says nothing.
pub(super) fn by_title(title: &str) -> Option<Agent> {
    let title = title.trim();
    if title.starts_with("✳ ") {
        return Some(Agent::ClaudeCode);
    }
    let words = title.trim_start_matches(|c: char| !c.is_alphanumeric());
    match words {
        "Claude Code" | "claude" => Some(Agent::ClaudeCode),
        "codex" | "Codex" | "OpenAI Codex" => Some(Agent::Codex),
        "gemini" | "Gemini" | "Gemini CLI" => Some(Agent::Gemini),
        _ if words.starts_with("Claude Code - ") => Some(Agent::ClaudeCode),
        _ if words.starts_with("Gemini - ") => Some(Agent::Gemini),
        _ => None,
    }
}

/// By the end of the screen: the last line must be one that only an agent draws, and something
/// above must agree. A transcript that was printed ends in a shell's prompt instead.
pub(super) fn by_screen(tail: &[&str]) -> Option<Agent> {
    let last = tail.first()?;
    let any = |texts: &[&str]| tail.iter().any(|line| texts.iter().any(|text| line.contains(text)));
    let ends = |texts: &[&str]| texts.iter().any(|text| last.contains(text));
    let sign = |signs: &[char]| tail.iter().any(|line| after_sign(line, signs).is_some());

    let claude_foot = [
        "? for shortcuts",
        "shift+tab to cycle",
        "esc to interrupt",
        "until auto-compact",
        "Esc to cancel",
        "tell Claude what to do differently",
        "Enter to confirm",
        "Enter to select",
    ];
    let gemini_foot = [
        "% context left)",
        "gemini-",
        "no sandbox",
        "suggest changes (esc)",
        "? for shortcuts",
        "Type your message or @path/to/file",
    ];
    let codex_foot = [
        "% context left",
        "? for shortcuts",
        "esc to interrupt",
        "⌃J newline",
        "tell Codex",
        "Press enter to confirm",
        "to quit",
    ];
    let gemini_body = ["Type your message or @path/to/file", "(esc to cancel, ", "Yes, allow once"];
    let candidates = [
        (Agent::Gemini, ends(&gemini_foot) && any(&gemini_body)),
        (Agent::ClaudeCode, ends(&claude_foot) && sign(&['❯', '>'])),
        (Agent::Codex, ends(&codex_foot) && sign(&['›'])),
    ];
    let known = candidates.into_iter().find(|(_, seen)| *seen).map(|(agent, _)| agent)?;
    (activity::read(known, tail) != AgentActivity::Unknown).then_some(known)
}
