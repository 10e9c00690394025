//! Unified diffs of a plan, within limits that keep an answer readable.

use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::content::{parallel, read, read_file};
use super::model::{Change, Content, Op, Plan, Target};
use super::paths::{posix, relative};

/// A diff longer than this is left out.
pub(crate) const MAX_DIFF: usize = 100 << 10;
/// All diffs of one answer together.
const MAX_TOTAL: usize = 1 << 20;
/// A side larger than this is not compared line by line.
const MAX_SIDE: u64 = 1 << 20;
/// Nor is one with more lines: the worst case grows with their square.
const MAX_LINES: usize = 10_000;

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileDiff {
    /// The target.
    pub target: Target,
    /// The root's folder.
    pub root: PathBuf,
    /// Below the root, with `/`.
    pub path: String,
    /// What happens.
    pub op: Op,
    /// Without a prefix.
    pub before_sha256: Option<String>,
    /// Without a prefix.
    pub after_sha256: Option<String>,
    /// With `a/…` and `b/…` headers and three lines of context; none for deletes and for what is
    /// left out.
    pub unified: Option<String>,
}

/// The diffs of a plan, in its order, and why some have no text.
pub(crate) fn files(plan: &Plan) -> (Vec<FileDiff>, Vec<String>) {
    let texts = parallel(&plan.changes, |change| unified(plan, change));
    let mut warnings = Vec::new();
    let (mut total, mut left_out) = (0, 0);
    let mut files = Vec::with_capacity(plan.changes.len());
    for (change, text) in plan.changes.iter().zip(texts) {
        let root = root_of(plan, change);
        let unified = match text {
            Ok(Some(text)) if total + text.len() <= MAX_TOTAL => {
                total += text.len();
                Some(text)
            }
            Ok(Some(_)) => {
                left_out += 1;
                None
            }
            Ok(None) => None,
            Err(why) => {
                let path = change.path.display();
                warnings.push(format!("the diff of `{path}` is left out: {why}"));
                None
            }
        };
        files.push(FileDiff {
            target: change.target,
            root: root.to_owned(),
            path: relative(&change.path, root).unwrap_or_else(|| posix(&change.path)),
            op: change.op,
            before_sha256: change.before_sha256.clone(),
            after_sha256: change.after_sha256.clone(),
            unified,
        });
    }
    if left_out > 0 {
        warnings.push(format!(
            "the diffs of {left_out} more files are left out: the answer already has {total} bytes \
             of diffs"
        ));
    }
    (files, warnings)
}

fn root_of<'a>(plan: &'a Plan, change: &'a Change) -> &'a Path {
    let key = (change.target, change.path.clone());
    let root = plan
        .desired
        .outputs
        .get(&key)
        .map(|output| output.root)
        .or_else(|| plan.managed.get(&key).map(|managed| managed.root));
    match root.and_then(|root| plan.desired.roots.get(root)) {
        Some(root) => &root.path,
        None => change.path.parent().unwrap_or(&change.path),
    }
}

