//! The session's fingerprint: from the arguments, or from the request's metadata, where a host puts
//! it because a model cannot write thousands of numbers.

use toolwright_runtime::{Call, ErrorKind as _};

use super::super::activity_log::CallDetails;
use super::super::engine::Error as EngineError;
use super::super::extract::clean;
use super::super::inference::{check, require};
use super::super::model::Fingerprint;
use super::failure;
use crate::generated::{Error, Result, SessionFingerprint};

/// The `_meta` key of the fingerprint; the arguments take precedence.
const META: &str = "yarnnn/session_fingerprint";

/// A fingerprint and the model that computed its embedding.
pub(super) struct Session {
    pub(super) fingerprint: Fingerprint,
    pub(super) model: Option<String>,
}

/// The fingerprint of a write, which must have an embedding.
pub(super) fn required(
    call: &Call,
    details: &CallDetails,
    given: Option<SessionFingerprint>,
) -> Result<Session> {
    let given = given_or_meta(call, given)?.unwrap_or_else(|| SessionFingerprint {
        embedding: Vec::new(),
        embedding_model: None,
        entities: Vec::new(),
        intent: None,
        keywords: Vec::new(),
        summary: None,
    });
    let embedding = Some(given.embedding.as_slice()).filter(|numbers| !numbers.is_empty());
    let embedding = require(embedding).map_err(|error| failure(EngineError::Embedding(error)))?;
    let session = session(given, embedding);
    details.session(&session.fingerprint);
    Ok(session)
}

/// The fingerprint of a read; without an embedding it is ignored.
pub(super) fn optional(
    call: &Call,
    details: &CallDetails,
    given: Option<SessionFingerprint>,
) -> Result<Option<Fingerprint>> {
    match given_or_meta(call, given)? {
        Some(given) if !given.embedding.is_empty() => {
            let embedding =
                check(&given.embedding).map_err(|error| failure(EngineError::Embedding(error)))?;
            let session = session(given, embedding);
            details.session(&session.fingerprint);
            Ok(Some(session.fingerprint))
        }
        _ => Ok(None),
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

fn session(given: SessionFingerprint, embedding: Vec<f32>) -> Session {
    let seen = |text: &String| clean(text).text.trim().to_owned();
    let all = |texts: &[String]| -> Vec<String> {
        texts.iter().map(seen).filter(|text| !text.is_empty()).collect()
    };
    let fingerprint = Fingerprint {
        embedding,
        summary: given.summary.as_ref().map(seen).filter(|text| !text.is_empty()),
        intent: given.intent.as_ref().map(seen),
        entities: all(&given.entities),
        keywords: all(&given.keywords),
    };
    Session { fingerprint, model: given.embedding_model.as_ref().map(seen) }
}
