//! `wa.rules_list`

use toolwright_runtime::{Call, Handle};

use super::convert;
use crate::error::{self, Error, Kind};
use crate::generated::{
    Pack, Result, RuleList, RuleSummary, RulesList, RulesListRequest, RulesListResponse,
};
use crate::model::Agent;
use crate::patterns::{self, Patterns};
use crate::{Wa, failure};

impl Handle<RulesList> for Wa {
    async fn handle(&self, _: &Call, request: RulesListRequest) -> Result<RulesListResponse> {
        list(self.engine.patterns(), request.pack.as_deref()).map_err(failure)
    }
}

fn list(patterns: &Patterns, only: Option<&str>) -> error::Result<RuleList> {
    let mut packs: Vec<&patterns::Pack> = patterns.packs().iter().collect();
    packs.sort_by(|a, b| a.id.cmp(&b.id));
    if let Some(only) = only {
        packs.retain(|pack| pack.id == only);
        if packs.is_empty() {
            return Err(unknown_pack(patterns, only));
        }
    }
    let enabled = packs.iter().filter(|pack| pack.enabled);
    Ok(RuleList {
        total_rules: packs.iter().map(|pack| pack.rules.len() as u64).sum(),
        enabled_packs: enabled.map(|pack| pack.id.clone()).collect(),
        packs: packs.into_iter().map(shown).collect(),
    })
}

fn shown(pack: &patterns::Pack) -> Pack {
    let rules = pack.rules.iter().map(|rule| RuleSummary {
        id: rule.id.clone(),
        event_type: rule.event_type.clone(),
        description: Some(rule.description.clone()),
        severity: convert::severity(rule.severity),
        agent_type: convert::convert_enum(rule.agent.map_or("any", Agent::as_str)),
        extracts: rule.extracts.clone(),
    });
    Pack {
        id: pack.id.clone(),
        name: pack.name.clone(),
        description: pack.description.clone(),
        enabled: pack.enabled,
        version: Some(pack.version.clone()),
        rules: rules.collect(),
    }
}

/// No pack has this id.
pub(super) fn unknown_pack(patterns: &Patterns, id: &str) -> Error {
    let names: Vec<&str> = patterns.packs().iter().map(|pack| pack.id.as_str()).collect();
    Kind::InvalidArguments
        .because(format!("`pack`: there is no pack `{id}`."))
        .hint(format!("The packs are {}.", names.join(", ")))
}
