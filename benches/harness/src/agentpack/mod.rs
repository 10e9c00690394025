//! A large config repo, planned and applied, against reading and writing the same files bare, and
//! planned by upstream's program.
//!
//! Runs on all cores: reading and hashing in parallel is part of what is measured.

mod repo;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::plan::sizes;
use crate::program::Program;
use crate::server::{Server, Streams};
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table, UPSTREAM};
use crate::{Plan, Programs, Result};
use repo::{FILE_BYTES, FILES_PER_SKILL, config_repo, deployed, hash_all, write_bare};

/// MiB that a server may take beyond three times its largest module.
const MEMORY: f64 = 64.0;
/// What a deployment leaves behind.
const FOLDERS: [&str; 6] =
    [".codex", ".claude", ".agentpack/state", "project/.cursor", "project/.github", "bare"];

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("agentpack");
    for modules in sizes(plan.modules) {
        measure_repo(modules, plan, programs, table)?;
    }
    Ok(())
}

fn measure_repo(modules: usize, plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let sandbox = Folder::new("agentpack")?;
    let home = sandbox.path.join("home");
    config_repo(&home.join(".agentpack/repo"), modules)?;
    fs::create_dir_all(home.join("project/.git"))?;
    let program = Program::agentpack(&programs.agentpack, &home);
    let bar = |limit: f64| (modules == plan.modules).then_some(Bar::AtMost(limit));

    let (mut applies, mut bare_writes) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds.min(3) {
        let (apply, bare) = apply(&program, &home)?;
        applies.push(apply);
        bare_writes.push(bare);
    }
    // The deployed files alone: a plan reads the sources on top of them.
    let files = deployed(&home);
    let mut server = Server::open(&program, Streams::Pipes)?;
    let mut upstream = match &programs.upstream {
        Some(path) => {
            let program = Program::agentpack(path, &home).named(UPSTREAM);
            let program = program.arguments(&["mcp", "serve"]).at(&home.join("project"));
            Some(Server::open(&program, Streams::Pipes)?)
        }
        None => None,
    };
    let (mut plans, mut passes, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        passes.push(timed(|| hash_all(&files))?.0 / 1_000.0);
        plans.push(up_to_date(&mut server)?);
        if let Some(upstream) = &mut upstream {
            theirs.push(up_to_date(upstream)?);
        }
    }
    let best = |times: Vec<f64>| (!times.is_empty()).then(|| least(times));
    let row = Row::new("plan, nothing to do", "ms", least(plans)).floor(least(passes), bar(2.0));
    table.add(row.peer(UPSTREAM, best(theirs), None).at(files.len(), "files"));
    let row = Row::new("apply, all new", "ms", least(applies)).floor(least(bare_writes), bar(4.0));
    table.add(row.at(files.len(), "files"));
    let ours = commands(&programs.agentpack, plan.rounds, &home)?;
    let theirs = match &programs.upstream {
        Some(path) => Some(commands(path, plan.rounds, &home)?),
        None => None,
    };
    let row = Row::new("command `plan --json`", "ms", ours).peer(UPSTREAM, theirs, None);
    table.add(row.at(files.len(), "files"));
    if let Some(resident) = server.resident() {
        let module = (FILES_PER_SKILL * FILE_BYTES) as f64 / (1 << 20) as f64;
        let row = Row::new("resident memory after plans", "MiB", resident);
        table.add(row.limit(MEMORY + 3.0 * module).at(files.len(), "files"));
    }
    Ok(())
}

/// Milliseconds of a first deployment, and of writing the same files bare.
fn apply(program: &Program, home: &Path) -> Result<(f64, f64)> {
    for folder in FOLDERS {
        let _ = fs::remove_dir_all(home.join(folder));
    }
    let mut server = Server::open(program, Streams::Pipes)?;
    let reviewed = server.call("deploy", json!({}))?;
    let token = reviewed["data"]["confirm_token"].clone();
    let arguments = json!({"yes": true, "confirm_token": token});
    let (time, applied) = timed(|| server.call("deploy_apply", arguments))?;
    if applied["data"]["applied"] != true {
        return Err(format!("nothing was applied: {applied}").into());
    }
    let (bare, ()) = timed(|| write_bare(&deployed(home), &home.join("bare")))?;
    Ok((time / 1_000.0, bare / 1_000.0))
}

/// Milliseconds of a plan that finds nothing to do.
fn up_to_date(server: &mut Server) -> Result<f64> {
    let (time, answer) = timed(|| server.call("plan", json!({})))?;
    if answer["data"]["changes"] != Value::Array(Vec::new()) {
        return Err(format!("the tree is not up to date: {answer}").into());
    }
    Ok(time / 1_000.0)
}

/// Milliseconds of the same by a process of its own.
fn commands(path: &Path, rounds: usize, home: &Path) -> Result<f64> {
    let program = Program::agentpack(path, home).arguments(&["plan", "--json"]);
    let program = program.at(&home.join("project"));
    let mut times = Vec::new();
    for _ in 0..rounds {
        let (time, output) = timed(|| Command::output(&mut program.command()))?;
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        if answer["data"]["changes"] != Value::Array(Vec::new()) {
            return Err(format!("the tree is not up to date: {answer}").into());
        }
        times.push(time / 1_000.0);
    }
    Ok(least(times))
}
