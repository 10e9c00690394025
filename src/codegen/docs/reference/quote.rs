//! Examples: blocks of fixtures, quoted as written. The fixtures compile, so the examples do.

use super::keys::Key;

/// The smallest complete surface: path and text.
pub(super) const SMALLEST: [(&str, &str); 2] = [
    (
        "specs/hello/surface.yaml",
        include_str!("../../../../tests/specs/valid/hello/hello/surface.yaml"),
    ),
    (
        "specs/hello/tools/greet.yaml",
        include_str!("../../../../tests/specs/valid/hello/hello/tools/greet.yaml"),
    ),
];

macro_rules! notes {
    ($($file:literal)*) => {
        [$(include_str!(concat!("../../../../tests/specs/valid/notes/notes/", $file))),*]
    };
}

/// The surface that uses every key.
pub(super) const SURFACE: [&str; 1] = notes!("surface.yaml");
/// Its shared types.
pub(super) const TYPES: [&str; 1] = notes!("types.yaml");
/// Its tools, the most telling first.
pub(super) const TOOLS: [&str; 8] = notes!(
    "tools/search.yaml" "tools/cleanup.yaml" "tools/delete.yaml" "tools/get.yaml" "tools/put.yaml"
    "tools/plan_cleanup.yaml" "tools/expire.yaml" "tools/picture.yaml"
);
/// Its prompts.
pub(super) const PROMPTS: [&str; 1] = notes!("prompts/tidy.yaml");
/// A file of accepted breaks.
pub(super) const ACCEPTED: &str =
    include_str!("../../../../tests/specs/valid/notes/accepted-breaks.yaml");

/// Longest line that fits into a table.
const CELL: usize = 84;

/// A spec without its comment for editors.
pub(super) fn without_header(text: &str) -> String {
    let lines = text.lines().skip_while(|line| line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

/// The value of a key, where it fits into a table.
pub(super) fn cell<'a>(files: &[&'a str], key: &str) -> Option<&'a str> {
    let mut blocks = files.iter().filter_map(|file| block(file, key));
    let line = blocks.find(|block| !block.contains('\n') && block.len() <= CELL)?;
    Some(line.split_once(": ")?.1)
}

/// Blocks of a key that together use all members; what they leave out is returned beside them.
pub(super) fn blocks(files: &[&str], key: &str, members: &[Key]) -> (Vec<String>, Vec<String>) {
    cover(files.iter().filter_map(|file| block(file, key)).map(str::to_owned), members)
}

/// The same for the elements of the list `key` that begin with `name`, or with none of `not`.
pub(super) fn elements(
    files: &[&str],
    key: &str,
    begins: impl Fn(&str) -> bool,
    members: &[Key],
) -> (Vec<String>, Vec<String>) {
    let mut found = Vec::new();
    for block in files.iter().filter_map(|file| block(file, key)) {
        let mut element: Option<String> = None;
        for line in block.lines().skip(1) {
            match line.strip_prefix("  - ") {
                Some(rest) => {
                    found.extend(element.take());
                    let name = rest.trim_start_matches('{').split(':').next().unwrap_or_default();
                    element = begins(name).then(|| format!("- {rest}"));
                }
                None => {
                    if let Some(element) = &mut element {
                        element.push('\n');
                        element.push_str(line.strip_prefix("  ").unwrap_or(line));
                    }
                }
            }
        }
        found.extend(element);
    }
    cover(found.into_iter(), members)
}

/// The first example, and each further one that uses a member which is not yet shown.
fn cover(found: impl Iterator<Item = String>, members: &[Key]) -> (Vec<String>, Vec<String>) {
    let mut missing: Vec<&str> = members.iter().map(|member| member.name()).collect();
    let mut shown = Vec::new();
    for text in found {
        let before = missing.len();
        missing.retain(|name| !uses(&text, name));
        if shown.is_empty() || missing.len() < before {
            shown.push(text);
        }
    }
    if shown.is_empty() {
        missing.push("(no example)");
    }
    (shown, missing.into_iter().map(str::to_owned).collect())
}

/// Whether a text writes a key.
fn uses(text: &str, key: &str) -> bool {
    let key = format!("{key}:");
    text.match_indices(&key).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || matches!(c, '{' | '"'))
    })
}

/// The lines of a top-level key.
fn block<'a>(file: &'a str, key: &str) -> Option<&'a str> {
    let start = file.match_indices(key).map(|(at, _)| at).find(|at| {
        (*at == 0 || file[..*at].ends_with('\n')) && file[at + key.len()..].starts_with(':')
    })?;
    let rest = &file[start..];
    let ends = |(at, _): &(usize, &str)| {
        rest[at + 1..].starts_with(|c: char| !c.is_whitespace() && c != '#' && c != '-')
    };
    let end = rest.match_indices('\n').find(ends).map_or(rest.len(), |(at, _)| at);
    Some(rest[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_where_the_next_key_begins() {
        let file = "a: 1\nb:\n  - c: {d: 2}\n  - e: 3\n\nf: 4\n";
        assert_eq!(block(file, "a"), Some("a: 1"));
        assert_eq!(block(file, "b"), Some("b:\n  - c: {d: 2}\n  - e: 3"));
        assert_eq!(block(file, "c"), None);
        assert_eq!(cell(&[file], "f"), Some("4"));
        let (shown, missing) = elements(&[file], "b", |name| name == "e", &[]);
        assert_eq!((shown, missing), (vec!["- e: 3".to_owned()], vec![]));
    }

    #[test]
    fn a_key_is_used_where_it_is_written_as_one() {
        assert!(uses("- confirm: {field: yes}", "field"));
        assert!(!uses("- confirm: {subfield: yes}", "field"));
    }
}
