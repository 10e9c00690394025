//! `add_to_substrate`: stores a finding in the inferred, named or confirmed basket.

use toolwright_runtime::ask::{AskOutcome, Question, Reply};
use toolwright_runtime::{Call, ErrorKind as _, HandleGuarded};

use super::super::Yarnnn;
use super::super::engine::{Addition, Answer, Confirmation, Held, Payload, Placement, Stored};
use super::super::engine::{Caller, Queued};
use super::super::extract::{clean, pluralise};
use super::super::inference::{Decision, Selection};
use super::super::records::captures::{Choice, Purpose};
use super::super::review_page::ReviewLinks;
use super::{id, selection, without_nul};
use crate::generated::{
    AddToSubstrate, AddToSubstrateRequest, AddToSubstrateResponse, AddedSubstrateGovernanceMode,
    AddedSubstrateStatus, Candidate, Error, Result,
};

/// Largest metadata, as JSON text.
const METADATA: usize = 16 * 1024;
/// How much of the text a question shows, in characters.
const SHOWN: usize = 200;

impl HandleGuarded<AddToSubstrate, Caller> for Yarnnn {
    async fn handle(
        &self,
        call: &Call,
        request: AddToSubstrateRequest,
        caller: Caller,
    ) -> Result<AddToSubstrateResponse> {
        if let Some(capture_id) = request.capture_id {
            let confirmation = Confirmation {
                capture_id: id(capture_id),
                content: without_nul(request.content),
                basket_id: request.basket_id.map(id),
            };
            let stored = self.run(move |engine| engine.confirm(&caller, &confirmation)).await?;
            let summary = format!("Confirmed: it belongs to “{}”.", stored.basket_name);
            return Ok(stored_response(stored, summary, &self.links));
        }
        let mut addition = self.addition(call, request)?;
        let (placement, addition, caller) = self
            .run(move |engine| {
                let placement = engine.place(&caller, &mut addition)?;
                Ok((placement, addition, caller))
            })
            .await?;
        selection::attach(call, &placement.selection, addition.basket_id.as_deref());
        match (&placement.basket, placement.selection.decision) {
            (Some((basket, _)), _) => {
                let basket = basket.clone();
                self.store(caller, addition, placement, basket, false).await
            }
            (None, Decision::Confirm) => self.ask(call, caller, addition, placement).await,
            (None, _) => self.queue(caller, addition, placement).await,
        }
    }
}

impl Yarnnn {
    async fn store(
        &self,
        caller: Caller,
        addition: Addition,
        placement: Placement,
        basket: String,
        confirmed: bool,
    ) -> Result<AddToSubstrateResponse> {
        let summary = placement_summary(&placement);
        let stored = self
            .run(move |engine| engine.store(&caller, &addition, &placement, &basket, confirmed))
            .await?;
        Ok(stored_response(stored, summary, &self.links))
    }

    /// A basket fits, but not well enough: ask the user; if the client cannot ask, a second call
    /// must confirm.
    async fn ask(
        &self,
        call: &Call,
        caller: Caller,
        addition: Addition,
        placement: Placement,
    ) -> Result<AddToSubstrateResponse> {
        let best = placement.selection.primary.clone();
        if let Some(best) = best {
            // Users can only agree to what they see.
            let seen = clean(&addition.payload.content).text;
            let shown: String = seen.chars().take(SHOWN).collect();
            let message = format!(
                "Add this to the basket “{}”? {}\n{shown}",
                best.name, placement.selection.summary
            );
            match call.ask(&Question::new(message).about(&best.basket_id)).await {
                AskOutcome::Answered(Reply::Yes) => {
                    let basket = best.basket_id;
                    return self.store(caller, addition, placement, basket, true).await;
                }
                AskOutcome::Repeat(request) => {
                    return Err(Error::ConfirmationRequired.because("ask first").asking(request));
                }
                AskOutcome::Answered(_) | AskOutcome::Impossible => {}
            }
        }
        let summary = placement.selection.summary.clone();
        let held = self
            .run(move |engine| engine.hold(&caller, &addition, &placement, Purpose::Confirm))
            .await?;
        self.log_queued(&held);
        match held {
            Answer::Held(Held { capture_id, candidates }) => Err(Error::ConfirmationRequired
                .because(summary)
                .with("capture_id", capture_id)
                .with("candidates", candidates)),
            other => Ok(pending_response(other, summary, &self.links)),
        }
    }

    async fn queue(
        &self,
        caller: Caller,
        addition: Addition,
        placement: Placement,
    ) -> Result<AddToSubstrateResponse> {
        let summary = placement.selection.summary.clone();
        let answer = self
            .run(move |engine| engine.hold(&caller, &addition, &placement, Purpose::Pick))
            .await?;
        self.log_queued(&answer);
        Ok(pending_response(answer, summary, &self.links))
    }

