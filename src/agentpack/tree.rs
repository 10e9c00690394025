//! The files of a folder that we do not control: a module's source, an overlay.
//!
//! Links are followed inside the folder only; what leads out of it, leads back to itself or is
//! neither file nor folder is refused, because its content would be deployed.

use std::collections::BTreeMap;
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

use toolwright_runtime::hidden::{is_hidden, shown};

use super::content::{Fingerprint, sha256};

/// More files than this are no module.
const MAX_FILES: usize = 100_000;
/// Deeper is no module either.
const MAX_DEPTH: usize = 64;
/// Never part of a module, at whichever depth below its folder.
const SKIPPED: [&str; 2] = [".git", ".agentpack"];

/// Files by their path below the folder (with `/`); the value is what to open.
pub(crate) type Files = BTreeMap<String, PathBuf>;

/// Why a folder cannot be used, and what in it is the matter.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The entry.
    pub path: PathBuf,
    /// "it is a link to `…`, which is outside of `…`".
    pub what: String,
}

/// Lists a folder. Only what is below it decides what is skipped, not where the folder itself is.
pub(crate) fn list(root: &Path) -> Result<Files, Refused> {
    let real = root.canonicalize().map_err(|error| unreadable(root, &error))?;
    let mut walk = Walk { root, real: &real, files: Files::new() };
    walk.folder(&real, "", &mut Vec::new())?;
    Ok(walk.files)
}

fn unreadable(path: &Path, error: &io::Error) -> Refused {
    Refused { path: path.to_owned(), what: format!("it cannot be read: {error}") }
}

struct Walk<'a> {
    /// The path for messages.
    root: &'a Path,
    /// With all links resolved.
    real: &'a Path,
    files: Files,
}

impl Walk<'_> {
    /// `folder` has no links in it; `above` are the folders that the walk came through.
    fn folder(
        &mut self,
        folder: &Path,
        prefix: &str,
        above: &mut Vec<PathBuf>,
    ) -> Result<(), Refused> {
        if above.len() >= MAX_DEPTH {
            return Err(self.refuse(prefix, format!("it is more than {MAX_DEPTH} folders deep")));
        }
        above.push(folder.to_owned());
        let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(folder, &error))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let shown = format!("{prefix}{}", name.to_string_lossy());
                return Err(self.refuse(&shown, "its name is not UTF-8".to_owned()));
            };
            if SKIPPED.contains(&name) {
                continue;
            }
            // A plan must show what it writes where.
            if name.chars().any(is_hidden) {
                let what = "its name has invisible characters".to_owned();
                return Err(self.refuse(&format!("{prefix}{}", shown(name)), what));
            }
            let relative = format!("{prefix}{name}");
            let path = entry.path();
            let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
            if kind.is_symlink() {
                self.link(&path, &relative, above)?;
            } else {
                self.entry(path, kind, relative, above)?;
            }
        }
        above.pop();
        Ok(())
    }

    fn entry(
        &mut self,
        path: PathBuf,
        kind: FileType,
        relative: String,
        above: &mut Vec<PathBuf>,
    ) -> Result<(), Refused> {
        if kind.is_dir() {
            return self.folder(&path, &format!("{relative}/"), above);
        }
        if !kind.is_file() {
            return Err(self.refuse(&relative, "it is neither a file nor a folder".to_owned()));
        }
        if self.files.len() >= MAX_FILES {
            return Err(self.refuse("", format!("it has more than {MAX_FILES} files")));
        }
        self.files.insert(relative, path);
        Ok(())
    }

    fn link(
        &mut self,
        path: &Path,
        relative: &str,
        above: &mut Vec<PathBuf>,
    ) -> Result<(), Refused> {
        let goal = path.canonicalize().map_err(|error| {
            self.refuse(relative, format!("it is a link that leads nowhere: {error}"))
        })?;
        if !goal.starts_with(self.real) {
            let (goal, root) = (goal.display(), self.root.display());
            let what = format!("it is a link to `{goal}`, which is outside of `{root}`");
            return Err(self.refuse(relative, what));
        }
        if above.contains(&goal) {
            return Err(self.refuse(relative, "it is a link that leads back to itself".to_owned()));
        }
        let metadata = goal.metadata().map_err(|error| unreadable(&goal, &error))?;
        self.entry(goal, metadata.file_type(), relative.to_owned(), above)
    }

    fn refuse(&self, relative: &str, what: String) -> Refused {
        Refused { path: self.root.join(relative), what }
    }
}

