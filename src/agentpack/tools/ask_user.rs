//! The questions before files are written, for clients that can ask their user.

use std::path::Path;

use toolwright_runtime::ask::{Question, excerpt};

use crate::model::{Op, Plan};
use crate::rollback::Preview;

/// How many files are named, the others are counted.
const NAMED: usize = 12;
/// How much of a name is shown, in characters.
const SHOWN: usize = 200;

/// Asks about a plan.
pub(super) fn deploy(plan: &Plan) -> String {
    let summary = plan.summary();
    let targets: Vec<&str> = plan.targets.iter().map(|target| target.as_str()).collect();
    let mut message = format!(
        "Deploy profile {} to {}? {} to create, {} to update, {} to delete.",
        excerpt(&plan.profile, SHOWN),
        targets.join(", "),
        summary.create,
        summary.update,
        summary.delete,
    );
    let edited = plan.changes.iter().filter(|change| change.local_edits).count();
    if edited > 0 {
        message += &format!(" Edits in {edited} of the files are replaced; a backup is kept.");
    }
    let changes = plan.changes.iter().map(|change| {
        let op = match change.op {
            Op::Create => "create",
            Op::Update => "update",
            Op::Delete => "delete",
        };
        (op, change.path.as_path())
    });
    message + &files(changes)
}

/// Asks about a rollback. A yes is for what would be written as the files are now.
pub(super) fn rollback(to: &str, preview: &Preview) -> Question {
    let count = preview.files.len();
    let mut message =
        format!("Roll back to snapshot {}? {count} files change.", excerpt(to, SHOWN));
    for warning in &preview.warnings {
        message += &format!("\n{}", excerpt(warning, SHOWN));
    }
    let changes = preview.files.iter().map(|(op, path)| (*op, path.as_path()));
    Question::new(message + &files(changes)).about(&preview.digest)
}

fn files<'a>(changes: impl Iterator<Item = (&'static str, &'a Path)>) -> String {
    let all: Vec<_> = changes.collect();
    let named = all
        .iter()
        .take(NAMED)
        .map(|(op, path)| format!("\n{op} {}", excerpt(&path.display().to_string(), SHOWN)));
    let mut text: String = named.collect();
    if all.len() > NAMED {
        text += &format!("\nand {} more", all.len() - NAMED);
    }
    text
}
