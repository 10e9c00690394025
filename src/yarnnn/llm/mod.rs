//! P1 with a model (optional): any server with an OpenAI-compatible chat completions API.
//!
//! The model only extracts. Its answer must fit the schema, every
//! statement must quote the dump verbatim, and proposals go through the same limits,
//! the same comparison with existing blocks and the same validator as with [`extract`]. The dump is
//! sent as data inside JSON, so no text in it can escape the data and act as instructions.
//! Only the dump is sent: neither blocks nor basket names.
//!
//! Everything here blocks, possibly for minutes: call it from threads for blocking work and not
//! inside a transaction ([`Extractor::read`] before it, [`Reading::against`] within). Knows nothing
//! of baskets, storage or governance.

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
pub(crate) mod tests;

pub(crate) use client::Client;
pub use error::{ErrorKind, LlmError};
pub use extractor::Extractor;
pub use options::{BadOptions, DEFAULT_BASE_URL, DEFAULT_MODEL, Key, LlmOptions};
pub use reading::Reading;

use rustls::pki_types::CertificateDer;

use super::extract::{self, Extraction, clean, sources};
use super::model::Block;
use super::tls_roots;
use propose::Findings;

/// Largest text that is sent, in bytes. Longer ones must be split into several dumps.
pub const MAX_TEXT_BYTES: usize = 400_000;

/// Largest answer, in bytes. A typical one has a few thousand.
const MAX_ANSWER: u64 = 1 << 20;

/// A model that extracts from dumps.
#[derive(Debug)]
pub struct LlmClient {
    client: Client,
    model: String,
}

impl LlmClient {
    /// Checks the options; connects on first use.
    ///
    /// # Errors
    /// When an option is invalid, or the key would be sent unencrypted over a network.
    pub fn new(options: LlmOptions) -> Result<Self, BadOptions> {
        Self::trusting(options, tls_roots::machine)
    }

    fn trusting(
        options: LlmOptions,
        authorities: impl FnOnce() -> Vec<CertificateDer<'static>>,
    ) -> Result<Self, BadOptions> {
        let client = Client::new(&options, "chat/completions", MAX_ANSWER, authorities)?;
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

    /// Has the model extract from a dump, and looks up its quotes in the dump.
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

    /// Has the model extract from a dump, and compares the result with `existing` blocks.
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
