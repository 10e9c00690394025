//! `clear`

use toolwright_runtime::{Call, Handle};

use crate::Server;
use crate::generated::{Clear, ClearRequest, ClearResponse, Result};
use crate::store::Store;

impl Handle<Clear> for Server {
    // The guard of the contract has asked the user before anybody comes here.
    async fn handle(&self, _: &Call, _: ClearRequest) -> Result<ClearResponse> {
        let clear = |store: &Store| store.change(|books| Ok(std::mem::take(books).len()));
        let removed = self.run(clear).await?;
        Ok(ClearResponse { removed: removed as u64 })
    }
}
