//! Explanations of every code.
//!
//! The entries are data (`codes/*.yaml`). Knows none of the modules that return the codes; a test of
//! each module checks its codes against this list.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::error::{Kind, Result};

const FILES: &[&str] = &[
    include_str!("codes/approval.yaml"),
    include_str!("codes/command.yaml"),
    include_str!("codes/contract.yaml"),
    include_str!("codes/engine.yaml"),
    include_str!("codes/policy.yaml"),
    include_str!("codes/workflow.yaml"),
];

/// By the code in lower case.
type Catalogue = BTreeMap<String, Entry>;

static CATALOGUE: LazyLock<std::result::Result<Catalogue, String>> = LazyLock::new(read);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    code: String,
    title: String,
    explanation: String,
    suggestions: Vec<String>,
    #[serde(default)]
    see_also: Vec<String>,
}

/// What a code means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The code, as it is spelled.
    pub code: String,
    /// The family: the text before the first dot, `WA-MCP` or `E`.
    pub category: String,
    /// In a few words.
    pub title: String,
    /// In one or several lines.
    pub explanation: String,
    /// What to do.
    pub suggestions: Vec<String>,
    /// Codes that belong to it.
    pub see_also: Vec<String>,
}

/// Explains a code; upper and lower case are the same. A code of a family with free names, such as
/// `config.rule.no-prod`, is explained by the family's entry.
pub fn explain(code: &str) -> Result<Explanation> {
    let catalogue = catalogue()?;
    let wanted = code.trim();
    let key = wanted.to_lowercase();
    let (entry, code) = match catalogue.get(&key) {
        Some(entry) => (entry, entry.code.clone()),
        None => match catalogue.values().find(|entry| is_family_of(&entry.code, &key)) {
            Some(entry) => (entry, wanted.to_owned()),
            None => {
                return Err(Kind::InvalidArguments
                    .because(format!("`code` `{wanted}` is unknown."))
                    .reason("robot.code_not_found")
                    .hint(near(catalogue, &key)));
            }
        },
    };
    Ok(Explanation {
        category: category(&code).to_owned(),
        code,
        title: entry.title.clone(),
        explanation: entry.explanation.trim_end().to_owned(),
        suggestions: entry.suggestions.clone(),
        see_also: entry.see_also.clone(),
    })
}

/// All codes that have an entry, sorted.
pub fn codes() -> Vec<&'static str> {
    let entries = catalogue().map(|catalogue| catalogue.values()).into_iter().flatten();
    let mut codes: Vec<&str> = entries.map(|entry| entry.code.as_str()).collect();
    codes.sort_unstable();
    codes
}

fn catalogue() -> Result<&'static Catalogue> {
    let read = CATALOGUE.as_ref();
    read.map_err(|error| {
        Kind::Config.because("The built-in list of codes is damaged.").internal(error)
    })
}

fn read() -> std::result::Result<Catalogue, String> {
    let mut catalogue = Catalogue::new();
    for file in FILES {
        let entries: Vec<Entry> = serde_yaml::from_str(file).map_err(|error| error.to_string())?;
        for entry in entries {
            let code = entry.code.clone();
            if catalogue.insert(code.to_lowercase(), entry).is_some() {
                return Err(format!("`{code}` is listed twice"));
            }
        }
    }
    Ok(catalogue)
}

fn is_family_of(entry: &str, key: &str) -> bool {
    let family = entry.strip_suffix('*').and_then(|family| key.strip_prefix(family));
    family.is_some_and(|name| !name.is_empty())
}

fn category(code: &str) -> &str {
    let first = code.split('.').next().unwrap_or(code);
    if code.starts_with("WA-MCP-") {
        "WA-MCP"
    } else if code.starts_with("E_") {
        "E"
    } else {
        first
    }
}

/// Codes that are spelled much like it, or where codes begin.
fn near(catalogue: &Catalogue, key: &str) -> String {
    let mut near: Vec<(f64, &str)> = catalogue
        .iter()
        .map(|(known, entry)| {
            // What follows the family's dot counts too: users forget the family.
            let short = known.rsplit('.').next().unwrap_or(known);
            let likeness = strsim::jaro_winkler(key, known).max(strsim::jaro_winkler(key, short));
            (likeness, entry.code.as_str())
        })
        .filter(|(likeness, _)| *likeness > 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.truncate(5);
    let quoted = |code: &str| format!("`{code}`");
    if near.is_empty() {
        let mut families: Vec<&str> =
            catalogue.values().map(|entry| category(&entry.code)).collect();
        families.sort_unstable();
        families.dedup();
        let families: Vec<String> = families.into_iter().map(quoted).collect();
        return format!("Known codes begin with {}.", families.join(", "));
    }
    let near: Vec<String> = near.into_iter().map(|(_, code)| quoted(code)).collect();
    format!("Similar codes: {}.", near.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_complete_and_leads_somewhere() {
        let codes = codes();
        assert!(codes.len() > 100);
        for code in &codes {
            let told = explain(code).unwrap();
            assert_eq!(told.code, *code);
            assert!(!told.title.is_empty() && !told.title.ends_with('.'), "{code}");
            assert!(told.explanation.ends_with('.'), "{code}");
            assert!(!told.suggestions.is_empty(), "{code}");
            for other in &told.see_also {
                assert!(codes.contains(&other.as_str()) && other != code, "{code}: {other}");
            }
        }
    }

    #[test]
    fn the_contract_is_covered() {
        for number in 1..=12 {
            let told = explain(&format!("WA-MCP-{number:04}")).unwrap();
            assert_eq!(told.category, "WA-MCP");
            assert!(told.see_also[0].starts_with("robot."), "{number}");
            assert_eq!(explain(&told.see_also[0]).unwrap().title, told.title);
        }
    }

    #[test]
    fn case_families_and_categories() {
        let told = explain(" Policy.ALT_screen ").unwrap();
        assert_eq!((told.code.as_str(), told.category.as_str()), ("policy.alt_screen", "policy"));
        assert_eq!(explain("wa-mcp-0006").unwrap().code, "WA-MCP-0006");
        assert_eq!(explain("e_wrong_pane").unwrap().category, "E");
        let told = explain("config.rule.No-Prod").unwrap();
        assert_eq!((told.code.as_str(), told.category.as_str()), ("config.rule.No-Prod", "config"));
        assert!(explain("config.rule.").is_err());
    }

    #[test]
    fn an_unknown_code_gets_near_names() {
        let error = explain("policy.altscreen").unwrap_err();
        assert_eq!(error.kind, Kind::InvalidArguments);
        assert_eq!(error.reason.as_deref(), Some("robot.code_not_found"));
        assert!(error.hint.unwrap().contains("`policy.alt_screen`"));
        assert!(explain("rate_limit").unwrap_err().hint.unwrap().contains("`policy.rate_limit`"));
        let hint = explain("%%%").unwrap_err().hint.unwrap();
        assert!(hint.contains("`WA-MCP`") && hint.contains("`policy`"), "{hint}");
        assert!(explain("").is_err());
    }
}
