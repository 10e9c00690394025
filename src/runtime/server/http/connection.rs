//! One connection: serves its requests, within the deadlines of [`super::activity`].

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Request;
use http::header::{CONNECTION, HeaderValue};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::accept::Scope;
use super::activity::{Activity, Deadlines, Overdue, Watched};
use super::caller_key::AddressKey;
use super::metrics::{GaugeGuard, Reason};
use super::places::ConnectionPlace;
use super::response::HttpResponse;
use super::router::{ConnectionAddrs, HttpRouter};
use super::shares::Share;

/// Maximum size of a request head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Serves a connection until it ends.
pub(super) async fn serve(
    router: Arc<HttpRouter>,
    stream: TcpStream,
    activity: Arc<Activity>,
    _place: ConnectionPlace,
    scope: Scope,
) {
    // Otherwise a streamed answer waits for the client's acknowledgement (Nagle).
    let _ = stream.set_nodelay(true);
    let (Ok(local), Ok(peer)) = (stream.local_addr(), stream.peer_addr()) else { return };
    let addrs = ConnectionAddrs { local: local.ip(), peer: peer.ip() };
    let _open = GaugeGuard::new(&router.metrics.connections);
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEAD_BYTES).keep_alive(scope != Scope::Probes);
    let watched = Watched { stream, activity: activity.clone() };
    let service = service_fn(|request| {
        let (router, activity) = (router.clone(), activity.clone());
        async move {
            activity.answering();
            let (share, answer) = answer(&router, request, addrs, scope).await;
            Ok::<_, Infallible>(answer.map(|inner| Answering { inner, _share: share, activity }))
        }
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(watched), service));
    let deadlines = Deadlines::new(&router.options);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        what = activity.overdue(deadlines) => {
            return overdue(&router, what);
        }
        () = router.stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection => ended,
                what = activity.overdue(deadlines) => return overdue(&router, what),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(event = "http.connection", %error, "a connection broke");
    }
}

/// Answers a request. Those of a proxy are counted by the client that it names.
async fn answer(
    router: &HttpRouter,
    request: Request<Incoming>,
    addrs: ConnectionAddrs,
    scope: Scope,
) -> (Option<Share<AddressKey>>, HttpResponse) {
    if scope != Scope::Everything {
        let mut answer = router.probe(&request, addrs, scope).await;
        if scope == Scope::Probes {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        return (None, answer);
    }
    let proxies = &router.options.proxies;
    if !proxies.contains(addrs.peer) || HttpRouter::is_probe(&request) {
        return (None, router.answer(request, addrs).await);
    }
    let peer = proxies.client(addrs.peer, request.headers());
    let Some(share) = router.proxied.take(AddressKey::of(peer)) else {
        return (None, router.refuse_unread(Reason::Crowded, request).await);
    };
    (Some(share), router.answer(request, ConnectionAddrs { peer, ..addrs }).await)
}

fn overdue(router: &HttpRouter, what: Overdue) {
    match what {
        Overdue::Head => router.metrics.rejected(Reason::SlowHead),
        Overdue::Write => router.metrics.rejected(Reason::SlowRead),
        Overdue::Displaced => router.metrics.rejected(Reason::Displaced),
        Overdue::Idle => {}
    }
}

/// The body of an answer; the connection is busy until it is dropped.
struct Answering<B> {
    inner: B,
    _share: Option<Share<AddressKey>>,
    activity: Arc<Activity>,
}

impl<B> Drop for Answering<B> {
    fn drop(&mut self) {
        self.activity.answered();
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Answering<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// What a connection without any place is told before it is closed.
pub(super) fn reject_connection(stream: &TcpStream) {
    const ANSWER: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n\
        Content-Length: 0\r\nConnection: close\r\n\r\n";
    // A new connection has room for it; if not, it is closed without a word.
    let _ = stream.try_write(ANSWER);
}
