//! Opposites: the pairs of `data/antonyms.txt`, beside the rows of the lexicon. Knows keys of words.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::stem;

static PAIRS: LazyLock<BTreeSet<(String, String)>> = LazyLock::new(|| {
    let lines = include_str!("data/antonyms.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .flat_map(|(left, right)| {
            let (left, right) = (stem::key(left), stem::key(right));
            [(left.clone(), right.clone()), (right, left)]
        })
        .filter(|(left, right)| left != right)
        .collect()
});

/// Whether two keys are opposites.
pub(super) fn opposite(left: &str, right: &str) -> bool {
    let known = |left: &str, right: &str| PAIRS.contains(&(left.to_owned(), right.to_owned()));
    known(left, right)
        || known(&base(left), &base(right))
        || lacking(left, right)
        || lacking(right, left)
}

/// The base of a comparative or superlative: `driest` is of `dry`.
fn base(key: &str) -> String {
    let short = key.strip_suffix("est").or_else(|| key.strip_suffix("er")).unwrap_or(key);
    let short = match short.as_bytes() {
        [.., one, other] if one == other && short.len() > 3 => &short[..short.len() - 1],
        _ => short,
    };
    stem::key(short)
}

/// "painless" against "painful", "kostenlos" against "kostenpflichtig".
fn lacking(left: &str, right: &str) -> bool {
    let root = ["less", "los", "frei"].iter().find_map(|end| left.strip_suffix(end));
    root.is_some_and(|root| {
        let rest = right.strip_prefix(root);
        root.len() >= 3
            && rest.is_some_and(|rest| ["ful", "pflichtig", "haltig", "voll"].contains(&rest))
    })
}
