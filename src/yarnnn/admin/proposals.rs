//! `yarnnn proposal …`

use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::super::engine::Engine;
use super::super::records::proposals::{Proposal, Status};
use super::{CommandResult, common, json_flag, needed, operator, option, text};
use toolwright_commands::{table, terminal};

/// Most proposals of one list.
const LISTED: i64 = 500;

pub(super) fn arguments(command: Command) -> Command {
    let id = || needed("id", "PROPOSAL", "Id of the proposal");
    let notes =
        || Arg::new("notes").long("notes").value_name("TEXT").help("Reason for the decision");
    let status = Arg::new("status")
        .long("status")
        .value_name("STATUS")
        .value_parser(["PROPOSED", "APPROVED", "REJECTED", "SUPERSEDED"])
        .default_value("PROPOSED")
        .help("Only proposals with this status");
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            common(Command::new("list").about("List proposals, the oldest first"))
                .arg(status)
                .arg(json_flag()),
        )
        .subcommand(common(Command::new("show").about("Show a proposal in full")).arg(id()))
        .subcommand(
            common(Command::new("approve").about("Approve a proposal as a whole"))
                .arg(id())
                .arg(notes()),
        )
        .subcommand(
            common(Command::new("reject").about("Reject a proposal")).arg(id()).arg(notes()),
        )
}

pub(super) fn run(engine: &Engine, matches: &ArgMatches) -> CommandResult {
    let Some((verb, given)) = matches.subcommand() else { return Ok(2) };
    let operator = operator(engine, given)?;
    let id = || text(given, "id");
    let settled = match verb {
        "show" => {
            let shown = engine.proposal(&operator, id())?;
            terminal::line(
                &serde_json::to_string_pretty(&proposal_json(&shown)).unwrap_or_default(),
            );
            return Ok(0);
        }
        "approve" => engine.approve(&operator, id(), option(given, "notes"))?,
        "reject" => engine.reject(&operator, id(), option(given, "notes"))?,
        _ => {
            let status = Status::parse(text(given, "status")).unwrap_or(Status::Proposed);
            let found = engine.proposals(&operator, status, LISTED)?;
            let rows: Vec<_> = found
                .iter()
                .map(|one| {
                    [
                        json!(one.id),
                        json!(one.basket_id),
                        json!(one.confidence),
                        json!(one.reasons.join(", ")),
                        json!(one.report.impact_summary),
                        json!(one.source.host),
                    ]
                })
                .collect();
            let headings = ["id", "basket", "confidence", "reasons", "impact", "host"];
            table::print(headings, &rows, given.get_flag("json"));
            return Ok(0);
        }
    };
    terminal::line(&format!("{} {}", settled.status.as_str(), settled.id));
    Ok(0)
}

fn proposal_json(proposal: &Proposal) -> Value {
    json!({
        "id": proposal.id,
        "basket_id": proposal.basket_id,
        "raw_dump_id": proposal.dump_id,
        "status": proposal.status.as_str(),
        "mode": proposal.mode,
        "reasons": proposal.reasons,
        "confidence": proposal.confidence,
        "extractor": proposal.extractor,
        "operations": proposal.operations,
        "validator_report": proposal.report,
        "source_host": proposal.source.host,
        "requested_by": proposal.source.user_id,
        "reviewed_by": proposal.reviewed_by,
        "review_notes": proposal.review_notes,
    })
}
