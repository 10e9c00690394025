//! The one thing that the pipeline calls to read a dump, whoever reads it.

use super::{Oracle, OracleError};
use crate::yarnnn::extract::{self, Extraction, extract};
use crate::yarnnn::model::Block;

/// Who reads dumps.
#[derive(Debug)]
pub enum Extractor {
    /// The rules of [`extract()`].
    Rules,
    /// A model.
    Model {
        /// The model.
        oracle: Oracle,
        /// Whether the rules read when the model does not answer; the report then says so.
        fallback: bool,
    },
}

impl Extractor {
    /// Reads a dump. The report names who did.
    ///
    /// # Errors
    /// When the model fails and the rules may not stand in for it.
    pub fn extract(
        &self,
        dump: &str,
        existing: &[Block],
        options: &extract::Options,
    ) -> Result<Extraction, OracleError> {
        let Self::Model { oracle, fallback } = self else {
            return Ok(extract(dump, existing, options));
        };
        match oracle.extract(dump, existing, options) {
            Err(error) if *fallback => {
                let mut extraction = extract(dump, existing, options);
                let warning = format!(
                    "Read by the rules, because the model `{}` did not: {error} ({})",
                    oracle.model(),
                    error.code()
                );
                extraction.report.warnings.insert(0, warning);
                Ok(extraction)
            }
            result => result,
        }
    }
}
