//! How a step types: through the policy, once, with the pane read just before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::journal::{self, Entry};
use super::model::{PolicySummary, Status, WaitCondition};
use super::observe::{PaneSnapshot, RecordingMux};
use super::run::{LOOK, Run, SentNote, StopReason, bare, idle, journal_broken};
use super::table::{self, StepProgress};
use crate::drive::{self, Input, Settle};
use crate::error::Kind;
use crate::model::{Decision, Millis, PaneState};
use crate::policy::{Attempt, Cleared, Outcome, Refused, Request, Verdict};
use crate::redact;

/// The policy's word for an agent that works; it passes by itself.
const BUSY: &str = "policy.agent_busy";
/// Interval between checks whether the user has approved.
const HOLD_POLL: Duration = Duration::from_millis(250);

impl Run {
    /// Types `text` (with Enter, or a key) once. A held text waits for the user; a busy agent is
    /// waited for, at most `patience`.
    pub(super) fn send(&mut self, text: &str, patience: Duration) -> Result<SentNote, StopReason> {
        self.check()?;
        let store = Arc::clone(&self.inner.context.store);
        if let Entry::Done(note) = journal::look_up(&store, self.place())? {
            let note: SentNote =
                serde_json::from_str(&note).map_err(|error| journal_broken(&error))?;
            self.policy = Some(note.policy.clone());
            self.after_sending(&note)?;
            self.operation += 1;
            return Ok(note);
        }
        let input = drive::classify(text)?;
        let (seen, cleared) = self.pass(&input, patience)?;
        journal::begin(&store, self.place(), journal::Kind::Send, None)?;
        self.sending = true;
        let mux = RecordingMux::new(&*seen.mux);
        let sent = drive::send(&mux, &seen.row, &seen.state, &input, &Settle::default());
        let outcome = sent.as_ref().err().map(ToString::to_string);
        let outcome = outcome.as_deref().map_or(Outcome::Done, Outcome::Failed);
        self.inner.context.policy.settle(&cleared, outcome, self.now())?;
        let sent = sent?;
        let note = SentNote {
            submitted: sent.submitted,
            attempts: sent.attempts,
            policy: allowed(&cleared),
            before: before(&mux.before(), &seen),
            // Command lines may hold passwords, and nobody reads them again.
            state: PaneState { foreground_commands: Vec::new(), ..seen.state.clone() },
        };
        journal::done(&store, self.place(), &table::text(&note))?;
        self.sending = false;
        self.baseline = Some(sent.baseline);
        self.policy = Some(note.policy.clone());
        self.operation += 1;
        Ok(note)
    }

    /// Asks the policy until it lets this pass, or says no.
    fn pass(
        &mut self,
        input: &Input,
        patience: Duration,
    ) -> Result<(PaneSnapshot, Cleared), StopReason> {
        let started = Instant::now();
        loop {
            self.check()?;
            let seen = self.observe()?;
            let verdict = self.verdict(&seen, input)?;
            let busy = verdict.decision == Decision::Deny && verdict.rule.as_deref() == Some(BUSY);
            if busy && !self.cleaning && started.elapsed() < patience {
                let wait = idle(Duration::ZERO);
                self.save_progress(
                    Status::Waiting,
                    &StepProgress { wait: Some(&wait), ..StepProgress::default() },
                )?;
                self.rest(LOOK)?;
                continue;
            }
            let context = &self.inner.context;
            let request = self.request(&seen, input);
            let attempt = context.policy.attempt(&request, &*context.ids, self.now())?;
            match attempt {
                Attempt::Cleared(cleared) => {
                    self.save_progress(Status::Running, &StepProgress::default())?;
                    return Ok((seen, cleared));
                }
                Attempt::Refused(refused) => {
                    self.policy = Some(summary(&refused));
                    let held = refused.decision == Decision::RequireApproval;
                    if !held || self.cleaning {
                        return Err(self.denied(refused)?);
                    }
                    self.hold(&refused, input)?;
                }
            }
        }
    }

    /// Waits, paused, until the policy would let it pass.
    fn hold(&mut self, refused: &Refused, input: &Input) -> Result<(), StopReason> {
        let limit = self.inner.context.options.hold_timeout;
        let whole = Millis::try_from(limit.as_millis()).unwrap_or(Millis::MAX);
        let deadline = self.now().saturating_add(whole);
        let deadline = refused.expires_at.map_or(deadline, |expires| expires.min(deadline));
        let wait = WaitCondition {
            signal_name: Some("approval".to_owned()),
            timeout_at: Some(deadline),
            ..bare("external_signal")
        };
        let policy = summary(refused);
        let code = refused.code.as_deref();
        let progress = StepProgress { wait: Some(&wait), policy: Some(&policy), code };
        self.save_progress(Status::Paused, &progress)?;
        self.release_slot();
        let started = Instant::now();
        loop {
            self.rest(HOLD_POLL)?;
            if self.verdict(&self.observe()?, input)?.decision != Decision::RequireApproval {
                break;
            }
            if started.elapsed() >= limit || self.now() >= deadline {
                return Err(Kind::Timeout
                    .because(format!(
                        "Nobody approved step `{}` of `{}` in pane {} in time: {}",
                        self.step_name(),
                        self.workflow,
                        self.pane_id,
                        refused.reason
                    ))
                    .reason("workflow.approval_timeout")
                    .hint("Run the workflow again and approve it with `wa approve`.")
                    .into());
            }
        }
        self.take_slot()
    }

    fn request<'a>(&'a self, seen: &'a PaneSnapshot, input: &'a Input) -> Request<'a> {
        Request {
            actor: &self.actor,
            action: input.action(),
            pane: Some(&seen.row),
            state: Some(&seen.state),
            text: input.text(),
            workflow: Some(&self.workflow),
        }
    }

    fn verdict(&self, seen: &PaneSnapshot, input: &Input) -> Result<Verdict, StopReason> {
        let request = self.request(seen, input);
        Ok(self.inner.context.policy.decide(&request, self.now())?)
    }

    /// Keeps the policy's word with the execution.
    fn denied(&self, refused: Refused) -> Result<StopReason, StopReason> {
        let policy = summary(&refused);
        let progress = StepProgress { policy: Some(&policy), ..StepProgress::default() };
        self.save_progress(Status::Running, &progress)?;
        Ok(StopReason::Failed(refused.into()))
    }

    fn step_name(&self) -> &str {
        let step = usize::try_from(self.step).ok().and_then(|step| self.steps.get(step));
        step.map_or("cleanup", |step| &step.name)
    }
}

/// What a pane showed, as it is stored.
fn before(text: &str, seen: &PaneSnapshot) -> String {
    let width = seen.row.size.and_then(|(columns, _)| usize::try_from(columns).ok());
    redact::settle("", text, width, redact::Cut::End).text
}

fn summary(refused: &Refused) -> PolicySummary {
    PolicySummary {
        decision: refused.decision,
        rule: Some(refused.rule.clone()),
        reason: Some(refused.reason.clone()),
        audit_id: Some(refused.audit_id),
    }
}

fn allowed(cleared: &Cleared) -> PolicySummary {
    PolicySummary {
        decision: cleared.decision,
        rule: cleared.rule.clone(),
        reason: cleared.reason.clone(),
        audit_id: Some(cleared.audit_id),
    }
}
