//! `worldforge export` and `worldforge import`

use std::io::Read as _;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::super::engine::{Engine, EngineError};
use super::{Done, actor, common, needed, option, scope, tenant, text};
use toolwright_commands::terminal;

/// Largest story bible that is read, in bytes.
const LARGEST: u64 = 512 << 20;

pub(super) fn export_arguments(command: Command) -> Command {
    common(command)
        .arg(needed("project", "PROJECT", "Id or title of the project"))
        .arg(
            Arg::new("prompts")
                .long("prompts")
                .action(ArgAction::SetTrue)
                .help("Export the shot prompts instead of the story bible"),
        )
        .arg(
            Arg::new("chapter")
                .long("chapter")
                .value_name("NODE")
                .requires("prompts")
                .help("Export only the prompts of this chapter"),
        )
}

pub(super) fn export(engine: &Engine, given: &ArgMatches) -> Done {
    let tenant = tenant(engine, given)?;
    let scope = scope(engine, &tenant, given)?;
    let document = match given.get_flag("prompts") {
        true => engine.shot_prompt_pack(&scope, option(given, "chapter"))?,
        false => engine.story_bible(&scope)?,
    };
    terminal::line(&serde_json::to_string_pretty(&document).unwrap_or_default());
    Ok(0)
}

pub(super) fn import_arguments(command: Command) -> Command {
    common(command).arg(needed("file", "FILE", "Story bible to import; - reads standard input"))
}

pub(super) fn import(engine: &Engine, given: &ArgMatches) -> Done {
    let file = text(given, "file");
    let mut bytes = Vec::new();
    let read = match file {
        "-" => std::io::stdin().lock().take(LARGEST).read_to_end(&mut bytes),
        file => {
            std::fs::File::open(file).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes))
        }
    };
    read.map_err(|error| EngineError::invalid(file, error.to_string()))?;
    let bible = serde_json::from_slice(&bytes)
        .map_err(|error| EngineError::invalid(file, format!("is not JSON: {error}")))?;
    let tenant = tenant(engine, given)?;
    let actor = actor(engine, &tenant, given, "import")?;
    let (project, unchanged) = engine.import(&actor, &bible)?;
    if !unchanged {
        terminal::message("The bible was edited after its export: its contentHash does not match.");
    }
    terminal::line(&project.id);
    Ok(0)
}
