//! Filter rules for which panes are recorded; returns the reason if a pane is not.
//!
//! A rule is one of `id:3`, `domain:ssh*` (glob), `title:text` (part of the title),
//! `title:re:…` (regular expression), `cwd:/srv` (that folder and below) or `cwd:/srv/*/src`
//! (glob; `*` stays within a name, `**` does not). Exclusion wins; without inclusion rules every
//! pane is included.

use regex::{Regex, RegexBuilder};

use crate::error::{Kind, Result};
use crate::model::PaneRow;

/// Why a pane is ignored that no inclusion rule names.
pub(super) const NO_INCLUDE_MATCH: &str = "no_include_match";

/// A compiled expression may not be larger.
const MAX_COMPILED: usize = 1 << 20;

/// The rules of a workspace.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    include: Vec<Rule>,
    exclude: Vec<Rule>,
}

/// One rule and the text that it was written as.
#[derive(Debug, Clone)]
struct Rule {
    text: String,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    Id(u64),
    Domain(Regex),
    TitlePart(String),
    Title(Regex),
    Folder(String),
    Cwd(Regex),
}

impl Filter {
    /// Reads the rules. A rule that cannot be read isan error that names it.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self> {
        let read = |rules: &[String]| -> Result<Vec<Rule>> {
            rules.iter().map(|text| Rule::parse(text)).collect()
        };
        Ok(Self { include: read(include)?, exclude: read(exclude)? })
    }

    /// Why the pane is ignored: the rule that excludes it, or `NO_INCLUDE_MATCH`. None when it is
    /// observed.
    pub fn observed(&self, pane: &PaneRow) -> Option<String> {
        if let Some(rule) = self.exclude.iter().find(|rule| rule.matches(pane)) {
            return Some(rule.text.clone());
        }
        let included =
            self.include.is_empty() || self.include.iter().any(|rule| rule.matches(pane));
        (!included).then(|| NO_INCLUDE_MATCH.to_owned())
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self> {
        let wrong = |why: String| {
            Kind::Config
                .because(format!("The pane rule `{text}` cannot be used: {why}."))
                .hint("Write id:3, domain:ssh*, title:text, title:re:expression or cwd:/folder.")
        };
        let (field, value) = text.split_once(':').unwrap_or((text, ""));
        if value.trim().is_empty() {
            return Err(wrong("nothing follows the colon".to_owned()));
        }
        let compile = |pattern: &str| {
            let built = RegexBuilder::new(pattern).size_limit(MAX_COMPILED).build();
            built.map_err(|error| wrong(format!("the expression is invalid: {error}")))
        };
        let is_glob = value.contains(['*', '?']);
        let test = match (field, value.strip_prefix("re:")) {
            ("id", _) => Test::Id(
                value.trim().parse().map_err(|_| wrong(format!("`{value}` is not a pane id")))?,
            ),
            ("domain", _) => Test::Domain(compile(&glob(value, true))?),
            ("title", Some(pattern)) => Test::Title(compile(pattern)?),
            ("title", None) => Test::TitlePart(value.to_owned()),
            ("cwd", _) if is_glob => Test::Cwd(compile(&glob(value, false))?),
            ("cwd", _) => Test::Folder(trim_slash(value).to_owned()),
            _ => return Err(wrong(format!("`{field}` is not id, domain, title or cwd"))),
        };
        Ok(Self { text: text.to_owned(), test })
    }

    /// What a pane does not say matches no rule.
    fn matches(&self, pane: &PaneRow) -> bool {
        let title = pane.title.as_deref();
        let cwd = pane.cwd.as_deref().map(trim_slash);
        match &self.test {
            Test::Id(id) => pane.pane_id == *id,
            Test::Domain(pattern) => pattern.is_match(&pane.domain),
            Test::TitlePart(part) => title.is_some_and(|title| title.contains(part.as_str())),
            Test::Title(pattern) => title.is_some_and(|title| pattern.is_match(title)),
            Test::Folder(folder) => cwd.is_some_and(|cwd| {
                let below = cwd.strip_prefix(folder.as_str());
                below.is_some_and(|rest| rest.is_empty() || folder == "/" || rest.starts_with('/'))
            }),
            Test::Cwd(pattern) => cwd.is_some_and(|cwd| pattern.is_match(cwd)),
        }
    }
}

fn trim_slash(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() && path.starts_with('/') { "/" } else { trimmed }
}

/// A glob as an anchored expression. With `flat`, `*` matches slashes too.
fn glob(pattern: &str, flat: bool) -> String {
    let mut expression = String::from("(?s)^");
    let (mut rest, open) = match pattern.strip_suffix("/**") {
        Some(folder) if !flat => (folder, "(/.*)?"),
        _ => (pattern, ""),
    };
    while let Some(c) = rest.chars().next() {
        let (matched, translated) = match c {
            '*' if rest.starts_with("**") => (2, ".*".to_owned()),
            '*' if flat => (1, ".*".to_owned()),
            '*' => (1, "[^/]*".to_owned()),
            '?' if flat => (1, ".".to_owned()),
            '?' => (1, "[^/]".to_owned()),
            c => (c.len_utf8(), regex::escape(c.encode_utf8(&mut [0; 4]))),
        };
        expression.push_str(&translated);
        rest = &rest[matched..];
    }
    format!("{expression}{open}$")
}

#[cfg(test)]
mod tests;
