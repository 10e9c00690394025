//! `diff`

use toolwright_runtime::{Call, Handle};

use super::{answer, selection};
use crate::Agentpack;
use crate::generated::{Diff, DiffRequest, DiffResponse, Result};

impl Handle<Diff> for Agentpack {
    async fn handle(&self, call: &Call, request: DiffRequest) -> Result<DiffResponse> {
        let selection =
            selection(request.repo, request.profile, request.target.as_str(), request.machine);
        let plan = self.run(call, move |engine| engine.plan(selection)).await?;
        plan.warnings.iter().for_each(|warning| call.warn(warning));
        Ok(answer::plan(&plan, call.tool().budget.result_tokens))
    }
}
