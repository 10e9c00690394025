//! `wa.approve`

use toolwright_runtime::{Call, HandleGuarded};

use super::policy::Pass;
use crate::engine::Engine;
use crate::generated::{Approval, Approve, ApproveRequest, ApproveResponse, Result};
use crate::{Wa, error, unsigned};

impl HandleGuarded<Approve, Pass> for Wa {
    async fn handle(
        &self,
        _: &Call,
        request: ApproveRequest,
        pass: Pass,
    ) -> Result<ApproveResponse> {
        self.run(move |engine| {
            let done = approve(engine, &request, &pass);
            pass.settled(engine, done)
        })
        .await
    }
}

fn approve(engine: &Engine, request: &ApproveRequest, pass: &Pass) -> error::Result<Approval> {
    let approval = engine.records()?.policy.approve(
        &request.code,
        request.pane_id,
        request.fingerprint.as_deref(),
        &pass.actor,
        request.dry_run,
        engine.now(),
    )?;
    Ok(Approval {
        code: approval.code,
        valid: true,
        action_kind: Some(approval.action.as_str().to_owned()),
        created_at: Some(unsigned(approval.created_at)),
        pane_id: approval.pane_id,
        expires_at: Some(unsigned(approval.expires_at)),
        consumed_at: approval.consumed_at.map(unsigned),
        action_fingerprint: Some(approval.fingerprint),
        dry_run: approval.dry_run.then_some(true),
    })
}
