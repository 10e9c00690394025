//! `add_to_substrate`: selects the basket of an addition and stores, holds or queues it.
//!
//! Placement only reads. Then the addition is stored, held until its basket is confirmed, or queued
//! until a reviewer picks one. Either way it is written once, and a repeated request gets the first
//! answer again.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::commit_capture::CaptureCommit;
use super::{Caller, Engine, Error, Result, keys};
use crate::extract::clean;
use crate::inference::{Decision, Score, Selection, TIE, digest, round9};
use crate::model::{Fingerprint, Millis};
use crate::records::captures::{self, Capture, Choice, Purpose, Status};
use crate::records::requests::{self, StoredAnswer};
use crate::records::timeline::{self, Event, Kind};
use crate::records::{Tx, activity, baskets};

/// Candidate baskets that an answer lists.
const SHOWN: usize = 3;

/// About one write in this many also deletes expired requests.
const TIDY_EVERY: Millis = 64;

/// The text and metadata of an addition, also as stored while it waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    /// The text.
    pub content: String,
    /// The client's metadata.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// The caller's own confidence; can only lower the validator's.
    pub confidence: Option<f64>,
    /// A reviewer must approve.
    #[serde(default)]
    pub require_approval: bool,
}

/// A request to add something.
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// What to add.
    pub payload: Payload,
    /// The basket, if the caller names one.
    pub basket_id: Option<String>,
    /// The session's fingerprint. An embedding is already checked; without one, placement adds it.
    pub fingerprint: Fingerprint,
    /// The caller's own key for this request.
    pub idempotency_key: Option<String>,
}

/// The basket of an addition.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// The result of inference.
    pub selection: Selection,
    /// Id and name of the basket; none when the match is not sure enough.
    pub basket: Option<(String, String)>,
    /// The caller named the basket.
    pub explicit: bool,
    /// The caller named a different basket than inference would have selected.
    pub differs: bool,
}

/// The result of a stored addition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Its basket.
    pub basket_id: String,
    /// The basket's name.
    pub basket_name: String,
    /// The raw dump.
    pub raw_dump_id: String,
    /// The proposal; none when there was nothing to propose.
    pub proposal_id: Option<String>,
    /// Blocks in the proposal.
    pub proposed_blocks: u64,
    /// Blocks now in memory.
    pub blocks_created: u64,
    /// `auto` or `manual`.
    pub governance_mode: String,
    /// Codes of the deciding rules.
    pub governance_reasons: Vec<String>,
    /// Notes for the reviewer.
    pub warnings: Vec<String>,
}

/// A capture that waits until a reviewer picks a basket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Queued {
    /// The capture.
    pub capture_id: String,
    /// Candidate baskets, best first.
    pub candidates: Vec<Choice>,
}

/// A capture that waits for the caller's confirmation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// The capture; the second call names it.
    pub capture_id: String,
    /// Candidate baskets, best first.
    pub candidates: Vec<Choice>,
}

/// The answer to a write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It is stored.
    Stored(Stored),
    /// It waits until a reviewer picks a basket.
    Queued(Queued),
    /// It waits for a confirmation.
    Held(Held),
}

impl Engine {
    /// Selects the basket of an addition, and completes its fingerprint. Writes nothing.
    pub fn place(&self, caller: &Caller, addition: &mut Addition) -> Result<Placement> {
        if clean(&addition.payload.content).text.trim().is_empty() {
            return Err(Error::Empty("content"));
        }
        self.complete(&mut addition.fingerprint, &addition.payload.content)?;
        let vectors = self.store.opened()?.vectors;
        self.store.read(|tx| {
            let named = match &addition.basket_id {
                Some(id) => Some(open_basket(tx, caller, id)?),
                None => None,
            };
            let selection =
                self.choose(tx, caller, &addition.fingerprint, &addition.payload.content, vectors)?;
            let sure = selection.primary.as_ref().filter(|_| selection.decision == Decision::Auto);
            let inferred = sure.map(|score| (score.basket_id.clone(), score.name.clone()));
            let best = selection.primary.as_ref().map(|score| &score.basket_id);
            let differs = named.as_ref().is_some_and(|(id, _)| best.is_some_and(|best| best != id));
            let explicit = named.is_some();
            Ok(Placement { basket: named.or(inferred), explicit, differs, selection })
        })
    }

