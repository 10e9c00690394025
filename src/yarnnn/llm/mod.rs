//! P1 with a model, for those who ask for it: any server that speaks OpenAI's chat completions.
//!
//! The model reads; it decides nothing. Its answer is taken only when it fits the schema, every
//! statement must quote the dump word for word, and what is proposed goes through the same limits,
//! the same comparison with what is known and the same validator as with [`extract`]. The dump is
//! handed over as data inside JSON, so no text in it can end the data and begin to give orders.
//! Nothing but the dump is sent: neither blocks nor names of baskets.
//!
//! Everything here blocks, for minutes if need be: call it from threads that may, and not inside a
//! transaction ([`Extractor::read`] before it, [`Reading::against`] within). Knows nothing of baskets, storage or
//! governance.

mod answer;
mod client;
mod error;
mod extractor;
mod options;
mod prompt;
mod propose;
mod quotes;
mod reading;
#[cfg(test)]
mod tests;

pub use error::{ErrorKind, LlmError};
pub use extractor::Extractor;
pub use options::{BadOptions, DEFAULT_BASE_URL, DEFAULT_MODEL, Key, LlmOptions};
pub use reading::Reading;

use rustls::pki_types::CertificateDer;

use super::extract::{self, Extraction, clean, sources};
use super::model::Block;
use super::tls_roots;
use client::Client;
use propose::Findings;

/// Largest text that is sent, in bytes. Longer ones belong into several dumps.
pub const MAX_TEXT_BYTES: usize = 400_000;

/// A model that reads dumps.
#[derive(Debug)]
pub struct LlmClient {
    client: Client,
    model: String,
}

impl LlmClient {
    /// Checks the options; connects later.
    ///
    /// # Errors
    /// When an option cannot work, or a key would travel where others can read it.
    pub fn new(options: LlmOptions) -> Result<Self, BadOptions> {
        Self::trusting(options, tls_roots::machine)
    }

    fn trusting(
        options: LlmOptions,
        authorities: impl FnOnce() -> Vec<CertificateDer<'static>>,
    ) -> Result<Self, BadOptions> {
        let client = Client::new(&options, authorities)?;
        let model = options.model.trim().to_owned();
        match model.is_empty() {
            true => Err(BadOptions::NoModel),
            false => Ok(Self { client, model }),
        }
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Has the model read a dump: asks it, and looks up in the dump what it answers.
    ///
    /// # Errors
    /// When there is no answer, or none that can be used.
    pub fn read(
        &self,
        dump: &str,
        options: &extract::Options,
    ) -> Result<Reading<'static>, LlmError> {
        let cleaned = clean(dump);
        let sources: Vec<_> = sources(&cleaned).collect();
        let length: usize = sources.iter().map(|source| source.text().len()).sum();
        if length > MAX_TEXT_BYTES {
            return Err(ErrorKind::TooLong.into());
        }
        let findings = if length == 0 {
            Findings::default()
        } else {
            let request = prompt::request(&self.model, &sources, options);
            let answer = answer::read(&self.client.ask(&request)?)?;
            propose::findings(answer, &sources)
        };
        let unseen = cleaned.removed + sources.iter().map(extract::Source::removed).sum::<usize>();
        Ok(Reading::model(findings, unseen, &self.model))
    }

    /// Has the model read a dump, and compares it with `existing` blocks at once.
    ///
    /// # Errors
    /// When there is no answer, or none that can be used.
    pub fn extract(
        &self,
        dump: &str,
        existing: &[Block],
        options: &extract::Options,
    ) -> Result<Extraction, LlmError> {
        Ok(self.read(dump, options)?.against(existing, options))
    }
}
