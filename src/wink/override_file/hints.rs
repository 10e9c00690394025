//! Hints for mistakes that the library's own documents lead to.

use crate::python_json::{Json, Members};

/// The hint for a missing or wrong `version`.
pub(super) fn version_hint(members: &Members) -> String {
    let headless = !["ns", "prompt_key", "tag"].iter().any(|name| members.contains_key(name));
    if headless {
        return "The file has no header; the starter project's README shows such a file, but the \
                library rejects it. Add `version` (2, or 1 for releases before 0.19), `ns`, \
                `prompt_key` and `tag`."
            .to_owned();
    }
    match members.get("version") {
        Some(Json::String(text)) if text == "1" || text == "2" => {
            format!("Write the number {text} without quotes.")
        }
        _ => "Write 2, or 1 for library releases before 0.19.".to_owned(),
    }
}

/// The hint for a `visibility` that the library rejects.
pub(super) fn visibility_hint(value: &Json) -> &'static str {
    match value.as_str().map(str::to_ascii_lowercase).as_deref() {
        Some("full") => " Write `full` in lower case.",
        Some("summary") => " Write `summary` in lower case.",
        _ => "",
    }
}

/// The hint for an unknown key: a dotted key is read as one section, not as a path.
pub(super) fn unknown_key_hint(key: &str, is_section: &dyn Fn(&str) -> bool) -> Option<String> {
    let slashed = key.replace('.', "/");
    if slashed != key && is_section(&slashed) {
        return Some(format!(
            "`{key}` is written with dots; files use slashes, so the library reads it as an unknown \
             section. The key should be `{slashed}`."
        ));
    }
    let lower = key.to_ascii_lowercase();
    (lower != key && is_section(&lower))
        .then(|| format!("`{key}` has upper-case letters; the library only has `{lower}`."))
}
