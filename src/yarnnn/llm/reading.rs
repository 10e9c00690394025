//! What was extracted from a dump, before it is compared with existing blocks.
//!
//! A model is called once, outside of any transaction; the comparison is cheap and may be
//! repeated with every attempt of a transaction.

use super::propose::Findings;
use crate::extract::{self, Extraction, extract, from_statements};
use crate::model::Block;

/// What was extracted from a dump.
#[derive(Debug, Clone)]
pub struct Reading<'a>(ReadBy<'a>);

#[derive(Debug, Clone)]
enum ReadBy<'a> {
    Rules { dump: &'a str, warning: Option<String> },
    Model { findings: Findings, unseen: usize, model: String },
}

impl<'a> Reading<'a> {
    /// By the rules; the warning is set when a model should have done it.
    pub(super) fn rules(dump: &'a str, warning: Option<String>) -> Self {
        Self(ReadBy::Rules { dump, warning })
    }

    /// By a model; `unseen` counts characters that were cleaned away before.
    pub(super) fn model(findings: Findings, unseen: usize, model: &str) -> Self {
        Self(ReadBy::Model { findings, unseen, model: model.to_owned() })
    }

    /// The proposal. Duplicates of `existing` blocks are left out; a near duplicate becomes a
    /// revision.
    pub fn against(&self, existing: &[Block], options: &extract::Options) -> Extraction {
        match &self.0 {
            ReadBy::Rules { dump, warning } => {
                let mut extraction = extract(dump, existing, options);
                extraction.report.warnings.splice(0..0, warning.clone());
                extraction
            }
            ReadBy::Model { findings, unseen, model } => {
                let Findings { statements, items, warnings } = findings.clone();
                let mut extraction = from_statements(statements, items, *unseen, existing, options);
                extraction.report.warnings.extend(warnings);
                extraction.extracted_by(&format!("model {model}"))
            }
        }
    }
}
