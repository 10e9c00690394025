//! Token budgets, estimated as bytes / 4 of the served definition, in the profile where it is longest.

use std::collections::BTreeMap;

use crate::diagnostics::{Findings, code};
use crate::names;
use crate::profile;
use crate::resolve::Draft;
use crate::schema;

/// Tokens that a surface may spend on instructions.
pub const INSTRUCTIONS: u32 = 600;

/// Checks all budgets.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let contract = &draft.contract;
    let mut cost: BTreeMap<&str, u32> = BTreeMap::new();
    for (tool, source) in contract.tools.iter().zip(&draft.tools) {
        // What is not listed takes nothing.
        if !tool.listed {
            continue;
        }
        let tokens = profile::tokens(contract, tool);
        cost.insert(&tool.name, tokens);
        let limit = tool.budget.definition_tokens;
        if tokens > limit {
            let place = source.doc.root.entry("budget").map_or_else(|| source.place(), |e| e.place);
            let message = format!("the definition of `{}` takes about {tokens} tokens", tool.name);
            out.add(code::TOOL_BUDGET, place, message)
                .label(format!("more than {limit}"))
                .help("shorten descriptions, or raise `budget: {definition_tokens: …}`");
        }
    }
    if draft.folder.surface.is_none() {
        // What it allows, and what its instructions are, is not known.
        return;
    }
    let sum: u32 = cost.values().fold(0, |sum, tokens| sum.saturating_add(*tokens));
    let limit = contract.definition_tokens;
    if sum > limit {
        let place = super::in_surface(draft, "/budget/definition_tokens");
        let message = format!("all definitions together take about {sum} tokens");
        out.add(code::SURFACE_BUDGET, place, message)
            .label(format!("more than {limit}"))
            .help("shorten descriptions, or raise `budget: {definition_tokens: …}`");
    }
    toolsets(draft, &cost, out);
    let tokens = schema::text_tokens(&contract.instructions);
    if tokens > INSTRUCTIONS {
        let place = super::in_surface(draft, "/instructions");
        let message = format!("the instructions take about {tokens} tokens");
        out.add(code::INSTRUCTIONS_BUDGET, place, message)
            .label(format!("more than {INSTRUCTIONS}"))
            .help("every session pays for them; explain only where to start and what to know");
    }
}

fn toolsets(draft: &Draft<'_>, cost: &BTreeMap<&str, u32>, out: &mut Findings) {
    for (name, limit) in &draft.contract.toolset_tokens {
        let place = super::in_surface(draft, &format!("/budget/toolsets/{name}"));
        let Some(tools) = draft.contract.toolsets.get(name) else {
            let known = draft.contract.toolsets.keys().map(String::as_str);
            out.add(code::UNKNOWN_TOOL, place, format!("unknown toolset `{name}`"))
                .label("this surface has no such toolset")
                .help(names::suggest(name, known));
            continue;
        };
        let tokens = tools.iter().filter_map(|tool| cost.get(tool.as_str()));
        let sum = tokens.fold(0_u32, |sum, tokens| sum.saturating_add(*tokens));
        if sum > *limit {
            let message = format!("the toolset `{name}` takes about {sum} tokens");
            out.add(code::TOOLSET_BUDGET, place, message)
                .label(format!("more than {limit}"))
                .help("remove tools from it, shorten their descriptions, or raise the limit");
        }
    }
}
