//! Recognises which agent runs in a pane and what it is doing.
//!
//! Works on data that others read: the pane's row, its foreground processes, its screen. Reads nothing
//! itself. Returns unknown rather than guess; an agent counts as idle only if its screen shows it.

mod activity;
mod identify;
mod lines;
#[cfg(test)]
mod tests;

use super::model::{AgentSeen, PaneRow, PaneState};

/// The agent in this pane and its activity.
///
/// Processes decide where they are known: a shell, an editor or a pager in the foreground is no
/// agent, whatever its screen shows. Where they are not known, or where a program such as `ssh` may
/// carry an agent that is not seen from here, the title and then the end of the screen do.
pub(crate) fn recognise(row: &PaneRow, state: &PaneState, screen: &str) -> Option<AgentSeen> {
    let tail = lines::tail(screen);
    let agent = match identify::by_process(&state.foreground, &state.foreground_commands) {
        identify::Verdict::Agent(agent) => agent,
        identify::Verdict::NoAgent => return None,
        identify::Verdict::Unknown if state.prompt_active == Some(true) => return None,
        identify::Verdict::Unknown => {
            let titled = row.title.as_deref().and_then(identify::by_title);
            titled.or_else(|| identify::by_screen(&tail))?
        }
    };
    Some(AgentSeen { agent, activity: activity::read(agent, &tail) })
}
