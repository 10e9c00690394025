//! `yarnnn proposal …`

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use super::super::engine::{Caller, Decision, Edit, Engine, Reviewed};
use super::super::extract::pluralise;
use super::super::model::{Operation, SemanticType};
use super::super::records::proposals::Status;
use super::{CommandResult, common, json_flag, needed, option, text};
use toolwright_commands::{table, terminal};

/// Most proposals of one list.
const LISTED: i64 = 500;

pub(super) fn arguments(command: Command) -> Command {
    let id = || needed("id", "PROPOSAL", "Id of the proposal");
    let notes =
        || Arg::new("notes").long("notes").value_name("TEXT").help("Reason for the decision");
    let only = || {
        Arg::new("only")
            .long("only")
            .value_name("NUMBERS")
            .value_delimiter(',')
            .value_parser(value_parser!(u32).range(1..))
            .help("Only these operations, such as 1,3 [default: all that wait]")
    };
    let status = Arg::new("status")
        .long("status")
        .value_name("STATUS")
        .value_parser(["PROPOSED", "APPROVED", "REJECTED", "SUPERSEDED"])
        .default_value("PROPOSED")
        .help("Only proposals with this status");
    let kinds = SemanticType::ALL.map(SemanticType::as_str);
    let edit = common(Command::new("edit").about("Change the words of an operation that waits"))
        .arg(id())
        .arg(
            needed("number", "NUMBER", "Number of the operation")
                .value_parser(value_parser!(u32).range(1..)),
        )
        .arg(
            Arg::new("content")
                .long("content")
                .value_name("TEXT")
                .required(true)
                .help("The new statement or name"),
        )
        .arg(Arg::new("title").long("title").value_name("TEXT").help("Title [default: its start]"))
        .arg(
            Arg::new("type")
                .long("type")
                .value_name("TYPE")
                .value_parser(kinds)
                .help("Type of the statement [default: as it is]"),
        );
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            common(Command::new("list").about("List proposals, the oldest first"))
                .arg(status)
                .arg(json_flag()),
        )
        .subcommand(
            common(Command::new("show").about("Show a proposal, operation by operation"))
                .arg(id())
                .arg(json_flag()),
        )
        .subcommand(
            common(Command::new("approve").about("Approve a proposal, or parts of it"))
                .arg(id())
                .arg(only())
                .arg(notes()),
        )
        .subcommand(
            common(Command::new("reject").about("Reject a proposal, or parts of it"))
                .arg(id())
                .arg(only())
                .arg(notes()),
        )
        .subcommand(edit)
}

pub(super) fn run(engine: &Engine, operator: &Caller, matches: &ArgMatches) -> CommandResult {
    let Some((verb, given)) = matches.subcommand() else { return Ok(2) };
    let id = || text(given, "id");
    match verb {
        "show" => show(&engine.reviewed(operator, id())?, given.get_flag("json")),
        "approve" | "reject" => {
            let only: Option<Vec<usize>> =
                given.get_many::<u32>("only").map(|all| all.map(|one| index(*one)).collect());
            let decision = Decision {
                approve: verb == "approve",
                only: only.as_deref(),
                notes: option(given, "notes"),
                seen: None,
            };
            show_decided(&engine.decide(operator, id(), &decision)?);
        }
        "edit" => {
            let number = given.get_one::<u32>("number").copied().unwrap_or(1);
            let edit = Edit {
                content: text(given, "content"),
                title: option(given, "title"),
                semantic_type: option(given, "type").and_then(SemanticType::parse),
                seen: None,
            };
            show_decided(&engine.edit(operator, id(), index(number), &edit)?);
        }
        _ => list(engine, operator, given)?,
    }
    Ok(0)
}

fn index(number: u32) -> usize {
    number.saturating_sub(1) as usize
}

fn list(engine: &Engine, operator: &Caller, given: &ArgMatches) -> Result<(), super::Error> {
    let status = Status::parse(text(given, "status")).unwrap_or(Status::Proposed);
    let found = engine.reviewed_proposals(operator, status, LISTED)?;
    let rows: Vec<_> = found
        .iter()
        .map(|one| {
            let proposal = &one.proposal;
            [
                json!(proposal.id),
                json!(proposal.basket_id),
                json!(one.waiting().len()),
                json!(proposal.confidence),
                json!(proposal.reasons.join(", ")),
                json!(proposal.report.impact_summary),
                json!(proposal.source.host),
            ]
        })
        .collect();
    let headings = ["id", "basket", "waiting", "confidence", "reasons", "impact", "host"];
    table::print(headings, &rows, given.get_flag("json"));
    Ok(())
}

/// What became of it, in one line that starts with the status.
fn show_decided(one: &Reviewed) {
    let line = format!("{} {}", one.proposal.status.as_str(), one.proposal.id);
    let waiting = match one.waiting().len() {
        0 => String::new(),
        some => format!(" ({} left)", pluralise(some, "operation")),
    };
    terminal::line(&format!("{line}{waiting}"));
}

fn show(one: &Reviewed, json: bool) {
    if json {
        let shown = serde_json::to_string_pretty(&proposal_json(one)).unwrap_or_default();
        terminal::line(&shown);
        return;
    }
    let proposal = &one.proposal;
    terminal::line(&format!("{} {}", proposal.status.as_str(), proposal.id));
    terminal::line(&proposal.report.impact_summary);
    terminal::line(&format!(
        "from {} by {}, dump {}, basket {}",
        proposal.source.host, proposal.source.user_id, proposal.dump_id, proposal.basket_id
    ));
    let rows: Vec<_> = proposal
        .operations
        .iter()
        .enumerate()
        .map(|(index, operation)| {
            [
                json!(index + 1),
                json!(one.standing(index).as_str()),
                json!(kind(operation)),
                json!(operation.content()),
            ]
        })
        .collect();
    table::print(["number", "standing", "type", "content"], &rows, false);
    for warning in &proposal.report.warnings {
        terminal::line(&format!("note: {warning}"));
    }
}

/// What an operation adds, in one word.
pub(crate) fn kind(operation: &Operation) -> &str {
    match operation {
        Operation::CreateBlock { semantic_type, .. } => semantic_type.as_str(),
        Operation::ReviseBlock { .. } => "revision",
        Operation::CreateContextItem { .. } => "name",
    }
}

fn proposal_json(one: &Reviewed) -> Value {
    let proposal = &one.proposal;
    let standings = 0..proposal.operations.len();
    let steps = one.steps.iter().map(|step| {
        json!({
            "number": step.operation + 1,
            "action": step.action.as_str(),
            "before": step.replaced,
            "notes": step.notes,
            "by": step.by,
            "host": step.host,
            "at": table::moment(step.at),
        })
    });
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
        "standings": standings.map(|index| one.standing(index).as_str()).collect::<Vec<_>>(),
        "steps": steps.collect::<Vec<_>>(),
        "validator_report": proposal.report,
        "source_host": proposal.source.host,
        "requested_by": proposal.source.user_id,
        "reviewed_by": proposal.reviewed_by,
        "review_notes": proposal.review_notes,
    })
}
