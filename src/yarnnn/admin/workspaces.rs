//! `yarnnn workspace …` and `yarnnn token …`

use clap::{Arg, ArgMatches, Command};
use serde_json::json;

use super::super::engine::Engine;
use super::super::governance::Role;
use super::super::records::members::Workspace;
use super::Machine;
use super::{CommandResult, common, json_flag, needed, option, text};
use toolwright_commands::{table, terminal};

pub(super) fn workspace(command: Command) -> Command {
    let owner = Arg::new("owner").long("owner").value_name("USER").required(true);
    let role = Arg::new("role").long("role").value_name("ROLE");
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("create")
                .about("Create a workspace and print a token for its owner")
                .arg(needed("name", "NAME", "Name of the workspace"))
                .arg(owner.help("Id of the owner")),
        )
        .subcommand(Command::new("list").about("List workspaces").arg(json_flag()))
        .subcommand(
            common(Command::new("add-member").about("Add a user, or change their role"))
                .arg(needed("user", "USER", "Id of the user"))
                .arg(
                    role.value_parser(["owner", "admin", "member"])
                        .default_value("member")
                        .help("Role of the user"),
                ),
        )
        .subcommand(common(Command::new("members").about("List the members")).arg(json_flag()))
}

pub(super) fn run(machine: &Machine, matches: &ArgMatches) -> CommandResult {
    let engine = &machine.engine;
    match matches.subcommand() {
        Some(("create", given)) => create(engine, given),
        Some(("list", given)) => {
            let mut rows = Vec::new();
            for one in engine.workspaces()? {
                let models = engine.models(&one)?.join(", ");
                rows.push([json!(one.name), json!(one.id), json!(models)]);
            }
            table::print(["name", "id", "embedding_models"], &rows, given.get_flag("json"));
            Ok(0)
        }
        Some(("add-member", given)) => {
            // The first members are added by whoever set up the database.
            if option(given, "as").is_some() {
                machine.reviewer(given)?;
            }
            let workspace = engine.workspace(option(given, "workspace"))?;
            let role = Role::parse(text(given, "role")).unwrap_or(Role::Member);
            engine.add_member(&workspace, text(given, "user"), role)?;
            terminal::line(&format!(
                "{} is {} of {}",
                text(given, "user"),
                role.as_str(),
                workspace.name
            ));
            Ok(0)
        }
        Some(("members", given)) => {
            if option(given, "as").is_some() {
                machine.member(given)?;
            }
            let workspace = engine.workspace(option(given, "workspace"))?;
            let members = engine.members(&workspace)?.into_iter();
            let rows: Vec<_> =
                members.map(|one| [json!(one.user_id), json!(one.role.as_str())]).collect();
            table::print(["user", "role"], &rows, given.get_flag("json"));
            Ok(0)
        }
        _ => Ok(2),
    }
}

fn create(engine: &Engine, given: &ArgMatches) -> CommandResult {
    let owner = text(given, "owner");
    let workspace = engine.create_workspace(text(given, "name"), owner)?;
    let token = engine.mint_token(&workspace, owner, "created with the workspace")?;
    terminal::message(&format!(
        "Created the workspace “{}” ({}). The owner's token is shown only once:",
        workspace.name, workspace.id
    ));
    terminal::line(&token.token);
    Ok(0)
}

pub(super) fn token(command: Command) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            common(Command::new("create").about("Create a token and print it once"))
                .arg(needed("user", "USER", "Id of the user"))
                .arg(
                    Arg::new("description")
                        .long("description")
                        .value_name("TEXT")
                        .default_value("")
                        .help("What the token is for"),
                ),
        )
        .subcommand(common(Command::new("list").about("List tokens by their ids")).arg(json_flag()))
        .subcommand(common(Command::new("revoke").about("Revoke a token")).arg(needed(
            "id",
            "ID",
            "Id of the token, not the token itself",
        )))
}

pub(super) fn run_token(machine: &Machine, matches: &ArgMatches) -> CommandResult {
    let Some((verb, given)) = matches.subcommand() else { return Ok(2) };
    let engine = &machine.engine;
    let workspace = token_workspace(machine, verb, given)?;
    match verb {
        "create" => {
            let made =
                engine.mint_token(&workspace, text(given, "user"), text(given, "description"))?;
            terminal::message(&format!("Token {}, shown only once:", made.id));
            terminal::line(&made.token);
        }
        "revoke" => {
            engine.revoke_token(&workspace, text(given, "id"))?;
            terminal::line(&format!("revoked {}", text(given, "id")));
        }
        _ => {
            let rows: Vec<_> = engine
                .tokens(&workspace)?
                .into_iter()
                .map(|one| {
                    [
                        json!(one.id),
                        json!(one.user_id),
                        json!(one.description),
                        table::moment(one.created_at),
                        one.last_used_at.map_or(json!(null), table::moment),
                        one.revoked_at.map_or(json!(null), table::moment),
                    ]
                })
                .collect();
            let headings = ["id", "user", "description", "created", "last_used", "revoked"];
            table::print(headings, &rows, given.get_flag("json"));
        }
    }
    Ok(0)
}

/// The workspace of a command about tokens. A member that is named must be allowed to; without a
/// name, whoever set up the database makes the first tokens, also those of a lost owner.
fn token_workspace(
    machine: &Machine,
    verb: &str,
    given: &ArgMatches,
) -> Result<Workspace, super::Error> {
    match (option(given, "as"), verb) {
        (None, _) => machine.engine.workspace(option(given, "workspace")),
        (Some(_), "list") => Ok(machine.member(given)?.workspace),
        (Some(_), _) => Ok(machine.reviewer(given)?.workspace),
    }
}
