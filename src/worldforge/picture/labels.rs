//! The labels of drawings in both languages.

use crate::messages::Language;
use crate::model::{EdgeType, NodeType, Severity};

/// Words in one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Labels(Language);

impl Labels {
    /// The words of a language.
    pub(super) fn of(language: Language) -> Self {
        Self(language)
    }

    /// The language as a tag.
    pub(super) fn tag(&self) -> &'static str {
        self.0.pick("en", "pt")
    }

    /// One text of two.
    pub(super) fn pick(&self, english: &'static str, portuguese: &'static str) -> &'static str {
        self.0.pick(english, portuguese)
    }

    /// How large a piece of story a node is.
    pub(super) fn node(&self, kind: NodeType) -> &'static str {
        match kind {
            NodeType::Beat => self.pick("Beat", "Momento"),
            NodeType::Scene => self.pick("Scene", "Cena"),
            NodeType::Chapter => self.pick("Chapter", "Capítulo"),
        }
    }

    /// The label of an edge; empty for linear ones.
    pub(super) fn edge(&self, kind: EdgeType) -> &'static str {
        match kind {
            EdgeType::Linear => "",
            EdgeType::Branch => self.pick("branch", "ramo"),
            EdgeType::Choice => self.pick("choice", "escolha"),
            EdgeType::Flashback => self.pick("flashback", "flashback"),
            EdgeType::Timejump => self.pick("time jump", "salto no tempo"),
        }
    }

    /// How many findings of a severity.
    pub(super) fn count(&self, severity: Severity, count: usize) -> String {
        let (one, many) = match severity {
            Severity::Error => (self.pick("error", "erro"), self.pick("errors", "erros")),
            Severity::Warn => (self.pick("warning", "aviso"), self.pick("warnings", "avisos")),
            Severity::Info => (self.pick("note", "nota"), self.pick("notes", "notas")),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}
