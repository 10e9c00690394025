//! Token budgets, counted on what is served: bytes / 4.

use crate::diagnostics::{Findings, code};
use crate::resolve::Draft;
use crate::schema;

/// Tokens that a surface may spend on instructions.
const INSTRUCTIONS: u32 = 600;

/// Checks all budgets.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let contract = &draft.contract;
    let mut sum: u32 = 0;
    for (tool, source) in contract.tools.iter().zip(&draft.tools) {
        let tokens = schema::tokens(&schema::definition(contract, tool));
        sum = sum.saturating_add(tokens);
        let limit = tool.budget.definition_tokens;
        if tokens > limit {
            let place = source.doc.root.entry("budget").map_or_else(|| source.place(), |e| e.place);
            let message = format!("the definition of `{}` takes about {tokens} tokens", tool.name);
            out.add(code::TOOL_BUDGET, place, message)
                .label(format!("more than {limit}"))
                .help("shorten descriptions, or say `budget: {definition_tokens: …}`");
        }
    }
    let limit = contract.definition_tokens;
    if sum > limit {
        let place = super::in_surface(draft, "/budget/definition_tokens");
        let message = format!("all definitions together take about {sum} tokens");
        out.add(code::SURFACE_BUDGET, place, message)
            .label(format!("more than {limit}"))
            .help("shorten descriptions, or raise `budget: {definition_tokens: …}`");
    }
    let bytes = contract.instructions.len().div_ceil(4);
    let tokens = u32::try_from(bytes).unwrap_or(u32::MAX);
    if tokens > INSTRUCTIONS {
        let place = super::in_surface(draft, "/instructions");
        let message = format!("the instructions take about {tokens} tokens");
        out.add(code::INSTRUCTIONS_BUDGET, place, message)
            .label(format!("more than {INSTRUCTIONS}"))
            .help("every session pays for them; say where to start and what to know");
    }
}
