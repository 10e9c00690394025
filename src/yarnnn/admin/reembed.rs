//! `yarnnn reembed`: moves vectors to the model of the configured embedder.

use clap::{Arg, ArgMatches, Command};

use super::super::engine::{Engine, Error, Progress};
use super::super::extract::pluralise;
use super::{CommandResult, option};
use toolwright_commands::terminal;

/// Characters of the bar.
const WIDTH: u64 = 30;

pub(super) fn arguments(command: Command) -> Command {
    command.arg(
        Arg::new("workspace")
            .long("workspace")
            .short('w')
            .value_name("NAME")
            .help("Name or id of the workspace [default: all of them]"),
    )
}

pub(super) fn run(engine: &Engine, given: &ArgMatches) -> CommandResult {
    let workspaces = match option(given, "workspace") {
        Some(name) => vec![engine.workspace(Some(name))?],
        None => engine.workspaces()?,
    };
    let model = engine.embedder().model().ok_or(Error::NoEmbedder)?.to_owned();
    for workspace in workspaces {
        let name = &workspace.name;
        let mut bar = terminal::Status::default();
        let moved = engine.reembed(&workspace, &mut |progress| {
            bar.show(&format!("{name} {}", line(progress)));
        });
        bar.clear();
        let Progress { done, moved, .. } = moved?;
        let left = match done - moved {
            0 => String::new(),
            left => format!("; {left} without words stay as they are"),
        };
        let vectors = pluralise(moved as usize, "vector");
        terminal::line(&format!("{name}: {vectors} moved to {model}{left}"));
    }
    Ok(0)
}

/// The bar and the numbers.
fn line(progress: Progress) -> String {
    let Progress { done, all, .. } = progress;
    let full = (done * WIDTH).checked_div(all).unwrap_or(WIDTH) as usize;
    format!("[{}{}] {done} of {all}", "#".repeat(full), ".".repeat(WIDTH as usize - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_as_the_move_goes_on() {
        let at = |done, all| line(Progress { done, moved: 0, all });
        assert_eq!(at(0, 40), format!("[{}] 0 of 40", ".".repeat(30)));
        assert_eq!(at(20, 40), format!("[{}{}] 20 of 40", "#".repeat(15), ".".repeat(15)));
        assert_eq!(at(0, 0), format!("[{}] 0 of 0", "#".repeat(30)));
    }
}
