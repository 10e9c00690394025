//! Captures that wait: confirmed by the caller, assigned or dismissed by a person. Each is replayed
//! once, whoever comes first.

use serde_json::json;

use super::capture::{Answer, Noted, Payload, Request, Stored, open_basket};
use super::commit_capture::Landing;
use super::{Caller, Engine, Fault, Result};
use crate::records::Tx;
use crate::records::captures::{self, Capture, Purpose, Status};
use crate::records::timeline::{self, Event, Kind};

/// A second call that confirms the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// The capture that the first call was answered with.
    pub capture_id: String,
    /// The text of the first call.
    pub content: String,
    /// Another basket than the best one.
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

    /// Stores what waited for a confirmation. A repeated confirmation gets the first answer again.
    pub fn confirm(&self, caller: &Caller, confirmation: &Confirmation) -> Result<Stored> {
        let capture = self.waiting(caller, &confirmation.capture_id)?;
        if capture.payload.content != confirmation.content {
            return Err(Fault::OtherCapture(capture.id));
        }
        // Where no basket fitted, a yes alone does not say which.
        let best = capture.candidates.first().filter(|_| capture.purpose == Purpose::Confirm);
        match confirmation.basket_id.as_deref().or(best.map(|best| best.id.as_str())) {
            Some(basket) => self.replay(caller, &capture, basket),
            None => Err(Fault::Unpicked { id: capture.id, candidates: capture.candidates }),
        }
    }

    /// Gives a capture a basket and replays it there.
    pub fn assign(&self, caller: &Caller, id: &str, basket: &str) -> Result<Stored> {
        let capture = self.waiting(caller, id)?;
        if capture.status != Status::Pending {
            return Err(settled(&capture));
        }
        self.replay(caller, &capture, basket)
    }

    /// Drops a capture; its row stays.
    pub fn dismiss(&self, caller: &Caller, id: &str) -> Result<()> {
        self.store.write(|tx| {
            let capture = find(tx, caller, id)?;
            let at = self.now();
            let by = &caller.source.user_id;
            if !captures::settle(tx, id, Status::Dismissed, None, by, at)? {
                return Err(settled(&capture));
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

    pub(super) fn waiting(&self, caller: &Caller, id: &str) -> Result<Capture<Payload>> {
        self.store.read(|tx| find(tx, caller, id))
    }

    /// Puts a capture into a basket, once: of several that try, one writes, and the others get its
    /// answer when they meant the same basket.
    pub(super) fn replay(
        &self,
        caller: &Caller,
        capture: &Capture<Payload>,
        basket: &str,
    ) -> Result<Stored> {
        let read = self.read_out(caller, Some(basket), &capture.payload.content)?;
        let own_key = format!("capture:{}", capture.id);
        // The key is the capture's, whatever tool or person replays it.
        let keyed = Caller { tool: "replay".to_owned(), ..caller.clone() };
        let request = Request::new(&keyed, Some(&own_key), &[&capture.id, basket]);
        let answer = self.write_for(caller, |tx| {
            match request.answered(tx, caller, self.now()) {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                // It went into another basket meanwhile.
                Err(Fault::OtherRequest(_)) => {
                    return Err(settled(&find(tx, caller, &capture.id)?));
                }
                Err(fault) => return Err(fault),
            }
            let (basket_id, basket_name) = open_basket(tx, caller, basket)?;
            let (by, at) = (&caller.source.user_id, self.now());
            let status = Status::Assigned;
            if !captures::settle(tx, &capture.id, status, Some(&basket_id), by, at)? {
                return Err(settled(&find(tx, caller, &capture.id)?));
            }
            // It is the one who said it, not the one who sorted it, that the dump belongs to.
            let speaker = Caller { source: capture.source.clone(), ..caller.clone() };
            let landing = Landing {
                caller: &speaker,
                basket: (&basket_id, &basket_name),
                payload: &capture.payload,
                fingerprint: &capture.fingerprint,
                embedding_model: None,
                read: &read,
                request: &own_key,
                affirmed: true,
            };
            let stored = self.land(tx, &landing)?;
            captures::replayed(tx, &capture.id, &stored.raw_dump_id)?;
            let event = Event {
                kind: Kind::CaptureAssigned,
                basket: Some(&basket_id),
                about: &capture.id,
                preview: &capture.summary,
                payload: json!({"by": by, "raw_dump_id": stored.raw_dump_id}),
            };
            timeline::add(tx, caller.workspace_id(), &event, &caller.source, at)?;
            self.log_write(tx, caller, "success", &Noted::said(&capture.fingerprint))?;
            let answer = Answer::Stored(stored);
            request.remember(tx, caller, &answer, at)?;
            Ok(answer)
        })?;
        match answer {
            Answer::Stored(stored) => Ok(stored),
            Answer::Held(_) | Answer::Queued(_) => Err(settled(capture)),
        }
    }
}

fn find(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Capture<Payload>> {
    captures::find(tx, caller.workspace_id(), id)?.ok_or_else(|| Fault::NoCapture(id.to_owned()))
}

fn settled(capture: &Capture<Payload>) -> Fault {
    Fault::SettledCapture { id: capture.id.clone(), status: capture.status.as_str() }
}
