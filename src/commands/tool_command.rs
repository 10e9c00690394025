//! Tool commands: the command-line form of the tools. They return the same answers as to a client.
//!
//! Tools whose commands differ only in a flag share one command: `agentpack deploy` and
//! `agentpack deploy --apply` are two tools.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo, argument_flag};
use toolwright_runtime::dispatch::Answer;
use toolwright_runtime::{Outcome, logging};

use super::entry::SurfaceEntry;
use super::serve::Opened;
use super::{USAGE, arguments, consent, human_output, serve, terminal};

// Ids that no argument and no setting can have.
const JSON: &str = "json answer";
const JSON_ARGUMENTS: &str = "json arguments";

/// One command and the tools that it can call.
pub(super) struct ToolCommand {
    words: Vec<&'static str>,
    /// Index of the tool, and the flag that selects it.
    tools: Vec<(usize, Option<&'static str>)>,
}

/// All commands of a surface.
pub(super) fn all(surface: &'static SurfaceInfo) -> Vec<ToolCommand> {
    let mut commands: Vec<ToolCommand> = Vec::new();
    for (index, tool) in surface.tools.iter().enumerate() {
        let plain = |word: &&&'static str| !word.starts_with("--") && !word.starts_with('$');
        let words: Vec<&'static str> = tool.command.iter().filter(plain).copied().collect();
        let flag = tool.command.last().filter(|word| word.starts_with("--")).copied();
        match commands.iter_mut().find(|known| known.words == words) {
            Some(known) => known.tools.push((index, flag)),
            None => commands.push(ToolCommand { words, tools: vec![(index, flag)] }),
        }
    }
    commands
}

impl ToolCommand {
    /// A command for a single tool.
    pub(super) fn of(tool: usize) -> Self {
        Self { words: Vec::new(), tools: vec![(tool, None)] }
    }

    /// The words of the command.
    pub(super) fn words(&self) -> &[&'static str] {
        &self.words
    }

    /// The clap command, with the flags of all its tools.
    pub(super) fn command(&self, entry: &SurfaceEntry) -> Command {
        let surface = entry.info;
        let mut command = Command::new("tool")
            .arg(
                Arg::new(JSON)
                    .long("json")
                    .action(ArgAction::SetTrue)
                    .help("Print the answer as JSON, on one line"),
            )
            .arg(Arg::new(JSON_ARGUMENTS).long("json-args").value_name("ARGUMENTS").help(
                "All arguments as one JSON object; single flags override it. \
                 @FILE and @- read a file or standard input",
            ));
        let mut known: Vec<String> = Vec::new();
        for (index, flag) in &self.tools {
            let Some(tool) = surface.tools.get(*index).copied() else { continue };
            command = match flag {
                Some(flag) => command.arg(
                    Arg::new(*flag)
                        .long(flag.trim_start_matches('-'))
                        .action(ArgAction::SetTrue)
                        .help(tool.title),
                ),
                None => command.about(tool.title).long_about(tool.description),
            };
            for arg in arguments::tool_flags(entry, tool) {
                let id = arg.get_id().to_string();
                if !known.contains(&id) {
                    known.push(id);
                    command = command.arg(arg);
                }
            }
            command = consent::with_flag(command, tool);
        }
        command
    }

    /// Calls the selected tool and prints its answer. `shared` are arguments before the command.
    pub(super) fn run(
        &self,
        entry: &SurfaceEntry,
        shared: Map<String, Value>,
        matches: &ArgMatches,
    ) -> ExitCode {
        let chosen = self
            .tools
            .iter()
            .find(|(_, flag)| flag.is_some_and(|flag| matches.get_flag(flag)))
            .or_else(|| self.tools.iter().find(|(_, flag)| flag.is_none()))
            .map(|(index, _)| *index);
        let Some(tool) = chosen else {
            return usage("missing a flag that selects the tool; see --help");
        };
        let Some(info) = entry.info.tools.get(tool).copied() else { return ExitCode::from(USAGE) };
        let names = arguments::names(info);
        let foreign =
            shared.keys().find(|name| !names.contains(name)).map(|name| argument_flag(name));
        if let Some(foreign) = foreign.or_else(|| self.foreign(entry.info, info, matches)) {
            return usage(&format!("`--{foreign}` is not a flag of `{}`", info.command.join(" ")));
        }
        let arguments = match collect(info, shared, matches) {
            Ok(arguments) => arguments,
            Err(problem) => return usage(&problem),
        };
        let opened = match serve::open(entry, matches, info) {
            Ok(opened) => opened,
            Err(exit) => return exit,
        };
        let agreed = consent::is_given(matches);
        let outcome = serve::block_on(call(&opened, tool, arguments, agreed));
        logging::flush();
        let as_json = matches.get_flag(JSON);
        let Some(outcome) = outcome else { return ExitCode::FAILURE };
        let kind = match &outcome {
            Outcome::Answer(answer) => answer.kind,
            Outcome::Protocol(error) => Some(error.kind),
            Outcome::NeedsInput(_) => None,
        };
        let exit = print(outcome, entry, info, as_json);
        if let Some(advice) = consent::advice(info, kind) {
            terminal::message(&format!("hint: {advice}"));
        }
        ExitCode::from(exit)
    }

