//! Envelope templates: known words, in the right places.

use crate::diagnostics::{Findings, Place, code};
use crate::names;
use crate::parse::{Kind, Node};
use crate::resolve::Draft;
use crate::schema::WORDS;

/// Which template is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Success,
    Failure,
}

/// Checks both templates; the defaults are fine.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let surface = draft.folder.surface.as_ref();
    let Some(envelope) = surface.and_then(|doc| doc.root.get("envelope")) else { return };
    if let Some(entry) = envelope.entry("success") {
        template(&entry.value, Side::Success, out);
        let bare = entry.value.text() == Some("$data");
        if !bare && !matches!(entry.value.kind, Kind::Map(_)) {
            out.add(code::WRONG_TYPE, entry.focus(), "`success` must be `$data` or a map")
                .help("clients accept objects only");
        } else if count(&entry.value, "$data") != 1 {
            out.add(code::NO_WORD, entry.place, "`success` must contain `$data` exactly once")
                .label("without it the answer of the tool has no place");
        }
    }
    if let Some(entry) = envelope.entry("failure") {
        template(&entry.value, Side::Failure, out);
        if !matches!(entry.value.kind, Kind::Map(_)) {
            out.add(code::WRONG_TYPE, entry.focus(), "`failure` must be a map")
                .help("clients accept objects only");
        } else if count(&entry.value, "$error.code") == 0 {
            out.add(code::NO_WORD, entry.place, "`failure` must contain `$error.code`")
                .label("without it callers cannot tell errors apart");
        }
    }
}

fn count(node: &Node, word: &str) -> usize {
    match &node.kind {
        Kind::Text(text) => usize::from(text == word),
        Kind::List(list) => list.iter().map(|item| count(item, word)).sum(),
        Kind::Map(entries) => entries.iter().map(|entry| count(&entry.value, word)).sum(),
        _ => 0,
    }
}

fn template(node: &Node, side: Side, out: &mut Findings) {
    match &node.kind {
        Kind::Text(text) if text.starts_with('$') => word(text, node.place, side, out),
        Kind::List(list) => list.iter().for_each(|item| template(item, side, out)),
        Kind::Map(entries) => {
            for entry in entries {
                if entry.key == "$spread" {
                    let details = entry.value.text() == Some("$error.details");
                    if side == Side::Success || !details {
                        out.add(
                            code::MISPLACED_WORD,
                            entry.place,
                            "only `$error.details` can be spread",
                        )
                        .label("and only in a failure")
                        .help("write `$spread: $error.details`");
                    } else if entries.len() < 2 {
                        out.add(
                            code::MISPLACED_WORD,
                            entry.place,
                            "`$spread` is the only member of its map",
                        )
                        .help("add another member, such as `code: $error.code`");
                    }
                } else if entry.key.starts_with('$') {
                    out.add(
                        code::BAD_WORD,
                        entry.place,
                        format!("`{}` is not an envelope key", entry.key),
                    )
                    .help("the only key that starts with `$` is `$spread`");
                } else {
                    template(&entry.value, side, out);
                }
            }
        }
        _ => {}
    }
}

fn word(text: &str, place: Place, side: Side, out: &mut Findings) {
    if !WORDS.iter().any(|(word, _)| *word == text) {
        out.add(code::BAD_WORD, place, format!("unknown envelope word `{text}`"))
            .label("would be sent literally")
            .help(names::suggest(text, WORDS.iter().map(|(word, _)| *word)));
    } else if side == Side::Success && text.starts_with("$error") {
        out.add(code::MISPLACED_WORD, place, format!("`{text}` in a success"))
            .label("a success has no error");
    } else if side == Side::Failure && text == "$data" {
        out.add(code::MISPLACED_WORD, place, "`$data` in a failure")
            .label("a failure has no answer")
            .help("use `$error.details` for data about the error");
    }
}
