//! The extractor that the pipeline calls: the rules or a model.

use super::{LlmClient, LlmError, Reading};
use crate::extract::{self, Extraction};
use crate::model::Block;

/// What extracts from dumps.
#[derive(Debug)]
pub enum Extractor {
    /// The rules of [`extract`].
    Rules,
    /// A model.
    Model {
        /// The model.
        llm: LlmClient,
        /// Whether the rules are used when the model fails; the report then has a warning.
        fallback: bool,
    },
}

impl Extractor {
    /// Extracts from a dump. The report names the extractor.
    ///
    /// # Errors
    /// When the model fails and there is no fallback to the rules.
    pub fn read<'a>(
        &self,
        dump: &'a str,
        options: &extract::Options,
    ) -> Result<Reading<'a>, LlmError> {
        let Self::Model { llm, fallback } = self else {
            return Ok(Reading::rules(dump, None));
        };
        match llm.read(dump, options) {
            Err(error) if *fallback => {
                let warning = format!(
                    "Extracted by the rules, because the model `{}` failed: {error} ({})",
                    llm.model(),
                    error.code()
                );
                Ok(Reading::rules(dump, Some(warning)))
            }
            result => result,
        }
    }

    /// Extracts from a dump and compares the result with `existing` blocks.
    ///
    /// # Errors
    /// When the model fails and there is no fallback to the rules.
    pub fn extract(
        &self,
        dump: &str,
        existing: &[Block],
        options: &extract::Options,
    ) -> Result<Extraction, LlmError> {
        Ok(self.read(dump, options)?.against(existing, options))
    }
}
