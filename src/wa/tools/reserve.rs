//! `wa.reserve`

use toolwright_runtime::{Call, HandleGuarded};

use super::convert;
use super::policy::Pass;
use crate::engine::Engine;
use crate::generated::{Reserve, ReserveRequest, ReserveResponse, Reserved, Result};
use crate::{Wa, error, unsigned};

impl HandleGuarded<Reserve, Pass> for Wa {
    async fn handle(
        &self,
        _: &Call,
        request: ReserveRequest,
        pass: Pass,
    ) -> Result<ReserveResponse> {
        self.run(move |engine| {
            let done = reserve(engine, &request, &pass);
            pass.settled(engine, done)
        })
        .await
    }
}

fn reserve(engine: &Engine, request: &ReserveRequest, pass: &Pass) -> error::Result<Reserved> {
    let pane = match &pass.seen {
        Some(seen) => seen.found.row.clone(),
        None => engine.find(request.pane_id)?.row,
    };
    let owner = request.owner.as_deref();
    let (ids, now) = (&*engine.setup.ids, engine.now());
    let policy = &engine.records()?.policy;
    let made = policy.reserve(&pane, &pass.actor, owner, None, request.ttl_secs, ids, now)?;
    let held = made.reservation;
    Ok(Reserved {
        pane_id: held.pane_id,
        reservation_id: held.id,
        created: made.created,
        owner_kind: Some(convert::owner(held.owner_kind)),
        owner_id: Some(held.owner_id),
        reason: held.reason,
        ttl_seconds: Some(made.ttl_secs),
        exclusive: Some(true),
        expires_at: Some(unsigned(held.expires_at)),
    })
}
