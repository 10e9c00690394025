//! Loads packs: built-in ones, then the user's files, then the settings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::read::{self, Read};
use super::rule::{Pack, Rule};
use crate::error::{Error, Kind, Result};
use crate::model::Severity;

/// Built-in packs: what mistakes call them, and their text.
pub(super) const BUILTIN: [(&str, &str); 4] = [
    ("builtin:codex", include_str!("packs/codex.yaml")),
    ("builtin:claude", include_str!("packs/claude.yaml")),
    ("builtin:gemini", include_str!("packs/gemini.yaml")),
    ("builtin:terminal", include_str!("packs/terminal.yaml")),
];

/// Which packs, and what of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackOptions {
    /// Files of the user; later ones override earlier ones, and the built-in ones, by rule id.
    pub files: Vec<PathBuf>,
    /// Ids of packs that are turned off.
    pub disabled_packs: Vec<String>,
    /// Ids or aliases of rules that are turned off.
    pub disabled_rules: Vec<String>,
    /// Other severities, by rule id or alias.
    pub severity_overrides: BTreeMap<String, Severity>,
}

/// All packs as they are to be used, and everything that is wrong.
pub(super) struct Loaded {
    pub(super) packs: Vec<Pack>,
    pub(super) mistakes: Vec<Error>,
    /// Files that could not be read at all, with the reason.
    pub(super) unreadable: Vec<(PathBuf, Error)>,
}

/// Reads everything; continues after errors.
pub(super) fn load(options: &PackOptions) -> Loaded {
    let mut loaded = Loaded { packs: Vec::new(), mistakes: Vec::new(), unreadable: Vec::new() };
    for (name, text) in BUILTIN {
        match read::document(name, text) {
            Ok(read) => loaded.add(read),
            Err(error) => loaded.mistakes.push(error),
        }
    }
    for file in &options.files {
        match read::file(file) {
            Ok(read) => loaded.add(read),
            Err(error) => {
                loaded.mistakes.push(error.clone());
                loaded.unreadable.push((file.clone(), error));
            }
        }
    }
    loaded.settle(options);
    loaded
}

impl Loaded {
    fn add(&mut self, read: Read) {
        self.mistakes.extend(read.mistakes);
        let mut pack = read.pack;
        for rule in &mut pack.rules {
            self.replace_earlier(rule);
        }
        match self.packs.iter_mut().find(|known| known.id == pack.id) {
            Some(known) => {
                known.rules.append(&mut pack.rules);
                known.rules.sort_by(|a, b| a.id.cmp(&b.id));
                known.enabled = pack.enabled;
            }
            None => self.packs.push(pack),
        }
    }

    /// A rule with the name of an earlier one replaces it, and keeps its id and aliases.
    fn replace_earlier(&mut self, rule: &mut Rule) {
        for pack in &mut self.packs {
            let old = pack.rules.iter().position(|old| named(old, &rule.id));
            if let Some(old) = old.map(|index| pack.rules.remove(index)) {
                rule.id = old.id;
                let known: BTreeSet<&String> = rule.aliases.iter().collect();
                let more: Vec<String> =
                    old.aliases.iter().filter(|alias| !known.contains(alias)).cloned().collect();
                rule.aliases.extend(more);
                return;
            }
        }
    }

    fn settle(&mut self, options: &PackOptions) {
        for id in &options.disabled_packs {
            match self.packs.iter_mut().find(|pack| pack.id == *id) {
                Some(pack) => pack.enabled = false,
                None => self.mistakes.push(self.unknown("disabled_packs", "pack", id)),
            }
        }
        for id in &options.disabled_rules {
            match self.rule_mut(id) {
                Some(rule) => rule.enabled = false,
                None => self.mistakes.push(self.unknown("disabled_rules", "rule", id)),
            }
        }
        for (id, severity) in &options.severity_overrides {
            match self.rule_mut(id) {
                Some(rule) => rule.severity = *severity,
                None => self.mistakes.push(self.unknown("severity_overrides", "rule", id)),
            }
        }
    }

    fn rule_mut(&mut self, id: &str) -> Option<&mut Rule> {
        self.packs.iter_mut().flat_map(|pack| &mut pack.rules).find(|rule| named(rule, id))
    }

    fn unknown(&self, setting: &str, what: &str, id: &str) -> Error {
        let names: Vec<&str> = match what {
            "pack" => self.packs.iter().map(|pack| pack.id.as_str()).collect(),
            _ => all_names(&self.packs).collect(),
        };
        let near = nearest(id, names.into_iter());
        let error = Kind::Config
            .because(format!("`{setting}` names the {what} `{id}`, which does not exist."));
        match near.is_empty() {
            true => error.hint("List the rules to see their names."),
            false => error.hint(format!("Near names: {}.", near.join(", "))),
        }
    }
}

/// The rule goes by that name.
pub(super) fn named(rule: &Rule, name: &str) -> bool {
    rule.id == name || rule.aliases.iter().any(|alias| alias == name)
}

/// Ids and aliases of all rules.
pub(super) fn all_names(packs: &[Pack]) -> impl Iterator<Item = &str> {
    packs
        .iter()
        .flat_map(|pack| &pack.rules)
        .flat_map(|rule| std::iter::once(&rule.id).chain(&rule.aliases))
        .map(String::as_str)
}

/// Names like the one given, nearest first, at most five.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let near = |other: &str| {
        let inside = !name.is_empty() && other.contains(name);
        let likeness = strsim::jaro_winkler(name, other);
        if inside { likeness.max(0.95) } else { likeness }
    };
    let mut scored: Vec<(f64, &str)> =
        names.map(|other| (near(other), other)).filter(|(score, _)| *score >= 0.75).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(5).map(|(_, other)| other).collect()
}

/// Pack files of a folder, sorted by name; none when there is no such folder.
pub fn pack_files(folder: &std::path::Path) -> Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let what = format!("The folder `{}` cannot be read: {error}.", folder.display());
            return Err(Kind::Config.because(what));
        }
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            matches!(ending, Some("yaml" | "yml")) && path.is_file()
        })
        .collect();
    files.sort();
    Ok(files)
}
