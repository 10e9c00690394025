//! Maps words to the keys by which they are compared: stems, with irregular forms and synonyms
//! unified. Knows single words only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::lexicon::{IRREGULAR, SAME, WHOLE};
use crate::text::stem;

/// Irregular form to its base.
static BASES: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    IRREGULAR
        .iter()
        .flat_map(|(base, forms)| forms.split(' ').map(move |form| (form, *base)))
        .collect()
});

static WHOLES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| WHOLE.split_whitespace().collect());

/// Stem to the stem of the word that stands for its group.
static GROUPS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    SAME.iter()
        .flat_map(|group| {
            let first = strip(group.split(' ').next().unwrap_or_default());
            group.split(' ').map(move |word| (strip(word), first.clone()))
        })
        .collect()
});

/// The key of a word in lower case.
pub(super) fn key(word: &str) -> String {
    let stem = strip(word);
    GROUPS.get(&stem).cloned().unwrap_or(stem)
}

/// The stem of the word, or of the word that it is a form of.
fn strip(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let word = BASES.get(word).copied().unwrap_or(word);
    let one = word.strip_suffix('s').unwrap_or(word);
    if WHOLES.contains(one) { one.to_owned() } else { stem(word).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn forms_of_a_word_share_a_key() {
        for forms in [
            "deploy deploys deployed deploying deployment deployments",
            "store stores stored storing",
            "plan plans planned planning",
            "migrate migrates migrated migration migrations",
            "encrypt encrypted encryption",
            "policy policies",
            "choose chose chosen picks selected",
            "agree agreed agreement agreeing",
            "use used using uses",
            "postgres postgresql",
            "automatic automatically",
            "box boxes",
        ] {
            let mut keys: Vec<_> = forms.split(' ').map(key).collect();
            keys.dedup();
            assert_eq!(keys.len(), 1, "{forms}: {keys:?}");
        }
    }

    #[test]
    fn other_words_do_not() {
        for pair in [
            "bus business",
            "status state",
            "user use",
            "access accessory",
            "são sao",
            "engine engineers",
            "manage managers",
            "develop developers",
        ] {
            let (left, right) = pair.split_once(' ').unwrap();
            assert_ne!(key(left), key(right));
        }
    }
}
