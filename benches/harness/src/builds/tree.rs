//! A copy of the sources that may be changed.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::Result;

/// What a build does not need.
const LEFT_OUT: [&str; 2] = ["target", ".git"];
/// The tool that is multiplied.
const CONTRACT: &str = "examples/echo/specs/echo/tools/add.yaml";
const HANDLER: &str = "examples/echo/src/tools/add.rs";
const SURFACE: &str = "examples/echo/specs/echo/surface.yaml";
const MODULES: &str = "examples/echo/src/tools/mod.rs";

/// An edit of a line that can be made again and again.
pub(super) struct Edit {
    pub(super) file: &'static str,
    /// Where it goes: behind the first of these.
    pub(super) after: &'static str,
    pub(super) more: &'static str,
}

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

    pub(super) fn edit(&self, edit: &Edit) -> Result<()> {
        insert(&self.sources, edit)
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

/// Makes an edit in a folder of sources.
pub(super) fn insert(sources: &Path, edit: &Edit) -> Result<()> {
    let Edit { file, after, more } = edit;
    let path = sources.join(file);
    let text = fs::read_to_string(&path)?;
    let Some((before, rest)) = text.split_once(after) else {
        return Err(format!("{file} has no `{}`", after.trim()).into());
    };
    Ok(fs::write(path, format!("{before}{after}{more}{rest}"))?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    const EDIT: Edit = Edit { file: "rooms.rs", after: "const ROOMS: u8 = ", more: "1 + " };

    #[test]
    fn an_edit_changes_the_file_every_time_it_is_made() -> Result<()> {
        let folder = Folder::new("edit-again")?;
        let path = folder.path.join(EDIT.file);
        fs::write(&path, "//! Rooms.\nconst ROOMS: u8 = 3;\n")?;
        insert(&folder.path, &EDIT)?;
        insert(&folder.path, &EDIT)?;
        assert_eq!(fs::read_to_string(path)?, "//! Rooms.\nconst ROOMS: u8 = 1 + 1 + 3;\n");
        Ok(())
    }

    #[test]
    fn an_edit_that_finds_no_place_is_an_error() -> Result<()> {
        let folder = Folder::new("edit-nowhere")?;
        fs::write(folder.path.join(EDIT.file), "//! No rooms.\n")?;
        let error = insert(&folder.path, &EDIT).map_err(|error| error.to_string());
        assert_eq!(error, Err("rooms.rs has no `const ROOMS: u8 =`".to_owned()));
        Ok(())
    }
}
