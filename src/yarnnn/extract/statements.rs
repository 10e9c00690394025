//! Statements that a model extracted from a dump: they go through the same limits and checks as
//! those of the rules, and never get more confidence than the validator gives.

use super::candidates::Candidates;
use super::classify::Reading;
use super::validate::statement;
use super::{Extraction, Options, finish};
use crate::model::{Block, ByteSpan, Operation, SemanticType, Speaker};

/// An extracted statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statement {
    /// Its semantic type.
    pub(crate) kind: SemanticType,
    /// Its title.
    pub(crate) title: String,
    /// In full.
    pub(crate) content: String,
    /// 0 to 1, as reported by the model.
    pub(crate) confidence: f64,
    /// Who said it.
    pub(crate) speaker: Speaker,
    /// Where in the dump; a statement without a place is left out.
    pub(crate) spans: Vec<ByteSpan>,
}

/// Builds a proposal from statements and context items, within the same limits and against the same
/// blocks as [`super::extract`] does. `unseen` counts characters that were cleaned away.
pub(crate) fn from_statements(
    statements: Vec<Statement>,
    mut items: Vec<Operation>,
    unseen: usize,
    existing: &[Block],
    options: &Options,
) -> Extraction {
    let mut candidates = Candidates::default();
    for Statement { kind, title, content, confidence, speaker, spans } in statements {
        let sure = (confidence.min(statement(&content)) * 100.0 + 1e-6).floor() as i32;
        let Some(reading) = Reading::of_statement(kind, sure, &content, speaker) else { continue };
        for span in spans {
            candidates.add(&content, Some(&title), reading.clone(), speaker, span);
        }
    }
    let rest = items.len().saturating_sub(options.max_items);
    items.truncate(options.max_items);
    finish(candidates, (items, rest), unseen, existing, options)
}
