//! A small private disk: a tmpfs in a mount namespace, mounted over a folder. Processes that are
//! started under it see it in place of the folder; all others see the folder as it was. It can be
//! filled up and made read-only while they run. Knows no surface.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Unmounted with the last process that was started under it.
pub struct Disk {
    folder: PathBuf,
    /// Holds the namespace; ends with its input, and so with the test.
    anchor: Child,
}

/// Copies the folder's contents onto the disk.
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
    /// A disk of this size, such as `2m`, over a folder. `None`, with a message, where the machine
    /// allows no mount namespaces.
    pub fn over(folder: &Path, size: &str) -> Option<Self> {
        let mut command = Command::new("unshare");
        command.arg("--mount").args((!crate::process::is_root()).then_some("--map-root-user"));
        command.args(["sh", "-ec", MOUNT, "anchor"]).arg(folder).arg(size);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut anchor = command.spawn().expect("unshare is there");
        let mut reply = String::new();
        let output = anchor.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut reply).expect("readable");
        let disk = Self { folder: folder.to_owned(), anchor };
        if reply != "mounted\n" {
            return crate::provided::skipped("this machine allows no mount namespaces");
        }
        Some(disk)
    }

    /// The command prefix that starts a process with the disk.
    pub fn prefix(&self) -> Vec<String> {
        let mut words = vec!["nsenter".to_owned(), "--mount".to_owned()];
        if !crate::process::is_root() {
            words.extend(["--user", "--preserve-credentials"].map(str::to_owned));
        }
        words.extend(["--target".to_owned(), self.anchor.id().to_string()]);
        words
    }

    /// A command that runs under it: the same program, arguments, folder and variables.
    pub fn command(&self, inner: &Command) -> Command {
        crate::process::behind(&self.prefix(), inner)
    }

    /// The path by which other processes reach what processes under it call `path`.
    pub fn seen(&self, path: &Path) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{}", self.anchor.id(), path.display()))
    }

    /// Fills the disk completely.
    pub fn fill(&self) {
        self.run("! cat /dev/zero >\"$1/.filler\" 2>/dev/null");
    }

    /// Frees the space again.
    pub fn free(&self) {
        self.run("rm \"$1/.filler\"");
    }

    /// Mounts it over itself, read-only: files opened from now on cannot be written, files already
    /// open still can.
    pub fn forbid_writing(&self) {
        self.run("mount --bind \"$1\" \"$1\"; mount -o remount,bind,ro \"$1\"");
    }

    /// Makes it writable again.
    pub fn allow_writing(&self) {
        self.run("umount --lazy \"$1\"");
    }

    /// Runs a script under it; `$1` is the folder.
    fn run(&self, script: &str) {
        let mut shell = Command::new("sh");
        shell.args(["-ec", script, "sh"]).arg(&self.folder);
        let mut command = self.command(&shell);
        assert!(command.status().is_ok_and(|status| status.success()), "{script}");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(self.anchor.stdin.take());
        let _ = self.anchor.wait();
    }
}
