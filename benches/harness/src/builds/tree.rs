//! A copy of the sources that may be changed.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::Result;

/// What a build does not need.
const LEFT_OUT: [&str; 3] = ["target", ".git", "tests"];
/// The tool that is multiplied.
const CONTRACT: &str = "examples/echo/specs/echo/tools/add.yaml";
const HANDLER: &str = "examples/echo/src/tools/add.rs";
const SURFACE: &str = "examples/echo/specs/echo/surface.yaml";
const MODULES: &str = "examples/echo/src/tools/mod.rs";

/// The copy, and room beside it.
pub(super) struct Tree {
    pub(super) folder: PathBuf,
    pub(super) sources: PathBuf,
}

impl Tree {
    pub(super) fn copy(folder: &Path) -> Result<Self> {
        let sources = folder.join("sources");
        copy(Path::new("."), &sources)?;
        // Nobody pays for these definitions.
        let mut surface = OpenOptions::new().append(true).open(sources.join(SURFACE))?;
        writeln!(surface, "\nbudget: {{definition_tokens: 1000000}}")?;
        Ok(Self { folder: folder.to_owned(), sources })
    }

    /// Changes a sentence that clients are shown.
    pub(super) fn edit(&self, file: &str) -> Result<()> {
        let path = self.sources.join(file);
        let text = fs::read_to_string(&path)?;
        let edited = match text.contains("description = \"") {
            true => text.replacen("description = \"", "description = \"Really: ", 1),
            false => text.replacen("\ndescription: ", "\ndescription: Really. ", 1),
        };
        if edited == text {
            return Err(format!("{file} has no description").into());
        }
        Ok(fs::write(path, edited)?)
    }

    /// Gives the echo contract so many tools: `add` again and again, each with its handler.
    pub(super) fn widen(&self, tools: usize) -> Result<()> {
        let contract = fs::read_to_string(self.sources.join(CONTRACT))?;
        let handler = fs::read_to_string(self.sources.join(HANDLER))?;
        let mut modules =
            String::from("//! One file per tool.\n\nmod add;\nmod echo;\nmod wait;\n");
        for number in 3..tools {
            let name = format!("add_n{number}");
            let beside = |file: &str| self.sources.join(file.replace("add.", &format!("{name}.")));
            let contract = contract.replace("tool: add\n", &format!("tool: {name}\n"));
            fs::write(beside(CONTRACT), contract)?;
            let handler = handler.replace("Add", &format!("AddN{number}"));
            fs::write(beside(HANDLER), handler)?;
            modules.push_str(&format!("mod {name};\n"));
        }
        Ok(fs::write(self.sources.join(MODULES), modules)?)
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            if !LEFT_OUT.iter().any(|left_out| name == *left_out) {
                copy(&entry.path(), &to.join(name))?;
            }
        } else {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}
