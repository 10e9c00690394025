//! `toolwright budget`: tokens that the definitions of each surface, toolset and tool cost a session.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};
use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::model::{Contract, Tool};
use toolwright_codegen::profile::{self, Profile};
use toolwright_codegen::schema;
use toolwright_commands::args::json_flag;
use toolwright_commands::{USAGE, table, terminal};
use toolwright_runtime::ToolSelection;

use super::specs_argument;

mod choice;

const HEADINGS: [&str; 6] = ["surface", "part", "name", "tokens", "limit", "used"];

/// The command.
pub(super) fn command() -> Command {
    Command::new("budget")
        .about("Show how many tokens the definitions cost a session")
        .long_about(
            "Shows the tokens of every definition as it is served, by surface, toolset and tool, \
             and the limits that the contracts set. Tokens are estimated as bytes / 4.\n\
             With the flags of servers that choose tools, also what the choice costs and saves, for \
             each surface that has all the names.\n\
             Exit status: 0 within the limits, 1 over one of them or a contract with errors.",
        )
        .arg(specs_argument())
        .arg(
            Arg::new("profile")
                .long("client-profile")
                .value_parser(Profile::ALL.map(Profile::name))
                .help("Count the definitions of this profile [default: the longest of all]"),
        )
        .args(choice::flags())
        .arg(json_flag())
}

/// Counts and prints.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let specs = arguments.get_one::<String>("specs").map_or("specs", String::as_str);
    let loaded = toolwright_codegen::load(Path::new(specs));
    let name = arguments.get_one::<String>("profile");
    let chosen =
        Profile::ALL.into_iter().find(|profile| name.is_some_and(|name| name == profile.name()));
    let selections = match choice::selections(&loaded.contracts, arguments) {
        Ok(selections) => selections,
        Err(problem) => {
            terminal::message(&format!("error: {problem}"));
            return ExitCode::from(USAGE);
        }
    };
    let all = loaded.contracts.iter().zip(&selections);
    let rows: Vec<Row> =
        all.flat_map(|(contract, selection)| rows(contract, chosen, selection.as_ref())).collect();
    table::print(HEADINGS, &rows, arguments.get_flag("json"));
    // A contract over its budget is among those with errors.
    if loaded.report.has_errors() {
        terminal::message(&loaded.report.render(Colour::Never));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

type Row = [Value; HEADINGS.len()];

fn rows(
    contract: &Contract,
    profile: Option<Profile>,
    selection: Option<&ToolSelection>,
) -> Vec<Row> {
    let cost = |tool: &Tool| match profile {
        Some(profile) => schema::tokens(&profile::definition(contract, tool, profile)),
        None => profile::tokens(contract, tool),
    };
    let row = |part: &str, name: &str, tokens: u32, limit: Option<u32>| {
        let used =
            limit.map(|limit| format!("{} %", u64::from(tokens) * 100 / u64::from(limit.max(1))));
        [json!(contract.name), json!(part), json!(name), json!(tokens), json!(limit), json!(used)]
    };
    let cost = |tool: &Tool| if tool.listed { cost(tool) } else { 0 };
    let tools: Vec<(&Tool, u32)> = contract.tools.iter().map(|tool| (tool, cost(tool))).collect();
    let sum = |chosen: &dyn Fn(&Tool) -> bool| -> u32 {
        tools.iter().filter(|(tool, _)| chosen(tool)).map(|(_, tokens)| tokens).sum()
    };
    let instructions = schema::tokens(&json!(contract.instructions));
    let mut rows = vec![
        row("surface", &contract.name, sum(&|_| true), Some(contract.definition_tokens)),
        row("instructions", "", instructions, Some(toolwright_codegen::INSTRUCTION_TOKENS)),
    ];
    if let Some(selection) = selection {
        let whole = sum(&|_| true);
        let offered: u32 = (tools.iter().enumerate())
            .filter_map(|(index, (_, tokens))| selection.has(index).then_some(*tokens))
            .sum();
        let count = (0..tools.len()).filter(|index| selection.has(*index)).count();
        rows.push(row("offered", &format!("{count} of {} tools", tools.len()), offered, None));
        rows.push(row("saved", "", whole - offered, None));
    }
    rows.extend(contract.toolsets.iter().map(|(name, members)| {
        let tokens = sum(&|tool| members.contains(&tool.name));
        row("toolset", name, tokens, contract.toolset_tokens.get(name).copied())
    }));
    rows.extend(tools.iter().map(|(tool, tokens)| {
        row("tool", &tool.name, *tokens, Some(tool.budget.definition_tokens))
    }));
    rows
}
