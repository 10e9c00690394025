//! `create_memory_from_chat`: creates a basket from a transcript.

use toolwright_runtime::{Call, HandleGuarded};

use super::super::Yarnnn;
use super::super::engine::{Caller, CreateOutcome, CreateRequest, Stored};
use super::super::extract::pluralise;
use super::super::inference::{Decision, Selection};
use super::super::review_page::ReviewLinks;
use super::{selection, without_nul};
use crate::generated::{
    CreateMemoryFromChat, CreateMemoryFromChatRequest, CreateMemoryFromChatResponse,
    CreatedMemoryGovernanceMode, CreatedMemoryStatus, Result,
};

impl HandleGuarded<CreateMemoryFromChat, Caller> for Yarnnn {
    async fn handle(
        &self,
        call: &Call,
        request: CreateMemoryFromChatRequest,
        caller: Caller,
    ) -> Result<CreateMemoryFromChatResponse> {
        let fingerprint = self.session(call, request.session_fingerprint)?.unwrap_or_default();
        let creation = CreateRequest {
            conversation: without_nul(request.conversation_history),
            name: request.basket_name_suggestion,
            anchors: request.anchor_suggestions,
            fingerprint,
            force_new: request.new_basket,
            idempotency_key: request.idempotency_key,
        };
        let (made, found) = self.run(move |engine| engine.create(&caller, creation)).await?;
        selection::attach(call, &found, None);
        Ok(match made {
            CreateOutcome::New(stored) => created(stored, &found, &self.links),
            CreateOutcome::Fits { basket_id, basket_name } => fits(basket_id, basket_name, &found),
        })
    }
}

fn created(stored: Stored, found: &Selection, links: &ReviewLinks) -> CreateMemoryFromChatResponse {
    let auto = stored.governance_mode == "auto";
    let waiting = stored.proposed_blocks - stored.blocks_created;
    let mut actions = Vec::new();
    if !auto && waiting > 0 {
        actions.push(format!("review {}", pluralise(waiting as usize, "proposed statement")));
    }
    actions.push("add more with add_to_substrate".to_owned());
    let near = found.primary.as_ref().filter(|_| found.decision == Decision::Confirm);
    if let Some(near) = near {
        actions.push(format!("compare with “{}”, which is similar", near.name));
    }
    let review = if auto { "in memory" } else { "waiting for review" };
    let statements = match stored.proposed_blocks {
        0 => "no statements: the chat states nothing new, so nothing was proposed".to_owned(),
        count => format!("{}, {review}", pluralise(count as usize, "statement")),
    };
    let mut visualization = format!("{}\n├─ 1 raw dump\n└─ {statements}", stored.basket_name);
    if stored.proposed_blocks > 0 {
        for warning in &stored.warnings {
            visualization.push_str(&format!("\n   note: {warning}"));
        }
    }
    let proposal = stored.proposal_id.as_deref().filter(|_| !auto);
    CreateMemoryFromChatResponse {
        status: CreatedMemoryStatus::Success,
        created: true,
        review_url: proposal.and_then(|id| links.proposal(id)),
        basket_id: stored.basket_id,
        basket_name: stored.basket_name,
        raw_dump_id: Some(stored.raw_dump_id),
        proposal_id: stored.proposal_id,
        blocks_created: stored.blocks_created,
        proposed_blocks: stored.proposed_blocks,
        governance_mode: Some(match auto {
            true => CreatedMemoryGovernanceMode::Auto,
            false => CreatedMemoryGovernanceMode::Manual,
        }),
        visualization,
        actions,
        selection_summary: found.summary.clone(),
    }
}

fn fits(basket_id: String, basket_name: String, found: &Selection) -> CreateMemoryFromChatResponse {
    CreateMemoryFromChatResponse {
        status: CreatedMemoryStatus::Success,
        created: false,
        review_url: None,
        visualization: format!("{basket_name}\n└─ already fits; nothing was written"),
        actions: vec![
            format!("looks like “{basket_name}”; use add_to_substrate"),
            "or create a new basket with new_basket".to_owned(),
        ],
        basket_id,
        basket_name,
        raw_dump_id: None,
        proposal_id: None,
        blocks_created: 0,
        proposed_blocks: 0,
        governance_mode: None,
        selection_summary: found.summary.clone(),
    }
}
