//! The embedder: makes the vector of a text when the host sends none.
//!
//! Three kinds: `builtin` is compiled in (English, no network), `api` asks a server that speaks the
//! OpenAI-compatible `/embeddings`, `host` makes nothing and takes what the host sends. Every vector
//! carries the name of its model ([`ModelVector`]); vectors of different models are never compared.
//!
//! Making one blocks, up to the time limit of the server: call it from threads for blocking work and
//! not inside a transaction. Knows nothing of baskets, storage or tools.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let embedder = yarnnn::embed::Embedder::builtin()?;
//! let named = embedder.embed("Refunds take five days.")?;
//! assert_eq!(named.map(|named| named.model).as_deref(), embedder.model());
//! # Ok(())
//! # }
//! ```

mod api;
mod error;
mod plausible;
#[cfg(test)]
mod tests;

pub use error::EmbedError;
pub(crate) use plausible::plausible;

use crate::llm::{BadOptions, LlmOptions};
use api::Api;

/// A vector and the model that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelVector {
    /// The model's name.
    pub model: String,
    /// Its numbers.
    pub vector: Vec<f32>,
}

/// Makes the vectors of texts.
#[derive(Debug)]
pub struct Embedder(Kind);

#[derive(Debug)]
enum Kind {
    #[cfg(feature = "builtin-embedder")]
    Builtin,
    Api(Api),
    Host,
}

/// The program was built without the embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "This program was built without the built-in embedder. Set `embedder.kind` to `api` or `host`, \
     or build it with the feature `builtin-embedder`."
)]
pub struct NotBuiltIn;

/// The name of a host's vectors when it names no model.
pub fn host_model(dims: usize) -> String {
    format!("host/{dims}")
}

impl Embedder {
    /// The model that is compiled in. Reads nothing yet.
    ///
    /// # Errors
    /// When the program was built without it.
    pub fn builtin() -> Result<Self, NotBuiltIn> {
        #[cfg(feature = "builtin-embedder")]
        return Ok(Self(Kind::Builtin));
        #[cfg(not(feature = "builtin-embedder"))]
        Err(NotBuiltIn)
    }

    /// A model at a server; connects on first use.
    ///
    /// # Errors
    /// When an option is invalid, or the key would be sent unencrypted over a network.
    pub fn api(options: &LlmOptions) -> Result<Self, BadOptions> {
        Ok(Self(Kind::Api(Api::new(options)?)))
    }

    /// Makes nothing: every write needs a vector of the host.
    pub fn host() -> Self {
        Self(Kind::Host)
    }

    /// The name of its model; none if it makes nothing.
    pub fn model(&self) -> Option<&str> {
        match &self.0 {
            #[cfg(feature = "builtin-embedder")]
            Kind::Builtin => Some(toolwright_embedding::MODEL),
            Kind::Api(api) => Some(api.model()),
            Kind::Host => None,
        }
    }

    /// Whether texts in other languages mean nothing to its model.
    pub(crate) fn reads_only_english(&self) -> bool {
        match &self.0 {
            #[cfg(feature = "builtin-embedder")]
            Kind::Builtin => true,
            Kind::Api(_) | Kind::Host => false,
        }
    }

    /// The tokens of a text, each with what it means where it stands; none if its model cannot tell.
    pub(crate) fn tokens(&self, text: &str) -> Option<Vec<(u32, Vec<f32>)>> {
        match &self.0 {
            #[cfg(feature = "builtin-embedder")]
            Kind::Builtin => toolwright_embedding::Embedder::get().ok().map(|one| one.tokens(text)),
            Kind::Api(_) | Kind::Host => {
                let _ = text;
                None
            }
        }
    }

    /// The vector of a text. `None` if it makes nothing, or the text has no words.
    ///
    /// # Errors
    /// When the model's server fails.
    pub fn embed(&self, text: &str) -> Result<Option<ModelVector>, EmbedError> {
        Ok(self.embed_all(&[text])?.pop().flatten())
    }

    /// The vectors of texts, in their order.
    ///
    /// # Errors
    /// When the model's server fails.
    pub fn embed_all(&self, texts: &[&str]) -> Result<Vec<Option<ModelVector>>, EmbedError> {
        let vectors = match &self.0 {
            #[cfg(feature = "builtin-embedder")]
            Kind::Builtin => builtin(texts)?,
            Kind::Api(api) => api.embed(texts)?,
            Kind::Host => vec![None; texts.len()],
        };
        let named = |vector| ModelVector { model: self.model().unwrap_or_default().into(), vector };
        Ok(vectors.into_iter().map(|vector| vector.map(named)).collect())
    }
}

#[cfg(feature = "builtin-embedder")]
fn builtin(texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
    let embedder = toolwright_embedding::Embedder::get()?;
    Ok(texts.iter().map(|text| embedder.embed(text)).collect())
}