    /// Marks the call as queued in the activity log.
    fn log_queued(&self, answer: &Answer) {
        if !matches!(answer, Answer::Stored(_)) {
            self.details.set_queued();
        }
    }

    fn addition(&self, call: &Call, request: AddToSubstrateRequest) -> Result<Addition> {
        let fingerprint = self.session(call, request.session_fingerprint)?.unwrap_or_default();
        let size = serde_json::to_string(&request.metadata).map_or(usize::MAX, |text| text.len());
        if size > METADATA {
            let message = format!("/metadata: {size} bytes of JSON; at most {METADATA} are stored");
            return Err(Error::InvalidArguments
                .because(message)
                .hint("Put long texts into `content`."));
        }
        let governance = request.governance;
        Ok(Addition {
            payload: Payload {
                content: without_nul(request.content),
                metadata: request.metadata,
                confidence: governance.as_ref().and_then(|asked| asked.confidence),
                require_approval: governance.is_some_and(|asked| asked.require_approval),
            },
            basket_id: request.basket_id.map(id),
            fingerprint,
            idempotency_key: request.idempotency_key,
        })
    }
}

/// How the basket was selected, in one sentence.
fn placement_summary(placement: &Placement) -> String {
    let Selection { summary, .. } = &placement.selection;
    match (&placement.basket, placement.explicit, placement.differs) {
        (Some((_, name)), true, true) => {
            format!(
                "“{name}” was named and is used. Inference would have selected differently: {summary}"
            )
        }
        (Some((_, name)), true, false) => format!("“{name}” was named."),
        _ => summary.clone(),
    }
}

fn stored_response(stored: Stored, summary: String, links: &ReviewLinks) -> AddToSubstrateResponse {
    let auto = stored.governance_mode == "auto";
    let message = match (stored.proposed_blocks, stored.blocks_created) {
        (0, _) => format!(
            "Kept in “{}” as a raw dump; it states nothing new, so nothing was proposed.",
            stored.basket_name
        ),
        (_, created) if auto => {
            let are = if created == 1 { "is" } else { "are" };
            let statements = pluralise(created as usize, "statement");
            format!("Stored in “{}”; {statements} {are} now in memory.", stored.basket_name)
        }
        (proposed, _) => {
            let wait = if proposed == 1 { "waits" } else { "wait" };
            let statements = pluralise(proposed as usize, "statement");
            format!("Stored in “{}”; {statements} {wait} for review.", stored.basket_name)
        }
    };
    let proposal = stored.proposal_id.as_deref().filter(|_| !auto);
    let review_url = proposal.and_then(|id| links.proposal(id));
    AddToSubstrateResponse {
        status: AddedSubstrateStatus::Success,
        message,
        review_url,
        basket_id: Some(stored.basket_id),
        basket_name: Some(stored.basket_name),
        raw_dump_id: Some(stored.raw_dump_id),
        proposal_id: stored.proposal_id,
        proposed_blocks: stored.proposed_blocks,
        blocks_created: Some(stored.blocks_created),
        governance_mode: Some(match auto {
            true => AddedSubstrateGovernanceMode::Auto,
            false => AddedSubstrateGovernanceMode::Manual,
        }),
        governance_reasons: stored.governance_reasons,
        warnings: stored.warnings,
        capture_id: None,
        candidates: Vec::new(),
        selection_summary: summary,
    }
}

/// The answer for a pending capture, or for one that a concurrent copy of this call has stored.
fn pending_response(
    answer: Answer,
    summary: String,
    links: &ReviewLinks,
) -> AddToSubstrateResponse {
    let (capture_id, candidates) = match answer {
        Answer::Stored(stored) => return stored_response(stored, summary, links),
        Answer::Queued(Queued { capture_id, candidates })
        | Answer::Held(Held { capture_id, candidates }) => (capture_id, candidates),
    };
    AddToSubstrateResponse {
        status: AddedSubstrateStatus::Queued,
        review_url: links.list(),
        message: "No basket fits well enough; it waits until a reviewer picks one.".to_owned(),
        basket_id: None,
        basket_name: None,
        raw_dump_id: None,
        proposal_id: None,
        proposed_blocks: 0,
        blocks_created: None,
        governance_mode: None,
        governance_reasons: Vec::new(),
        warnings: Vec::new(),
        capture_id: Some(capture_id),
        candidates: candidates.into_iter().map(candidate).collect(),
        selection_summary: summary,
    }
}

fn candidate(choice: Choice) -> Candidate {
    Candidate { id: choice.id, name: choice.name, score: choice.score }
}
