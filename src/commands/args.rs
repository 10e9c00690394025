//! What people's commands of all surfaces take from the command line in the same way.

use clap::{Arg, ArgAction, ArgMatches};

/// The flag of commands that list something.
pub fn json_flag() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON")
}

/// A required text.
pub fn needed(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(value).required(true).help(help)
}

/// A text of the command line; required ones are always there.
pub fn text<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    option(matches, name).unwrap_or_default()
}

/// A text that may be left out.
pub fn option<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches.get_one::<String>(name).map(String::as_str)
}