    /// Stores an addition in its selected or confirmed basket.
    pub fn store(
        &self,
        caller: &Caller,
        addition: &Addition,
        placement: &Placement,
        basket: &str,
        confirmed: bool,
    ) -> Result<Stored> {
        let extracted = self.extract_for(caller, Some(basket), &addition.payload.content)?;
        let request = Request::of(caller, addition);
        let answer = self.write_for(caller, |tx| {
            if let Some(answer) = self.previous_answer(tx, caller, &request)? {
                return Ok(answer);
            }
            let (basket_id, basket_name) = open_basket(tx, caller, basket)?;
            let commit = CaptureCommit {
                caller,
                basket: (&basket_id, &basket_name),
                payload: &addition.payload,
                fingerprint: &addition.fingerprint,
                extracted: &extracted,
                request: &request.dump_key(self.now()),
                affirmed: confirmed || placement.explicit,
            };
            let stored = self.commit_capture(tx, &commit)?;
            let details =
                ActivityDetails::of(&placement.selection, Some(&basket_id), &addition.fingerprint);
            self.log_write(tx, caller, "success", &details)?;
            let answer = Answer::Stored(stored);
            request.remember(tx, caller, &answer, self.now())?;
            Ok(answer)
        })?;
        match answer {
            Answer::Stored(stored) => Ok(stored),
            // The same request is already waiting; now its basket is known.
            Answer::Held(Held { capture_id, .. }) | Answer::Queued(Queued { capture_id, .. }) => {
                let capture = self.find_capture(caller, &capture_id)?;
                self.replay(caller, &capture, basket)
            }
        }
    }

    /// Stores an addition as a capture until its basket is confirmed (`Purpose::Confirm`) or
    /// picked.
    pub fn hold(
        &self,
        caller: &Caller,
        addition: &Addition,
        placement: &Placement,
        purpose: Purpose,
    ) -> Result<Answer> {
        let request = Request::of(caller, addition);
        self.write_for(caller, |tx| {
            if let Some(answer) = self.previous_answer(tx, caller, &request)? {
                return Ok(answer);
            }
            let candidates = choices(&placement.selection);
            let capture = Capture {
                id: self.store.id(),
                tool: caller.tool.clone(),
                purpose,
                summary: summary(&addition.fingerprint, &addition.payload.content),
                payload: addition.payload.clone(),
                content_hash: request.content_hash.clone(),
                fingerprint: addition.fingerprint.clone(),
                candidates: candidates.clone(),
                status: Status::Pending,
                assigned_to: None,
                source: caller.source.clone(),
                created_at: self.now(),
            };
            captures::add(tx, caller.workspace_id(), &capture)?;
            let event = Event {
                kind: Kind::CaptureQueued,
                basket: None,
                about: &capture.id,
                preview: &capture.summary,
                payload: serde_json::json!({"purpose": purpose.as_str()}),
            };
            timeline::add(tx, caller.workspace_id(), &event, &caller.source, capture.created_at)?;
            let details = ActivityDetails::of(&placement.selection, None, &addition.fingerprint);
            self.log_write(tx, caller, "queued", &details)?;
            let capture_id = capture.id;
            let answer = match purpose {
                Purpose::Confirm => Answer::Held(Held { capture_id, candidates }),
                Purpose::Pick | Purpose::Misrouted => {
                    Answer::Queued(Queued { capture_id, candidates })
                }
            };
            request.remember(tx, caller, &answer, self.now())?;
            Ok(answer)
        })
    }

    /// The answer that the same request got before. A capture that was dismissed since may be added
    /// again.
    fn previous_answer(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        request: &Request,
    ) -> Result<Option<Answer>> {
        let answer = request.answered(tx, caller, self.now())?;
        let waited = match &answer {
            Some(Answer::Held(Held { capture_id, .. }))
            | Some(Answer::Queued(Queued { capture_id, .. })) => capture_id,
            _ => return Ok(answer),
        };
        let capture = captures::find::<Payload>(tx, caller.workspace_id(), waited)?;
        Ok(answer.filter(|_| capture.is_some_and(|one| one.status != Status::Dismissed)))
    }

    /// Records a call that writes in the activity log, in its own transaction.
    pub(super) fn log_write(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        result: &str,
        details: &ActivityDetails,
    ) -> Result<()> {
        let elapsed = self.ticks().saturating_sub(caller.started) / 1_000_000;
        let entry = activity::Entry {
            workspace_id: Some(caller.workspace.id.clone()),
            user_id: Some(caller.source.user_id.clone()),
            tool: caller.tool.clone(),
            host: caller.source.host.clone(),
            result: result.to_owned(),
            latency_ms: i64::try_from(elapsed).unwrap_or(i64::MAX),
            basket_id: details.basket_id.clone(),
            decision: details.decision.clone(),
            score: details.score,
            error_code: None,
            session: caller.source.session.clone(),
            fingerprint_summary: details.summary.clone(),
            fingerprint_hash: details.hash.clone(),
            at: self.now(),
        };
        activity::add(tx, &entry)?;
        caller.logged.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Runs a write of a caller; [`Caller::is_logged`] is then true if the call recorded itself in
    /// the activity log.
    pub(super) fn write_for<T>(
        &self,
        caller: &Caller,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        let unnoted = || caller.logged.store(false, Ordering::Relaxed);
        let done = self.store.write(|tx| {
            unnoted();
            work(tx)
        });
        if caller.is_logged() && done.is_ok() {
            self.activity_writer.note_added();
        }
        done.inspect_err(|_| unnoted())
    }
}

/// What the activity log stores about an inference.
#[derive(Debug, Clone, Default)]
pub(super) struct ActivityDetails {
    basket_id: Option<String>,
    decision: Option<String>,
    score: Option<f64>,
    summary: Option<String>,
    hash: Option<String>,
}

impl ActivityDetails {
    pub(super) fn of(
        selection: &Selection,
        basket: Option<&str>,
        fingerprint: &Fingerprint,
    ) -> Self {
        Self {
            basket_id: basket.map(str::to_owned),
            decision: Some(selection.decision.as_str().to_owned()),
            score: selection.primary.as_ref().map(|primary| primary.score),
            ..Self::said(fingerprint)
        }
    }

