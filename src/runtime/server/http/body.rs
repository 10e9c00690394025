//! Bodies: reads request bodies within limits, and ends streamed responses at their deadline.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;

use super::metrics::Reason;

/// Maximum bytes of a rejected body that are drained: a client that is still sending would otherwise
/// see a broken connection instead of the response.
const DRAIN_BYTES: usize = 16 * 1024 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Reads a whole body.
pub(super) async fn read(
    mut body: Incoming,
    limit: usize,
    time: Duration,
    expects_continue: bool,
) -> Result<Bytes, Reason> {
    let announced = body.size_hint().lower();
    if announced > u64::try_from(limit).unwrap_or(u64::MAX) {
        // A client that sent `Expect: 100-continue` gets the response before it sends the body.
        if !expects_continue {
            drain(body).await;
        }
        return Err(Reason::TooLarge);
    }
    let collecting = async {
        let mut whole = BytesMut::with_capacity(usize::try_from(announced).unwrap_or_default());
        while let Some(frame) = body.frame().await {
            let data = frame.map_err(|_| Reason::Malformed)?.into_data().unwrap_or_default();
            if data.len() > limit - whole.len() {
                return Err(Reason::TooLarge);
            }
            whole.extend_from_slice(&data);
        }
        Ok(whole.freeze())
    };
    let read = tokio::time::timeout(time, collecting).await.unwrap_or(Err(Reason::SlowBody));
    if read == Err(Reason::TooLarge) {
        drain(body).await;
    }
    read
}

/// Reads and discards a rejected body, within limits.
pub(super) async fn drain(mut body: Incoming) {
    let draining = async {
        let mut seen = 0;
        while seen < DRAIN_BYTES
            && let Some(Ok(frame)) = body.frame().await
        {
            seen += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    // The response follows in any case.
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, draining).await;
}

/// A streamed response that ends with a final event at its deadline.
pub(super) struct DeadlineBody {
    inner: Option<BoxBody<Bytes, Infallible>>,
    deadline: Pin<Box<dyn Future<Output = Bytes> + Send + Sync>>,
}

impl DeadlineBody {
    /// `deadline` resolves to the final event.
    pub(super) fn new(
        inner: BoxBody<Bytes, Infallible>,
        deadline: impl Future<Output = Bytes> + Send + Sync + 'static,
    ) -> Self {
        Self { inner: Some(inner), deadline: Box::pin(deadline) }
    }
}

impl Body for DeadlineBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else { return Poll::Ready(None) };
        match Pin::new(inner).poll_frame(context) {
            Poll::Ready(None) => {
                this.inner = None;
                Poll::Ready(None)
            }
            Poll::Ready(frame) => Poll::Ready(frame),
            Poll::Pending => match this.deadline.as_mut().poll(context) {
                Poll::Ready(last) => {
                    // Dropping the SDK's stream cancels the call.
                    this.inner = None;
                    Poll::Ready(Some(Ok(Frame::data(last))))
                }
                Poll::Pending => Poll::Pending,
            },
        }
    }
}
