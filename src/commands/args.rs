//! Helpers for arguments of the `admin` commands of all surfaces.

use clap::{Arg, ArgAction, ArgMatches};

/// The `--json` flag of commands that list something.
pub fn json_flag() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON")
}

/// A required argument.
pub fn needed(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(value).required(true).help(help)
}

/// The value of a required argument.
pub fn text<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    option(matches, name).unwrap_or_default()
}

/// The value of an optional argument.
pub fn option<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches.get_one::<String>(name).map(String::as_str)
}
