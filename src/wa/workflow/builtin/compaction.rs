//! `handle_compaction`: asks an agent to read the project's notes again.

use serde_json::json;

use super::Outcome;
use crate::drive::{self, Condition};
use crate::error::Kind;
use crate::model::{Agent, PaneRow};
use crate::redact::redact;
use crate::workflow::Options;
use crate::workflow::model::StepResult;
use crate::workflow::run::{Run, StopReason};

/// Waits for a quiet screen. One that never is quiet is no failure: the policy waits for the agent.
pub(super) fn stabilize(run: &mut Run) -> Result<Outcome, StopReason> {
    let timing = run.inner.context.options.timing.clone();
    let quiet =
        run.wait_for(&Condition::Quiet(timing.quiet), "a quiet screen", timing.quiet_limit)?;
    let data = json!({"quiet": quiet.matched, "waited_ms": quiet.waited_ms});
    Ok(Outcome { result: StepResult::WaitFor, data })
}

pub(super) fn send_prompt(run: &mut Run) -> Result<Outcome, StopReason> {
    let seen = run.observe()?;
    let agent = agent_of(run, seen.state.agent.map(|seen| seen.agent));
    let text = prompt(&run.inner.context.options, agent, &seen.row);
    let patience = run.inner.context.options.step_timeout;
    let note = run.send(&text, patience)?;
    let data = json!({"agent": agent.as_str(), "text_length": text.len(),
                      "submitted": note.submitted, "attempts": note.attempts});
    Ok(Outcome { result: StepResult::SendText, data })
}

/// Anything new after the prompt is a reaction.
pub(super) fn verify(run: &mut Run) -> Result<Outcome, StopReason> {
    let patterns = &run.inner.context.patterns;
    let anything = drive::condition("pattern", r"\S", true, patterns)?;
    let patience = run.inner.context.options.step_timeout;
    let note = run.wait_for(&anything, "any answer", patience)?;
    if !note.matched {
        return Err(Kind::Workflow
            .because(format!(
                "The prompt was sent to pane {}, but there was no reaction.",
                run.pane_id
            ))
            .reason("workflow.verify_failed")
            .hint("Read the pane with wa.get_text; Enter may be missing.")
            .into());
    }
    Ok(Outcome::done(json!({"status": "prompt_sent", "waited_ms": note.waited_ms})))
}

/// The agent that the event is about, or the one that is seen.
fn agent_of(run: &Run, seen: Option<Agent>) -> Agent {
    let told = run.trigger.as_ref().map(|event| event.agent);
    let told = told.filter(|agent| !matches!(agent, Agent::Unknown | Agent::Wezterm));
    told.or(seen).unwrap_or(Agent::Unknown)
}

/// The prompt for a pane: its own, the project's (longest path first), the agent's, or the default.
pub(in crate::workflow) fn prompt(options: &Options, agent: Agent, row: &PaneRow) -> String {
    let cwd = row.cwd.as_deref().unwrap_or_default();
    let projects = options.prompts.iter().filter_map(|(key, text)| {
        let path = key.strip_prefix("project:")?.trim_end_matches('/');
        let inside = cwd.strip_prefix(path)?;
        (inside.is_empty() || inside.starts_with('/')).then_some((path.len(), text))
    });
    let template = options
        .prompts
        .get(&format!("pane:{}", row.pane_id))
        .or_else(|| projects.max_by_key(|(length, _)| *length).map(|(_, text)| text))
        .or_else(|| options.prompts.get(&format!("agent:{agent}")))
        .or_else(|| options.prompts.get("default"));
    let Some(template) = template else { return usual(agent).to_owned() };
    let fill = [
        ("{agent}", agent.as_str().to_owned()),
        ("{pane}", row.pane_id.to_string()),
        ("{cwd}", redact(cwd).into_owned()),
    ];
    let filled =
        fill.iter().fold(template.clone(), |text, (name, value)| text.replace(name, value));
    let typed = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    filled.chars().filter(typed).take(crate::workflow::MAX_PROMPT).collect()
}

fn usual(agent: Agent) -> &'static str {
    match agent {
        Agent::Codex => {
            "Your context was just shortened. Read AGENTS.md and the project's notes again, then go \
             on with what you were doing."
        }
        Agent::ClaudeCode => {
            "Your context was just shortened. Read CLAUDE.md, AGENTS.md and the project's notes \
             again, then go on with what you were doing."
        }
        Agent::Gemini => {
            "Your context was just shortened. Read GEMINI.md and the project's notes again, then go \
             on with what you were doing."
        }
        Agent::Wezterm | Agent::Unknown => {
            "Your context was just shortened. Read the project's notes again, then go on with what \
             you were doing."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BackendKind;

    fn row(pane_id: u64, cwd: &str) -> PaneRow {
        PaneRow {
            pane_id,
            native_id: pane_id,
            backend: BackendKind::Tmux,
            identity: String::new(),
            tab_id: 0,
            window_id: 0,
            domain: "tmux".to_owned(),
            title: None,
            cwd: Some(cwd.to_owned()),
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

    #[test]
    fn the_nearest_template_wins() {
        let prompts = [
            ("pane:3", "for pane {pane}"),
            ("project:/srv", "outer"),
            ("project:/srv/app/", "inner of {agent} in {cwd}"),
            ("agent:codex", "for codex"),
            ("default", "for all\u{1b}[201~"),
        ];
        let options = Options {
            prompts: prompts.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..Options::default()
        };
        let told = |agent, pane, cwd| prompt(&options, agent, &row(pane, cwd));
        assert_eq!(told(Agent::Codex, 3, "/srv"), "for pane 3");
        assert_eq!(told(Agent::Codex, 4, "/srv/app/src"), "inner of codex in /srv/app/src");
        assert_eq!(told(Agent::Codex, 4, "/srv/apple"), "outer");
        assert_eq!(told(Agent::Codex, 4, "/elsewhere"), "for codex");
        assert_eq!(told(Agent::Gemini, 4, "/srvshop"), "for all[201~");
        let none = Options::default();
        assert!(prompt(&none, Agent::ClaudeCode, &row(1, "/")).contains("CLAUDE.md"));
    }
}
