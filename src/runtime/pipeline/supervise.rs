//! Runs futures of handlers and guards: catches panics and honours cancellation.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;

use futures_util::FutureExt as _;
use futures_util::future::{Either, select};

use crate::call::Call;

/// How a supervised future ended.
pub(crate) enum Supervised<T> {
    /// It completed.
    Done(T),
    /// It panicked; the text is for the log.
    Panicked(String),
    /// It was dropped because the call was cancelled.
    Cancelled,
}

/// Runs `work`. If `stoppable`, drops it when the call is cancelled.
pub(crate) async fn supervise<T>(
    call: &Call,
    stoppable: bool,
    work: impl Future<Output = T> + Send,
) -> Supervised<T> {
    let caught = AssertUnwindSafe(work).catch_unwind();
    let ended = if stoppable {
        // Polled first, so that work that is ready at once never creates the token.
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

/// A panic's message. Formatted messages may quote arguments, so release builds omit them; the panic
/// hook logs the location.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&'static str>().copied().or_else(|| {
        payload.downcast_ref::<String>().map(String::as_str).filter(|_| cfg!(debug_assertions))
    });
    match text {
        Some(text) => format!("panicked: {text}"),
        None => "panicked".to_owned(),
    }
}
