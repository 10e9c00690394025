//! Pending captures: confirmed by the caller, or assigned or dismissed by a reviewer. Each is
//! replayed once.

use serde_json::json;

use super::capture::{ActivityDetails, Answer, Payload, Request, Stored, open_basket};
use super::commit_capture::CaptureCommit;
use super::{Caller, Engine, Error, Result};
use crate::records::Tx;
use crate::records::captures::{self, Capture, Purpose, Status};
use crate::records::timeline::{self, Event, Kind};

/// A second call that confirms the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// The capture id from the first call's answer.
    pub capture_id: String,
    /// The text of the first call.
    pub content: String,
    /// A basket other than the best one.
    pub basket_id: Option<String>,
}

impl Engine {
    /// Captures in one status, the oldest first.
    pub fn captures(
        &self,
        caller: &Caller,
        status: Status,
        most: i64,
    ) -> Result<Vec<Capture<Payload>>> {
        self.store.read(|tx| Ok(captures::list(tx, caller.workspace_id(), status, most)?))
    }

    /// Stores a confirmed capture. A repeated confirmation gets the first answer again.
    pub fn confirm(&self, caller: &Caller, confirmation: &Confirmation) -> Result<Stored> {
        let capture = self.find_capture(caller, &confirmation.capture_id)?;
        if capture.payload.content != confirmation.content {
            return Err(Error::CaptureMismatch(capture.id));
        }
        // If no basket fitted, a confirmation must name one.
        let best = capture.candidates.first().filter(|_| capture.purpose == Purpose::Confirm);
        match confirmation.basket_id.as_deref().or(best.map(|best| best.id.as_str())) {
            Some(basket) => self.replay(caller, &capture, basket),
            None => Err(Error::BasketRequired { id: capture.id, candidates: capture.candidates }),
        }
    }

    /// Assigns a capture to a basket and replays it there.
    pub fn assign(&self, caller: &Caller, id: &str, basket: &str) -> Result<Stored> {
        caller.must_review()?;
        let capture = self.find_capture(caller, id)?;
        if capture.status != Status::Pending {
            return Err(already_settled(&capture));
        }
        self.replay(caller, &capture, basket)
    }

    /// Dismisses a capture; its row stays.
    pub fn dismiss(&self, caller: &Caller, id: &str) -> Result<()> {
        caller.must_review()?;
        self.store.write(|tx| {
            let capture = find(tx, caller, id)?;
            let at = self.now();
            let by = &caller.source.user_id;
            if !captures::settle(tx, id, Status::Dismissed, None, by, at)? {
                return Err(already_settled(&capture));
            }
            let event = Event {
                kind: Kind::CaptureDismissed,
                basket: None,
                about: id,
                preview: &capture.summary,
                payload: json!({"by": by}),
            };
            Ok(timeline::add(tx, caller.workspace_id(), &event, &caller.source, at)?)
        })
    }

    pub(super) fn find_capture(&self, caller: &Caller, id: &str) -> Result<Capture<Payload>> {
        self.store.read(|tx| find(tx, caller, id))
    }

    /// Stores a capture in a basket, once: of several concurrent attempts one writes, and the
    /// others get its answer if they named the same basket.
    pub(super) fn replay(
        &self,
        caller: &Caller,
        capture: &Capture<Payload>,
        basket: &str,
    ) -> Result<Stored> {
        let extracted = self.extract_for(caller, Some(basket), &capture.payload.content)?;
        let own_key = format!("capture:{}", capture.id);
        // The key depends on the capture only, not on the tool or user that replays it.
        let keyed = Caller { tool: "replay".to_owned(), ..caller.clone() };
        let request = Request::new(&keyed, Some(&own_key), &[&capture.id, basket]);
        let answer = self.write_for(caller, |tx| {
            match request.answered(tx, caller, self.now()) {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                // It has been assigned to another basket.
                Err(Error::KeyReused(_)) => {
                    return Err(already_settled(&find(tx, caller, &capture.id)?));
                }
                Err(error) => return Err(error),
            }
            let (basket_id, basket_name) = open_basket(tx, caller, basket)?;
            let (by, at) = (&caller.source.user_id, self.now());
            let status = Status::Assigned;
            if !captures::settle(tx, &capture.id, status, Some(&basket_id), by, at)? {
                return Err(already_settled(&find(tx, caller, &capture.id)?));
            }
            // The dump belongs to the user who added it, not to the one who assigned it.
            let speaker = Caller { source: capture.source.clone(), ..caller.clone() };
            let commit = CaptureCommit {
                caller: &speaker,
                basket: (&basket_id, &basket_name),
                payload: &capture.payload,
                fingerprint: &capture.fingerprint,
                extracted: &extracted,
                request: &own_key,
                affirmed: true,
            };
            let stored = self.commit_capture(tx, &commit)?;
            captures::set_dump(tx, &capture.id, &stored.raw_dump_id)?;
            let event = Event {
                kind: Kind::CaptureAssigned,
                basket: Some(&basket_id),
                about: &capture.id,
                preview: &capture.summary,
                payload: json!({"by": by, "raw_dump_id": stored.raw_dump_id}),
            };
            timeline::add(tx, caller.workspace_id(), &event, &caller.source, at)?;
            self.log_write(tx, caller, "success", &ActivityDetails::said(&capture.fingerprint))?;
            let answer = Answer::Stored(stored);
            request.remember(tx, caller, &answer, at)?;
            Ok(answer)
        })?;
        match answer {
            Answer::Stored(stored) => Ok(stored),
            Answer::Held(_) | Answer::Queued(_) => Err(already_settled(capture)),
        }
    }
}

fn find(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Capture<Payload>> {
    captures::find(tx, caller.workspace_id(), id)?.ok_or_else(|| Error::NoCapture(id.to_owned()))
}

fn already_settled(capture: &Capture<Payload>) -> Error {
    Error::SettledCapture { id: capture.id.clone(), status: capture.status.as_str() }
}
