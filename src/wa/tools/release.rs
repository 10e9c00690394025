//! `wa.release`

use toolwright_runtime::{Call, HandleGuarded};

use super::policy::Pass;
use super::words;
use crate::generated::{Release, ReleaseRequest, ReleaseResponse, Released, Result};
use crate::rooms::Rooms;
use crate::{Wa, fault, unsigned};

impl HandleGuarded<Release, Pass> for Wa {
    async fn handle(
        &self,
        _: &Call,
        request: ReleaseRequest,
        pass: Pass,
    ) -> Result<ReleaseResponse> {
        self.run(move |rooms| {
            let done = release(rooms, &request.reservation_id, &pass);
            pass.settled(rooms, done)
        })
        .await
    }
}

fn release(rooms: &Rooms, id: &str, pass: &Pass) -> fault::Result<Released> {
    let done = rooms.records()?.policy.release(id, &pass.actor, rooms.now())?;
    Ok(Released {
        pane_id: done.reservation.pane_id,
        released: done.released,
        reservation_id: Some(done.reservation.id),
        owner_kind: Some(words::owner(done.reservation.owner_kind)),
        owner_id: Some(done.reservation.owner_id),
        held_for_ms: done.held_for_ms.map(unsigned),
        not_found_reason: done.not_found_reason.map(str::to_owned),
    })
}
