//! What a rule found, before it is rendered as text.
//!
//! Knows no language.

use super::code::Code;
use crate::model::Severity;
use crate::story::index::EntityIndex;
use crate::story::paths::Share;

/// Something that does not fit.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) code: Code,
    pub(super) severity: Severity,
    /// Only on some of the paths.
    pub(super) partly: bool,
    /// Which of the code's texts applies.
    pub(super) text: usize,
    pub(super) who: Vec<EntityIndex>,
    /// Arguments of the text.
    pub(super) args: Vec<String>,
}

impl Finding {
    pub(super) fn new(code: Code) -> Self {
        Self {
            code,
            severity: code.info().severity,
            partly: false,
            text: 0,
            who: Vec::new(),
            args: Vec::new(),
        }
    }

    /// So bad instead.
    pub(super) fn weighing(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// True on so many paths.
    pub(super) fn on(self, share: Share) -> Self {
        Self { partly: share == Share::Some, ..self }
    }

    /// In the code's other words.
    pub(super) fn text(self, text: usize) -> Self {
        Self { text, ..self }
    }

    pub(super) fn about(mut self, who: impl IntoIterator<Item = EntityIndex>) -> Self {
        self.who.extend(who);
        self
    }

    pub(super) fn with_arg(mut self, word: impl Into<String>) -> Self {
        self.args.push(word.into());
        self
    }

    /// One level less where only some paths are meant.
    pub(super) fn weight(&self) -> Severity {
        match self.severity {
            Severity::Error if self.partly => Severity::Warn,
            Severity::Warn if self.partly => Severity::Info,
            severity => severity,
        }
    }
}
