//! Names: their Rust and wire forms, globs, and suggestions for misspelt ones.

use heck::{ToKebabCase, ToSnakeCase, ToUpperCamelCase};
pub use toolwright_contract::{argument_flag, portable};

/// Name of a Rust type for a name of the spec: `entity.upsert` → `EntityUpsert`.
pub fn rust_type(name: &str) -> String {
    name.to_upper_camel_case()
}

/// Name of a Rust field or function for a name of the spec.
pub fn rust_field(name: &str) -> String {
    name.to_snake_case()
}

/// Name of a Rust module for a name of the spec; `None` where no module can have it.
pub fn rust_module(name: &str) -> Option<String> {
    let module = rust_field(name);
    [module.clone(), format!("r#{module}")]
        .into_iter()
        .find(|word| syn::parse_str::<syn::Ident>(word).is_ok())
}

/// Whether a surface can be called so: it becomes a Rust module and a cargo feature.
pub fn is_surface_name(name: &str) -> bool {
    is_snake(name) && syn::parse_str::<syn::Ident>(name).is_ok()
}

/// What the environment variables of a surface's server settings begin with.
pub fn env_prefix(surface: &str) -> String {
    surface.to_uppercase()
}

/// Words of the tool command where the spec names none.
pub fn default_command(tool: &str) -> Vec<String> {
    tool.split('.').map(|word| word.to_kebab_case()).collect()
}

/// Whether `name` matches `pattern`, in which `*` stands for any run of characters.
pub(crate) fn glob(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(head) else { return false };
    (0..=rest.len())
        .filter(|at| rest.is_char_boundary(*at))
        .any(|at| glob(tail, rest.get(at..).unwrap_or_default()))
}

/// Lower-case snake case that starts with a letter.
pub(crate) fn is_snake(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Words joined by dots, each a letter followed by letters, digits and `_`.
pub fn is_tool_name(name: &str) -> bool {
    name.split('.').all(|word| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// What property names the strictest client takes.
pub(crate) fn is_portable_property(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
        && name.chars().any(|c| c.is_ascii_alphanumeric())
}

/// Contract versions: `v1`, `v12`.
pub(crate) fn version(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('v')?;
    if digits.starts_with('0') || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// "did you mean" where something is near, else the list of what there is.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    known.dedup();
    match nearest(word, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "none exist".to_owned(),
        None => {
            let shown: Vec<String> =
                known.iter().take(20).map(|name| format!("`{name}`")).collect();
            let more = if known.len() > 20 { ", …" } else { "" };
            format!("known: {}{more}", shown.join(", "))
        }
    }
}

fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&word, &name.to_lowercase()), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len().min(word.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_runs_of_characters() {
        assert!(glob("entity.*", "entity.upsert"));
        assert!(glob("*", ""));
        assert!(glob("story*.*", "storyNode.get"));
        assert!(!glob("entity.*", "entity"));
        assert!(!glob("*.publish", "version.publisher"));
    }

    #[test]
    fn near_misses_are_suggested_and_far_ones_listed() {
        assert_eq!(suggest("titel", ["title", "tool"]), "did you mean `title`?");
        assert_eq!(suggest("zzz", ["b", "a"]), "known: `a`, `b`");
    }

    #[test]
    fn keywords_are_raw_modules_and_no_surfaces() {
        assert_eq!(rust_module("entity.upsert").as_deref(), Some("entity_upsert"));
        assert_eq!(rust_module("move").as_deref(), Some("r#move"));
        assert_eq!(rust_module("self"), None);
        assert!(is_surface_name("shelf_2") && !is_surface_name("move") && !is_surface_name("a-b"));
    }

    #[test]
    fn versions_are_a_v_and_a_number() {
        assert_eq!(version("v12"), Some(12));
        for bad in ["1", "v0", "v", "v1.2", "v01"] {
            assert_eq!(version(bad), None, "{bad}");
        }
    }
}
