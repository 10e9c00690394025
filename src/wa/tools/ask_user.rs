//! The question about a held action, for clients that can ask their user.
//!
//! Users can only agree to what they see: the exact text, the pane, and what is on its screen. A text
//! that is too long to be shown is not asked about; its code can be approved as ever.

use toolwright_runtime::ask::{AskOutcome, Question, Reply, excerpt};
use toolwright_runtime::{Call, ErrorKind as _};

use super::policy::Considered;
use crate::engine::{Engine, PaneSnapshot};
use crate::error;
use crate::generated::{Error, PolicyGuard, PolicyGuardAction, Result};
use crate::model::Action;
use crate::mux::Lines;
use crate::policy::{self, Consent};

/// Longest text that is asked about, in characters.
const LONGEST: usize = 2_000;
/// Lines of the screen that are shown.
const LINES: usize = 12;
/// How much of other texts is shown, in characters.
const SHOWN: usize = 160;

/// A held action and the question about it.
pub(super) struct Held {
    held: policy::Held,
    question: Question,
}

/// The question, where the action is held and can be asked about.
pub(super) fn held(
    engine: &Engine,
    client: Option<&str>,
    params: &PolicyGuard,
) -> error::Result<Option<Held>> {
    if params.action == PolicyGuardAction::Approve {
        return Ok(None);
    }
    let considered = Considered::new(engine, client, params)?;
    let request = considered.request(params);
    let Some(held) = engine.records()?.policy.held(&request, engine.now())? else {
        return Ok(None);
    };
    let text = request.text.unwrap_or_default();
    if text.chars().nth(LONGEST).is_some() {
        return Ok(None);
    }
    let mut message = format!(
        "{} wants to {}. Let it pass once?\nHeld by {}: {}",
        excerpt(client.unwrap_or("A client"), SHOWN),
        deed(request.action, params),
        held.rule,
        excerpt(&held.reason, SHOWN),
    );
    if !text.is_empty() {
        message += &format!("\n\nExact text:\n{}", excerpt(text, usize::MAX));
    }
    if let Some(seen) = &considered.seen {
        message += &pane(engine, seen)?;
    }
    let about = format!("{}\0{}", held.rule, held.fingerprint);
    Ok(Some(Held { held, question: Question::new(message).about(about) }))
}

fn deed(action: Action, params: &PolicyGuard) -> String {
    let subject = excerpt(params.subject.as_deref().unwrap_or_default(), SHOWN);
    match action {
        Action::SendText => "type a text and press Enter".to_owned(),
        Action::SendCtrlC => "press Ctrl-C".to_owned(),
        Action::SendCtrlD => "press Ctrl-D".to_owned(),
        Action::SendCtrlZ => "press Ctrl-Z".to_owned(),
        Action::SendControl => "press a key".to_owned(),
        Action::WorkflowRun => format!("run the workflow {subject}"),
        Action::WorkflowAbort => format!("abort the workflow execution {subject}"),
        other => format!("do `{other}` {subject}").trim_end().to_owned(),
    }
}

/// Which pane, and the end of what is on its screen.
fn pane(engine: &Engine, seen: &PaneSnapshot) -> error::Result<String> {
    let row = &seen.found.row;
    let screen = seen.found.mux.text(row.native_id, Lines::Screen, false)?;
    let screen = engine.redact_shown(&screen.text);
    let lines: Vec<String> =
        screen.lines().map(|line| excerpt(line, SHOWN)).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let title = row.title.as_deref().unwrap_or_default();
    let cwd = row.cwd.as_deref().unwrap_or("an unknown folder");
    let named = excerpt(&format!("Pane {} ({title}) in {cwd}", row.pane_id), SHOWN);
    Ok(match last {
        [] => format!("\n\n{named}, its screen is empty"),
        lines => format!("\n\n{named}, on its screen:\n{}", lines.join("\n")),
    })
}

impl Held {
    /// What the user says. Who does not answer leaves the action held.
    pub(super) async fn ask(self, call: &Call) -> Result<Consent> {
        let policy::Held { rule, fingerprint, .. } = self.held;
        match call.ask(&self.question).await {
            AskOutcome::Answered(Reply::Yes) => Ok(Consent::Given { rule, fingerprint }),
            AskOutcome::Answered(Reply::No) => Ok(Consent::Declined),
            AskOutcome::Answered(Reply::Late) | AskOutcome::Impossible => Ok(Consent::Unasked),
            AskOutcome::Repeat(request) => {
                Err(Error::PolicyDenied.because("the user must be asked first").asking(request))
            }
        }
    }
}