fn unified(plan: &Plan, change: &Change) -> Result<Option<String>, String> {
    if change.op == Op::Delete {
        return Ok(None);
    }
    let key = (change.target, change.path.clone());
    let Some(output) = plan.desired.outputs.get(&key) else { return Ok(None) };
    if output.size > MAX_SIDE {
        return Err(format!("the new file has {} bytes", output.size));
    }
    let new = read(&output.content).map_err(|error| match &output.content {
        Content::File(path) => format!("`{}` could not be read: {error}", path.display()),
        Content::Bytes(_) => error.to_string(),
    })?;
    let is_link = change.path.is_symlink();
    let old = match change.op {
        Op::Update if is_link => return Err("the file on disk is a link".to_owned()),
        Op::Update => read_file(&change.path, MAX_SIDE)
            .map_err(|error| format!("the file on disk could not be read: {error}"))?,
        Op::Create | Op::Delete => Vec::new(),
    };
    let new = String::from_utf8(new).map_err(|_| "the new file is not UTF-8".to_owned())?;
    let old = String::from_utf8(old).map_err(|_| "the file on disk is not UTF-8".to_owned())?;
    if old.lines().count().max(new.lines().count()) > MAX_LINES {
        return Err(format!("it has more than {MAX_LINES} lines"));
    }
    let name = relative(&change.path, root_of(plan, change)).unwrap_or_default();
    let text = TextDiff::from_lines(&old, &new)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string();
    if text.len() > MAX_DIFF {
        return Err(format!("it has {} bytes, more than {MAX_DIFF}", text.len()));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use crate::testing::Sandbox;

    use super::*;

    fn prompts(texts: &[(&str, &str)]) -> Sandbox {
        let sandbox = Sandbox::new();
        let ids: Vec<String> = texts.iter().map(|(name, _)| format!("prompt:{name}")).collect();
        let paths: Vec<String> = texts.iter().map(|(name, _)| format!("m/{name}.md")).collect();
        let modules: Vec<_> = ids
            .iter()
            .zip(&paths)
            .map(|(id, path)| (id.as_str(), "prompt", path.as_str()))
            .collect();
        sandbox.config(&[("vscode", "project")], &modules);
        for (name, text) in texts {
            sandbox.repo(&format!("m/{name}.md"), text);
        }
        sandbox
    }

    #[test]
    fn diffs_look_like_gits() {
        let sandbox = prompts(&[("new", "a\nb\n"), ("old", "one\ntwo\n")]);
        sandbox.write("project/.github/prompts/old.prompt.md", "one\n2");
        let (files, warnings) = files(&sandbox.open(None).unwrap().plan().unwrap());
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(
            files[0].unified.as_deref(),
            Some("--- a/new.prompt.md\n+++ b/new.prompt.md\n@@ -0,0 +1,2 @@\n+a\n+b\n")
        );
        assert_eq!(files[1].path, "old.prompt.md");
        assert_eq!(
            files[1].unified.as_deref(),
            Some(
                "--- a/old.prompt.md\n+++ b/old.prompt.md\n@@ -1,2 +1,2 @@\n one\n-2\n\
                 \\ No newline at end of file\n+two\n"
            )
        );
    }

    #[test]
    fn long_and_binary_files_are_left_out_and_reported() {
        let long = "x\n".repeat(MAX_DIFF / 2);
        let lines = "\n".repeat(MAX_LINES + 1);
        let sandbox = prompts(&[("a", &long), ("b", &lines), ("c", "fine\n"), ("d", "text\n")]);
        std::fs::create_dir_all(sandbox.path("project/.github/prompts")).unwrap();
        std::fs::write(sandbox.path("project/.github/prompts/d.prompt.md"), [0xff, 0xfe]).unwrap();
        let (files, warnings) = files(&sandbox.open(None).unwrap().plan().unwrap());
        let with_text: Vec<_> =
            files.iter().filter(|file| file.unified.is_some()).map(|file| &file.path).collect();
        assert_eq!(with_text, ["c.prompt.md"]);
        assert_eq!(warnings.len(), 3);
        assert!(warnings[1].contains("more than 10000 lines"), "{warnings:?}");
        assert!(warnings[2].contains("not UTF-8"), "{warnings:?}");
    }

    #[test]
    fn all_diffs_together_have_a_limit() {
        let text = "x".repeat(90 << 10);
        let names: Vec<String> = (0..13).map(|n| format!("p{n:02}")).collect();
        let texts: Vec<_> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
        let sandbox = prompts(&texts);
        let (files, warnings) = files(&sandbox.open(None).unwrap().plan().unwrap());
        assert_eq!(files.iter().filter(|file| file.unified.is_some()).count(), 11);
        assert!(warnings[0].contains("2 more files"), "{warnings:?}");
    }
}
