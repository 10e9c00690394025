//! Serves the pages of a surface; see [`crate::web_pages`].

use std::net::IpAddr;

use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, EXPECT, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::Instant;

use super::authorizer::Authorizer;
use super::body;
use super::caller_key::{AddressKey, CallerKey};
use super::metrics::Reason;
use super::response::{HttpResponse, rejection_response, response};
use super::router::{ConnectionAddrs, HttpRouter, deadline_or_shutdown};
use crate::web_pages::{Access, PageRefusal, PageRequest, PageResponse, Pages, VerifyFuture};

/// Largest form that is read.
const MAX_FORM_BYTES: usize = 1024 * 1024;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The surface's pages, if the path is one of theirs.
pub(super) fn find<'a>(router: &'a HttpRouter, path: &str) -> Option<&'a dyn Pages> {
    let pages = router.page.as_ref().and_then(|_| router.surface.pages())?;
    let rest = path.strip_prefix(pages.path())?;
    (rest.is_empty() || rest.starts_with('/')).then_some(pages)
}

/// Answers a request for a page of the surface.
pub(super) async fn answer(
    router: &HttpRouter,
    pages: &dyn Pages,
    request: Request<Incoming>,
    addrs: ConnectionAddrs,
) -> HttpResponse {
    if let Err(reason) = router.host_origin.admit(request.uri(), request.headers(), addrs.local) {
        router.host.trail.rejected(reason.as_str(), addrs.peer);
        return router.refuse_unread(reason, request).await;
    }
    let changes = match *request.method() {
        Method::GET | Method::HEAD => false,
        Method::POST => true,
        _ => {
            let allow = HeaderValue::from_static("GET, POST");
            let mut refusal = router.refuse_unread(Reason::Method, request).await;
            refusal.headers_mut().insert(ALLOW, allow);
            return refusal;
        }
    };
    // Only a page of this server may change something: browsers always name the origin of a form.
    if changes && !router.host_origin.is_own_page(request.headers()) {
        router.host.trail.rejected(Reason::Origin.as_str(), addrs.peer);
        return router.refuse_unread(Reason::Origin, request).await;
    }
    if let Err(refused) = router.authorizer.limit_address(addrs.peer) {
        return router.refuse_unread(refused, request).await;
    }
    let (parts, incoming) = request.into_parts();
    let mut form = None;
    if changes {
        let limit = router.options.max_body_bytes.min(MAX_FORM_BYTES);
        let expects = parts.headers.contains_key(EXPECT);
        match body::read(incoming, limit, router.options.body_timeout, expects).await {
            Ok(read) => form = Some(read.to_vec()),
            Err(reason) => return router.refuse(reason, None),
        }
    }
    let key = CallerKey::Address(AddressKey::of(addrs.peer));
    let _slot = match router.slot(key).await {
        Ok(slot) => slot,
        Err(reason) => return router.refuse(reason, None),
    };
    let query = parts.uri.query().unwrap_or_default();
    let request = PageRequest::new(parts.uri.path(), query, parts.headers, form);
    let access = PageAccess { authorizer: &router.authorizer, peer: addrs.peer };
    let deadline = Instant::now() + router.options.call_timeout;
    tokio::select! {
        page = pages.answer(request, &access) => rendered(page),
        reason = deadline_or_shutdown(Some(deadline), router.abandoned.clone()) => {
            router.refuse(reason, None)
        }
    }
}

fn rendered(page: PageResponse) -> HttpResponse {
    let status = StatusCode::from_u16(page.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = match page.body {
        std::borrow::Cow::Borrowed(text) => text.into(),
        std::borrow::Cow::Owned(text) => bytes::Bytes::from(text),
    };
    let mut answer = response(status, page.content_type, body);
    let headers = answer.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(CACHE_CONTROL, "no-store");
    for (name, value) in page.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.append(HeaderName::from_static(name), value);
        }
    }
    answer
}

/// The transport's check of tokens, for the address of one request.
struct PageAccess<'r> {
    authorizer: &'r Authorizer,
    peer: IpAddr,
}

impl Access for PageAccess<'_> {
    fn verify<'a>(&'a self, token: &'a str) -> VerifyFuture<'a> {
        Box::pin(async move {
            let mut headers = HeaderMap::new();
            let unreadable = || PageRefusal {
                status: 401,
                message: "invalid bearer token".to_owned(),
                retry_after: None,
            };
            let value = HeaderValue::from_str(&format!("Bearer {token}"));
            headers.insert(http::header::AUTHORIZATION, value.map_err(|_| unreadable())?);
            let Err(rejection) = self.authorizer.admit(&headers, self.peer).await else {
                return Ok(());
            };
            let answer = rejection_response(&rejection, None);
            let retry_after = answer.headers().get(RETRY_AFTER);
            let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
            let status = answer.status().as_u16();
            let body = answer.into_body().collect().await.map(http_body_util::Collected::to_bytes);
            let message = serde_json::from_slice::<serde_json::Value>(&body.unwrap_or_default());
            let message =
                message.ok().and_then(|told| told["error"]["message"].as_str().map(str::to_owned));
            Err(PageRefusal { status, message: message.unwrap_or_default(), retry_after })
        })
    }
}
