//! `status`

use toolwright_runtime::page;
use toolwright_runtime::{Call, Handle};

use super::{answer, selection};
use crate::Agentpack;
use crate::drift::{self, Cause, DriftKind};
use crate::generated::{
    Drift, DriftCause, DriftKind as AnsweredKind, NextAction, Result, RootSummary, Status,
    StatusRequest, StatusResponse,
};
use crate::paths::posix;

impl Handle<Status> for Agentpack {
    async fn handle(&self, call: &Call, request: StatusRequest) -> Result<StatusResponse> {
        let selection =
            selection(request.repo, request.profile, request.target.as_str(), request.machine);
        let only: Vec<DriftKind> = request
            .only
            .iter()
            .filter_map(|word| match word.as_str() {
                "missing" => Some(DriftKind::Missing),
                "modified" => Some(DriftKind::Modified),
                "extra" => Some(DriftKind::Extra),
                _ => None,
            })
            .collect();
        let (status, actions) = self.run(call, move |engine| engine.status(selection)).await?;
        status.warnings.iter().for_each(|warning| call.warn(warning));
        let total = (!only.is_empty()).then(|| answer::drift_summary(status.summary()));
        let status = status.only(&only);
        let summary = answer::drift_summary(status.summary());
        let summary_by_root = status
            .summary_by_root()
            .into_iter()
            .map(|(target, root, summary)| RootSummary {
                target: target.as_str().to_owned(),
                root_posix: posix(&root),
                root: answer::native(&root),
                summary: answer::drift_summary(summary),
            })
            .collect();
        let room = page::budget_bytes(call.tool().budget.result_tokens) * 3 / 4;
        let (drift, drift_omitted) = answer::fitting(status.drift.iter().map(one).collect(), room);
        Ok(StatusResponse {
            profile: status.profile,
            targets: answer::targets(&status.targets),
            drift,
            drift_omitted,
            summary,
            summary_by_root,
            summary_total: total,
            next_actions: actions.iter().map(|action| action.command.clone()).collect(),
            next_actions_detailed: actions
                .into_iter()
                .map(|action| NextAction {
                    action: action.action.to_owned(),
                    command: action.command,
                })
                .collect(),
        })
    }
}

fn one(drift: &drift::Drift) -> Drift {
    Drift {
        target: drift.target.as_str().to_owned(),
        root: Some(answer::native(&drift.root)),
        root_posix: Some(posix(&drift.root)),
        path: answer::native(&drift.path),
        path_posix: posix(&drift.path),
        expected: answer::prefixed(drift.expected.as_ref()),
        actual: answer::prefixed(drift.actual.as_ref()),
        kind: match drift.kind {
            DriftKind::Missing => AnsweredKind::Missing,
            DriftKind::Modified => AnsweredKind::Modified,
            DriftKind::Extra => AnsweredKind::Extra,
        },
        cause: drift.cause.map(|cause| match cause {
            Cause::Edited => DriftCause::Edited,
            Cause::Outdated => DriftCause::Outdated,
            Cause::Undeployed => DriftCause::Undeployed,
        }),
    }
}
