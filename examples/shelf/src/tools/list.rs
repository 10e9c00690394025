//! `list`

use toolwright_runtime::{Call, Handle};

use crate::Server;
use crate::generated::{List, ListRequest, ListResponse, Result};

impl Handle<List> for Server {
    async fn handle(&self, _: &Call, request: ListRequest) -> Result<ListResponse> {
        let mut books = self.run(|store| store.books()).await?;
        if let Some(text) = request.text.map(|text| text.to_lowercase()) {
            books.retain(|book| {
                let author = book.author.as_deref().unwrap_or_default();
                [&book.title, author].iter().any(|it| it.to_lowercase().contains(&text))
            });
        }
        Ok(ListResponse { books })
    }
}
