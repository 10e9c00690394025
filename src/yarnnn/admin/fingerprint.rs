//! `yarnnn fingerprint`: computes a session fingerprint from text, for hosts without an embedding
//! model.

use std::io::Read as _;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::super::inference::{MAX_TEXT, make_fingerprint};
use super::option;
use toolwright_commands::terminal;

/// Default length of the vector: enough to separate a few thousand topics.
const DIMS: &str = "256";

pub(super) fn arguments(command: Command) -> Command {
    command.arg(Arg::new("text").value_name("TEXT").help("The text [default: standard input]")).arg(
        Arg::new("dims")
            .long("dims")
            .value_name("NUMBER")
            .default_value(DIMS)
            .value_parser(value_parser!(u32).range(8..=4096))
            .help("Length of the vector; must be the same throughout a workspace"),
    )
}

pub(super) fn run(given: &ArgMatches) -> u8 {
    let text = match option(given, "text") {
        Some(text) => text.to_owned(),
        None => {
            let mut bytes = Vec::new();
            let limit = MAX_TEXT as u64 + 1;
            if let Err(error) = std::io::stdin().lock().take(limit).read_to_end(&mut bytes) {
                terminal::message(&format!("error: standard input: {error}"));
                return 1;
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let dims = given.get_one::<u32>("dims").map_or(256, |dims| *dims as usize);
    match make_fingerprint(&text, dims) {
        Ok(made) => {
            terminal::line(&serde_json::to_string(&made).unwrap_or_default());
            0
        }
        Err(error) => {
            terminal::message(&format!("error: {error} {}", error.hint()));
            2
        }
    }
}
