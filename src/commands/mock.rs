//! The `--mock*` flags of `mcp`, and the one for `doctor`. They are not settings of a surface: every surface
//! has them.

use clap::{Arg, ArgAction, ArgMatches};

use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::mock::Mock;

const MOCK: &str = "mock";
const ERROR: &str = "mock-error";
const EXAMPLE: &str = "mock-example";

/// Answers the handshake without a store. A server that does not know the flag does not start, and so
/// opens nothing either.
pub(super) const HANDSHAKE_ONLY: &str = "handshake-only";

/// The flags.
pub fn flags() -> [Arg; 4] {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).help_heading("Mock")
    };
    let choice = |name, value, help| flag(name, help).value_name(value).action(ArgAction::Append);
    [
        flag(MOCK, "Answer from the contract's examples; nothing is read or changed")
            .action(ArgAction::SetTrue),
        choice(
            ERROR,
            "TOOL=KIND",
            "With --mock: make calls of the tool fail with this error; `*` means every tool that declares it",
        ),
        choice(
            EXAMPLE,
            "TOOL=NAME",
            "With --mock: make calls of the tool answer with this example",
        ),
        flag(HANDSHAKE_ONLY, "Answer the handshake and list tools, without a store")
            .action(ArgAction::SetTrue)
            .hide(true),
    ]
}

/// Whether `--mock` is given.
pub fn is_asked_for(matches: &ArgMatches) -> bool {
    matches.get_flag(MOCK)
}

/// Whether only a handshake is wanted.
pub(super) fn is_handshake_only(matches: &ArgMatches) -> bool {
    matches.get_flag(HANDSHAKE_ONLY)
}

/// Reads the flags; `None` serves the surface itself.
pub(super) fn read(
    matches: &ArgMatches,
    info: &'static SurfaceInfo,
) -> Result<Option<Mock>, String> {
    let choices =
        |name: &str| -> Vec<&String> { matches.get_many(name).into_iter().flatten().collect() };
    let (mut errors, examples) = (choices(ERROR), choices(EXAMPLE));
    if !is_asked_for(matches) {
        return match errors.is_empty() && examples.is_empty() {
            true => Ok(None),
            false => Err(format!("--{ERROR} and --{EXAMPLE} apply only to a mock: add --{MOCK}")),
        };
    }
    // Choices for single tools take precedence over `*`.
    errors.sort_by_key(|choice| choice.starts_with("*="));
    let mut mock = Mock::new(info);
    for choice in examples {
        let (tool, name) = parts(EXAMPLE, choice)?;
        mock = mock.showing(tool, name).map_err(|why| format!("--{EXAMPLE} {choice}: {why}"))?;
    }
    for choice in errors {
        let (tool, kind) = parts(ERROR, choice)?;
        mock = mock.failing(tool, kind).map_err(|why| format!("--{ERROR} {choice}: {why}"))?;
    }
    Ok(Some(mock))
}

fn parts<'c>(flag: &str, choice: &'c str) -> Result<(&'c str, &'c str), String> {
    choice.split_once('=').ok_or_else(|| format!("--{flag} {choice}: expected TOOL=VALUE"))
}
