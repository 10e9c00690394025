//! Naming rules that several packages share.

use std::borrow::Cow;

use serde_json::Value;

/// Name of a tool for clients that do not accept dots: `wink.list_overrides` → `wink_list_overrides`.
pub fn portable(canonical: &str) -> String {
    canonical.replace('.', "_")
}

/// `text` with the names of tools in it as clients that do not accept dots know them. `is_tool` tells
/// whether a word is the canonical name of a tool.
pub fn portable_text<'t>(text: &'t str, is_tool: impl Fn(&str) -> bool) -> Cow<'t, str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_');
    let mut spelled = String::new();
    let mut copied = 0;
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_part).map(|at| rest + at) {
        let end = text[start..].find(|letter| !is_part(letter)).map_or(text.len(), |at| start + at);
        // A full stop may follow.
        let word = text[start..end].trim_end_matches('.');
        if word.contains('.') && is_tool(word) {
            spelled.push_str(&text[copied..start]);
            spelled.push_str(&portable(word));
            copied = start + word.len();
        }
        rest = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    spelled.push_str(&text[copied..]);
    Cow::Owned(spelled)
}

/// Does the same to the descriptions in a JSON schema, or in a definition that contains some.
pub fn portable_descriptions(schema: &mut Value, is_tool: &dyn Fn(&str) -> bool) {
    match schema {
        Value::Array(items) => {
            items.iter_mut().for_each(|item| portable_descriptions(item, is_tool));
        }
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) if key == "description" => {
                        *text = portable_text(text, is_tool).into_owned();
                    }
                    // These are data.
                    _ if ["const", "default", "enum", "examples"].contains(&key.as_str()) => {}
                    _ => portable_descriptions(value, is_tool),
                }
            }
        }
        _ => {}
    }
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
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_tools_in_a_text_lose_their_dots_and_nothing_else_does() {
        let spelled = |text| portable_text(text, |word| ["wa.send", "wa.get_text"].contains(&word));
        for (text, expected) in [
            ("Call wa.send, then wa.get_text.", "Call wa_send, then wa_get_text."),
            ("`wa.send`: é wa.send… wa.send", "`wa_send`: é wa_send… wa_send"),
        ] {
            assert_eq!(spelled(text), expected);
        }
        for text in
            ["", "wa.sends wa.send.x xwa.send wa.sendé wa.json 1.5 a. b", "wa.events", "..."]
        {
            assert!(matches!(spelled(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn only_the_descriptions_of_a_schema_are_texts() {
        let mut schema = json!({
            "description": "As wa.send.",
            "properties": {"description": {"description": "wa.send", "const": "wa.send"}},
            "anyOf": [{"title": "wa.send", "enum": [{"description": "wa.send"}]}],
        });
        portable_descriptions(&mut schema, &|word| word == "wa.send");
        let expected = json!({
            "description": "As wa_send.",
            "properties": {"description": {"description": "wa_send", "const": "wa.send"}},
            "anyOf": [{"title": "wa.send", "enum": [{"description": "wa.send"}]}],
        });
        assert_eq!(schema, expected);
    }

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
