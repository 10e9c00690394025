//! Naming rules that several packages share.

/// Name of a tool for clients that do not accept dots: `wink.list_overrides` → `wink_list_overrides`.
pub fn portable(canonical: &str) -> String {
    canonical.replace('.', "_")
}

/// Flag of an argument of a tool command, without its dashes: `tenantId` → `tenant-id`.
pub fn argument_flag(name: &str) -> String {
    let mut flag = String::new();
    for character in name.chars() {
        let starts_a_word = matches!(character, '_' | '.') || character.is_ascii_uppercase();
        // A flag must not start with an additional dash.
        if starts_a_word && !flag.is_empty() {
            flag.push('-');
        }
        if !matches!(character, '_' | '.') {
            flag.push(character.to_ascii_lowercase());
        }
    }
    flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_kebab_case_without_a_leading_dash() {
        for (name, flag) in [
            ("tenantId", "tenant-id"),
            ("section_path", "section-path"),
            ("a.b", "a-b"),
            ("_hidden", "hidden"),
            ("Upper", "upper"),
        ] {
            assert_eq!(argument_flag(name), flag);
        }
    }
}
