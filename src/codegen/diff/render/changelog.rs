//! A diff as a section of a changelog, and the markers around it in a document.

use std::fmt::Write as _;

use super::super::{Change, Diff, Level};
use super::text::users;

const OPEN: &str = "<!-- changes:since ";
const CLOSE: &str = "<!-- /changes -->";

impl Diff<'_> {
    /// Markdown: what breaks, what is new, what changes, what is asked of whom; words are counted.
    pub fn to_changelog(&self) -> String {
        let mut text = String::new();
        for (title, belongs) in GROUPS {
            let mut changes = self.changes.iter().filter(|change| belongs(change)).peekable();
            if changes.peek().is_some() {
                let _ = writeln!(text, "### {title}\n");
                for change in changes {
                    let _ = writeln!(text, "{}", line(change));
                }
                text.push('\n');
            }
        }
        match self.count(|change| change.rule.level == Level::Prose) {
            0 if text.is_empty() => text.push_str("No contract has changed.\n"),
            0 => {
                text.pop();
            }
            1 => text.push_str("1 description, example or other text changed.\n"),
            count => {
                let _ = writeln!(text, "{count} descriptions, examples and other texts changed.");
            }
        }
        text
    }
}

type Group = (&'static str, fn(&Change) -> bool);

const GROUPS: [Group; 4] = [
    ("Breaking", |change| change.rule.breaking),
    ("Added", |change| plain(change) && change.rule.id.ends_with("-added")),
    ("Changed", |change| plain(change) && !change.rule.id.ends_with("-added")),
    ("Policy", |change| !change.rule.breaking && change.rule.level == Level::Policy),
];

fn plain(change: &Change) -> bool {
    !change.rule.breaking && matches!(change.rule.level, Level::Wire | Level::Result)
}

fn line(change: &Change) -> String {
    let mut line = format!("- **{}**: {}", change.surface, escape(&change.message));
    if let Some(users) = users(change) {
        let _ = write!(line, "; affects {users}");
    }
    let _ = write!(line, " (`{}`)", change.rule.id);
    if let Some(reason) = &change.accepted {
        let _ = write!(line, ". Accepted: {}", escape(reason));
    }
    line
}

/// A text of a contract must not become markup, nor end a marker.
fn escape(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('<', "\\<")
}

/// The revision that a document's marker counts from.
pub fn since(document: &str) -> Result<&str, String> {
    let after = document
        .split_once(OPEN)
        .map(|(_, after)| after)
        .ok_or_else(|| format!("missing marker `{OPEN}REVISION -->`"))?;
    let (revision, rest) = after
        .split_once(" -->")
        .ok_or_else(|| format!("the marker `{OPEN}…` is not terminated"))?;
    if !rest.contains(CLOSE) {
        return Err(format!("the marker `{OPEN}{revision} -->` is not closed by `{CLOSE}`"));
    }
    Ok(revision.trim())
}

/// The document with another section between its markers.
pub fn refresh(document: &str, section: &str) -> Result<String, String> {
    let revision = since(document)?;
    let opening = format!("{OPEN}{revision} -->");
    let (before, after) = document
        .split_once(&opening)
        .ok_or_else(|| format!("the marker `{opening}` was not found"))?;
    let (_, after) = after.split_once(CLOSE).ok_or_else(|| format!("`{CLOSE}` is missing"))?;
    Ok(format!("{before}{opening}\n\n{section}\n{CLOSE}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_is_replaced() {
        let document = "a\n<!-- changes:since v1 -->\nold\n<!-- /changes -->\nz\n";
        assert_eq!(since(document), Ok("v1"));
        let fresh = refresh(document, "new\n").expect("markers");
        assert_eq!(fresh, "a\n<!-- changes:since v1 -->\n\nnew\n\n<!-- /changes -->\nz\n");
        assert_eq!(refresh(&fresh, "new\n").expect("markers"), fresh);
    }

    #[test]
    fn a_missing_marker_is_named() {
        assert!(since("nothing").is_err_and(|problem| problem.contains("changes:since")));
        assert!(since("<!-- changes:since x -->").is_err_and(|problem| problem.contains("closed")));
    }
}
