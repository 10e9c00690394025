//! `add`

use toolwright_runtime::{Call, ErrorKind as _, Handle};

use crate::Server;
use crate::generated::{Add, AddRequest, AddResponse, Error, Result};

impl Handle<Add> for Server {
    async fn handle(&self, call: &Call, request: AddRequest) -> Result<AddResponse> {
        let AddRequest { title, author } = request;
        // Ids and time come with the call, so that a test can give others.
        let (id, added) = (call.ids().hex(4), call.clock().now().to_string());
        self.run(move |store| {
            store.change(|books| {
                if let Some(book) = books.iter().find(|b| b.title == title && b.author == author) {
                    let message = format!("`title`: {title} is on the shelf as {}.", book.id);
                    return Err(Error::AlreadyThere.because(message));
                }
                let book = AddResponse { id, title, author, added };
                books.push(book.clone());
                Ok(book)
            })
        })
        .await
    }
}
