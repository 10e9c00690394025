//! Servers in namespaces of their own, where a script has prepared disks or taken rights away.

use std::process::{Command, Stdio};

use crate::home::ServerHome;
use crate::provided::skipped;

/// Options of `unshare`: in a mount namespace of its own the script may mount what it likes.
pub const MOUNTS: [&str; 2] = ["--mount", "--map-root-user"];

/// Whether this machine allows mount namespaces. Where it does not, the test is skipped with a message.
pub fn can_mount() -> bool {
    let mut probe = Command::new("unshare");
    probe.args(MOUNTS).arg("true").stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
        || skipped::<()>("this machine allows no mount namespaces").is_some()
}

impl ServerHome {
    /// The server, started by a shell script in namespaces of its own: those of these options of
    /// `unshare`. The script has the server's environment and folder.
    pub fn unshared(&self, options: &[&str], script: &str) -> Command {
        let script = format!("{script}\nexec \"$0\" mcp");
        let program = self.program().to_str().expect("a path that is text");
        self.command_of("unshare", &[options, &["sh", "-ec", &script, program]].concat())
    }
}
