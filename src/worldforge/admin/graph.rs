//! `worldforge graph`

use clap::{Arg, ArgMatches, Command};

use super::super::engine::Engine;
use super::super::picture::{Format, draw};
use super::{Done, common, needed, scope, tenant, text};
use toolwright_commands::terminal;

pub(super) fn arguments(command: Command) -> Command {
    common(command).arg(needed("project", "PROJECT", "Id or title of the project")).arg(
        Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .value_parser(["dot", "mermaid", "html"])
            .default_value("mermaid")
            .help("Graphviz, Mermaid, or a standalone HTML page"),
    )
}

pub(super) fn run(engine: &Engine, given: &ArgMatches) -> Done {
    let tenant = tenant(engine, given)?;
    let scope = scope(engine, &tenant, given)?;
    let project = engine.project(&scope)?;
    let issues = engine.check_all(&scope)?;
    let format = Format::from_name(text(given, "format")).unwrap_or(Format::Mermaid);
    let picture = engine
        .with_story(&scope, |story| draw(format, &project, story, &issues, engine.language()))?;
    terminal::data(&picture);
    Ok(0)
}
