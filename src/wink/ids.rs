//! Validated names: what can be part of a path below the overrides directory, and what cannot.
//!
//! The rules are the library's: outer blanks trimmed, blank namespace segments dropped, every
//! component `^[a-z0-9][a-z0-9._-]{0,63}$`. A component can hold no `/` and cannot start with a
//! dot, so no name leads out of the directory. Knows no files.

use std::fmt;

use toolwright_runtime::{ErrorKind, Failure};

use super::failure::Result;
use crate::generated::Error;

/// Pattern of namespace segments, prompt keys, tags and section keys.
pub const IDENTIFIER_PATTERN: &str = "^[a-z0-9][a-z0-9._-]{0,63}$";
/// Pattern of tool names.
pub const TOOL_PATTERN: &str = "^[a-z0-9_-]{1,64}$";
/// The tag that is meant when none is given.
pub const DEFAULT_TAG: &str = "latest";

/// Python's `str.strip`: Unicode blanks and the four ASCII separators.
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

/// Whether `text` is one valid component.
pub fn is_identifier(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
    text.len() <= 64
        && text.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && text.bytes().all(inner)
}

fn refuse(field: &str, what: &str, received: &str, pattern: &str) -> Failure<Error> {
    let lower = trim(received).to_ascii_lowercase();
    let hint = if received != lower && is_identifier(&lower) {
        format!("Send `{lower}`.")
    } else {
        "Use 1 to 64 characters of a-z, 0-9, `.`, `_`, `-`, starting with a letter or digit."
            .to_owned()
    };
    Error::InvalidIdentifier
        .because(format!("`{field}`: {what} `{received}` does not match {pattern}."))
        .hint(hint)
        .with("field", field)
        .with("expected", pattern)
        .with("received", received)
}

fn refuse_blank(field: &str, what: &str) -> Failure<Error> {
    Error::InvalidIdentifier
        .because(format!("`{field}`: {what} is empty."))
        .hint(format!("Send `{field}` as a non-empty string."))
        .with("field", field)
        .with("expected", IDENTIFIER_PATTERN)
        .with("received", "")
}

fn component(field: &str, what: &str, text: &str) -> Result<String> {
    let trimmed = trim(text);
    if trimmed.is_empty() {
        return Err(refuse_blank(field, what));
    }
    if !is_identifier(trimmed) {
        return Err(refuse(field, what, trimmed, IDENTIFIER_PATTERN));
    }
    Ok(trimmed.to_owned())
}

/// A namespace: one or more components, joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace(String);

impl Namespace {
    /// Reads `a/b`; `a//b` and ` a / b ` mean the same.
    pub fn parse(text: &str) -> Result<Self> {
        let mut segments = Vec::new();
        for segment in text.split('/').filter(|segment| !trim(segment).is_empty()) {
            segments.push(component("ns", "namespace segment", segment)?);
        }
        if segments.is_empty() {
            return Err(refuse_blank("ns", "the namespace"));
        }
        Ok(Self(segments.join("/")))
    }

