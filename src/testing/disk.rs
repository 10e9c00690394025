//! A small disk of one's own: a tmpfs in a mount namespace, over a folder. Processes that are started
//! under it have it in place of the folder; everybody else sees the folder as it was. It can be filled
//! up and be made read-only while they run. Knows no surface.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Gone with the last process that was started under it.
pub struct Disk {
    folder: PathBuf,
    /// Keeps the namespace; ends with its input, and so with the test.
    anchor: Child,
}

/// What is in the folder is on the disk, too.
const MOUNT: &str = r#"
copy=$(mktemp -d)
cp -a "$1/." "$copy"
mount -t tmpfs -o "size=$2,mode=$(stat -c %a "$1")" none "$1"
chown --reference="$copy" "$1"
cp -a "$copy/." "$1"
rm -rf "$copy"
echo mounted
exec cat
"#;

impl Disk {
    /// A disk of this size, such as `2m`, over a folder. None, with loud words, where the machine
    /// allows no mount namespaces.
    pub fn over(folder: &Path, size: &str) -> Option<Self> {
        let mut command = Command::new("unshare");
        command.arg("--mount").args((!crate::process::is_root()).then_some("--map-root-user"));
        command.args(["sh", "-ec", MOUNT, "anchor"]).arg(folder).arg(size);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut anchor = command.spawn().expect("unshare is there");
        let mut said = String::new();
        let output = anchor.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut said).expect("readable");
        let disk = Self { folder: folder.to_owned(), anchor };
        if said != "mounted\n" {
            return crate::provided::skipped("this machine allows no mount namespaces");
        }
        Some(disk)
    }

    /// What to start a process under, for it to have the disk.
    pub fn prefix(&self) -> Vec<String> {
        let mut words = vec!["nsenter".to_owned(), "--mount".to_owned()];
        if !crate::process::is_root() {
            words.extend(["--user", "--preserve-credentials"].map(str::to_owned));
        }
        words.extend(["--target".to_owned(), self.anchor.id().to_string()]);
        words
    }

    /// Where something that processes under it call `path` is for everybody else.
    pub fn seen(&self, path: &Path) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{}", self.anchor.id(), path.display()))
    }

    /// Leaves no room at all.
    pub fn fill(&self) {
        self.run("! cat /dev/zero >\"$1/.filler\" 2>/dev/null");
    }

    /// Makes room again.
    pub fn free(&self) {
        self.run("rm \"$1/.filler\"");
    }

    /// Puts it under itself, read-only: who opens a file from now on cannot write, and who has one
    /// open goes on.
    pub fn forbid_writing(&self) {
        self.run("mount --bind \"$1\" \"$1\"; mount -o remount,bind,ro \"$1\"");
    }

    /// Lets everybody write again.
    pub fn allow_writing(&self) {
        self.run("umount --lazy \"$1\"");
    }

    /// Runs a script under it; `$1` is the folder.
    fn run(&self, script: &str) {
        let prefix = self.prefix();
        let mut command = Command::new(&prefix[0]);
        command.args(&prefix[1..]).args(["sh", "-ec", script, "sh"]).arg(&self.folder);
        assert!(command.status().is_ok_and(|status| status.success()), "{script}");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(self.anchor.stdin.take());
        let _ = self.anchor.wait();
    }
}
