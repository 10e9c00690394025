//! Whether a tool passes the rules of a family of clients, as a table cell.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Profile, Rule, definition, violations};
use crate::model::{Contract, Tool};
use crate::schema;

/// `✓`: passes as it is in the contract; `✓ (…)`: passes because these were changed; `✗ (…)`: fails.
pub fn status(contract: &Contract, tool: &Tool, profile: Profile) -> String {
    let rules = |definition: Value| -> BTreeSet<Rule> {
        let found = violations(profile, &contract.name, &definition);
        found.into_iter().map(|violation| violation.rule).collect()
    };
    let list = |rules: &BTreeSet<Rule>| {
        rules.iter().map(|rule| rule.summary()).collect::<Vec<_>>().join(", ")
    };
    let fixed = rules(schema::definition(contract, tool));
    let left = rules(definition(contract, tool, profile));
    if !left.is_empty() {
        return format!("✗ ({})", list(&left));
    }
    if fixed.is_empty() { "✓".to_owned() } else { format!("✓ ({})", list(&fixed)) }
}
