//! Measures the servers side by side and holds the ratios against their bars.
//!
//! Absolute times say more about the machine than about the server, so a bar is always a ratio of
//! two figures of the same run. Noisy figures are taken several times, in turns, and the best one
//! counts: noise only ever adds.

mod agentpack;
mod calls;
mod server;
mod start;
mod stats;
mod table;
mod wa;
mod wink_list;
mod wink_write;
mod worldforge;
mod yarnnn;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use server::Program;
use table::Table;

/// What is fallible here; a benchmark that cannot run says why and stops.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How much is measured.
struct Plan {
    /// Repetitions of each figure.
    rounds: usize,
    /// Calls one after the other.
    sequential: usize,
    /// Calls with many outstanding; a tenth of it for the slow server.
    pipelined: usize,
    /// Starts.
    starts: usize,
    /// Override files in the store.
    files: usize,
    /// Writes into the large file.
    writes: usize,
    /// Modules of the config repo.
    modules: usize,
    /// Terminal output that rules look at.
    output_bytes: usize,
    /// Captured lines that are searched.
    lines: usize,
    /// Bytes that a pane prints at once.
    flood_bytes: usize,
    /// Panes that do nothing.
    idle_panes: usize,
    /// How long they are watched.
    idle_time: Duration,
    /// Baskets that a session is compared with.
    baskets: usize,
    /// Blocks of a large memory.
    blocks: usize,
    /// Blocks of the memory behind HTTP.
    http_blocks: usize,
    /// Calls of all HTTP clients together.
    http_calls: usize,
    /// Nodes of a large story.
    nodes: usize,
    /// Entities of a large world.
    entities: usize,
}

const FULL: Plan = Plan {
    rounds: 5,
    sequential: 20_000,
    pipelined: 100_000,
    starts: 30,
    files: 10_000,
    writes: 30,
    modules: 192,
    output_bytes: 100_000_000,
    lines: 1_000_000,
    flood_bytes: 50 << 20,
    idle_panes: 50,
    idle_time: Duration::from_secs(20),
    baskets: 10_000,
    blocks: 1_000_000,
    http_blocks: 10_000,
    http_calls: 40_000,
    nodes: 10_000,
    entities: 100_000,
};
const QUICK: Plan = Plan {
    rounds: 1,
    sequential: 500,
    pipelined: 5_000,
    starts: 3,
    files: 300,
    writes: 3,
    modules: 8,
    output_bytes: 10_000_000,
    lines: 20_000,
    flood_bytes: 2 << 20,
    idle_panes: 5,
    idle_time: Duration::from_secs(2),
    baskets: 500,
    blocks: 5_000,
    http_blocks: 1_000,
    http_calls: 1_280,
    nodes: 500,
    entities: 2_000,
};

/// The servers, by their place on the command line.
struct Programs {
    ours: Program,
    floor: Program,
    macros: Program,
    agentpack: PathBuf,
    wa: PathBuf,
    wink: PathBuf,
    yarnnn: PathBuf,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool> {
    let mut quick = false;
    let mut json = false;
    let mut only = None;
    let mut folder = PathBuf::from("target/release");
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => quick = true,
            "--json" => json = true,
            "--only" => only = arguments.next(),
            "--programs" => folder = arguments.next().ok_or("--programs needs a folder")?.into(),
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    let plan = if quick { QUICK } else { FULL };
    let programs = Programs {
        ours: Program::new("ours", folder.join("echo-server")),
        floor: Program::new("floor", folder.join("bench-floor")),
        macros: Program::new("macros", folder.join("bench-rmcp-macros")),
        agentpack: folder.join("agentpack"),
        wa: folder.join("wa"),
        wink: folder.join("wink"),
        yarnnn: folder.join("yarnnn"),
    };
    let mut table = Table::default();
    let chosen = |part: &str| only.as_deref().is_none_or(|only| only == part);
    if chosen("agentpack") {
        agentpack::measure(&plan, &programs, &mut table)?;
    }
    if chosen("wa") {
        wa::measure(&plan, &programs, &mut table)?;
    }
    if chosen("worldforge") {
        worldforge::measure(&plan, &mut table)?;
    }
    if chosen("yarnnn") {
        yarnnn::measure(&plan, &programs, &mut table)?;
    }
    let pinned = pin();
    if chosen("calls") {
        calls::measure(&plan, &programs, &mut table)?;
    }
    if chosen("start") {
        start::measure(&plan, &programs, &mut table)?;
    }
    if chosen("list") {
        wink_list::measure(&plan, &programs, &mut table)?;
    }
    if chosen("write") {
        wink_write::measure(&plan, &programs, &mut table)?;
    }
    table.print(json, pinned);
    Ok(table.all_met())
}

/// Puts this process and the servers it starts on one core: between two cores the wake-ups cost
/// more than what is measured. Without it figures scatter, and the table says so.
#[cfg(target_os = "linux")]
fn pin() -> bool {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(allowed) = sched_getaffinity(None) else { return false };
    let Some(core) = (0..CpuSet::MAX_CPU).rev().find(|core| allowed.is_set(*core)) else {
        return false;
    };
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn pin() -> bool {
    false
}