    /// The canonical text, `a/b`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The components.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

/// A prompt's key within its namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromptKey(String);

impl PromptKey {
    /// Reads a key.
    pub fn parse(text: &str) -> Result<Self> {
        component("prompt", "prompt key", text).map(Self)
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A tag: which of a prompt's sibling files is meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

impl Tag {
    /// Reads a tag.
    pub fn parse(text: &str) -> Result<Self> {
        component("tag", "tag", text).map(Self)
    }

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Tag {
    fn default() -> Self {
        Self(DEFAULT_TAG.to_owned())
    }
}

/// The path of a section within its prompt: `system/style`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionPath(String);

impl SectionPath {
    /// Reads the slash form. Blanks are dropped and keys lower-cased, as section constructors do.
    pub fn parse(text: &str) -> Result<Self> {
        Self::from_parts(text.split('/'))
    }

    /// Reads the array form.
    pub fn from_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut keys = Vec::new();
        for part in parts.into_iter().map(trim).filter(|part| !part.is_empty()) {
            let key = part.to_ascii_lowercase();
            if !is_identifier(&key) {
                return Err(refuse("section_path", "section key", part, IDENTIFIER_PATTERN));
            }
            keys.push(key);
        }
        if keys.is_empty() {
            return Err(refuse_blank("section_path", "the section path")
                .hint("Send the keys of the section and its parents joined by `/`."));
        }
        Ok(Self(keys.join("/")))
    }

    /// The slash form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The array form.
    pub fn parts(&self) -> Vec<String> {
        self.0.split('/').map(str::to_owned).collect()
    }
}

/// The name of a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName(String);

impl ToolName {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self> {
        let trimmed = trim(text);
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b);
        if trimmed.is_empty() {
            return Err(refuse_blank("tool_name", "the tool name"));
        }
        if trimmed.len() > 64 || !trimmed.bytes().all(allowed) {
            return Err(refuse("tool_name", "tool name", trimmed, TOOL_PATTERN)
                .hint("Use 1 to 64 characters of a-z, 0-9, `_`, `-`."));
        }
        Ok(Self(trimmed.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which override file: namespace, prompt and tag.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromptRef {
    /// Namespace.
    pub ns: Namespace,
    /// Prompt key.
    pub prompt: PromptKey,
    /// Tag.
    pub tag: Tag,
}

impl PromptRef {
    /// Reads the three names; no tag or a blank one means `latest`.
    pub fn parse(ns: &str, prompt: &str, tag: Option<&str>) -> Result<Self> {
        Ok(Self {
            ns: Namespace::parse(ns)?,
            prompt: PromptKey::parse(prompt)?,
            tag: match tag {
                Some(tag) if !trim(tag).is_empty() => Tag::parse(tag)?,
                _ => Tag::default(),
            },
        })
    }

    /// Identity from the components of a path below the overrides directory.
    pub fn from_relative(components: &[&str]) -> Result<Self> {
        let [ns @ .., prompt, file] = components else {
            return Err(refuse_blank("path", "the path"));
        };
        let tag = file.strip_suffix(".json").unwrap_or(file);
        if ns.is_empty() {
            return Err(Error::InvalidIdentifier
                .because(format!(
                    "`{}` is no override file: the path needs a namespace, a prompt and a tag.",
                    components.join("/")
                ))
                .hint("Move the file to `<ns>/<prompt>/<tag>.json`, or out of the directory."));
        }
        Ok(Self {
            ns: Namespace::parse(&ns.join("/"))?,
            prompt: PromptKey::parse(prompt)?,
            tag: Tag::parse(tag)?,
        })
    }

    /// Names of the directories from the overrides directory down to the file.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        self.ns.segments().chain([self.prompt.as_str()])
    }

    /// Name of the file.
    pub fn file_name(&self) -> String {
        format!("{}.json", self.tag.as_str())
    }
}

impl fmt::Display for PromptRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} (tag {})", self.ns.as_str(), self.prompt.as_str(), self.tag.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_follow_the_library() {
        assert_eq!(Namespace::parse(" a // b/ ").unwrap().as_str(), "a/b");
        assert_eq!(Namespace::parse("demo.app").unwrap().as_str(), "demo.app");
        for bad in ["", " ", "//", "A", "a/../b", "..", "a/.b", "ä", &"x".repeat(65)] {
            let failure = Namespace::parse(bad).unwrap_err();
            assert_eq!(failure.kind(), Error::InvalidIdentifier, "{bad}");
        }
    }

    #[test]
    fn section_paths_drop_blanks_and_lower_case() {
        let path = SectionPath::parse("/System//Style/ ").unwrap();
        assert_eq!(path.as_str(), "system/style");
        assert_eq!(path.parts(), ["system", "style"]);
        assert!(SectionPath::parse("/ /").is_err());
        assert!(SectionPath::parse("a/../b").is_err());
    }

    #[test]
    fn tools_have_no_dots() {
        assert!(ToolName::parse("search_docs").is_ok());
        assert!(ToolName::parse("-x").is_ok());
        assert!(ToolName::parse("a.b").is_err());
    }

    #[test]
    fn tag_defaults_to_latest() {
        assert_eq!(PromptRef::parse("a", "b", None).unwrap().file_name(), "latest.json");
        assert_eq!(PromptRef::parse("a", "b", Some(" ")).unwrap().file_name(), "latest.json");
        assert_eq!(PromptRef::parse("a", "b", Some("v1.2")).unwrap().file_name(), "v1.2.json");
    }

    #[test]
    fn identity_comes_from_the_path() {
        let found = PromptRef::from_relative(&["a", "b", "c", "v1.2.json"]).unwrap();
        assert_eq!(found, PromptRef::parse("a/b", "c", Some("v1.2")).unwrap());
        assert!(PromptRef::from_relative(&["c", "t.json"]).is_err());
        assert!(PromptRef::from_relative(&["A", "c", "t.json"]).is_err());
    }
}
