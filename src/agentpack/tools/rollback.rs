//! `rollback`

use toolwright_runtime::ask::Consent;
use toolwright_runtime::{Call, Handle};

use super::ask_user;
use crate::Agentpack;
use crate::generated::{Error, Result, Rollback, RollbackRequest, RollbackResponse};

impl Handle<Rollback> for Agentpack {
    async fn handle(&self, call: &Call, request: RollbackRequest) -> Result<RollbackResponse> {
        let now = call.clock().now();
        let mut agreed = None;
        if call.may_ask() {
            let to = request.to.clone();
            let preview = self.run(call, move |engine| engine.preview_rollback(&to, now)).await?;
            let question = ask_user::rollback(&request.to, &preview);
            if !preview.files.is_empty()
                && call.consent(&question, Error::ConfirmRequired).await? == Consent::Given
            {
                agreed = Some(preview.digest);
            }
        }
        let (done, recovered) = self
            .run(call, move |engine| engine.rollback(&request.to, agreed.as_deref(), now))
            .await?;
        recovered.warnings().iter().for_each(|warning| call.warn(warning));
        done.warnings.iter().for_each(|warning| call.warn(warning));
        Ok(RollbackResponse {
            rolled_back_to: done.rolled_back_to,
            event_snapshot_id: done.event_snapshot_id,
            files: Some(done.files as u64),
        })
    }
}
