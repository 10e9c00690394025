//! Questions to the user of a tool command: at the terminal, or answered beforehand with `--yes`.
//!
//! Only a guard that must ask does so here. Every other question is for clients: who types a command
//! has decided, and scripts go on as they did.

use std::future::{Future, ready};
use std::io::{BufRead as _, IsTerminal as _};
use std::pin::Pin;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};
use toolwright_runtime::Call;
use toolwright_runtime::ask::{AskOutcome, Asker, Question, Reply};
use toolwright_runtime::contract::ToolInfo;

use super::terminal;

/// Id of the flag; no argument can have it.
const YES: &str = "yes to questions";

/// Adds `--yes` where a tool's guard must ask, unless the tool has an argument of that flag.
pub(super) fn with_flag(command: Command, tool: &'static ToolInfo) -> Command {
    let taken = command.get_arguments().any(|arg| arg.get_long() == Some("yes"));
    if taken || question(tool).is_none() {
        return command;
    }
    command.arg(
        Arg::new(YES)
            .long("yes")
            .action(ArgAction::SetTrue)
            .help("Agree to the question that is otherwise asked at the terminal"),
    )
}

/// Whether the flag is given.
pub(super) fn is_given(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>(YES).ok().flatten() == Some(&true)
}

/// Lets the call ask, where its tool must and no argument stands in for the question.
pub(super) fn at_terminal(call: Call, arguments: &Map<String, Value>, agreed: bool) -> Call {
    let Some(question) = question(call.tool()) else { return call };
    let sent = |name: &str| arguments.get(name) == Some(&Value::Bool(true));
    if question["otherwise"].as_str().is_some_and(sent) {
        return call;
    }
    match agreed || sent("yes") {
        true => call.with_asker(Arc::new(Agreed)),
        false if is_attended() => call.with_asker(Arc::new(AtTerminal)),
        false => call,
    }
}

/// What to do about a call that failed with this kind, where nobody could be asked.
pub(super) fn advice(tool: &'static ToolInfo, kind: Option<&str>) -> Option<&'static str> {
    let unasked = question(tool)?["refuses"].as_str() == kind && !is_attended();
    unasked.then_some("nobody could be asked: run the command at a terminal, or add --yes")
}

/// The parameters of the guard that must ask.
fn question(tool: &'static ToolInfo) -> Option<Value> {
    let params = tool.guards.iter().filter(|guard| guard.name == "ask").map(|guard| guard.params);
    let mut params = params.filter_map(|text| serde_json::from_str::<Value>(text).ok());
    params.find(|params| params["optional"] != true)
}

fn is_attended() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Answered beforehand.
struct Agreed;

impl Asker for Agreed {
    fn ask<'a>(
        &'a self,
        _: &'a Question,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>> {
        Box::pin(ready(AskOutcome::Answered(Reply::Yes)))
    }
}

/// Asks and waits for a line. Anything but `y` and `yes` is a no.
struct AtTerminal;

impl Asker for AtTerminal {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>> {
        terminal::prompt(&format!("{} [y/N] ", question.message));
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let line = line.trim().to_ascii_lowercase();
        let yes = read.is_ok() && (line == "y" || line == "yes");
        Box::pin(ready(AskOutcome::Answered(if yes { Reply::Yes } else { Reply::No })))
    }
}
