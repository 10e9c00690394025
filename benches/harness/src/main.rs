//! Measures the servers side by side and holds the ratios against their bars.
//!
//! Absolute times say more about the machine than about the server, so a bar is always a ratio of
//! two figures of the same run. Noisy figures are taken several times, in turns, and the best one
//! counts: noise only ever adds.

mod agentpack;
mod builds;
mod call_text;
mod calls;
mod folder;
mod http;
mod options;
mod overhead;
mod payload;
mod plan;
mod program;
mod programs;
mod server;
mod start;
mod stats;
mod surfaces;
mod table;
mod tools;
mod interleaved;
mod wa;
mod web;
mod wink_list;
mod wink_write;
mod worldforge;
mod yarnnn;

use std::process::ExitCode;

use options::Options;
use plan::Plan;
use programs::Programs;
use table::Table;

/// What is fallible here; a benchmark that cannot run says why and stops.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Exit statuses beside success.
const MISSED: u8 = 1;
const UNMEASURED: u8 = 2;

fn main() -> ExitCode {
    let done = Options::parse(std::env::args().skip(1)).and_then(|options| {
        if let Some(port) = options.load {
            http::load(port)?;
            return Ok(Table::default());
        }
        let table = match &options.from {
            Some(file) => serde_json::from_slice(&std::fs::read(file)?)?,
            None => measure(&options)?,
        };
        options.output(&table)?;
        Ok(table)
    });
    match done {
        Ok(table) if !table.all_met() => ExitCode::from(MISSED),
        Ok(table) if !table.missing.is_empty() => ExitCode::from(UNMEASURED),
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(UNMEASURED)
        }
    }
}

fn measure(options: &Options) -> Result<Table> {
    let plan = if options.quick { plan::QUICK } else { plan::FULL };
    let absolute = std::path::absolute;
    let programs = Programs::find(&absolute(&options.programs)?, &absolute(&options.peers)?);
    let mut table = Table::default();
    table.quick = options.quick;
    table.only = options.only.clone();
    table.cores = std::thread::available_parallelism()?.get();
    table.versions = programs::versions(&options.peers);
    table.missing = programs.missing();
    for missing in &table.missing {
        eprintln!("MISSING: {missing}");
    }
    // On all cores: engines that use them, and builds.
    let wide = match options.chosen("builds", plan.builds) {
        true => Some(builds::measure(&plan, &programs, options.base.as_deref(), &mut table)?),
        false => None,
    };
    if options.chosen("agentpack", true) {
        agentpack::measure(&plan, &programs, &mut table)?;
    }
    if options.chosen("wa", true) {
        wa::measure(&plan, &programs, &mut table)?;
    }
    if options.chosen("worldforge", true) {
        worldforge::measure(&plan, &mut table)?;
    }
    if options.chosen("yarnnn", true) {
        yarnnn::measure(&plan, &programs, &mut table)?;
    }
    table.pinned = pin();
    if let Some(wide) = wide {
        wide.measure(&plan, &mut table)?;
    }
    let parts: [(&str, Part); 8] = [
        ("calls", calls::measure),
        ("payload", payload::measure),
        ("http", http::measure),
        ("tools", tools::measure),
        ("tools", overhead::measure),
        ("start", start::measure),
        ("list", wink_list::measure),
        ("write", wink_write::measure),
    ];
    for (name, part) in parts {
        if options.chosen(name, true) {
            part(&plan, &programs, &mut table)?;
        }
    }
    Ok(table)
}

type Part = fn(&Plan, &Programs, &mut Table) -> Result<()>;

/// Puts this process and the servers it starts on one core: between two cores the wake-ups cost
/// more than what is measured. Without it figures scatter, and the table says so.
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
