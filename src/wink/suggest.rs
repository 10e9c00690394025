//! "Did you mean": similar names for a name that does not exist.
//!
//! Pure text; knows neither prompts nor files.

/// Up to three candidates that look like `wanted`, best first.
pub(crate) fn near<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (score(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, candidate)| candidate.to_owned()).collect()
}

fn score(wanted: &str, candidate: &str) -> f64 {
    let flat = |text: &str| text.replace(['.', '_', ' '], "-").replace('/', "-");
    let last = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
    if flat(wanted) == flat(candidate) {
        return 1.0;
    }
    if last(wanted) == last(candidate) {
        return 0.95;
    }
    strsim::jaro_winkler(wanted, candidate)
}

/// ` Did you mean `a` or `b`?`, or nothing.
pub(crate) fn question(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        [only] => format!(" Did you mean `{only}`?"),
        [first @ .., last] => format!(" Did you mean `{}` or `{last}`?", first.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_come_first() {
        let known = ["system", "system/style", "policy"];
        assert_eq!(near("system.style", known)[0], "system/style");
        assert_eq!(near("style", known)[0], "system/style");
        assert_eq!(near("sytem", known)[0], "system");
        assert!(near("zzz", known).is_empty());
    }

    #[test]
    fn question_reads_well() {
        assert_eq!(question(&[]), "");
        assert_eq!(question(&["a".into(), "b".into()]), " Did you mean `a` or `b`?");
    }
}
