//! `yarnnn unassigned …`, `yarnnn misrouted` and `yarnnn forget`

use clap::{Arg, ArgMatches, Command};
use serde_json::json;

use super::super::engine::{Caller, Engine, Stored};
use super::super::extract::pluralise;
use super::super::records::captures::Status;
use super::{CommandResult, common, json_flag, needed, option, text};
use toolwright_commands::{table, terminal};

/// Most captures of one list.
const LISTED: i64 = 500;

pub(super) fn arguments(command: Command) -> Command {
    let id = || needed("id", "CAPTURE", "Id of the capture");
    let status = Arg::new("status")
        .long("status")
        .value_name("STATUS")
        .value_parser(["pending", "assigned", "dismissed"])
        .default_value("pending")
        .help("Only captures with this status");
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            common(Command::new("list").about("List captures, the oldest first"))
                .arg(status)
                .arg(json_flag()),
        )
        .subcommand(
            common(
                Command::new("assign").about("Assign a capture to a basket and replay it there"),
            )
            .arg(id())
            .arg(needed("basket", "BASKET", "Id of the basket")),
        )
        .subcommand(
            common(Command::new("dismiss").about("Dismiss a capture; its row stays")).arg(id()),
        )
}

pub(super) fn run(engine: &Engine, operator: &Caller, matches: &ArgMatches) -> CommandResult {
    let Some((verb, given)) = matches.subcommand() else { return Ok(2) };
    match verb {
        "assign" => {
            print_stored(&engine.assign(operator, text(given, "id"), text(given, "basket"))?)
        }
        "dismiss" => {
            engine.dismiss(operator, text(given, "id"))?;
            terminal::line(&format!("dismissed {}", text(given, "id")));
        }
        _ => {
            let status = Status::parse(text(given, "status")).unwrap_or(Status::Pending);
            let found = engine.captures(operator, status, LISTED)?;
            let rows: Vec<_> = found
                .iter()
                .map(|one| {
                    let best = one.candidates.first();
                    [
                        json!(one.id),
                        json!(one.purpose.as_str()),
                        json!(one.summary),
                        best.map_or(json!(null), |best| json!(best.name)),
                        best.map_or(json!(null), |best| json!(best.id)),
                        table::moment(one.created_at),
                        json!(one.source.host),
                    ]
                })
                .collect();
            let headings = ["id", "purpose", "summary", "best", "best_basket", "created", "host"];
            table::print(headings, &rows, given.get_flag("json"));
        }
    }
    Ok(0)
}

fn print_stored(stored: &Stored) {
    terminal::line(&format!(
        "{} {} ({}, {})",
        stored.raw_dump_id,
        stored.basket_name,
        pluralise(stored.proposed_blocks as usize, "statement"),
        stored.governance_mode
    ));
}

pub(super) fn misrouted_arguments(command: Command) -> Command {
    common(command).arg(needed("dump", "DUMP", "Id of the raw dump")).arg(
        Arg::new("to")
            .long("to")
            .value_name("BASKET")
            .help("Basket that it belongs to [default: back into the queue]"),
    )
}

pub(super) fn misrouted(engine: &Engine, operator: &Caller, given: &ArgMatches) -> CommandResult {
    let moved = engine.misrouted(operator, text(given, "dump"), option(given, "to"))?;
    match &moved.stored {
        Some(stored) => print_stored(stored),
        None => terminal::line(&format!("waits as {}", moved.capture_id)),
    }
    Ok(0)
}

pub(super) fn forget_arguments(command: Command) -> Command {
    common(command).arg(needed("dump", "DUMP", "Id of the raw dump")).arg(
        Arg::new("reason")
            .long("reason")
            .value_name("TEXT")
            .required(true)
            .help("Reason, stored in the tombstone"),
    )
}

pub(super) fn forget(engine: &Engine, operator: &Caller, given: &ArgMatches) -> CommandResult {
    engine.forget(operator, text(given, "dump"), text(given, "reason"))?;
    terminal::line(&format!("forgot {}", text(given, "dump")));
    Ok(0)
}
