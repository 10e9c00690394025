//! A large config repo, planned and applied, against reading and writing the same files bare.
//!
//! Runs on all cores: reading and hashing in parallel is part of what is measured.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::server::{Program, Server, Streams};
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::wink_list::Store;
use crate::{Plan, Programs, Result};

/// Files of one skill; each is deployed to two targets.
const FILES_PER_SKILL: usize = 13;
/// Bytes of one file.
const FILE_BYTES: usize = 4_096;
/// MiB that a server may take beyond three times its largest module.
const MEMORY: f64 = 64.0;

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let sandbox = Store::empty("agentpack")?;
    let home = sandbox.path.join("home");
    config_repo(&home.join(".agentpack/repo"), plan.modules)?;
    fs::create_dir_all(home.join("project/.git"))?;
    let program = Program::agentpack(&programs.agentpack, &home);

    let mut applies = Vec::new();
    let mut bare_writes = Vec::new();
    let mut created = 0;
    for _ in 0..plan.rounds.min(3) {
        for folder in [".codex", ".claude", ".agentpack/state", "project/.cursor", "project/.github", "bare"] {
            let _ = fs::remove_dir_all(home.join(folder));
        }
        let mut server = Server::open(&program, Streams::Pipes)?;
        let reviewed = server.call("deploy", json!({}))?;
        let token = reviewed["data"]["confirm_token"].clone();
        let arguments = json!({"yes": true, "confirm_token": token});
        let (time, applied) = timed(|| server.call("deploy_apply", arguments))?;
        if applied["data"]["applied"] != true {
            return Err(format!("nothing was applied: {applied}").into());
        }
        applies.push(time / 1_000.0);
        let files = deployed(&home);
        created = files.len();
        let (time, ()) = timed(|| write_bare(&files, &home.join("bare")))?;
        bare_writes.push(time / 1_000.0);
    }

    // The deployed files alone: a plan reads the sources on top of them.
    let files = deployed(&home);
    let mut server = Server::open(&program, Streams::Pipes)?;
    let (mut plans, mut passes) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        let (time, ()) = timed(|| hash_all(&files))?;
        passes.push(time / 1_000.0);
        let (time, answer) = timed(|| server.call("plan", json!({})))?;
        if answer["data"]["changes"] != Value::Array(Vec::new()) {
            return Err(format!("the tree is not up to date: {answer}").into());
        }
        plans.push(time / 1_000.0);
    }
    table.add(
        Row::new(format!("agentpack plan, {created} files up to date"), "ms", least(plans))
            .floor(least(passes), Bar::AtMost(2.0)),
    );
    table.add(
        Row::new(format!("agentpack apply, {created} creates"), "ms", least(applies))
            .floor(least(bare_writes), Bar::AtMost(4.0)),
    );
    if let Some(resident) = server.resident() {
        let module = (FILES_PER_SKILL * FILE_BYTES) as f64 / (1 << 20) as f64;
        let row = Row::new("agentpack resident memory after plans", "MiB", resident);
        table.add(row.limit(MEMORY + 3.0 * module));
    }
    Ok(())
}

/// A repo of skills for two targets, and a few instructions for all four.
fn config_repo(repo: &Path, modules: usize) -> Result<()> {
    let mut config = String::from(
        "version: 1\nprofiles: {default: {include_tags: [base]}}\ntargets:\n\
         \x20 codex: {mode: files, scope: user}\n\
         \x20 claude_code: {mode: files, scope: user, options: {write_user_skills: true}}\n\
         \x20 cursor: {mode: files, scope: project}\n\
         \x20 vscode: {mode: files, scope: project}\nmodules:\n",
    );
    for module in 0..8 {
        let folder = repo.join(format!("modules/instructions-{module}"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("AGENTS.md"), format!("# Part {module}\n"))?;
        config.push_str(&format!(
            "  - {{id: \"instructions:part-{module}\", type: instructions, tags: [base], \
             source: {{local_path: {{path: modules/instructions-{module}}}}}}}\n"
        ));
    }
    for module in 0..modules {
        let folder = repo.join(format!("modules/skill-{module:03}"));
        fs::create_dir_all(&folder)?;
        let head = format!("---\nname: skill-{module:03}\ndescription: Number {module}.\n---\n");
        for file in 0..FILES_PER_SKILL {
            let name =
                if file == 0 { "SKILL.md".to_owned() } else { format!("part-{file:02}.md") };
            let line = format!("Line of file {file} of skill {module}.\n");
            let body = line.repeat(FILE_BYTES / line.len());
            let text = if file == 0 { format!("{head}{body}") } else { body };
            fs::write(folder.join(name), text)?;
        }
        config.push_str(&format!(
            "  - {{id: \"skill:skill-{module:03}\", type: skill, tags: [base], \
             source: {{local_path: {{path: modules/skill-{module:03}}}}}}}\n"
        ));
    }
    Ok(fs::write(repo.join("agentpack.yaml"), config)?)
}

fn deployed(home: &Path) -> Vec<PathBuf> {
    let roots = [".codex", ".claude", "project/.cursor", "project/.github"];
    let mut files: Vec<PathBuf> = roots.iter().flat_map(|root| below(&home.join(root))).collect();
    files.retain(|path| !path.to_string_lossy().contains(".agentpack.manifest"));
    files
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(below(&path)) } else { files.push(path) }
    }
    files
}

fn hash_all(files: &[PathBuf]) -> Result<()> {
    for path in files {
        std::hint::black_box(Sha256::digest(fs::read(path)?));
    }
    Ok(())
}

/// The same bytes, each through a temporary file and a rename.
fn write_bare(files: &[PathBuf], to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for (number, path) in files.iter().enumerate() {
        let temporary = to.join(format!("{number}.tmp"));
        File::create(&temporary)?.write_all(&fs::read(path)?)?;
        fs::rename(&temporary, to.join(number.to_string()))?;
    }
    Ok(())
}
