//! The session's fingerprint: from the arguments, or from the request's metadata, where a host puts
//! it because a model cannot write thousands of numbers. Without a vector of the host, the engine
//! makes one.

use toolwright_runtime::{Call, ErrorKind as _};

use super::super::Yarnnn;
use super::super::embed::{host_model, plausible};
use super::super::engine::Error as EngineError;
use super::super::extract::clean;
use super::super::inference::check;
use super::super::model::Fingerprint;
use super::failure;
use crate::generated::{Error, Result, SessionFingerprint};

/// The `_meta` key of the fingerprint; the arguments take precedence.
const META: &str = "yarnnn/session_fingerprint";

impl Yarnnn {
    /// What the host says of the session. Its vector, if there is one, is usable.
    pub(super) fn session(
        &self,
        call: &Call,
        given: Option<SessionFingerprint>,
    ) -> Result<Option<Fingerprint>> {
        let Some(given) = given_or_meta(call, given)? else { return Ok(None) };
        let mut session = words(&given);
        if !given.embedding.is_empty() {
            let unusable = |error| failure(EngineError::Embedding(error));
            session.embedding = check(&given.embedding).map_err(unusable)?;
            // A server that takes only what the host sends trusts it.
            if self.engine.embedder().model().is_some() {
                plausible(&session.embedding).map_err(unusable)?;
            }
            let named = given.embedding_model.as_deref().map(seen).filter(|name| !name.is_empty());
            session.model = named.unwrap_or_else(|| host_model(session.embedding.len()));
        }
        self.details.session(&session);
        Ok(Some(session))
    }
}

fn given_or_meta(
    call: &Call,
    given: Option<SessionFingerprint>,
) -> Result<Option<SessionFingerprint>> {
    if given.is_some() {
        return Ok(given);
    }
    let Some(meta) = call.request_meta().get(META) else { return Ok(None) };
    let read: std::result::Result<SessionFingerprint, _> = serde_json::from_value(meta.clone());
    read.map(Some).map_err(|error| {
        Error::EmbeddingUnusable
            .because(format!("`_meta` has an invalid `{META}`: {error}"))
            .with("reason", "FINGERPRINT_MALFORMED")
    })
}

/// A text without what nobody can see.
fn seen(text: &str) -> String {
    clean(text).text.trim().to_owned()
}

fn words(given: &SessionFingerprint) -> Fingerprint {
    let all = |texts: &[String]| -> Vec<String> {
        texts.iter().map(|text| seen(text)).filter(|text| !text.is_empty()).collect()
    };
    Fingerprint {
        embedding: Vec::new(),
        model: String::new(),
        summary: given.summary.as_deref().map(seen).filter(|text| !text.is_empty()),
        intent: given.intent.as_deref().map(seen),
        entities: all(&given.entities),
        keywords: all(&given.keywords),
    }
}
