//! The one thing that the pipeline calls to read a dump, whoever reads it.

use super::{LlmClient, LlmError, Reading};
use crate::extract::{self, Extraction};
use crate::model::Block;

/// Who reads dumps.
#[derive(Debug)]
pub enum Extractor {
    /// The rules of [`extract`].
    Rules,
    /// A model.
    Model {
        /// The model.
        llm: LlmClient,
        /// Whether the rules read when the model does not answer; the report then says so.
        fallback: bool,
    },
}

impl Extractor {
    /// Reads a dump. The report of what comes of it names who did.
    ///
    /// # Errors
    /// When the model fails and the rules may not stand in for it.
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
                    "Read by the rules, because the model `{}` did not: {error} ({})",
                    llm.model(),
                    error.code()
                );
                Ok(Reading::rules(dump, Some(warning)))
            }
            result => result,
        }
    }

    /// Reads a dump, and compares it with `existing` blocks at once.
    ///
    /// # Errors
    /// When the model fails and the rules may not stand in for it.
    pub fn extract(
        &self,
        dump: &str,
        existing: &[Block],
        options: &extract::Options,
    ) -> Result<Extraction, LlmError> {
        Ok(self.read(dump, options)?.against(existing, options))
    }
}
