//! Whether a file with secrets can be opened by others than its owner. Looks at modes, never at contents.
//!
//! A mode counts only as far as the folders above let others through: a file that everybody may read is
//! private in a private folder. Access control lists are not looked at.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::row::Row;

const GROUP: u32 = 3;
const OTHERS: u32 = 0;
const READ: u32 = 0o4;
const WRITE: u32 = 0o2;
const PASS: u32 = 0o1;
/// In a folder with this bit, only its owner can replace a file.
const STICKY: u32 = 0o1000;

/// What is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Tokens, passwords or data of the user: nobody else should read or change it.
    Secrets,
    /// Settings without secrets: anybody may read it, nobody else should change it.
    Settings,
}

/// A file that others than its owner can open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// The file.
    pub file: PathBuf,
    /// Its permission bits.
    pub mode: u32,
    /// Who may do what: "its group may read it, everybody may change it".
    pub who: String,
}

impl Exposure {
    /// "`tokens` can be opened by others (mode 644): everybody may read it".
    pub fn message(&self) -> String {
        format!(
            "`{}` can be opened by others (mode {:o}): {}",
            self.file.display(),
            self.mode,
            self.who
        )
    }

    /// How to close it.
    pub fn remedy(&self) -> String {
        let file = self.file.display().to_string().replace('\'', "'\\''");
        let folder = self.file.parent().filter(|_| self.who.contains("replace"));
        match folder {
            Some(folder) => format!(
                "Run: chmod 600 '{file}'; chmod go-w '{}'",
                folder.display().to_string().replace('\'', "'\\''")
            ),
            None => format!("Run: chmod 600 '{file}'"),
        }
    }
}

/// Who besides the owner can open this file, if anybody can; a file that is not there is open to nobody.
pub fn exposure(file: &Path, holds: Holds) -> Option<Exposure> {
    let real = file.canonicalize().ok()?;
    let mode = real.metadata().ok().filter(|found| found.is_file())?.mode() & 0o7777;
    let folders: Vec<u32> = real
        .ancestors()
        .skip(1)
        .map(|folder| folder.metadata().map_or(0, |found| found.mode()))
        .collect();
    // Members of a folder's group need not be members of the file's: either bit may let them through.
    let reached = |class: u32| {
        let pass = (PASS << class) | PASS;
        folders.iter().all(|folder| folder & pass != 0)
    };
    let mut may = Vec::new();
    for (class, name) in [(GROUP, "its group"), (OTHERS, "everybody")] {
        if !reached(class) {
            continue;
        }
        let can = |bits: u32, bit: u32| bits & (bit << class) != 0;
        if holds == Holds::Secrets && can(mode, READ) {
            may.push(format!("{name} may read it"));
        }
        if can(mode, WRITE) {
            may.push(format!("{name} may change it"));
        }
        let folder = folders.first().copied().unwrap_or(0);
        if class == OTHERS && can(folder, WRITE) && folder & STICKY == 0 {
            may.push(format!("{name} may replace it"));
        }
    }
    (!may.is_empty()).then(|| Exposure {
        file: file.to_owned(),
        mode: mode & 0o777,
        who: may.join(", "),
    })
}

/// A row about a file that others can open; none where only its owner can.
pub fn exposed(check: &str, file: &Path, holds: Holds) -> Option<Row> {
    let found = exposure(file, holds)?;
    let expected = match holds {
        Holds::Secrets => "a file that only its owner can read and change",
        Holds::Settings => "a file that only its owner can change",
    };
    Some(Row::doubtful(check, found.message()).expected(expected).remedy(found.remedy()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_mode_is_judged_by_who_can_read_and_change_the_file() {
        let folder = tempfile::tempdir().unwrap();
        set(folder.path(), 0o755);
        let file = folder.path().join("tokens");
        fs::write(&file, "x").unwrap();
        for (mode, secrets, settings) in [
            (0o600, None, None),
            (0o400, None, None),
            (0o640, Some("its group may read it"), None),
            (0o644, Some("its group may read it, everybody may read it"), None),
            (
                0o664,
                Some("its group may read it, its group may change it, everybody may read it"),
                Some("its group may change it"),
            ),
            (0o602, Some("everybody may change it"), Some("everybody may change it")),
        ] {
            set(&file, mode);
            let who = |holds| exposure(&file, holds).map(|found| found.who);
            assert_eq!(who(Holds::Secrets).as_deref(), secrets, "{mode:o}");
            assert_eq!(who(Holds::Settings).as_deref(), settings, "{mode:o}");
        }
        let row = exposed("token.file", &file, Holds::Secrets).unwrap();
        assert!(row.measured.contains("mode 602"), "{row:?}");
        assert!(row.remedy.unwrap().starts_with("Run: chmod 600 '"));
    }

    #[test]
    fn folders_that_let_nobody_through_make_a_file_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        fs::write(&file, "x").unwrap();
        set(&file, 0o666);
        set(folder.path(), 0o700);
        assert_eq!(exposure(&file, Holds::Secrets), None);
        set(folder.path(), 0o710);
        let found = exposure(&file, Holds::Secrets).unwrap();
        assert_eq!(found.who, "its group may read it, its group may change it");
    }

    #[test]
    fn a_file_in_a_folder_that_everybody_can_change_can_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        fs::write(&file, "x").unwrap();
        set(&file, 0o600);
        set(folder.path(), 0o777);
        let found = exposure(&file, Holds::Settings).unwrap();
        assert_eq!(found.who, "everybody may replace it");
        assert!(found.remedy().contains("go-w"), "{}", found.remedy());
        set(folder.path(), 0o1777);
        assert_eq!(exposure(&file, Holds::Settings), None);
    }

    #[test]
    fn a_link_counts_as_its_target_and_nothing_is_no_problem() {
        let folder = tempfile::tempdir().unwrap();
        set(folder.path(), 0o755);
        let (file, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&file, "x").unwrap();
        set(&file, 0o644);
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(exposure(&link, Holds::Secrets).unwrap().file, link);
        assert_eq!(exposure(&folder.path().join("none"), Holds::Secrets), None);
        assert_eq!(exposure(folder.path(), Holds::Secrets), None, "a folder is no file");
    }
}
