//! `evolve_propose`

use toolwright_runtime::{Call, Handle};

use super::{answer, selection};
use crate::Agentpack;
use crate::evolve::propose::{self, Outcome, Proposal};
use crate::generated::{
    Candidate, EvolvePropose, EvolveProposeRequest, EvolveProposeRequestScope,
    EvolveProposeResponse, ProposeReportReason, ProposeReportScope, ProposeSummary, Result,
    Skipped, Suggestion,
};
use crate::model::Layer;
use crate::paths::posix;

impl Handle<EvolvePropose> for Agentpack {
    async fn handle(
        &self,
        call: &Call,
        request: EvolveProposeRequest,
    ) -> Result<EvolveProposeResponse> {
        let selection =
            selection(request.repo, request.profile, request.target.as_str(), request.machine);
        let now = call.clock().now();
        let scope = match request.scope {
            EvolveProposeRequestScope::Global => Layer::Global,
            EvolveProposeRequestScope::Machine => Layer::Machine,
            EvolveProposeRequestScope::Project => Layer::Project,
        };
        let proposal = self
            .run(call, move |engine| {
                let request = propose::Request {
                    module_id: request.module_id.as_deref(),
                    scope,
                    branch: request.branch.as_deref(),
                    dry_run: request.dry_run,
                    yes: request.yes,
                    now,
                };
                engine.propose(selection, request)
            })
            .await?;
        proposal.warnings.iter().for_each(|warning| call.warn(warning));
        Ok(response(proposal))
    }
}

fn response(proposal: Proposal) -> EvolveProposeResponse {
    let reason = match proposal.reason() {
        Some("no_drift") => Some(ProposeReportReason::NoDrift),
        Some("no_proposeable_drift") => Some(ProposeReportReason::NoProposeableDrift),
        Some("dry_run") => Some(ProposeReportReason::DryRun),
        Some(_) => Some(ProposeReportReason::CommitFailed),
        None => None,
    };
    let created = match &proposal.outcome {
        Outcome::Created(created) => Some(created),
        _ => None,
    };
    let files = created.map(|created| created.files.clone()).unwrap_or_default();
    EvolveProposeResponse {
        created: created.is_some(),
        committed: match &proposal.outcome {
            Outcome::Created(_) => Some(true),
            Outcome::NotCommitted => Some(false),
            _ => None,
        },
        reason,
        branch: created.map(|created| created.branch.clone()),
        scope: Some(match proposal.scope {
            Layer::Machine => ProposeReportScope::Machine,
            Layer::Project => ProposeReportScope::Project,
            Layer::Upstream | Layer::Global => ProposeReportScope::Global,
        }),
        files_posix: files.clone(),
        files,
        candidates: proposal.candidates.into_iter().map(candidate).collect(),
        skipped: proposal.skipped.into_iter().map(skipped).collect(),
        summary: Some(ProposeSummary {
            drifted_proposeable: proposal.summary.drifted_proposeable,
            drifted_skipped: proposal.summary.drifted_skipped,
            skipped_missing: proposal.summary.skipped_missing,
            skipped_multi_module: proposal.summary.skipped_multi_module,
            skipped_read_error: proposal.summary.skipped_read_error,
            skipped_outdated: Some(proposal.summary.skipped_outdated),
            skipped_conflicting: Some(proposal.summary.skipped_conflicting),
        }),
    }
}

fn candidate(candidate: propose::Candidate) -> Candidate {
    Candidate {
        module_id: candidate.module_id,
        target: candidate.target.as_str().to_owned(),
        path: answer::native(&candidate.path),
        path_posix: posix(&candidate.path),
        overlay_path: candidate.file,
    }
}

fn skipped(skipped: propose::Skipped) -> Skipped {
    let code = skipped.reason.code();
    Skipped {
        target: skipped.target.as_str().to_owned(),
        path: answer::native(&skipped.path),
        path_posix: posix(&skipped.path),
        reason: code.to_owned(),
        reason_code: code.to_owned(),
        reason_message: skipped.reason.message().to_owned(),
        next_actions: skipped.next_actions,
        module_id: skipped.module_id,
        module_ids: skipped.module_ids,
        conflicts_with: skipped.conflicts_with.iter().map(|path| answer::native(path)).collect(),
        suggestions: skipped
            .reason
            .suggestions()
            .iter()
            .map(|suggestion| Suggestion {
                action: suggestion.action.to_owned(),
                reason: suggestion.reason.to_owned(),
            })
            .collect(),
    }
}
