//! Reads and changes a workspace's review settings and its baskets.

use serde_json::json;

use super::capture::ActivityDetails;
use super::{Caller, Engine, Error, Result};
use crate::governance::{Change, Changed, change};
use crate::model::Millis;
use crate::records::baskets::{self, Basket, Status};
use crate::records::timeline::{self, Event, Kind};
use crate::records::{consents, governance, signatures};

impl Engine {
    /// Reads the flags, or changes them.
    pub fn flags(&self, caller: &Caller, wanted: Change) -> Result<Changed> {
        let workspace = caller.workspace_id();
        if wanted.is_read() {
            return self.rehearse_flags(caller, wanted);
        }
        self.write_for(caller, |tx| {
            let settings = governance::load(tx, workspace)?;
            let changed = change(&settings, caller.role, wanted)?;
            if changed.changed {
                let (by, at) = (&caller.source.user_id, self.now());
                governance::save(tx, workspace, &changed.settings, by, at)?;
                let event = Event {
                    kind: Kind::GovernanceChanged,
                    basket: None,
                    about: workspace,
                    preview: "",
                    payload: json!({"auto_approve": changed.flags.auto_approve()}),
                };
                timeline::add(tx, workspace, &event, &caller.source, at)?;
            }
            self.log_write(tx, caller, "success", &ActivityDetails::default())?;
            Ok(changed)
        })
    }

    /// Uses up a user's answer to a question, once among all servers at the database.
    pub fn spend_consent(&self, consent: &str, expires_at: Millis) -> Result<bool> {
        let now = self.now();
        self.store.write(|tx| Ok(consents::spend(tx, consent, expires_at, now)?))
    }

    /// What [`Self::flags`] would answer; changes nothing.
    pub fn rehearse_flags(&self, caller: &Caller, wanted: Change) -> Result<Changed> {
        let settings = self.store.read(|tx| Ok(governance::load(tx, caller.workspace_id())?))?;
        Ok(change(&settings, caller.role, wanted)?)
    }

    /// All baskets of the workspace.
    pub fn baskets(&self, caller: &Caller) -> Result<Vec<Basket>> {
        self.store.read(|tx| Ok(baskets::list(tx, caller.workspace_id())?))
    }

    /// Changes a basket's name or status. An archived basket is no longer selected.
    pub fn change_basket(
        &self,
        caller: &Caller,
        id: &str,
        name: Option<&str>,
        status: Option<Status>,
    ) -> Result<Basket> {
        caller.must_review()?;
        let workspace = caller.workspace_id();
        self.store.write(|tx| {
            if !baskets::change(tx, workspace, id, name, status)? {
                return Err(Error::NoBasket(id.to_owned()));
            }
            let basket =
                baskets::find(tx, workspace, id)?.ok_or_else(|| Error::NoBasket(id.to_owned()))?;
            signatures::set_active(tx, id, basket.status.is_open())?;
            Ok(basket)
        })
    }
}
