//! `yarnnn basket …`

use clap::{ArgMatches, Command};
use serde_json::json;

use super::super::engine::{Caller, Engine};
use super::super::records::baskets::Status;
use super::{CommandResult, common, json_flag, needed, text};
use toolwright_commands::{table, terminal};

pub(super) fn arguments(command: Command) -> Command {
    let id = || needed("id", "BASKET", "Id of the basket");
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(common(Command::new("list").about("List baskets")).arg(json_flag()))
        .subcommand(common(Command::new("rename").about("Rename a basket")).arg(id()).arg(needed(
            "name",
            "NAME",
            "The new name",
        )))
        .subcommand(
            common(Command::new("archive").about("Archive a basket: it is no longer selected"))
                .arg(id()),
        )
        .subcommand(common(Command::new("restore").about("Restore an archived basket")).arg(id()))
}

pub(super) fn run(engine: &Engine, operator: &Caller, matches: &ArgMatches) -> CommandResult {
    let Some((verb, given)) = matches.subcommand() else { return Ok(2) };
    let (name, status) = match verb {
        "rename" => (Some(text(given, "name")), None),
        "archive" => (None, Some(Status::Archived)),
        "restore" => (None, Some(Status::Active)),
        _ => {
            let baskets = engine.baskets(operator)?.into_iter();
            let rows: Vec<_> = baskets
                .map(|one| {
                    [
                        json!(one.id),
                        json!(one.name),
                        json!(one.status.as_str()),
                        json!(one.blocks),
                        json!(one.items),
                        json!(one.dumps),
                        json!(one.proposed),
                    ]
                })
                .collect();
            let headings = ["id", "name", "status", "blocks", "items", "dumps", "proposed"];
            table::print(headings, &rows, given.get_flag("json"));
            return Ok(0);
        }
    };
    let basket = engine.change_basket(operator, text(given, "id"), name, status)?;
    terminal::line(&format!("{} {} {}", basket.id, basket.status.as_str(), basket.name));
    Ok(0)
}
