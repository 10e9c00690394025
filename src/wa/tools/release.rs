//! `wa.release`

use toolwright_runtime::{Call, HandleGuarded};

use super::convert;
use super::policy::Pass;
use crate::engine::Engine;
use crate::generated::{Release, ReleaseRequest, ReleaseResponse, Released, Result};
use crate::{Wa, error, unsigned};

impl HandleGuarded<Release, Pass> for Wa {
    async fn handle(
        &self,
        _: &Call,
        request: ReleaseRequest,
        pass: Pass,
    ) -> Result<ReleaseResponse> {
        self.run(move |engine| {
            let done = release(engine, &request.reservation_id, &pass);
            pass.settled(engine, done)
        })
        .await
    }
}

fn release(engine: &Engine, id: &str, pass: &Pass) -> error::Result<Released> {
    let done = engine.records()?.policy.release(id, &pass.actor, engine.now())?;
    Ok(Released {
        pane_id: done.reservation.pane_id,
        released: done.released,
        reservation_id: Some(done.reservation.id),
        owner_kind: Some(convert::owner(done.reservation.owner_kind)),
        owner_id: Some(done.reservation.owner_id),
        held_for_ms: done.held_for_ms.map(unsigned),
        not_found_reason: done.not_found_reason.map(str::to_owned),
    })
}
