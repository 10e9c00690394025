//! `create_memory_from_chat`: creates a basket from a transcript, unless an existing one fits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::capture::{ActivityDetails, Payload, Request, Stored};
use super::commit_capture::CaptureCommit;
use super::{Caller, Engine, Error, Result};
use crate::extract::{clean, suggested_name};
use crate::inference::{Decision, Selection, entities, keywords};
use crate::model::Fingerprint;
use crate::records::baskets;
use crate::records::timeline::{self, Event, Kind};

/// Longest name of a basket, in characters.
const NAME: usize = 80;
/// Anchors that every basket should have.
const CORE: [&str; 4] = ["problem", "customer", "vision", "metrics"];

/// A request to create a basket from a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateRequest {
    /// The transcript.
    pub conversation: String,
    /// Suggested name of the basket.
    pub name: Option<String>,
    /// Anchors and what they stand for.
    pub anchors: BTreeMap<String, String>,
    /// The session's fingerprint. An embedding is already checked; without one, it is added.
    pub fingerprint: Fingerprint,
    /// Create a basket even if one fits.
    pub force_new: bool,
    /// The caller's own key for this request.
    pub idempotency_key: Option<String>,
}

/// The answer to a [`CreateRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreateOutcome {
    /// A basket was created.
    New(Stored),
    /// An existing basket fits; nothing was written.
    Fits {
        /// Its id.
        basket_id: String,
        /// Its name.
        basket_name: String,
    },
}

impl Engine {
    /// Creates a basket, unless one fits.
    pub fn create(
        &self,
        caller: &Caller,
        mut creation: CreateRequest,
    ) -> Result<(CreateOutcome, Selection)> {
        if clean(&creation.conversation).text.trim().is_empty() {
            return Err(Error::Empty("conversation_history"));
        }
        self.complete(&mut creation.fingerprint, &creation.conversation)?;
        let name = name(&creation);
        let request = Request::new(
            caller,
            creation.idempotency_key.as_deref(),
            &[&creation.conversation, creation.name.as_deref().unwrap_or_default()],
        );
        let vectors = self.store.opened()?.vectors;
        let (before, selection) = self.store.read(|tx| {
            let before = request.answered(tx, caller, self.now())?;
            Ok((
                before,
                self.choose(tx, caller, &creation.fingerprint, &creation.conversation, vectors)?,
            ))
        })?;
        if let Some(made) = before {
            return Ok((made, selection));
        }
        if let Some(primary) = selection.primary.as_ref().filter(|_| !creation.force_new)
            && selection.decision == Decision::Auto
        {
            let (basket_id, basket_name) = (primary.basket_id.clone(), primary.name.clone());
            return Ok((CreateOutcome::Fits { basket_id, basket_name }, selection));
        }
        let payload = Payload {
            content: creation.conversation.clone(),
            metadata: Map::new(),
            confidence: None,
            require_approval: false,
        };
        let extracted = self.extract_for(caller, None, &payload.content)?;
        let made = self.write_for(caller, |tx| {
            if let Some(made) = request.answered(tx, caller, self.now())? {
                return Ok(made);
            }
            let (id, at) = (self.store.id(), self.now());
            let workspace = caller.workspace_id();
            baskets::create(tx, workspace, &id, &name, &caller.source, at)?;
            for (key, label) in &creation.anchors {
                let (key, label) = (clean(key).text, clean(label).text);
                let scope = if CORE.contains(&key.as_ref()) { "core" } else { "custom" };
                baskets::set_anchor(tx, &id, &key, &label, scope)?;
            }
            let event = Event {
                kind: Kind::BasketCreated,
                basket: Some(&id),
                about: &id,
                preview: &name,
                payload: json!({"anchors": creation.anchors.len()}),
            };
            timeline::add(tx, workspace, &event, &caller.source, at)?;
            let commit = CaptureCommit {
                caller,
                basket: (&id, &name),
                payload: &payload,
                fingerprint: &creation.fingerprint,
                extracted: &extracted,
                request: &request.dump_key(at),
                affirmed: false,
            };
            let made = CreateOutcome::New(self.commit_capture(tx, &commit)?);
            let details = ActivityDetails::of(&selection, Some(&id), &creation.fingerprint);
            self.log_write(tx, caller, "success", &details)?;
            request.remember(tx, caller, &made, at)?;
            Ok(made)
        })?;
        Ok((made, selection))
    }
}

/// The suggested name, else what the text is about, else names and topics of the session.
fn name(creation: &CreateRequest) -> String {
    let tidy = |text: &str| -> String {
        let words = clean(text).text.split_whitespace().collect::<Vec<_>>().join(" ");
        words.chars().take(NAME).collect()
    };
    let given = creation.name.as_deref().map(tidy).filter(|name| !name.is_empty());
    let topic = || suggested_name(&creation.conversation).map(|name| tidy(&name));
    let fingerprint = &creation.fingerprint;
    given.or_else(topic).unwrap_or_else(|| {
        let text = fingerprint.summary.as_deref().unwrap_or(&creation.conversation);
        let mut words: Vec<String> = fingerprint.entities.iter().take(2).cloned().collect();
        if words.is_empty() {
            words = entities(text, 2);
        }
        for word in fingerprint.keywords.iter().cloned().chain(keywords(text, 4)) {
            let said = words.iter().any(|known| known.to_lowercase().contains(&word));
            if words.len() < 3 && !said {
                words.push(word);
            }
        }
        match tidy(&words.join(", ")) {
            name if name.is_empty() => "Untitled".to_owned(),
            name => name,
        }
    })
}
