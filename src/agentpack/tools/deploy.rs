//! `deploy`: a plan for approval, and the token that is bound to exactly it.

use serde_json::{Value, json};
use toolwright_runtime::{Call, Handle};

use super::{answer, selection};
use crate::Agentpack;
use crate::generated::{Deploy, DeployRequest, DeployResponse, Result};
use crate::model::Plan;

impl Handle<Deploy> for Agentpack {
    async fn handle(&self, call: &Call, request: DeployRequest) -> Result<DeployResponse> {
        let selection =
            selection(request.repo, request.profile, request.target.as_str(), request.machine);
        let (plan, binding) =
            self.run(call, move |engine| engine.plan_with_binding(selection)).await?;
        let hash = plan_hash(&binding, &plan);
        plan.warnings.iter().for_each(|warning| call.warn(warning));
        let minted = self.confirmations.mint(call, "deploy", hash.clone());
        let shown = answer::plan(&plan, call.tool().budget.result_tokens);
        Ok(DeployResponse {
            applied: false,
            profile: shown.profile,
            targets: shown.targets,
            changes: shown.changes,
            changes_omitted: shown.changes_omitted,
            summary: shown.summary,
            confirm_token: minted.token,
            confirm_plan_hash: hash,
            confirm_token_expires_at: format!("{:.3}", minted.expires_at),
        })
    }
}

/// SHA-256 of `{"binding": …, "data": …}` as compact JSON with sorted keys; `data` is the answer of
/// `deploy` without its three confirm fields, with every change.
pub(super) fn plan_hash(binding: &Value, plan: &Plan) -> String {
    let data = json!({
        "applied": false,
        "profile": plan.profile,
        "targets": answer::targets(&plan.targets),
        "changes": answer::changes(plan),
        "summary": answer::summary(plan),
    });
    let bound = json!({"binding": binding, "data": data});
    toolwright_runtime::digest::sha256_hex(bound.to_string().as_bytes())
}
