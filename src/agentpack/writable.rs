//! Whether a path may be written to: its root is a usable folder, and no link on the way leads out of it.
//!
//! Read-only. What is found here may change before a write, so writers check again.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

use rustix::fs::Access;

use super::model::Root;

/// Why a root cannot be used; none when it can, or does not exist yet.
pub(crate) fn unusable(root: &Root, project: &Path) -> Option<String> {
    let path = &root.path;
    if root.in_project
        && let Some(why) = leaves_project(path, project)
    {
        return Some(why);
    }
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            let readable = rustix::fs::access(path, Access::READ_OK | Access::EXEC_OK);
            readable.err().map(|error| format!("`{}` cannot be read: {error}", path.display()))
        }
        Ok(_) => Some(format!("`{}` is not a folder", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => dead_link(path),
        Err(error) => Some(format!("`{}` cannot be used: {error}", path.display())),
    }
}

/// A dangling link: creating the root would follow it.
fn dead_link(path: &Path) -> Option<String> {
    path.is_symlink().then(|| format!("`{}` is a link that leads nowhere", path.display()))
}

/// A link in a project must not redirect our files elsewhere.
fn leaves_project(root: &Path, project: &Path) -> Option<String> {
    let project_real = project.canonicalize().ok()?;
    // What exists of the path decides; what does not will be created as plain folders.
    let existing = root.ancestors().find(|path| path.symlink_metadata().is_ok())?;
    match existing.canonicalize() {
        Ok(real) if real.starts_with(&project_real) || project_real.starts_with(&real) => None,
        Ok(real) => Some(format!(
            "`{}` leads to `{}`, out of the project",
            existing.display(),
            real.display()
        )),
        Err(_) => dead_link(existing),
    }
}

/// Folders below one root, each checked once.
#[derive(Debug)]
pub(crate) struct Folders<'a> {
    root: &'a Path,
    /// None is fine.
    known: HashMap<OsString, Option<String>>,
}

impl<'a> Folders<'a> {
    /// Nothing checked yet.
    pub(crate) fn new(root: &'a Path) -> Self {
        let fine = HashMap::from([(root.as_os_str().to_owned(), None)]);
        Self { root, known: fine }
    }

    /// Why the folder of `path`, which is below the root, cannot be used.
    pub(crate) fn blocked(&mut self, path: &Path) -> Option<String> {
        judge(&mut self.known, self.root, path.parent()?)
    }
}

fn judge(
    known: &mut HashMap<OsString, Option<String>>,
    root: &Path,
    folder: &Path,
) -> Option<String> {
    if let Some(known) = known.get(folder.as_os_str()) {
        return known.clone();
    }
    if !folder.starts_with(root) || folder == root {
        return None;
    }
    let above = folder.parent().and_then(|above| judge(known, root, above));
    let found = above.or_else(|| look(root, folder));
    known.insert(folder.as_os_str().to_owned(), found.clone());
    found
}

fn look(root: &Path, folder: &Path) -> Option<String> {
    let metadata = match folder.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("`{}` cannot be used: {error}", folder.display())),
    };
    if metadata.is_dir() {
        return None;
    }
    if !metadata.is_symlink() {
        return Some(format!("`{}` is not a folder", folder.display()));
    }
    let inside = match (folder.canonicalize(), root.canonicalize()) {
        (Ok(goal), Ok(root)) => goal.starts_with(root) && goal.is_dir(),
        _ => false,
    };
    (!inside).then(|| format!("`{}` is a link out of `{}`", folder.display(), root.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;
    use crate::model::Target;
    use crate::testing::Sandbox;

    fn root(path: PathBuf, in_project: bool) -> Root {
        Root { target: Target::Codex, path, scan_extras: false, in_project }
    }

    #[test]
    fn a_root_is_a_folder_or_not_there_yet() {
        let sandbox = Sandbox::new();
        let project = sandbox.path("project");
        let judge = |name: &str| unusable(&root(project.join(name), true), &project);
        assert_eq!(judge("new/deep"), None);
        assert_eq!(judge(""), None);
        sandbox.write("project/file", "x");
        assert!(judge("file").unwrap().contains("not a folder"));
        assert!(judge("file/below").unwrap().contains("cannot be used"));
        symlink("nowhere", project.join("dead")).unwrap();
        assert!(judge("dead").unwrap().contains("leads nowhere"));
    }

    #[test]
    fn a_project_cannot_send_files_elsewhere_but_a_user_can() {
        let sandbox = Sandbox::new();
        let (project, outside) = (sandbox.path("project"), sandbox.dir("outside"));
        symlink(&outside, project.join(".codex")).unwrap();
        let skills = project.join(".codex/skills");
        let why = unusable(&root(skills.clone(), true), &project).unwrap();
        assert!(why.contains("out of the project"), "{why}");
        assert_eq!(unusable(&root(skills, false), &project), None);
        sandbox.dir("project/inside");
        symlink("inside", project.join(".cursor")).unwrap();
        assert_eq!(unusable(&root(project.join(".cursor/rules"), true), &project), None);
    }

    #[test]
    fn a_link_below_a_root_may_not_leave_it() {
        let sandbox = Sandbox::new();
        let top = sandbox.dir("root");
        sandbox.dir("root/real");
        sandbox.write("root/file", "x");
        symlink("real", top.join("inside")).unwrap();
        symlink(sandbox.dir("outside"), top.join("outside")).unwrap();
        let mut folders = Folders::new(&top);
        let mut judge = |name: &str| folders.blocked(&top.join(name));
        assert_eq!(judge("a.md"), None);
        assert_eq!(judge("real/new/a.md"), None);
        assert_eq!(judge("inside/a.md"), None);
        assert!(judge("outside/a.md").unwrap().contains("link out of"));
        assert!(judge("outside/deep/a.md").unwrap().contains("link out of"));
        assert!(judge("file/a.md").unwrap().contains("not a folder"));
    }
}
