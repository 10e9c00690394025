//! An edit of an older text, carried over to a newer one.

use crate::workspace::Workspace;

/// `newer` with the change from `older` to `edited` applied; none when both
/// changed the same lines, when it is not text, or when there is no git.
pub(super) fn merge(
    workspace: &Workspace,
    newer: &[u8],
    older: &[u8],
    edited: &[u8],
) -> Option<Vec<u8>> {
    let temp = workspace.environment.temp_dir();
    let dir = tempfile::Builder::new().prefix("agentpack-merge-").tempdir_in(temp).ok()?;
    for (name, bytes) in [("newer", newer), ("older", older), ("edited", edited)] {
        std::fs::write(dir.path().join(name), bytes).ok()?;
    }
    let args = ["merge-file", "-p", "newer", "older", "edited"];
    let finished = workspace.git.run(dir.path(), &args).ok()?;
    finished.success().then_some(finished.stdout)
}
