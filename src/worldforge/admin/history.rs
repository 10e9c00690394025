//! `worldforge history`

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::super::engine::{Engine, EngineError};
use super::super::model::ObjectType;
use super::{Done, common, json_flag, needed, option, scope, tenant};
use toolwright_commands::{table, terminal};

/// Most events of one list.
const LISTED: u32 = 200;

pub(super) fn arguments(command: Command) -> Command {
    common(command)
        .arg(needed("project", "PROJECT", "Id or title of the project"))
        .arg(
            Arg::new("object")
                .value_name("ID")
                .help("Id of an entity or node [default: the activity of the project]"),
        )
        .arg(
            Arg::new("number")
                .long("number")
                .value_name("N")
                .requires("object")
                .value_parser(value_parser!(u64))
                .help("Print the object as published under this number"),
        )
        .arg(json_flag())
}

pub(super) fn run(engine: &Engine, given: &ArgMatches) -> Done {
    let tenant = tenant(engine, given)?;
    let scope = scope(engine, &tenant, given)?;
    let json = given.get_flag("json");
    let Some(id) = option(given, "object") else {
        let events = engine.store().events(&scope, None, LISTED)?.into_iter();
        let rows: Vec<_> = events
            .map(|one| {
                let object = one.object_id.map_or(json!(null), |id| json!(id));
                [table::moment(one.at), json!(one.action), object, json!(one.user_id)]
            })
            .collect();
        table::print(["at", "action", "object", "user"], &rows, json);
        return Ok(0);
    };
    let kind = match (engine.entity(&scope, id), engine.node(&scope, id)) {
        (Ok(_), _) => ObjectType::Entity,
        (_, Ok(_)) => ObjectType::StoryNode,
        (Err(error), _) if !error.is_missing() => return Err(error),
        _ => return Err(EngineError::missing("entity or node")),
    };
    if let Some(number) = given.get_one::<u64>("number") {
        let object = engine.version(&scope, kind, id, *number)?;
        terminal::line(&serde_json::to_string_pretty(&object).unwrap_or_default());
        return Ok(0);
    }
    let editions = engine.history(&scope, kind, id)?.into_iter();
    let rows: Vec<_> = editions
        .map(|one| {
            [
                json!(one.number),
                table::moment(one.published_at),
                json!(one.published_by),
                json!(one.content_hash),
            ]
        })
        .collect();
    table::print(["number", "published", "by", "content_hash"], &rows, json);
    Ok(0)
}
