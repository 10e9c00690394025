//! Patch overlays: one unified diff per file, applied by git in a folder with just that file.

use std::path::Path;

use toolwright_runtime::{ErrorKind, Failure};

use super::Overlay;
use crate::content::read_file;
use crate::failure::{self, Result};
use crate::generated::Error;
use crate::git::Git;
use crate::paths::posix;

/// A patch is written manually or by `git diff`; larger is neither.
const MAX_PATCH: u64 = 64 << 20;

/// The bytes of `relpath` after the patch. `before` is none when the module has no such file.
pub(crate) fn apply(
    overlay: &Overlay,
    relpath: &str,
    patch_file: &Path,
    before: Option<&[u8]>,
    git: &Git,
    temp: &Path,
) -> Result<Vec<u8>> {
    let refuse = |what: String, hint: &str| {
        about(Error::ConfigInvalid, overlay, relpath, patch_file, &what, hint)
    };
    let patch = read_file(patch_file, MAX_PATCH)
        .map_err(|error| failure::io("read", patch_file, &error))?;
    let patch = String::from_utf8(patch)
        .map_err(|_| refuse("it is not UTF-8".to_owned(), "Use an overlay of kind dir."))?;
    check(&patch, relpath).map_err(|problem| refuse(problem.what, problem.hint))?;
    let Some(before) = before else {
        let what = format!("the module has no file `{relpath}` to patch");
        return Err(refuse(what, "Use an overlay of kind dir to add files."));
    };

    let io = |error: std::io::Error| failure::io("write", temp, &error);
    let work = tempfile::Builder::new().prefix("agentpack-patch-").tempdir_in(temp).map_err(io)?;
    let file = work.path().join(relpath);
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent).map_err(io)?;
    }
    std::fs::write(&file, before).map_err(io)?;
    // Where the temp folder is inside a repository, git must not use that repository.
    let git = git.clone().with_var("GIT_CEILING_DIRECTORIES", posix(temp));
    let args = ["apply", "--whitespace=nowarn", "-"];
    let done = git.run_with_input(work.path(), &args, patch.as_bytes())?;
    if !done.success() {
        let hint =
            "Make the patch anew against the current content, or use an overlay of kind dir.";
        let what = format!("the patch does not apply: {}", done.stderr);
        return Err(about(
            Error::OverlayPatchApplyFailed,
            overlay,
            relpath,
            patch_file,
            &what,
            hint,
        )
        .with("stderr", done.stderr));
    }
    std::fs::read(&file).map_err(|error| failure::io("read", &file, &error))
}

fn about(
    kind: Error,
    overlay: &Overlay,
    relpath: &str,
    patch_file: &Path,
    what: &str,
    hint: &str,
) -> Failure<Error> {
    let scope = overlay.layer.as_str();
    kind.because(format!(
        "Module `{}`, {scope} overlay: `{}`: {what}",
        overlay.module_id,
        patch_file.display()
    ))
    .hint(hint)
    .with("module_id", &overlay.module_id)
    .with("scope", scope)
    .with("overlay_dir", &overlay.dir)
    .with("patch_file", patch_file)
    .with("relpath", relpath)
    .with("error", what)
    .with("hint", hint)
}

struct Problem {
    what: String,
    hint: &'static str,
}

/// One file, its own name in both headers, text, no creation, no deletion.
fn check(patch: &str, relpath: &str) -> std::result::Result<(), Problem> {
    const ONLY_EDITS: &str = "Use an overlay of kind dir to add, remove or rename files.";
    let problem = |what: String, hint| Err(Problem { what, hint });
    let mut headers = 0;
    let mut lines = patch.lines();
    while let Some(line) = lines.next() {
        let extended = ["new file mode", "deleted file mode", "rename ", "copy "];
        if extended.iter().any(|start| line.starts_with(start)) {
            return problem(format!("it does more than edit a file: `{line}`"), ONLY_EDITS);
        }
        if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return problem("it is a binary patch".to_owned(), ONLY_EDITS);
        }
        if let Some((old, new)) = hunk_lengths(line) {
            skip_hunk(&mut lines, old, new);
        }
        let Some(old) = line.strip_prefix("--- ") else { continue };
        let new = lines.next().and_then(|line| line.strip_prefix("+++ ")).unwrap_or_default();
        headers += 1;
        let (old, new) = (header_path(old), header_path(new));
        if old == "/dev/null" || new == "/dev/null" {
            return problem("it creates or deletes a file".to_owned(), ONLY_EDITS);
        }
        let (expected_old, expected_new) = (format!("a/{relpath}"), format!("b/{relpath}"));
        if old != expected_old || new != expected_new {
            return problem(
                format!(
                    "its headers are `{old}` and `{new}`, not `{expected_old}` and `{expected_new}`"
                ),
                "The headers must name the file that the patch is named for.",
            );
        }
    }
    match headers {
        1 => Ok(()),
        0 => problem("it has no `---` and `+++` headers".to_owned(), "It must be a unified diff."),
        _ => problem(
            "it changes more than one file".to_owned(),
            "Write one patch per file, named for the file.",
        ),
    }
}

/// Lines of a hunk are content, whatever they look like.
fn skip_hunk(lines: &mut std::str::Lines<'_>, mut old: usize, mut new: usize) {
    while old > 0 || new > 0 {
        let Some(line) = lines.next() else { return };
        match line.as_bytes().first() {
            Some(b'-') => old = old.saturating_sub(1),
            Some(b'+') => new = new.saturating_sub(1),
            Some(b'\\') => {}
            _ => {
                old = old.saturating_sub(1);
                new = new.saturating_sub(1);
            }
        }
    }
}

/// The two lengths of `@@ -1,4 +1,5 @@`.
fn hunk_lengths(line: &str) -> Option<(usize, usize)> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let mut length = |sign: char| -> Option<usize> {
        let range = words.next()?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok())
    };
    Some((length('-')?, length('+')?))
}

/// A header may carry a time after a tab.
fn header_path(text: &str) -> &str {
    text.split('\t').next().unwrap_or(text).trim_end()
}
