//! `toolwright tour`: the main job of every surface, told through a real client and a real server.
//!
//! Each chapter starts this very binary as a server over stdio in a temporary folder, talks to it
//! as a host would, and prints what was asked and what came back.

mod agentpack;
mod session;
mod wa;
mod wink;
mod worldforge;
mod yarnnn;

use std::process::ExitCode;

use session::{Error, Stage};
use toolwright_commands::terminal;

/// A chapter: name, what the product is for, its story.
type Chapter = (&'static str, &'static str, fn(&mut Stage) -> Result<(), Error>);

const CHAPTERS: &[Chapter] = &[
    (
        "agentpack",
        "one config repo of instructions, skills, prompts and commands for four assistants",
        agentpack::tell,
    ),
    ("wa", "terminal panes, watched and driven under a policy", wa::tell),
    ("wink", "prompt overrides for weakincentives, edited one section at a time", wink::tell),
    ("worldforge", "story worlds with canon, continuity and prompt packs", worldforge::tell),
    ("yarnnn", "governed memory: captured by assistants, approved by people", yarnnn::tell),
];

/// Tells every chapter.
pub(super) fn run() -> ExitCode {
    for (surface, purpose, tell) in CHAPTERS {
        terminal::line(&format!("\n{surface}: {purpose}"));
        if let Err(trouble) = Stage::open(surface).and_then(|mut stage| tell(&mut stage)) {
            terminal::talk(&format!("error: the chapter `{surface}` broke off: {trouble}"));
            return ExitCode::FAILURE;
        }
    }
    terminal::line("\nEvery step ran against a real server over stdio. Register one: README.md");
    ExitCode::SUCCESS
}
