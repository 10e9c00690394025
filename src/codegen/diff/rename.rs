//! Distinguishes a renamed thing from a removed and an added one.

/// Pairs of what went and what came that are the same thing. A thing that could be several others
/// is none of them: a wrong guess would hide a removal.
pub(super) fn pairs<'a, T>(
    gone: &[&'a T],
    come: &[&'a T],
    same: impl Fn(&T, &T) -> bool,
) -> Vec<(&'a T, &'a T)> {
    let mut pairs = Vec::new();
    for from in gone {
        let mut candidates = come.iter().filter(|to| same(from, to));
        let (Some(to), None) = (candidates.next(), candidates.next()) else { continue };
        if gone.iter().filter(|other| same(other, to)).count() == 1 {
            pairs.push((*from, *to));
        }
    }
    pairs
}

/// Names that are easily confused.
pub(super) fn near(a: &str, b: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', '.'], "");
    let (a, b) = (plain(a), plain(b));
    let close = strsim::damerau_levenshtein(&a, &b) <= 1 + a.len().min(b.len()) / 4;
    close || (a.len().min(b.len()) > 2 && (a.contains(&b) || b.contains(&a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_spellings_or_parts_of_each_other() {
        assert!(near("pane_id", "paneId"));
        assert!(near("colour", "color"));
        assert!(near("name", "full_name"));
        assert!(!near("id", "identity"));
        assert!(!near("before", "limit"));
    }

    #[test]
    fn what_could_be_several_things_is_none() {
        let (gone, come) = (["a"], ["b", "c"]);
        let refs = |list: &'static [&'static str]| list.iter().collect::<Vec<_>>();
        assert!(pairs(&refs(&["a"]), &refs(&["b", "c"]), |_, _| true).is_empty());
        assert!(pairs(&refs(&["b", "c"]), &refs(&["a"]), |_, _| true).is_empty());
        assert_eq!(pairs(&[&gone[0]], &[&come[0]], |_, _| true), [(&"a", &"b")]);
    }
}
