//! Words into the keys by which they are compared: endings taken off, other words for the same
//! thing made one. Knows single words only.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::lexicon::{IRREGULAR, SAME};

/// Irregular form to its base.
static BASES: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    IRREGULAR
        .iter()
        .flat_map(|(base, forms)| forms.split(' ').map(move |form| (form, *base)))
        .collect()
});

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

/// The word without its ending.
fn strip(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let word = BASES.get(word).copied().unwrap_or(word);
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let word = singular(word);
    let word = verb(&word);
    let word = noun(&word);
    match word.strip_suffix('e') {
        Some(short) if word.len() >= 4 => short.to_owned(),
        _ => word,
    }
}

fn singular(word: &str) -> String {
    if let Some(short) = word.strip_suffix("ies").filter(|short| short.len() >= 2) {
        return format!("{short}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zes"] {
        if word.len() > ending.len() + 1 && word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let keeps = ["ss", "us", "is", "as", "os"].iter().any(|ending| word.ends_with(ending));
    match word.strip_suffix('s') {
        Some(short) if word.len() >= 4 && !keeps => short.to_owned(),
        _ => word.to_owned(),
    }
}

fn verb(word: &str) -> String {
    let vowel = |text: &str| text.bytes().any(|byte| b"aeiouy".contains(&byte));
    if word.ends_with("eed") {
        return word.strip_suffix('d').unwrap_or(word).to_owned();
    }
    if let Some(short) = word.strip_suffix("ied").filter(|short| short.len() >= 2) {
        return format!("{short}y");
    }
    for ending in ["ing", "ed"] {
        if let Some(short) = word.strip_suffix(ending).filter(|short| short.len() >= 3)
            && vowel(short)
        {
            return undouble(short);
        }
    }
    word.to_owned()
}

fn undouble(word: &str) -> String {
    let bytes = word.as_bytes();
    match bytes {
        [.., left, right] if left == right && !b"lszaeiou".contains(right) => {
            word[..word.len() - 1].to_owned()
        }
        _ => word.to_owned(),
    }
}

fn noun(word: &str) -> String {
    for (ending, least) in [("ment", 5), ("ally", 6), ("ly", 5), ("ness", 5)] {
        if let Some(short) = word.strip_suffix(ending).filter(|short| short.len() >= least) {
            return short.to_owned();
        }
    }
    match word.strip_suffix("ion") {
        Some(short) if short.len() >= 5 && short.ends_with(['t', 's']) => short.to_owned(),
        _ => word.to_owned(),
    }
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
        for pair in ["bus business", "status state", "user use", "access accessory", "são sao"] {
            let (left, right) = pair.split_once(' ').unwrap();
            assert_ne!(key(left), key(right));
        }
    }
}
