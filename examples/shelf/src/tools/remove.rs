//! `remove`

use toolwright_runtime::{Call, ErrorKind as _, Handle};

use crate::Server;
use crate::generated::{Error, Remove, RemoveRequest, RemoveResponse, Result};

impl Handle<Remove> for Server {
    // The guard of the contract has seen `confirm` before anybody comes here.
    async fn handle(&self, _: &Call, request: RemoveRequest) -> Result<RemoveResponse> {
        self.run(move |store| {
            store.change(|books| {
                let found = books.iter().position(|book| book.id == request.id);
                let found = found.ok_or_else(|| {
                    Error::BookNotFound.because(format!("`id`: no book is called {}.", request.id))
                })?;
                Ok(books.remove(found))
            })
        })
        .await
    }
}
