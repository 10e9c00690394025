//! `plan`

use toolwright_runtime::{Call, Handle};

use super::{answer, selection};
use crate::Agentpack;
use crate::generated::{Plan, PlanRequest, PlanResponse, Result};

impl Handle<Plan> for Agentpack {
    async fn handle(&self, call: &Call, request: PlanRequest) -> Result<PlanResponse> {
        let selection =
            selection(request.repo, request.profile, request.target.as_str(), request.machine);
        let plan = self.run(call, move |engine| engine.plan(selection)).await?;
        plan.warnings.iter().for_each(|warning| call.warn(warning));
        Ok(answer::plan(&plan, call.tool().budget.result_tokens))
    }
}
