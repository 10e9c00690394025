//! Bodies: requests within their limits, and streamed answers that end in time.

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

/// Bytes of a refused body that are read and forgotten: a client that is still sending would
/// otherwise see a broken connection instead of the answer.
const FORGOTTEN: usize = 16 * 1024 * 1024;
const FORGOTTEN_TIME: Duration = Duration::from_secs(2);

/// Reads a whole body.
pub(super) async fn read(
    mut body: Incoming,
    limit: usize,
    time: Duration,
    asks_first: bool,
) -> Result<Bytes, Reason> {
    let announced = body.size_hint().lower();
    if announced > u64::try_from(limit).unwrap_or(u64::MAX) {
        // A client that asks before it sends is answered before it does.
        if !asks_first {
            forget(body).await;
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
        forget(body).await;
    }
    read
}

/// Lets a client that is refused finish sending, within reason.
pub(super) async fn forget(mut body: Incoming) {
    let forgetting = async {
        let mut seen = 0;
        while seen < FORGOTTEN
            && let Some(Ok(frame)) = body.frame().await
        {
            seen += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    // Whether it ended or not, the answer follows.
    let _ = tokio::time::timeout(FORGOTTEN_TIME, forgetting).await;
}

/// A streamed answer that ends with an event of its own when its time is up.
pub(super) struct Timed {
    inner: Option<BoxBody<Bytes, Infallible>>,
    up: Pin<Box<dyn Future<Output = Bytes> + Send + Sync>>,
}

impl Timed {
    /// `up` resolves to the last event.
    pub(super) fn new(
        inner: BoxBody<Bytes, Infallible>,
        up: impl Future<Output = Bytes> + Send + Sync + 'static,
    ) -> Self {
        Self { inner: Some(inner), up: Box::pin(up) }
    }
}

impl Body for Timed {
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
            Poll::Pending => match this.up.as_mut().poll(context) {
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
