//! Detection rules for the output of agents and terminals.
//!
//! Packs of rules are YAML: built-in ones are compiled in, users add files. A scan searches for all
//! anchors at once and tries a rule's regex only near one of its anchors. Knows nothing of panes,
//! events or time.

mod detection;
mod expression;
mod finder;
mod lint;
mod load;
mod read;
mod regex_analysis;
mod rule;
mod scan;
mod stream;
#[cfg(test)]
mod tests;
mod trace;

use std::path::PathBuf;
use std::sync::Arc;

use super::error::{Error, Kind, Result};
use super::model::Agent;
pub use detection::Detection;
pub use expression::{BadRegex, compile_regex};
pub use lint::{Coverage, Issue, LintReport};
pub use load::{PackOptions, pack_files};
pub use rule::{Example, Fixtures, Pack, Rule, Scope};
pub use stream::Scanner;
pub use trace::{MAX_BYTES, MAX_SPANS, TestReport, Trace, TraceSpan, TraceStage};

/// Rules, ready to be looked for. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Patterns {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    packs: Vec<Pack>,
    engine: scan::Scanner,
    /// Files that could not be read at all.
    unreadable: Vec<(PathBuf, Error)>,
}

impl Patterns {
    /// The built-in packs.
    pub fn builtin() -> Result<Self> {
        Self::load(&PackOptions::default())
    }

    /// The built-in packs and the user's. The first mistake is the answer.
    pub fn load(options: &PackOptions) -> Result<Self> {
        let (patterns, mistakes) = Self::load_usable(options);
        match mistakes.into_iter().next() {
            Some(mistake) => Err(mistake),
            None => Ok(patterns),
        }
    }

    /// The same, going on without the files and rules that cannot be used, and telling of them.
    pub fn load_usable(options: &PackOptions) -> (Self, Vec<Error>) {
        let load::Loaded { packs, mistakes, unreadable } = load::load(options);
        let engine = scan::Scanner::new(&packs);
        (Self { inner: Arc::new(Inner { packs, engine, unreadable }) }, mistakes)
    }

    /// All packs, built-in ones first.
    pub fn packs(&self) -> &[Pack] {
        &self.inner.packs
    }

    /// A pack by its id; the error names those there are.
    pub fn pack(&self, id: &str) -> Result<&Pack> {
        let packs = self.packs();
        packs.iter().find(|pack| pack.id == id).ok_or_else(|| {
            let ids: Vec<&str> = packs.iter().map(|pack| pack.id.as_str()).collect();
            Kind::InvalidArguments
                .because(format!("`pack`: there is no rule pack `{id}`."))
                .hint(format!("Packs: {}.", ids.join(", ")))
        })
    }

    /// A rule by its id or one of its aliases.
    pub fn rule(&self, id_or_alias: &str) -> Option<&Rule> {
        let rules = self.packs().iter().flat_map(|pack| &pack.rules);
        rules.into_iter().find(|rule| load::named(rule, id_or_alias))
    }

    /// Names of rules like the one given, nearest first, at most five.
    pub fn suggest(&self, id: &str) -> Vec<&str> {
        load::nearest(id, load::all_names(self.packs()))
    }

    /// Everything in the text, in its order. With an agent only the rules about that agent, the
    /// terminal and anybody; without one all rules.
    pub fn scan(&self, text: &str, agent: Option<Agent>, scope: Scope) -> Vec<Detection> {
        self.inner.engine.scan(text, agent, scope)
    }

    /// A scanner of printed text for one pane.
    pub fn stream(&self) -> Scanner {
        Scanner::new(self.inner.clone())
    }

    /// All rules on a text, and how each match came about.
    pub fn test(&self, text: &str, agent: Option<Agent>) -> TestReport {
        trace::test(&self.inner.packs, &self.inner.engine, text, agent)
    }

    /// Searches for mistakes in the rules of one pack, or of all. An unknown pack isan error.
    pub fn lint(&self, pack: Option<&str>, fixtures: bool, strict: bool) -> Result<LintReport> {
        let packs = match pack {
            Some(id) => std::slice::from_ref(self.pack(id)?),
            None => self.packs(),
        };
        let unreadable: &[_] = if pack.is_none() { &self.inner.unreadable } else { &[] };
        Ok(lint::lint(self.packs(), packs, unreadable, fixtures, strict))
    }
}
