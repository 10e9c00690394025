//! `yarnnn fingerprint`: the fingerprint of a text as the server would make it, for hosts and
//! experiments.

use std::io::Read as _;

use clap::{Arg, ArgMatches, Command};
use serde_json::json;

use super::super::engine::Engine;
use super::super::inference::MAX_TEXT;
use super::{CommandResult, option};
use toolwright_commands::terminal;

pub(super) fn arguments(command: Command) -> Command {
    command.arg(Arg::new("text").value_name("TEXT").help("The text [default: standard input]"))
}

pub(super) fn run(engine: &Engine, given: &ArgMatches) -> CommandResult {
    let text = match option(given, "text") {
        Some(text) => text.to_owned(),
        None => {
            let mut bytes = Vec::new();
            let limit = MAX_TEXT as u64 + 1;
            if let Err(error) = std::io::stdin().lock().take(limit).read_to_end(&mut bytes) {
                terminal::message(&format!("error: standard input: {error}"));
                return Ok(1);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let made = engine.fingerprint(&text)?;
    let fingerprint = json!({
        "embedding": made.embedding,
        "embedding_model": made.model,
        "summary": made.summary,
        "entities": made.entities,
        "keywords": made.keywords,
    });
    terminal::line(&fingerprint.to_string());
    Ok(0)
}
