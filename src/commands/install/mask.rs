//! Replaces the secrets in the text of a client's file by stars, for display.
//!
//! Values of variables and headers are secrets whatever they are called; other values are if their key,
//! the argument before them or their own form says so. Comments are read as loose words. Every line
//! stays a line.

use super::client::Format;
use super::text::{self, Leaf};

const STARS: &str = "***";

/// Members whose values are all secrets.
const SECRET_MAPS: [&str; 4] = ["env", "headers", "http_headers", "httpheaders"];

/// Words in the name of what holds a secret, in lower case, without `-` and `_`.
const SECRET_WORDS: [&str; 10] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "authorization",
    "credential",
    "privatekey",
    "cookie",
];

/// How tokens of well-known services begin.
const SECRET_STARTS: [&str; 11] =
    ["sk-", "pk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xox", "AKIA", "eyJ", "AIza"];

/// Arguments that are followed by a variable or a header.
const SECRET_FLAGS: [&str; 5] = ["-e", "--env", "-H", "--header", "--headers"];

/// The text with its secrets masked; the values of variables that are `open` are shown.
pub(super) fn masked(text: &str, format: Format, open: &dyn Fn(&str) -> bool) -> String {
    let leaves = text::leaves(text, format).unwrap_or_default();
    let mut out = String::new();
    let mut from = 0;
    for leaf in &leaves {
        let source = &text[leaf.range.clone()];
        out.push_str(&text[from..leaf.range.start]);
        out.push_str(&shown(leaf, source, open));
        from = leaf.range.end;
    }
    out.push_str(&text[from..]);
    out.split_inclusive('\n').map(masked_words).collect()
}

/// What is shown of a value.
fn shown(leaf: &Leaf, source: &str, open: &dyn Fn(&str) -> bool) -> String {
    let name = leaf.path.last().map_or("", String::as_str);
    let [.., map, _] = &leaf.path[..] else { return whole_or_part(leaf, source, name) };
    if !SECRET_MAPS.contains(&map.to_ascii_lowercase().as_str()) {
        return whole_or_part(leaf, source, name);
    }
    // A reference is resolved by the client; it is no secret itself.
    let reference = leaf.value.starts_with("${") && leaf.value.ends_with('}');
    if reference || open(name) { source.to_owned() } else { stars(source) }
}

fn whole_or_part(leaf: &Leaf, source: &str, name: &str) -> String {
    let before = leaf.before.as_deref().unwrap_or_default();
    let announced = SECRET_FLAGS.contains(&before)
        || (before.starts_with('-') && !before.contains('=') && is_secret_name(before));
    // The name of a variable that holds the token, not the token.
    let names_it = name.ends_with("_env_var") || name.ends_with("EnvVar");
    if announced || (is_secret_name(name) && !names_it) || is_token(&leaf.value) {
        return stars(source);
    }
    let value = &leaf.value;
    let assigned = value.split_once('=').is_some_and(|(name, _)| is_secret_name(name));
    if assigned || has_url_secret(value) || value.contains("Bearer ") {
        stars(source)
    } else {
        source.to_owned()
    }
}

/// A name such as `--api-key` or `GITHUB_TOKEN`.
fn is_secret_name(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
    let plain = plain.to_ascii_lowercase();
    plain == "key" || plain == "auth" || SECRET_WORDS.iter().any(|word| plain.contains(word))
}

fn is_token(value: &str) -> bool {
    value.len() >= 12 && SECRET_STARTS.iter().any(|start| value.starts_with(start))
}

/// A password or a secret parameter in an address.
fn has_url_secret(value: &str) -> bool {
    let Some((_, rest)) = value.split_once(":/").or_else(|| value.split_once(":\\/")) else {
        return false;
    };
    let rest = rest.trim_start_matches(['/', '\\']);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    host.contains('@')
        || query.split(['&', '#']).any(|pair| is_secret_name(pair.split('=').next().unwrap_or("")))
}

/// Stars in the place of a value, over as many lines.
fn stars(source: &str) -> String {
    let quote = if source.starts_with('\'') { '\'' } else { '"' };
    let lines = "\n".repeat(source.matches('\n').count());
    format!("{quote}{STARS}{lines}{quote}")
}

/// A line whose loose words, as in a comment, are masked: what follows a secret name, and tokens.
fn masked_words(line: &str) -> String {
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '{' | '}' | '[' | ']');
    let mut out = String::new();
    let mut rest = line;
    let mut announced = false;
    while !rest.is_empty() {
        let gap = rest.len() - rest.trim_start_matches(is_end).len();
        out.push_str(&rest[..gap]);
        announced &= !rest[..gap].contains('{');
        rest = &rest[gap..];
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        rest = &rest[word.len()..];
        // `name=value`, `name: value`, `"name": "value"`, `--name value`.
        let (name, value) = match word.find(['=', ':']).filter(|_| !word.contains("://")) {
            Some(at) => (&word[..at], &word[at + 1..]),
            None => (word, ""),
        };
        let only_sign = matches!(word, "=" | ":");
        if announced && !only_sign && word != STARS && !word.is_empty() {
            out.push_str(STARS);
            announced = false;
        } else if is_secret_name(name) && !value.is_empty() {
            out.push_str(&word[..name.len() + 1]);
            out.push_str(STARS);
        } else if is_token(word) || has_url_secret(word) {
            out.push_str(STARS);
        } else {
            out.push_str(word);
            let sign_follows = word.ends_with(['=', ':'])
                || rest.trim_start_matches(['"', '\'', ' ', '\t']).starts_with(['=', ':']);
            announced = (announced && only_sign) || (is_secret_name(name) && sign_follows);
        }
    }
    out
}
