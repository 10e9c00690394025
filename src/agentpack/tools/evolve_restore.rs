//! `evolve_restore`

use toolwright_runtime::{Call, Handle};

use super::{answer, selection};
use crate::Agentpack;
use crate::evolve::restore;
use crate::generated::{
    EvolveRestore, EvolveRestoreRequest, EvolveRestoreResponse, RestoreReportReason,
    RestoreSummary, Restored, Result,
};
use crate::paths::posix;

impl Handle<EvolveRestore> for Agentpack {
    async fn handle(
        &self,
        call: &Call,
        request: EvolveRestoreRequest,
    ) -> Result<EvolveRestoreResponse> {
        let selection =
            selection(request.repo, request.profile, request.target.as_str(), request.machine);
        let now = call.clock().now();
        let done = self
            .run(call, move |engine| {
                let request = restore::Request {
                    module_id: request.module_id.as_deref(),
                    dry_run: request.dry_run,
                    yes: request.yes,
                    now,
                };
                engine.restore(selection, request)
            })
            .await?;
        done.warnings.iter().for_each(|warning| call.warn(warning));
        Ok(EvolveRestoreResponse {
            restored: done
                .restored
                .into_iter()
                .map(|item| Restored {
                    target: item.target.as_str().to_owned(),
                    path: answer::native(&item.path),
                    path_posix: posix(&item.path),
                    module_ids: item.module_ids.into_iter().collect(),
                })
                .collect(),
            summary: RestoreSummary {
                missing: done.summary.missing,
                restored: done.summary.restored,
                skipped_existing: done.summary.skipped_existing,
                skipped_read_error: done.summary.skipped_read_error,
            },
            reason: match done.reason {
                "dry_run" => RestoreReportReason::DryRun,
                "restored" => RestoreReportReason::Restored,
                _ => RestoreReportReason::NoMissing,
            },
        })
    }
}
