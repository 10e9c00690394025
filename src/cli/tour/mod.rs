//! `toolwright tour`: the main use of every surface, shown with a real client and a real server.
//!
//! Each chapter starts this binary as a server over stdio in a temporary folder, calls it as a host
//! would, and prints the calls and answers.

mod agentpack;
mod session;
mod wa;
mod wink;
mod worldforge;
mod yarnnn;

use std::process::ExitCode;

use session::{Error, TourSession};
use toolwright_commands::terminal;

/// A chapter: name, purpose of the product, steps.
type Chapter = (&'static str, &'static str, fn(&mut TourSession) -> Result<(), Error>);

const CHAPTERS: &[Chapter] = &[
    (
        "agentpack",
        "one config repo of instructions, skills, prompts and commands for four assistants",
        agentpack::run,
    ),
    ("wa", "terminal panes, watched and controlled under a policy", wa::run),
    ("wink", "prompt overrides for weakincentives, edited one section at a time", wink::run),
    ("worldforge", "story worlds with canon, continuity and prompt packs", worldforge::run),
    ("yarnnn", "governed memory: captured by assistants, approved by users", yarnnn::run),
];

/// Runs every chapter.
pub(super) fn run() -> ExitCode {
    for (surface, purpose, run) in CHAPTERS {
        terminal::line(&format!("\n{surface}: {purpose}"));
        if let Err(error) = TourSession::open(surface).and_then(|mut session| run(&mut session)) {
            terminal::message(&format!("error: the chapter `{surface}` failed: {error}"));
            return ExitCode::FAILURE;
        }
    }
    terminal::line("\nEvery step ran against a real server over stdio. Register one: README.md");
    ExitCode::SUCCESS
}
