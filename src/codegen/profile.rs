//! Client profiles: served definitions, adapted to families of clients.
//!
//! A profile is a projection of the canonical definition. It only ever widens: it accepts whatever the
//! canonical schema accepts, and keywords that it removes become text in the description. The server
//! always validates against the canonical schema. Works on inlined schemas; knows no transport.

mod hints;
mod project;
mod rules;
mod status;

pub use project::project;
pub use rules::{Rule, Violation, violations};
pub use status::status;

use serde_json::Value;
pub use toolwright_contract::Profile;
use toolwright_contract::portable_descriptions;

use crate::model::{Contract, Tool};
use crate::schema;

/// The input schema of a tool as this family of clients is served it.
pub fn input(contract: &Contract, tool: &Tool, profile: Profile) -> Value {
    project(profile, &schema::served_input(contract, tool))
}

/// The profiles whose input schema differs from the canonical one, with that schema.
pub fn projections(contract: &Contract, tool: &Tool) -> Vec<(Profile, Value)> {
    let canonical = schema::served_input(contract, tool);
    let projected = Profile::ALL.map(|profile| (profile, project(profile, &canonical)));
    projected.into_iter().filter(|(_, input)| *input != canonical).collect()
}

/// The whole definition as this family of clients is served it.
pub fn definition(contract: &Contract, tool: &Tool, profile: Profile) -> Value {
    let mut definition = schema::definition(contract, tool);
    definition["name"] =
        Value::String(profile.tool_name(&format!("{}{}", contract.prefix, tool.name)));
    definition["inputSchema"] = input(contract, tool, profile);
    if profile != Profile::Canonical {
        let names: Vec<String> =
            contract.tools.iter().map(|tool| format!("{}{}", contract.prefix, tool.name)).collect();
        portable_descriptions(&mut definition, &|word| names.iter().any(|name| name == word));
    }
    definition
}

/// Estimated tokens of a definition where it is served at its longest.
pub fn tokens(contract: &Contract, tool: &Tool) -> u32 {
    let served = Profile::ALL.into_iter().map(|profile| definition(contract, tool, profile));
    served.map(|definition| schema::tokens(&definition)).max().unwrap_or(0)
}
