//! A config repo of many files, what it deploys, and the bare work on the same files.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::Result;

/// Files of one skill; each is deployed to two targets.
pub(super) const FILES_PER_SKILL: usize = 13;
/// Bytes of one file.
pub(super) const FILE_BYTES: usize = 4_096;

/// A repo of skills for two targets, and a few instructions for all four.
pub(super) fn config_repo(repo: &Path, modules: usize) -> Result<()> {
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
            let name = if file == 0 { "SKILL.md".to_owned() } else { format!("part-{file:02}.md") };
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

pub(super) fn deployed(home: &Path) -> Vec<PathBuf> {
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

pub(super) fn hash_all(files: &[PathBuf]) -> Result<()> {
    for path in files {
        std::hint::black_box(Sha256::digest(fs::read(path)?));
    }
    Ok(())
}

/// The same bytes, each through a temporary file and a rename.
pub(super) fn write_bare(files: &[PathBuf], to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for (number, path) in files.iter().enumerate() {
        let temporary = to.join(format!("{number}.tmp"));
        File::create(&temporary)?.write_all(&fs::read(path)?)?;
        fs::rename(&temporary, to.join(number.to_string()))?;
    }
    Ok(())
}