    /// Only the session's summary and hash.
    pub(super) fn said(fingerprint: &Fingerprint) -> Self {
        Self {
            summary: fingerprint.summary.as_deref().map(|text| clean(text).text.into_owned()),
            hash: Some(digest(&fingerprint.embedding)),
            ..Self::default()
        }
    }
}

/// Identifies a repeated request.
pub(super) struct Request {
    pub(super) key: String,
    pub(super) content_hash: String,
    own_key: Option<String>,
}

impl Request {
    fn of(caller: &Caller, addition: &Addition) -> Self {
        let basket = addition.basket_id.as_deref().unwrap_or_default();
        let own = addition.idempotency_key.as_deref();
        Self::new(caller, own, &[&addition.payload.content, basket])
    }

    pub(super) fn new(caller: &Caller, own_key: Option<&str>, said: &[&str]) -> Self {
        let content_hash = keys::digest(said);
        let key = keys::request_key(caller, own_key, &content_hash);
        Self { key, content_hash, own_key: own_key.map(str::to_owned) }
    }

    /// The request key of its dump. The same content on another day is another request.
    pub(super) fn dump_key(&self, at: Millis) -> String {
        match &self.own_key {
            Some(_) => self.key.clone(),
            None => format!("{}:{at}", self.key),
        }
    }

    /// The answer that this request got before.
    pub(super) fn answered<A: serde::de::DeserializeOwned>(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        now: Millis,
    ) -> Result<Option<A>> {
        let Some(before) = requests::find(tx, caller.workspace_id(), &self.key)? else {
            return Ok(None);
        };
        match &self.own_key {
            Some(key) if before.content_hash != self.content_hash => {
                Err(Error::KeyReused(key.clone()))
            }
            None if now.saturating_sub(before.at) >= keys::DERIVED_FOR => Ok(None),
            _ => Ok(Some(before.answer)),
        }
    }

    pub(super) fn remember<A: Serialize + Clone>(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        answer: &A,
        at: Millis,
    ) -> Result<()> {
        let content_hash = self.content_hash.clone();
        let derived = self.own_key.is_none();
        let answered = StoredAnswer { content_hash, answer: answer.clone(), at, derived };
        requests::add(tx, caller.workspace_id(), &self.key, &answered)?;
        if at % TIDY_EVERY == 0 {
            requests::delete_expired(tx, at - keys::DERIVED_FOR)?;
        }
        Ok(())
    }
}

/// A basket of the caller's workspace that accepts writes: id and name.
pub(super) fn open_basket(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<(String, String)> {
    let basket = baskets::find(tx, caller.workspace_id(), id)?
        .ok_or_else(|| Error::NoBasket(id.to_owned()))?;
    match basket.status.is_open() {
        true => Ok((basket.id, basket.name)),
        false => Err(Error::ClosedBasket { name: basket.name, status: basket.status.as_str() }),
    }
}

/// The candidate baskets to list: three, or all ranked ones that are tied with the best. The one
/// that the question names comes first, even if a tie-break and not the score selected it.
pub(super) fn choices(selection: &Selection) -> Vec<Choice> {
    let top = selection.ranked.first().map_or(0.0, |best| best.score);
    let tied = selection.ranked.iter().filter(|one| round9(top - one.score) < TIE).count();
    let shown = SHOWN.max(tied);
    let best = selection.primary.as_ref();
    let others = selection.ranked.iter();
    let others = others.filter(|one| best.is_none_or(|best| best.basket_id != one.basket_id));
    best.into_iter().chain(others).take(shown).map(choice).collect()
}

fn choice(score: &Score) -> Choice {
    Choice { id: score.basket_id.clone(), name: score.name.clone(), score: score.score }
}

/// A one-line summary of a waiting capture.
pub(super) fn summary(fingerprint: &Fingerprint, content: &str) -> String {
    const LONGEST: usize = 200;
    let said = fingerprint.summary.as_deref().unwrap_or(content);
    let line = clean(said).text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}
