//! The review page over HTTP: owners and admins sign in and decide what becomes memory.
//!
//! It is the place that tools link to, because no tool can decide. Pages are plain HTML made here, and
//! work without the small script, which adds the keyboard. All text that comes from a transcript is
//! hostile: it passes through [`html::text`]. Knows HTTP by [`toolwright_runtime::web_pages`] only, and
//! memory by the engine.

mod actions;
mod cards;
mod html;
mod links;
mod list;
mod proposal;
mod session;
mod source;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use toolwright_platform::blocking::blocking;
use toolwright_runtime::web_pages::{Access, PageFuture, PageRequest, PageResponse, Pages};

use super::engine::{Engine, Error, SignedIn};
pub(super) use links::ReviewLinks;

/// Where the page is.
const PATH: &str = "/review";
const STYLE: &str = concat!(include_str!("../../contract/theme.css"), include_str!("review.css"));
const SCRIPT: &str = include_str!("review.js");

/// The review page.
pub(super) struct ReviewPage {
    engine: Arc<Engine>,
    links: Arc<ReviewLinks>,
}

impl ReviewPage {
    pub(super) fn new(engine: Arc<Engine>, links: Arc<ReviewLinks>) -> Self {
        Self { engine, links }
    }

    async fn respond(&self, request: PageRequest, access: &dyn Access) -> PageResponse {
        let below = request.path().strip_prefix(PATH).unwrap_or_default();
        match (below, request.is_post()) {
            ("/review.css", false) => return PageResponse::file("text/css; charset=utf-8", STYLE),
            ("/review.js", false) => {
                return PageResponse::file("text/javascript; charset=utf-8", SCRIPT);
            }
            ("/sign-in", true) => return session::sign_in(&self.engine, &request, access).await,
            _ => {}
        }
        let engine = Arc::clone(&self.engine);
        let done = blocking(move || session::signed_in(&engine, &request, page_of));
        done.await.unwrap_or_else(|broken| {
            tracing::error!(event = "yarnnn.review_page", "{broken}");
            html::message(500, "Something went wrong", "The server's log says what.")
        })
    }
}

/// The page for a reviewer who is signed in.
fn page_of(engine: &Engine, reviewer: &SignedIn, request: &PageRequest) -> PageResponse {
    let below = request.path().strip_prefix(PATH).unwrap_or_default();
    let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
    match (parts.as_slice(), request.is_post()) {
        ([], false) => list::page(engine, reviewer, &request.query(), None),
        (["proposals", id], false) => proposal::page(engine, reviewer, id, &request.query(), None),
        ([..], true) => actions::act(engine, reviewer, &parts, &request.form()),
        _ => html::message(404, "There is no such page", "Go back to what waits for review."),
    }
}

/// HTTP status of an error, and what the reviewer is told.
fn refusal(error: &Error) -> (u16, String) {
    let status = match error {
        Error::NoProposal(_) | Error::NoCapture(_) | Error::NoBasket(_) => 404,
        Error::NotAReviewer { .. } | Error::NotAMember { .. } => 403,
        Error::Empty(_) | Error::LongEdit { .. } | Error::NoOperation { .. } => 400,
        Error::Store(_) | Error::Extractor { .. } => 503,
        _ => 409,
    };
    (status, error.to_string())
}

impl Pages for ReviewPage {
    fn path(&self) -> &'static str {
        PATH
    }

    fn listening(&self, url: &str) {
        self.links.listening(url);
    }

    fn answer<'a>(&'a self, request: PageRequest, access: &'a dyn Access) -> PageFuture<'a> {
        Box::pin(self.respond(request, access))
    }
}
