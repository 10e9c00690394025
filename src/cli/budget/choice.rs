//! The flags by which servers choose tools, for `budget`: the same names, applied to contracts.

use clap::{Arg, ArgAction, ArgMatches};
use toolwright_codegen::model::Contract;
use toolwright_runtime::{ToolChoice, ToolSelection};

use crate::from_specs::surface_info;

/// The flags.
pub(super) fn flags() -> [Arg; 4] {
    let names = |flag: &'static str, help: &'static str| {
        let arg = Arg::new(flag).long(flag).help(help).help_heading("Choice of tools");
        arg.value_name("NAMES").action(ArgAction::Append)
    };
    [
        names("toolset", "Offer the tools of these toolsets, separated by commas"),
        names("tools", "Offer these tools, separated by commas"),
        names("exclude-tools", "Leave these tools out, separated by commas"),
        Arg::new("read-only")
            .long("read-only")
            .action(ArgAction::SetTrue)
            .help("Leave out every tool that changes something")
            .help_heading("Choice of tools"),
    ]
}

/// The selection for each contract; `None` where nothing is chosen, or the contract lacks a name.
///
/// # Errors
/// Where no contract has all the names: those of the contract with a similar name.
pub(super) fn selections(
    contracts: &[Contract],
    arguments: &ArgMatches,
) -> Result<Vec<Option<ToolSelection>>, String> {
    let names = |flag: &str| -> Vec<String> {
        arguments.get_many::<String>(flag).into_iter().flatten().cloned().collect()
    };
    let choice = ToolChoice {
        toolset: names("toolset"),
        tools: names("tools"),
        exclude_tools: names("exclude-tools"),
        read_only: arguments.get_flag("read-only"),
    };
    if choice == ToolChoice::default() {
        return Ok(contracts.iter().map(|_| None).collect());
    }
    let mut problems: Vec<String> = Vec::new();
    let mut select =
        |contract: &Contract| match ToolSelection::new(surface_info(contract)?, &choice) {
            Ok(selection) => Some(selection),
            Err(errors) => {
                problems
                    .push(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
                None
            }
        };
    let selections: Vec<Option<ToolSelection>> = contracts.iter().map(&mut select).collect();
    let nearest = problems.iter().find(|text| text.contains("did you mean")).or(problems.first());
    match nearest {
        Some(problem) if selections.iter().all(Option::is_none) => Err(problem.clone()),
        _ => Ok(selections),
    }
}
