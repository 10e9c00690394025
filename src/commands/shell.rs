//! Shell completion and man pages.
//!
//! A completion script calls the program itself for every word, so that values which only the surface
//! knows (existing panes or projects) are completed as well.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use super::entry::{Complete, SurfaceEntry};
use super::{USAGE, terminal};
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo};
use toolwright_runtime::settings::{self, Sources};

/// Variable in which the shell that requests completions names itself.
const VARIABLE: &str = "TOOLWRIGHT_COMPLETE";
const COMPLETIONS: &str = "completions";
const MAN: &str = "man";

/// Adds `completions` and `man`, unless the names are taken.
pub fn with_shell_commands(root: Command) -> Command {
    let shells: Vec<&'static str> = Shells::builtins().names().collect();
    let completions = Command::new(COMPLETIONS)
        .about("Print a shell completion script")
        .long_about(
            "Prints a shell completion script. Load it when the shell starts, in bash with \
             `source <(PROGRAM completions bash)` in ~/.bashrc.",
        )
        .arg(Arg::new("shell").required(true).value_parser(shells));
    let man =
        Command::new(MAN).about("Print the man page, or write the man pages of all commands").arg(
            Arg::new("out")
                .long("out")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help("Write the man pages of all commands to this folder"),
        );
    [completions, man].into_iter().fold(root, |root, verb| {
        let taken = root.find_subcommand(verb.get_name()).is_some();
        if taken { root } else { root.subcommand(verb.display_order(900)) }
    })
}

/// Runs `completions` or `man`; `None` for any other command.
pub fn run(name: &str, matches: &ArgMatches, root: impl Fn() -> Command) -> Option<ExitCode> {
    match name {
        COMPLETIONS => Some(print_script(matches, &root())),
        MAN => Some(print_manual(matches, root())),
        _ => None,
    }
}

/// Answers a completion request; `None` if there is none.
pub fn answer(root: impl Fn() -> Command) -> Option<ExitCode> {
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(root).var(VARIABLE);
    match asked.try_complete(std::env::args_os(), here.as_deref()) {
        Ok(true) => Some(ExitCode::SUCCESS),
        Ok(false) => None,
        Err(error) => {
            terminal::message(&format!("error: {VARIABLE}: {error}"));
            Some(ExitCode::from(USAGE))
        }
    }
}

fn print_script(matches: &ArgMatches, root: &Command) -> ExitCode {
    let shell = matches.get_one::<String>("shell").map_or("", String::as_str);
    let shells = Shells::builtins();
    let name = root.get_name();
    let program = std::env::current_exe().map_or_else(|_| name.into(), PathBuf::into_os_string);
    let mut script = Vec::new();
    let written = shells.completer(shell).map(|completer| {
        let program = program.to_string_lossy();
        completer.write_registration(VARIABLE, name, name, &program, &mut script)
    });
    match written {
        Some(Ok(())) => {
            terminal::data(&String::from_utf8_lossy(&script));
            ExitCode::SUCCESS
        }
        _ => ExitCode::from(USAGE),
    }
}

fn print_manual(matches: &ArgMatches, root: Command) -> ExitCode {
    let written = match matches.get_one::<PathBuf>("out") {
        Some(folder) => write_pages(root, folder),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(root)
                .render(&mut page)
                .map(|()| terminal::data(&String::from_utf8_lossy(&page)))
                .map_err(|error| error.to_string())
        }
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            terminal::message(&format!("error: {problem}"));
            ExitCode::from(USAGE)
        }
    }
}

fn write_pages(root: Command, folder: &Path) -> Result<(), String> {
    let named = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(named)?;
    clap_mangen::generate_to(root, folder).map_err(named)
}

/// Adds candidates to the argument: those of its schema, or the current ones of the surface.
pub(super) fn with_values(
    arg: Arg,
    entry: &SurfaceEntry,
    tool: &'static ToolInfo,
    choices: Vec<String>,
) -> Arg {
    if !choices.is_empty() {
        return with_choices(arg, choices);
    }
    let Some(complete) = entry.complete else { return arg };
    let (info, name) = (entry.info, arg.get_id().to_string());
    arg.add(ArgValueCandidates::new(move || values(complete, info, tool, &name)))
}

/// Adds a fixed list of candidates to the argument.
pub(super) fn with_choices(arg: Arg, choices: Vec<String>) -> Arg {
    arg.add(ArgValueCandidates::new(move || {
        choices.iter().map(CompletionCandidate::new).collect::<Vec<_>>()
    }))
}

/// Settings come from file and environment only: other flags of the line are not known here.
fn values(
    complete: Complete,
    info: &'static SurfaceInfo,
    tool: &'static ToolInfo,
    argument: &str,
) -> Vec<CompletionCandidate> {
    let Ok(loaded) = settings::load(info, &Sources::of_process(BTreeMap::new(), None)) else {
        return Vec::new();
    };
    let found = complete(&loaded, tool, argument);
    let candidates = found.into_iter().map(|candidate| {
        let help = (!candidate.help.is_empty()).then(|| candidate.help.into());
        CompletionCandidate::new(candidate.value).help(help)
    });
    candidates.collect()
}