/// Hash of a whole tree: path, hash and size of each file, one per line, in the order of paths.
pub(crate) fn tree_sha256<'a>(
    files: impl IntoIterator<Item = (&'a String, &'a Fingerprint)>,
) -> String {
    let sorted: BTreeMap<&String, &Fingerprint> = files.into_iter().collect();
    let mut text = String::new();
    for (path, print) in sorted {
        for part in [path.as_str(), &print.sha256, &print.size.to_string()] {
            text.push_str(part);
            text.push('\n');
        }
    }
    sha256(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::Sandbox;

    #[test]
    fn only_what_is_below_decides_what_is_skipped() {
        let sandbox = Sandbox::new();
        let root = sandbox.dir("home/.agentpack/repo/overlays/x");
        let name = "home/.agentpack/repo/overlays/x";
        for file in ["a.md", "deep/b.md", ".git/config", ".agentpack/overlay.json", "c/.git/d"] {
            sandbox.write(&format!("{name}/{file}"), "x");
        }
        let files = list(&root).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["a.md", "deep/b.md"]);
    }

    #[test]
    fn tree_hashes_equal_upstream() {
        let sandbox = Sandbox::new();
        sandbox.write("base/AGENTS.md", "base text\n");
        sandbox.write("base/b.txt", "x");
        sandbox.write("p/ask.md", "prompt\n");
        let hash = |name: &str| {
            let files = list(&sandbox.path(name)).unwrap();
            let prints: Vec<_> = files
                .iter()
                .map(|(name, path)| {
                    let content = crate::model::Content::File(path.clone());
                    (name, crate::content::fingerprint(&content).unwrap())
                })
                .collect();
            tree_sha256(prints.iter().map(|(name, print)| (*name, print)))
        };
        assert_eq!(
            hash("base"),
            "426af28af233e36d20b0dbe654d7da78a3ebcd9328e7303a2811645b126821de"
        );
        assert_eq!(hash("p"), "8042ed7e0c863bc51e956ab6c779c374c798b3b72bf8b691e8c26f8636c8504e");
    }

    #[test]
    fn links_are_followed_inside_and_refused_outside() {
        let sandbox = Sandbox::new();
        let root = sandbox.dir("module");
        sandbox.write("module/real/a.md", "x");
        sandbox.write("secret", "x");
        symlink("real/a.md", root.join("file.md")).unwrap();
        symlink("real", root.join("folder")).unwrap();
        let files = list(&root).unwrap();
        let names: Vec<_> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["file.md", "folder/a.md", "real/a.md"]);
        assert_eq!(files["file.md"], root.join("real/a.md"));

        for (goal, why) in [
            (sandbox.path("secret").to_str().unwrap(), "outside of"),
            ("../secret", "outside of"),
            ("nothing", "leads nowhere"),
            (".", "leads back"),
            ("real/back", "leads nowhere"),
        ] {
            let link = root.join("link");
            symlink(goal, &link).unwrap();
            let refused = list(&root).unwrap_err();
            assert!(refused.what.contains(why), "{goal}: {}", refused.what);
            assert_eq!(refused.path, link);
            std::fs::remove_file(link).unwrap();
        }
    }

    #[test]
    fn a_folder_reached_by_a_link_is_read_and_pipes_are_refused() {
        let sandbox = Sandbox::new();
        sandbox.write("real/SKILL.md", "x");
        symlink(sandbox.path("real"), sandbox.path("alias")).unwrap();
        assert!(list(&sandbox.path("alias")).unwrap().contains_key("SKILL.md"));

        let pipe = sandbox.path("real/pipe");
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(list(&sandbox.path("real")).unwrap_err().what.contains("neither"));
        assert!(list(&sandbox.path("none")).unwrap_err().what.contains("cannot be read"));
    }
}
