//! Paths of the files of a tool, and the list of modules.

use std::io;
use std::path::{Path, PathBuf};

use toolwright_commands::USAGE;

use super::{Refusal, SPECS};

/// The files of a new tool.
pub(super) struct Place {
    pub(super) spec: PathBuf,
    pub(super) name_below_specs: String,
    /// The editor comment at the top of the other specs of the folder; may be empty.
    pub(super) first_line: String,
    /// The folder of handlers.
    pub(super) folder: PathBuf,
    pub(super) handler: PathBuf,
    pub(super) modules: PathBuf,
    listed: String,
}

impl Place {
    /// Finds the folders of the surface; fails if a file already exists.
    pub(super) fn find(surface: &str, tool: &str, module: &str) -> Result<Self, Refusal> {
        let name_below_specs = format!("{surface}/tools/{tool}.yaml");
        let spec = Path::new(SPECS).join(&name_below_specs);
        let folders = [format!("src/{surface}/tools"), "src/tools".to_owned()].map(PathBuf::from);
        let Some(folder) = folders.iter().find(|folder| folder.is_dir()).cloned() else {
            let problem = format!("neither `src/{surface}/tools/` nor `src/tools/` exists");
            return Err((USAGE, problem));
        };
        let handler = folder.join(format!("{}.rs", module.trim_start_matches("r#")));
        for path in [&spec, &handler] {
            if path.symlink_metadata().is_ok() {
                return Err((USAGE, format!("`{}` already exists", path.display())));
            }
        }
        let modules = folder.join("mod.rs");
        let listed = std::fs::read_to_string(&modules)
            .map_err(|error| (USAGE, format!("`{}`: {error}", modules.display())))?;
        let first_line = first_line(spec.parent().unwrap_or(Path::new(SPECS)));
        Ok(Self { spec, name_below_specs, first_line, folder, handler, modules, listed })
    }

    /// The list of modules with the new line, in order if the list is sorted.
    pub(super) fn modules_with(&self, module: &str) -> String {
        let lines: Vec<&str> = self.listed.split_inclusive('\n').collect();
        let is_before = |line: &str| declared(line).is_some_and(|name| name < bare(module));
        let after_it = |line: &&str| declared(line).is_some_and(|name| name > bare(module));
        // After the last module that sorts before it, else before the first, else after the comment.
        let at = lines.iter().rposition(|line| is_before(line)).map(|at| at + 1);
        let at = at
            .or_else(|| lines.iter().position(after_it))
            .unwrap_or_else(|| lines.iter().take_while(|line| line.starts_with("//!")).count());
        let end =
            if lines[..at].last().is_some_and(|line| !line.ends_with('\n')) { "\n" } else { "" };
        let (head, tail) = (lines[..at].concat(), lines[at..].concat());
        format!("{head}{end}mod {module};\n{tail}")
    }

    /// Replaces the list atomically, unless it has changed meanwhile.
    pub(super) fn replace_modules(&self, text: &str) -> io::Result<()> {
        if std::fs::read_to_string(&self.modules)? != self.listed {
            return Err(io::Error::other("it changed meanwhile; try again"));
        }
        let mut new = tempfile::NamedTempFile::new_in(&self.folder)?;
        io::Write::write_all(&mut new, text.as_bytes())?;
        new.as_file().set_permissions(std::fs::metadata(&self.modules)?.permissions())?;
        new.persist(&self.modules)?;
        Ok(())
    }
}

/// The module that a line declares.
fn declared(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("mod ").or_else(|| {
        line.starts_with("pub").then(|| line.split_once(" mod ").map(|(_, rest)| rest))?
    })?;
    rest.trim_end().strip_suffix(';').map(bare)
}

fn bare(module: &str) -> &str {
    module.trim_start_matches("r#")
}

fn first_line(tools: &Path) -> String {
    let entries = std::fs::read_dir(tools).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .filter_map(|text| text.lines().next().map(str::to_owned))
        .find(|line| line.starts_with("# yaml-language-server:"))
        .map(|line| line + "\n")
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::write;
    use super::Place;

    fn place(folder: &std::path::Path, handler: &str, listed: &str) -> Place {
        Place {
            spec: folder.join("tool.yaml"),
            name_below_specs: String::new(),
            first_line: String::new(),
            folder: folder.to_owned(),
            handler: folder.join(handler),
            modules: folder.join("mod.rs"),
            listed: listed.to_owned(),
        }
    }

    #[test]
    fn where_one_file_cannot_be_written_none_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let there = || std::fs::read_dir(folder.path()).expect("a folder").count();
        let no_folder = place(folder.path(), "no/such/tool.rs", "");
        assert!(write(&no_folder, "spec", "handler", "mod tool;\n").is_err());
        assert_eq!(there(), 0);
        // The list of modules is not the one that was read.
        std::fs::write(folder.path().join("mod.rs"), "mod other;\n").expect("writable");
        let changed = place(folder.path(), "tool.rs", "mod one;\n");
        assert!(write(&changed, "spec", "handler", "mod one;\nmod tool;\n").is_err());
        assert_eq!(there(), 1);
        let fine = place(folder.path(), "tool.rs", "mod other;\n");
        assert!(write(&fine, "spec", "handler", "mod other;\nmod tool;\n").is_ok());
        assert_eq!(there(), 3);
    }

    fn with(listed: &str, module: &str) -> String {
        place("".as_ref(), "", listed).modules_with(module)
    }

    #[test]
    fn the_line_goes_where_it_sorts() {
        let list = "//! Tools.\n\nmod add;\nmod list;\n\nuse x;\n";
        assert_eq!(with(list, "get"), "//! Tools.\n\nmod add;\nmod get;\nmod list;\n\nuse x;\n");
        assert_eq!(with(list, "a"), "//! Tools.\n\nmod a;\nmod add;\nmod list;\n\nuse x;\n");
        assert_eq!(
            with(list, "r#move"),
            "//! Tools.\n\nmod add;\nmod list;\nmod r#move;\n\nuse x;\n"
        );
    }

    #[test]
    fn a_list_without_a_line_end_or_without_modules_is_fine() {
        assert_eq!(with("mod add;", "list"), "mod add;\nmod list;\n");
        assert_eq!(with("//! Tools.\n", "list"), "//! Tools.\nmod list;\n");
    }
}
