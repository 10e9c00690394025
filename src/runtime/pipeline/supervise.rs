//! Runs foreign futures so that neither a panic nor an absent client can hurt the server.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;

use futures_util::FutureExt as _;
use futures_util::future::{Either, select};

use crate::call::Call;

/// How a watched future ended.
pub(crate) enum Supervised<T> {
    /// By itself.
    Done(T),
    /// By a panic; the text is for the log.
    Panicked(String),
    /// Dropped, because nobody waits for it any more.
    Cancelled,
}

/// Runs `work`; where it is `stoppable`, only until the call is cancelled.
pub(crate) async fn supervise<T>(
    call: &Call,
    stoppable: bool,
    work: impl Future<Output = T> + Send,
) -> Supervised<T> {
    let caught = AssertUnwindSafe(work).catch_unwind();
    let ended = if stoppable {
        // The work is polled first: an answer that needs no waiting never looks at the token.
        match select(pin!(caught), pin!(call.cancelled())).await {
            Either::Left((ended, _)) => ended,
            Either::Right(_) => return Supervised::Cancelled,
        }
    } else {
        caught.await
    };
    match ended {
        Ok(value) => Supervised::Done(value),
        Err(payload) => Supervised::Panicked(panic_text(&*payload)),
    }
}

/// A panic's text. Formatted texts may quote arguments, so release builds leave them out; the place
/// of the panic is logged by the hook.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&'static str>().copied().or_else(|| {
        payload.downcast_ref::<String>().map(String::as_str).filter(|_| cfg!(debug_assertions))
    });
    match text {
        Some(text) => format!("panicked: {text}"),
        None => "panicked".to_owned(),
    }
}
