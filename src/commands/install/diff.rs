//! The diff of a client's file, as `install` and `uninstall` print it: little context, no secrets.

use std::fmt::Write as _;
use std::path::Path;

use similar::TextDiff;

use super::client::Format;
use super::mask::masked;

/// The old and the new text of a file; `None` if there is no file.
pub(super) struct Change<'a> {
    pub(super) file: &'a Path,
    pub(super) format: Format,
    pub(super) old: Option<&'a str>,
    pub(super) new: Option<&'a str>,
}

impl Change<'_> {
    /// A unified diff. Lines are compared as they are and printed masked, so that a change of a secret
    /// is seen. `open` names the variables whose values are no secrets.
    pub(super) fn shown(&self, open: &dyn Fn(&str) -> bool) -> String {
        let name = |text: Option<&str>| match text {
            Some(_) => self.file.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (self.old.unwrap_or_default(), self.new.unwrap_or_default());
        let (old_masked, new_masked) =
            (masked(old, self.format, open), masked(new, self.format, open));
        let old_lines: Vec<&str> = old_masked.split_inclusive('\n').collect();
        let new_lines: Vec<&str> = new_masked.split_inclusive('\n').collect();
        // Like the masked ones, so that their numbers agree.
        let before: Vec<&str> = old.split_inclusive('\n').collect();
        let after: Vec<&str> = new.split_inclusive('\n').collect();
        let diff = TextDiff::from_slices(&before, &after);
        let mut out = format!("--- {}\n+++ {}\n", name(self.old), name(self.new));
        for hunk in diff.unified_diff().context_radius(1).iter_hunks() {
            let _ = writeln!(out, "{}", hunk.header());
            for change in hunk.iter_changes() {
                let line = match (change.old_index(), change.new_index()) {
                    (_, Some(at)) => new_lines.get(at),
                    (Some(at), None) => old_lines.get(at),
                    (None, None) => None,
                };
                let line = line.copied().unwrap_or_default();
                let _ = write!(out, "{}{line}", change.tag());
                if !line.ends_with('\n') {
                    out.push_str("\n\\ No newline at end of file\n");
                }
            }
        }
        out
    }
}
