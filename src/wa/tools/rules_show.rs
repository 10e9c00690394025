//! `wa.rules_show`

use toolwright_runtime::{Call, Handle};

use super::convert;
use crate::error::{Error, Kind};
use crate::generated::{
    Result, RuleDetails, RuleDetailsAgentType, RulesShow, RulesShowRequest, RulesShowResponse,
};
use crate::model::Agent;
use crate::patterns::Patterns;
use crate::{Wa, failure};

impl Handle<RulesShow> for Wa {
    async fn handle(&self, _: &Call, request: RulesShowRequest) -> Result<RulesShowResponse> {
        let patterns = self.engine.patterns();
        let rule = patterns
            .rule(&request.rule_id)
            .ok_or_else(|| failure(unknown_rule(patterns, &request.rule_id)))?;
        let agent = convert::convert_enum(rule.agent.map_or("any", Agent::as_str));
        Ok(RuleDetails {
            id: rule.id.clone(),
            pack_id: rule.pack.clone(),
            agent_type: agent.unwrap_or(RuleDetailsAgentType::Any),
            event_type: rule.event_type.clone(),
            severity: convert::severity(rule.severity),
            description: rule.description.clone(),
            anchors: rule.anchors.clone(),
            regex: rule.regex.clone(),
            extracts: rule.extracts.clone(),
            workflow: rule.workflow.clone(),
            remediation: rule.remediation.clone(),
            manual_fix: rule.manual_fix.clone(),
            preview_command: rule.preview_command.clone(),
            learn_more_url: rule.learn_more_url.clone(),
        })
    }
}

/// No rule has this id.
pub(super) fn unknown_rule(patterns: &Patterns, id: &str) -> Error {
    let near = patterns.suggest(id);
    let hint = match &*near {
        [] => "Call wa.rules_list to list the rules.".to_owned(),
        near => format!("Near names: {}.", near.join(", ")),
    };
    Kind::InvalidArguments.because(format!("`rule_id`: there is no rule `{id}`.")).hint(hint)
}
