//! `continuity.check`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::engine::States;
use super::super::model;
use super::super::store::Scope;
use crate::generated::{
    ContinuityCheck, ContinuityCheckRequest, ContinuityCheckRequestStates, ContinuityCheckResponse,
    Issue, Result, Severity,
};

impl Handle<ContinuityCheck> for Worldforge {
    async fn handle(
        &self,
        _: &Call,
        request: ContinuityCheckRequest,
    ) -> Result<ContinuityCheckResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let states = match request.states {
            ContinuityCheckRequestStates::None => States::None,
            ContinuityCheckRequestStates::Scene => States::Scene,
            ContinuityCheckRequestStates::All => States::All,
        };
        let checked =
            self.run(move |engine| engine.check(&scope, &request.node_id, states)).await?;
        Ok(ContinuityCheckResponse {
            issues: checked.issues.into_iter().map(issue).collect(),
            pre_state: checked.before.into_iter().collect(),
            post_state: checked.after.into_iter().collect(),
            divergent: checked.divergent,
        })
    }
}

fn issue(issue: model::Issue) -> Issue {
    Issue {
        severity: match issue.severity {
            model::Severity::Info => Severity::Info,
            model::Severity::Warn => Severity::Warn,
            model::Severity::Error => Severity::Error,
        },
        code: issue.code,
        message: issue.message,
        node_id: issue.node_id,
        entity_ids: issue.entity_ids,
        suggestion: issue.suggestion,
    }
}
