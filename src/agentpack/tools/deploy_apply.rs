//! `deploy_apply`: carries out the plan that was reviewed.
//!
//! The guards have done the checking when the handler runs: `yes` is given, the plan that the guard
//! staged is the one that the token was minted over, and the user agreed where the client could ask.
//! That very plan is applied.

use toolwright_runtime::{Call, ErrorKind as _, HandleGuarded, Stage, Staged, StagedQuestion};

use super::deploy::plan_hash;
use super::{answer, ask_user, selection};
use crate::generated::{
    ApplyReportReason, DeployApply, DeployApplyRequest, DeployApplyResponse, Error, Result,
};
use crate::model::Plan;
use crate::{Agentpack, apply};

impl Stage<DeployApply> for Agentpack {
    type Plan = Plan;

    async fn stage(&self, call: &Call, request: &DeployApplyRequest) -> Result<Staged<Plan>> {
        let adopt = request.adopt;
        let (hash, plan) = self.planned(call, request).await?;
        let veto = apply::check(&plan, adopt).err().map(Into::into);
        let refuses = Error::ConfirmRequired.info();
        let message = (call.may_ask() && plan.is_work()).then(|| ask_user::deploy(&plan));
        let question = message.map(|message| StagedQuestion { message, refuses });
        Ok(Staged { hash, plan, veto, question })
    }
}

impl HandleGuarded<DeployApply, Option<Plan>> for Agentpack {
    async fn handle(
        &self,
        call: &Call,
        request: DeployApplyRequest,
        reviewed: Option<Plan>,
    ) -> Result<DeployApplyResponse> {
        // Nothing needs to be reviewed for a dry run, and for nothing else.
        let Some(plan) = reviewed else {
            let (_, plan) = self.planned(call, &request).await?;
            let mut answer = report(call, &plan);
            answer.reason = Some(ApplyReportReason::DryRun);
            return Ok(answer);
        };
        let (now, cancel) = (call.clock().now(), call.cancellation());
        let (plan, applied, recovered) = self
            .run(call, move |engine| {
                let options = apply::Options {
                    adopt: request.adopt,
                    now,
                    cancelled: &|| cancel.is_cancelled(),
                };
                let (applied, recovered) = engine.apply(&plan, options)?;
                Ok((plan, applied, recovered))
            })
            .await?;
        recovered.warnings().iter().for_each(|warning| call.warn(warning));
        let mut answer = report(call, &plan);
        answer.applied = applied.applied;
        answer.reason = applied.reason.and_then(|reason| reason.parse().ok());
        answer.snapshot_id = applied.snapshot_id;
        Ok(answer)
    }
}

impl Agentpack {
    /// The present plan and its hash.
    async fn planned(&self, call: &Call, request: &DeployApplyRequest) -> Result<(String, Plan)> {
        let selection = selection(
            request.repo.clone(),
            request.profile.clone(),
            request.target.as_str(),
            request.machine.clone(),
        );
        let (plan, binding) =
            self.run(call, move |engine| engine.plan_with_binding(selection)).await?;
        Ok((plan_hash(&binding, &plan), plan))
    }
}

fn report(call: &Call, plan: &Plan) -> DeployApplyResponse {
    plan.warnings.iter().for_each(|warning| call.warn(warning));
    let shown = answer::plan(plan, call.tool().budget.result_tokens);
    DeployApplyResponse {
        applied: false,
        reason: None,
        snapshot_id: None,
        profile: shown.profile,
        targets: shown.targets,
        changes: shown.changes,
        changes_omitted: shown.changes_omitted,
        summary: shown.summary,
    }
}
