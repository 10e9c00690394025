//! `toolwright tour`: the main job of every surface, told through a real client and a real server.
//!
//! Each chapter starts this very binary as a server over stdio in a temporary folder, talks to it
//! as a host would, and prints what was asked and what came back.

#[cfg(feature = "agentpack")]
mod agentpack;
mod stage;
#[cfg(feature = "wa")]
mod wa;
#[cfg(feature = "wink")]
mod wink;
#[cfg(feature = "worldforge")]
mod worldforge;
#[cfg(feature = "yarnnn")]
mod yarnnn;

use std::process::ExitCode;

use stage::{Stage, Trouble};
use toolwright_commands::terminal;

/// A chapter: name, what the product is for, its story.
type Chapter = (&'static str, &'static str, fn(&mut Stage) -> Result<(), Trouble>);

const CHAPTERS: &[Chapter] = &[
    #[cfg(feature = "agentpack")]
    (
        "agentpack",
        "one config repo of instructions, skills, prompts and commands for four assistants",
        agentpack::tell,
    ),
    #[cfg(feature = "wa")]
    ("wa", "terminal panes, watched and driven under a policy", wa::tell),
    #[cfg(feature = "wink")]
    ("wink", "prompt overrides for weakincentives, edited one section at a time", wink::tell),
    #[cfg(feature = "worldforge")]
    ("worldforge", "story worlds with canon, continuity and prompt packs", worldforge::tell),
    #[cfg(feature = "yarnnn")]
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
