//! Words and flags that the command line reserves.
//!
//! Others, such as the flags of `install` or the command `doctor`, yield to the contract at run time.
//! These do not, because hosts start servers with them and scripts rely on them.

use super::arguments;
use crate::diagnostics::{Findings, Place, code};
use crate::model::Tool;
use crate::names;
use crate::parse::Node;
use crate::resolve::{Draft, ToolDraft};

/// First words of every surface.
const FIRST_WORDS: [&str; 2] = ["mcp", "settings"];
/// A word of every command with subcommands.
const HELP: &str = "help";
/// Flags of every tool command.
const TOOL_COMMAND_FLAGS: [&str; 3] = ["help", "json", "json-args"];
/// Flags of the server.
const SERVER_FLAGS: [&str; 4] = ["version", "specs", "http", "mock"];
/// Prefixes of more flags of the server.
const SERVER_PREFIXES: [&str; 2] = ["http-", "mock-"];

/// Checks the words and flags of all tools and settings.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        command(tool, source, out);
        // A borrowed input is checked where it is defined.
        if let (Some(input), false) = (source.input, source.borrowed_input) {
            inputs(draft, tool, input, out);
        }
    }
    for (key, setting) in &draft.contract.settings {
        let key = key.replace('~', "~0").replace('/', "~1");
        let place = super::in_surface(draft, &format!("/settings/{key}/flag"));
        server_flag(setting.flag.as_deref(), place, out);
    }
    let flag = draft.contract.config.as_ref().map(|config| config.flag.as_str());
    server_flag(flag, super::in_surface(draft, "/config/flag"), out);
}

fn command(tool: &Tool, source: &ToolDraft<'_>, out: &mut Findings) {
    for (index, word) in tool.command.iter().enumerate() {
        let first = index == 0 && FIRST_WORDS.contains(&word.as_str());
        let flag = word.strip_prefix("--").is_some_and(|flag| TOOL_COMMAND_FLAGS.contains(&flag));
        if first || flag || word == HELP {
            let place = match source.doc.root.entry("command") {
                Some(_) => source.locate(&format!("/command/{index}")),
                None => source.place(),
            };
            taken(word, place, "give the tool another `command`", out);
        }
    }
}

fn inputs(draft: &Draft<'_>, tool: &Tool, input: &Node, out: &mut Findings) {
    let chooses = flags_of_command(draft, tool);
    for name in arguments::properties(tool) {
        let flag = names::argument_flag(name);
        if TOOL_COMMAND_FLAGS.contains(&flag.as_str()) || chooses.contains(&flag.as_str()) {
            let place = input.locate(&format!("/properties/{name}"));
            taken(&format!("--{flag}"), place, "give the argument another name", out);
        }
    }
}

/// Flags that choose between the tools of one command.
fn flags_of_command<'d>(draft: &'d Draft<'_>, tool: &Tool) -> Vec<&'d str> {
    let words = |tool: &Tool| -> Vec<String> {
        let plain = |word: &&String| !word.starts_with("--") && !word.starts_with('$');
        tool.command.iter().filter(plain).cloned().collect()
    };
    let own = words(tool);
    let together = draft.contract.tools.iter().filter(|other| words(other) == own);
    together.filter_map(|other| other.command.last()?.strip_prefix("--")).collect()
}

fn server_flag(flag: Option<&str>, place: Place, out: &mut Findings) {
    let Some(flag) = flag else { return };
    let name = flag.trim_start_matches('-');
    let served = SERVER_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    if served || SERVER_FLAGS.contains(&name) || TOOL_COMMAND_FLAGS.contains(&name) {
        taken(flag, place, "choose another `flag`", out);
    }
}

fn taken(word: &str, place: Place, help: &str, out: &mut Findings) {
    out.add(code::TAKEN_WORD, place, format!("`{word}` is reserved by the command line"))
        .help(help);
}