    /// A given flag that belongs to another tool of the same command.
    fn foreign(
        &self,
        surface: &'static SurfaceInfo,
        chosen: &'static ToolInfo,
        matches: &ArgMatches,
    ) -> Option<String> {
        let own = arguments::names(chosen);
        self.tools
            .iter()
            .filter_map(|(index, _)| surface.tools.get(*index).copied())
            .flat_map(arguments::names)
            .find(|name| !own.contains(name) && arguments::is_given(matches, name))
            .map(|name| argument_flag(&name))
    }
}

/// Adds `leaf` to `root` at the given words.
pub(super) fn add(root: Command, words: &[&'static str], leaf: Command) -> Command {
    match words {
        [] => root,
        [last] => root.subcommand(leaf.name(*last)),
        [first, rest @ ..] => {
            let root = if root.find_subcommand(first).is_some() {
                root
            } else {
                root.subcommand(
                    Command::new(*first)
                        .about("Call a tool and print its answer")
                        .subcommand_required(true)
                        .arg_required_else_help(true),
                )
            };
            root.mut_subcommand(first, |inner| add(inner, rest, leaf))
        }
    }
}

/// Calls a tool. If the tool needs a token of another tool and none is given, calls that tool first: at
/// a terminal the user is also the reviewer.
async fn call(
    opened: &Opened,
    tool: usize,
    mut arguments: Map<String, Value>,
    agreed: bool,
) -> Outcome {
    let surface = opened.surface.info();
    if let Some((issuer, field)) = wanted_token(surface, surface.tools[tool], &arguments) {
        let names = arguments::names(surface.tools[issuer]);
        let shared = arguments.iter().filter(|(name, _)| names.contains(name));
        let shared = shared.map(|(name, value)| (name.clone(), value.clone())).collect();
        let reviewed = dispatch(opened, issuer, &shared, false).await;
        match &reviewed {
            Outcome::Answer(answer) if !answer.is_error => {
                let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
                if let Some(token) = find(&body, &field) {
                    arguments.insert(field, token.clone());
                }
            }
            _ => return reviewed,
        }
    }
    dispatch(opened, tool, &arguments, agreed).await
}

async fn dispatch(
    opened: &Opened,
    tool: usize,
    arguments: &Map<String, Value>,
    agreed: bool,
) -> Outcome {
    let call = consent::at_terminal(opened.call(tool), arguments, agreed);
    let raw =
        serde_json::value::to_raw_value(arguments).unwrap_or_else(|_| RawValue::NULL.to_owned());
    let followed = opened.trail.as_ref().map(|trail| trail.follow(&call));
    let outcome = opened.surface.dispatch(tool, &call, &raw).await;
    if let Some(followed) = followed {
        followed.end(&outcome);
    }
    outcome
}

/// The tool that issues the token, and the argument that carries it.
fn wanted_token(
    surface: &'static SurfaceInfo,
    tool: &'static ToolInfo,
    arguments: &Map<String, Value>,
) -> Option<(usize, String)> {
    let guard = tool.guards.iter().find(|guard| guard.name == "two_stage")?;
    let params: Value = serde_json::from_str(guard.params).ok()?;
    let field = params["field"].as_str()?;
    let issuer = surface.tools.iter().position(|tool| params["issuer"] == tool.name)?;
    (!arguments.contains_key(field)).then(|| (issuer, field.to_owned()))
}

fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => {
            members.get(name).or_else(|| members.values().find_map(|member| find(member, name)))
        }
        _ => None,
    }
}

fn collect(
    tool: &'static ToolInfo,
    shared: Map<String, Value>,
    matches: &ArgMatches,
) -> Result<Map<String, Value>, String> {
    let mut all = shared;
    if let Some(text) = matches.get_one::<String>(JSON_ARGUMENTS) {
        all.append(&mut arguments::json_object(text)?);
    }
    all.append(&mut arguments::tool_arguments(tool, matches).map_err(|error| error.to_string())?);
    Ok(all)
}

/// Prints the answer to standard output, also a failed one; other outcomes go to standard error.
fn print(outcome: Outcome, entry: &SurfaceEntry, tool: &'static ToolInfo, as_json: bool) -> u8 {
    match outcome {
        Outcome::Answer(answer) => {
            let words = if as_json { None } else { human_text(&answer, entry, tool) };
            terminal::line(words.as_deref().unwrap_or(&answer.body));
            if answer.is_error { answer.exit.max(1) } else { 0 }
        }
        Outcome::Protocol(error) => {
            terminal::message(&format!("error: {}", error.message));
            error.exit.max(1)
        }
        Outcome::NeedsInput(question) => {
            terminal::message(&format!(
                "error: the tool asks a question first: {}",
                question.message
            ));
            1
        }
    }
}

/// The surface's own text, or generic lines and tables on a terminal. `None` leaves the answer as
/// JSON.
fn human_text(answer: &Answer, entry: &SurfaceEntry, tool: &'static ToolInfo) -> Option<String> {
    let body: Value = serde_json::from_str(&answer.body).ok()?;
    let own = entry.human.and_then(|human| human(tool, &body, terminal::is_colourful()));
    let generic = || human_output::render(entry.info, &body, answer.is_error);
    own.or_else(|| (entry.human.is_none() && terminal::is_terminal()).then(generic))
}

fn usage(problem: &str) -> ExitCode {
    terminal::message(&format!("error: {problem}"));
    ExitCode::from(USAGE)
}
