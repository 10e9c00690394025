//! Signing in and out, and the cookie.

use std::sync::Arc;

use toolwright_platform::blocking::blocking;
use toolwright_runtime::web_pages::{Access, PageRequest, PageResponse};

use super::{PATH, html, refusal};
use crate::engine::{Engine, Error, SignedIn};

/// The cookie's name.
const COOKIE: &str = "yarnnn_review";
/// Longest token that is looked at.
const TOKEN: usize = 16 * 1024;

/// Signs a reviewer in. The transport limits wrong tokens.
pub(super) async fn sign_in(
    engine: &Arc<Engine>,
    request: &PageRequest,
    access: &dyn Access,
) -> PageResponse {
    let form = request.form();
    let to = back(form.get("to")).to_owned();
    let token = form.get("token").unwrap_or_default().trim().to_owned();
    if token.is_empty() || token.len() > TOKEN {
        return html::sign_in(400, Some("Enter a token."), &to, false);
    }
    if let Err(refused) = access.verify(&token).await {
        let said = match refused.status {
            401 => "This token is not accepted. Check it, or make a new one.".to_owned(),
            _ => refused.message,
        };
        let page = html::sign_in(refused.status, Some(&said), &to, false);
        return match refused.retry_after {
            Some(seconds) => page.with("retry-after", seconds.to_string()),
            None => page,
        };
    }
    let signing = Arc::clone(engine);
    let ticket = match blocking(move || signing.sign_in(&token)).await {
        Ok(Ok(ticket)) => ticket,
        Ok(Err(Error::Unauthenticated(_))) => {
            return html::sign_in(401, Some("This token is not accepted."), &to, false);
        }
        Ok(Err(error)) => {
            let (status, said) = refusal(&error);
            return html::sign_in(status, Some(&said), &to, false);
        }
        Err(broken) => {
            tracing::error!(event = "yarnnn.review_page", "{broken}");
            return html::sign_in(500, Some("Something went wrong."), &to, false);
        }
    };
    let cookie = cookie(request, &ticket.cookie, ticket.seconds);
    PageResponse::redirect(&to).with("set-cookie", cookie)
}

/// Runs `page` for the reviewer of the request's cookie; without one, they are asked to sign in.
pub(super) fn signed_in(
    engine: &Engine,
    request: &PageRequest,
    page: fn(&Engine, &SignedIn, &PageRequest) -> PageResponse,
) -> PageResponse {
    let sent = request.cookie(COOKIE);
    let found = match sent.map(|cookie| engine.signed_in(cookie)).transpose() {
        Ok(found) => found.flatten(),
        Err(error) => {
            tracing::warn!(event = "yarnnn.review_page", "{error}");
            return html::message(503, "The database does not answer", "Try again shortly.");
        }
    };
    let Some(reviewer) = found else {
        let to = if request.is_post() { PATH } else { back(Some(request.path())) };
        let said = sent.map(|_| "You were signed out. Sign in again.");
        let elsewhere = request.header("sec-fetch-site") == Some("cross-site");
        return html::sign_in(401, said, to, elsewhere && !request.is_post());
    };
    if !request.is_post() {
        return page(engine, &reviewer, request);
    }
    let key = request.form().get("key").unwrap_or_default().to_owned();
    if !toolwright_runtime::digest::constant_time_eq(key.as_bytes(), reviewer.form_key.as_bytes()) {
        return html::message(403, "This form is not of your session", "Load the page again.");
    }
    if request.path() == "/review/sign-out" {
        if let Some(Err(error)) = sent.map(|cookie| engine.sign_out(cookie)) {
            return html::message(503, "You are still signed in", &error.to_string());
        }
        return PageResponse::redirect(PATH).with("set-cookie", cookie(request, "", 0));
    }
    page(engine, &reviewer, request)
}

/// Only for this page, no script, no other site; over TLS where the browser uses it.
fn cookie(request: &PageRequest, value: &str, seconds: i64) -> String {
    let origin = request.header("origin").unwrap_or_default();
    let secure = if origin.starts_with("https:") { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path={PATH}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

/// A page of ours to go to.
fn back(to: Option<&str>) -> &str {
    let plain = |path: &&str| {
        let rest = path.strip_prefix(PATH);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_".contains(&byte))
    };
    to.filter(plain).unwrap_or(PATH)
}
