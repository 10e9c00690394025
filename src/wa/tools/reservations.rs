//! `wa.reservations`

use toolwright_runtime::{Call, Handle};

use super::convert;
use crate::engine::Engine;
use crate::generated::{
    Reservation, ReservationList, Reservations, ReservationsRequest, ReservationsResponse, Result,
};
use crate::{Wa, error, unsigned};

impl Handle<Reservations> for Wa {
    async fn handle(&self, _: &Call, request: ReservationsRequest) -> Result<ReservationsResponse> {
        self.run(move |engine| list(engine, request.pane_id)).await
    }
}

fn list(engine: &Engine, pane: Option<u64>) -> error::Result<ReservationList> {
    let held = engine.records()?.policy.reservations(pane, engine.now())?;
    let reservations = held.into_iter().map(|held| Reservation {
        reservation_id: Some(held.id),
        pane_id: held.pane_id,
        owner_kind: convert::owner(held.owner_kind),
        owner_id: held.owner_id,
        reason: held.reason,
        created_at: unsigned(held.created_at),
        expires_at: unsigned(held.expires_at),
        exclusive: Some(true),
    });
    Ok(ReservationList { reservations: reservations.collect(), pane_filter: pane })
}
