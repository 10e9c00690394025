//! `rollback`

use toolwright_runtime::{Call, Handle};

use crate::Agentpack;
use crate::generated::{Result, Rollback, RollbackRequest, RollbackResponse};

impl Handle<Rollback> for Agentpack {
    async fn handle(&self, call: &Call, request: RollbackRequest) -> Result<RollbackResponse> {
        let now = call.clock().now();
        let (done, recovered) =
            self.run(call, move |engine| engine.rollback(&request.to, now)).await?;
        recovered.warnings().iter().for_each(|warning| call.warn(warning));
        done.warnings.iter().for_each(|warning| call.warn(warning));
        Ok(RollbackResponse {
            rolled_back_to: done.rolled_back_to,
            event_snapshot_id: done.event_snapshot_id,
            files: Some(done.files as u64),
        })
    }
}
