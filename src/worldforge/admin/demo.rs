//! `worldforge demo`: a tenant with three users and a rich sample world.

use clap::{Arg, ArgMatches, Command};

use super::super::engine::{Actor, Engine};
use super::super::model::Role;
use super::{Done, text};
use toolwright_commands::terminal;

pub(super) fn arguments(command: Command) -> Command {
    command.arg(
        Arg::new("tenant")
            .long("tenant-name")
            .value_name("NAME")
            .default_value("Demo Studio")
            .help("Name of the tenant"),
    )
}

pub(super) fn run(engine: &Engine, given: &ArgMatches) -> Done {
    let tenant = engine.create_tenant(text(given, "tenant"))?;
    let users = [
        ("admin@demo.example", Role::Admin),
        ("writer@demo.example", Role::Writer),
        ("editor@demo.example", Role::Editor),
    ];
    let mut ids = Vec::new();
    for (email, role) in users {
        ids.push(engine.add_user(&tenant.id, email, &[role])?.id);
    }
    let admin = ids.first().cloned().unwrap_or_default();
    let actor = Actor { tenant: tenant.id.clone(), user: admin, action: "demo".to_owned() };
    let project = engine.import_sample(&actor)?;
    terminal::message(&format!(
        "Created “{}” in the tenant “{}”. Register the server with this environment:",
        project.title, tenant.name
    ));
    terminal::line(&format!("WORLDFORGE_TENANT={}", tenant.id));
    terminal::line(&format!("WORLDFORGE_USERS={}", ids.join(",")));
    terminal::line(&format!("# tenantId {}  projectId {}", tenant.id, project.id));
    for ((email, _), id) in users.iter().zip(&ids) {
        terminal::line(&format!("# userId {id}  {email}"));
    }
    Ok(0)
}
