//! The prompts of one or several exports by name, with their problems.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::load::load;
use super::model::{Prompt, SourceName};

/// A prompt in the exports.
#[derive(Debug, Clone)]
pub enum Described {
    /// Its descriptor.
    Prompt(Arc<Prompt>),
    /// Why it has no usable one; a sentence.
    Broken(String),
}

/// Prompts by `(ns, key)`, and the exports that could not be read at all.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    prompts: BTreeMap<(String, String), (String, Described)>,
    problems: Vec<String>,
}

impl Catalog {
    /// Adds the prompts of one export. A prompt that two exports describe is broken.
    pub(super) fn add(&mut self, text: &str, source: SourceName, origin: &str) {
        let loaded = match load(text, source, origin) {
            Ok(loaded) => loaded,
            Err(problem) => {
                self.add_problem(format!(
                    "Descriptor export `{origin}` cannot be used: {problem}."
                ));
                return;
            }
        };
        for item in loaded {
            let described = match item.prompt {
                Ok(prompt) => Described::Prompt(Arc::new(prompt)),
                Err(problem) => Described::Broken(format!(
                    "Descriptor export `{origin}` describes {}/{} wrongly: {problem}.",
                    item.ns, item.key
                )),
            };
            let name = match &described {
                Described::Prompt(prompt) => {
                    (prompt.ns.as_str().to_owned(), prompt.key.as_str().to_owned())
                }
                Described::Broken(_) => (item.ns, item.key),
            };
            if let Some((other, _)) = self.prompts.get(&name) {
                let clash = format!(
                    "Prompt {}/{} is described twice: in `{other}` and in `{origin}`.",
                    name.0, name.1
                );
                self.prompts.insert(name, (origin.to_owned(), Described::Broken(clash)));
            } else {
                self.prompts.insert(name, (origin.to_owned(), described));
            }
        }
    }

    pub(super) fn add_problem(&mut self, problem: String) {
        self.problems.push(problem);
    }

    /// Looks a prompt up.
    pub fn get(&self, ns: &str, key: &str) -> Option<&Described> {
        self.prompts.get(&(ns.to_owned(), key.to_owned())).map(|(_, described)| described)
    }

    /// Every prompt's `ns/key`.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.prompts.keys().map(|(ns, key)| format!("{ns}/{key}"))
    }

    /// Everything that is described and usable.
    pub fn prompts(&self) -> impl Iterator<Item = &Arc<Prompt>> {
        self.prompts.values().filter_map(|(_, described)| match described {
            Described::Prompt(prompt) => Some(prompt),
            Described::Broken(_) => None,
        })
    }

    /// Exports that could not be read at all; sentences.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Every problem as a sentence, flaws of single sections and tools included.
    pub fn findings(&self) -> Vec<String> {
        let mut findings = self.problems.clone();
        for ((ns, key), (origin, described)) in &self.prompts {
            match described {
                Described::Broken(problem) => findings.push(problem.clone()),
                Described::Prompt(prompt) => {
                    let sections = prompt.sections.iter().filter_map(|section| {
                        Some((format!("section {}", section.path.as_str()), section.flaw.as_ref()?))
                    });
                    let tools = prompt.tools.iter().filter_map(|tool| {
                        Some((format!("tool {}", tool.name), tool.flaw.as_ref()?))
                    });
                    findings.extend(sections.chain(tools).map(|(what, flaw)| {
                        format!("Descriptor export `{origin}`, {ns}/{key}, {what}: {flaw}.")
                    }));
                }
            }
        }
        findings
    }
}
