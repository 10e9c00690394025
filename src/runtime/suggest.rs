//! "Did you mean": finds the known name closest to an unknown one.

/// Names longer than this are never compared; the distance costs their product.
const LONGEST: usize = 80;

/// The candidate that `name` was probably meant to be.
///
/// A candidate counts when a third of its letters or fewer differ, or when one of the two names
/// is a whole leading or trailing word of the other (`tool` and `tool_name`). Ties go to the
/// candidate that sorts first, so the answer does not depend on the order of the candidates.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let wanted = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST && *candidate != name)
        .filter_map(|candidate| {
            let folded = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&wanted, &folded);
            let allowed = (folded.chars().count().max(wanted.chars().count()) / 3).max(1);
            let near =
                distance <= allowed || is_word_of(&wanted, &folded) || is_word_of(&folded, &wanted);
            near.then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

fn is_word_of(part: &str, whole: &str) -> bool {
    let boundary = |letter: Option<char>| letter.is_some_and(|letter| !letter.is_alphanumeric());
    part.len() >= 2
        && (whole.strip_prefix(part).is_some_and(|rest| boundary(rest.chars().next()))
            || whole.strip_suffix(part).is_some_and(|rest| boundary(rest.chars().next_back())))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_typing_errors_and_parts_of_names() {
        let names = ["ns", "prompt", "section_path", "tool_name"];
        assert_eq!(nearest("secton_path", names), Some("section_path"));
        assert_eq!(nearest("tool", names), Some("tool_name"));
        assert_eq!(nearest("Prompt", names), Some("prompt"));
        assert_eq!(nearest("nsx", names), Some("ns"));
        assert_eq!(nearest("colour", names), None);
    }

    #[test]
    fn does_not_depend_on_the_order_of_candidates() {
        assert_eq!(nearest("abx", ["abz", "aby"]), nearest("abx", ["aby", "abz"]));
    }

    #[test]
    fn gives_up_on_very_long_names() {
        assert_eq!(nearest(&"a".repeat(10_000), ["aaaa"]), None);
    }
}
