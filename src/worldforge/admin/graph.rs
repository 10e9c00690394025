//! `worldforge graph`

use clap::{Arg, ArgMatches, Command};

use super::super::picture::{Format, draw};
use super::super::studio::Studio;
use super::{Done, common, needed, scope, tenant, text};
use toolwright_commands::terminal;

pub(super) fn arguments(command: Command) -> Command {
    common(command).arg(needed("project", "PROJECT", "Id or title of the project")).arg(
        Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .value_parser(["dot", "mermaid", "html"])
            .default_value("mermaid")
            .help("Graphviz, Mermaid, or a page of its own"),
    )
}

pub(super) fn run(studio: &Studio, given: &ArgMatches) -> Done {
    let tenant = tenant(studio, given)?;
    let scope = scope(studio, &tenant, given)?;
    let project = studio.project(&scope)?;
    let issues = studio.check_all(&scope)?;
    let format = Format::from_name(text(given, "format")).unwrap_or(Format::Mermaid);
    let picture = studio
        .with_story(&scope, |story| draw(format, &project, story, &issues, studio.language()))?;
    terminal::data(&picture);
    Ok(0)
}
