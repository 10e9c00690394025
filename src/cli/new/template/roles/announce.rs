//! `announce`

use toolwright_runtime::{Call, Handle};

use crate::Server;
use crate::generated::{Announce, AnnounceRequest, AnnounceResponse, Result};

impl Handle<Announce> for Server {
    // The guard ran: the caller is a HOST.
    async fn handle(&self, _: &Call, request: AnnounceRequest) -> Result<AnnounceResponse> {
        Ok(AnnounceResponse { text: format!("Everybody: {}!", request.text) })
    }
}
