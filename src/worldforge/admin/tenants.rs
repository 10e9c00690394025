//! `worldforge tenant …`, `worldforge user …`, `worldforge project …`

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;

use super::super::engine::Engine;
use super::super::model::Role;
use super::{Done, common, json_flag, needed, text};
use toolwright_commands::{table, terminal};

pub(super) fn tenant(command: Command) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("create").about("Create a tenant and print its id").arg(needed(
            "name",
            "NAME",
            "Name of the tenant",
        )))
        .subcommand(Command::new("list").about("List tenants").arg(json_flag()))
}

pub(super) fn run_tenant(engine: &Engine, matches: &ArgMatches) -> Done {
    match matches.subcommand() {
        Some(("create", given)) => {
            terminal::line(&engine.create_tenant(text(given, "name"))?.id);
        }
        Some((_, given)) => {
            let tenants = engine.tenants()?.into_iter();
            let rows: Vec<_> = tenants
                .map(|one| [json!(one.id), json!(one.name), table::moment(one.created_at)])
                .collect();
            table::print(["id", "name", "created"], &rows, given.get_flag("json"));
        }
        None => return Ok(2),
    }
    Ok(0)
}

pub(super) fn user(command: Command) -> Command {
    let role = Arg::new("role")
        .long("role")
        .value_name("ROLE")
        .action(ArgAction::Append)
        .required(true)
        .value_parser(["ADMIN", "WRITER", "EDITOR"])
        .help("Role of the user; may be given several times");
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            common(Command::new("add").about("Add a user and print the id"))
                .arg(needed("email", "EMAIL", "E-mail of the user"))
                .arg(role),
        )
        .subcommand(common(Command::new("list").about("List users")).arg(json_flag()))
}

pub(super) fn run_user(engine: &Engine, matches: &ArgMatches) -> Done {
    let Some((verb, given)) = matches.subcommand() else { return Ok(2) };
    let tenant = super::tenant(engine, given)?;
    if verb == "add" {
        let named = given.get_many::<String>("role").into_iter().flatten();
        let roles: Vec<Role> = named.filter_map(|role| role_of(role)).collect();
        terminal::line(&engine.add_user(&tenant.id, text(given, "email"), &roles)?.id);
        return Ok(0);
    }
    let users = engine.users(&tenant.id)?.into_iter();
    let rows: Vec<_> = users
        .map(|one| {
            let roles = serde_json::to_value(&one.roles).unwrap_or_default();
            [json!(one.id), json!(one.email), roles, table::moment(one.created_at)]
        })
        .collect();
    table::print(["id", "email", "roles", "created"], &rows, given.get_flag("json"));
    Ok(0)
}

fn role_of(word: &str) -> Option<Role> {
    match word {
        "ADMIN" => Some(Role::Admin),
        "WRITER" => Some(Role::Writer),
        "EDITOR" => Some(Role::Editor),
        _ => None,
    }
}

pub(super) fn project(command: Command) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(common(Command::new("list").about("List projects")).arg(json_flag()))
}

pub(super) fn run_project(engine: &Engine, matches: &ArgMatches) -> Done {
    let Some((_, given)) = matches.subcommand() else { return Ok(2) };
    let tenant = super::tenant(engine, given)?;
    let projects = engine.projects(&tenant.id)?.into_iter();
    let rows: Vec<_> = projects
        .map(|one| {
            [json!(one.id), json!(one.title), json!(one.logline), table::moment(one.created_at)]
        })
        .collect();
    table::print(["id", "title", "logline", "created"], &rows, given.get_flag("json"));
    Ok(0)
}
