//! `validate_against_substrate`: an idea against what is approved.

use toolwright_runtime::page::{budget_bytes, fitting};
use toolwright_runtime::{Call, HandleGuarded, Tool as _};

use super::super::Yarnnn;
use super::super::conflict::{self, Kind, Recommendation, Severity};
use super::super::engine::Caller;
use super::super::model::ByteSpan;
use super::{id, selection};
use crate::generated::{
    Conflict, ConflictConflictType, ConflictSeverity, Evidence, Result, Span,
    ValidateAgainstSubstrate, ValidateAgainstSubstrateRequest, ValidateAgainstSubstrateResponse,
    ValidationRecommendation,
};

/// What an answer needs beside its conflicts, in bytes.
const AROUND: usize = 2_000;

impl HandleGuarded<ValidateAgainstSubstrate, Caller> for Yarnnn {
    async fn handle(
        &self,
        call: &Call,
        request: ValidateAgainstSubstrateRequest,
        caller: Caller,
    ) -> Result<ValidateAgainstSubstrateResponse> {
        let fingerprint = self.session(call, request.session_fingerprint)?;
        let (idea, focus) = (request.new_idea, request.focus_areas);
        let basket = request.basket_id.map(id);
        let evidence = request.return_evidence;
        let compared = self
            .run(move |engine| {
                engine.compare(&caller, &idea, basket.as_deref(), &focus, fingerprint.as_ref())
            })
            .await?;
        if let Some(found) = &compared.selection {
            selection::attach(call, found, None);
        }
        let analysis = compared.analysis;
        let mut conflicts: Vec<Conflict> =
            analysis.conflicts.into_iter().map(|one| response(one, evidence)).collect();
        // The worst come first; what does not fit into the tool's budget is only counted.
        let budget = budget_bytes(ValidateAgainstSubstrate::INFO.budget.result_tokens);
        let size = |one: &Conflict| serde_json::to_string(one).map_or(0, |text| text.len() + 1);
        conflicts.truncate(fitting(conflicts.iter().map(size), budget.saturating_sub(AROUND)));
        Ok(ValidateAgainstSubstrateResponse {
            alignment_score: analysis.alignment_score,
            conflicts,
            recommendation: match analysis.recommendation {
                Recommendation::Proceed => ValidationRecommendation::Proceed,
                Recommendation::Revise => ValidationRecommendation::Revise,
                Recommendation::Merge => ValidationRecommendation::Merge,
            },
            analysis: analysis.summary,
            basket_id: compared.narrowed_to,
            selection_summary: compared.selection.map(|selection| selection.summary),
        })
    }
}

fn response(conflict: conflict::Conflict, evidence: bool) -> Conflict {
    Conflict {
        existing_substrate_id: conflict.block_id,
        conflict_type: match conflict.kind {
            Kind::Contradiction => ConflictConflictType::Contradiction,
            Kind::Overlap => ConflictConflictType::Overlap,
            Kind::Refinement => ConflictConflictType::Refinement,
        },
        description: conflict.description,
        severity: match conflict.severity {
            Severity::High => ConflictSeverity::High,
            Severity::Medium => ConflictSeverity::Medium,
            Severity::Low => ConflictSeverity::Low,
        },
        evidence: evidence.then(|| Evidence {
            idea_quote: conflict.evidence.idea_quote,
            substrate_quote: conflict.evidence.block_quote,
            idea_span: span(conflict.evidence.idea_span),
            substrate_span: span(conflict.evidence.block_span),
            rule: conflict.rule.to_owned(),
        }),
    }
}

fn span(span: ByteSpan) -> Span {
    Span { start: span.start as u64, end: span.end as u64 }
}
