//! The web page at `/`: calls the server's tools from a browser, without an MCP client.
//!
//! Its files are compiled in and the same for every server; they contain no secrets and need no token.
//! Everything specific comes from `/contract.json`, which requires authorization, and from `/mcp`. The
//! page cannot bypass guards: it sends the same requests as any client.
//!
//! The content security policy allows only the page's own files and its own server. Trusted types
//! prevent text from becoming markup, so no answer of a tool can inject into the page.

mod contract;

use std::sync::{LazyLock, OnceLock};

use bytes::Bytes;
use http::StatusCode;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};

use super::response::{HttpResponse, response};
use crate::contract::SurfaceInfo;
use crate::digest::sha256_hex;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";
const JSON: &str = "application/json";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// Path, content type and text of every file.
const FILES: [(&str, &str, &str); 23] = [
    ("/", HTML, include_str!("index.html")),
    ("/page/icon.svg", SVG, include_str!("icon.svg")),
    (
        "/page/page.css",
        CSS,
        concat!(include_str!("../../../../contract/theme.css"), include_str!("page.css")),
    ),
    ("/page/about.js", SCRIPT, include_str!("about.js")),
    ("/page/access.js", SCRIPT, include_str!("access.js")),
    ("/page/catalogue.js", SCRIPT, include_str!("catalogue.js")),
    ("/page/contract.js", SCRIPT, include_str!("contract.js")),
    ("/page/described.js", SCRIPT, include_str!("described.js")),
    ("/page/dom.js", SCRIPT, include_str!("dom.js")),
    ("/page/fields.js", SCRIPT, include_str!("fields.js")),
    ("/page/form.js", SCRIPT, include_str!("form.js")),
    ("/page/guards.js", SCRIPT, include_str!("guards.js")),
    ("/page/json.js", SCRIPT, include_str!("json.js")),
    ("/page/main.js", SCRIPT, include_str!("main.js")),
    ("/page/parts.js", SCRIPT, include_str!("parts.js")),
    ("/page/question.js", SCRIPT, include_str!("question.js")),
    ("/page/recent.js", SCRIPT, include_str!("recent.js")),
    ("/page/resource.js", SCRIPT, include_str!("resource.js")),
    ("/page/result.js", SCRIPT, include_str!("result.js")),
    ("/page/review.js", SCRIPT, include_str!("review.js")),
    ("/page/tool.js", SCRIPT, include_str!("tool.js")),
    ("/page/tool_command.js", SCRIPT, include_str!("tool_command.js")),
    ("/page/wire.js", SCRIPT, include_str!("wire.js")),
];

static SERVED: LazyLock<Vec<File>> =
    LazyLock::new(|| FILES.map(|(path, kind, text)| File::new(path, kind, text, false)).into());

/// The page of one server.
pub(super) struct Page {
    info: &'static SurfaceInfo,
    version: String,
    contract: OnceLock<File>,
}

/// A static file.
pub(super) struct File {
    path: &'static str,
    kind: &'static str,
    body: Bytes,
    tag: String,
    /// Requires authorization.
    pub(super) guarded: bool,
}

impl Page {
    /// `version` is that of the product.
    pub(super) fn new(info: &'static SurfaceInfo, version: String) -> Self {
        Self { info, version, contract: OnceLock::new() }
    }

    /// The file at a path.
    pub(super) fn find(&self, path: &str) -> Option<&File> {
        if path == "/contract.json" {
            return Some(self.contract.get_or_init(|| {
                let text = contract::render(self.info, &self.version);
                File::new("/contract.json", JSON, text, true)
            }));
        }
        SERVED.iter().find(|file| file.path == path)
    }
}

impl File {
    fn new(path: &'static str, kind: &'static str, body: impl Into<Bytes>, guarded: bool) -> Self {
        let body = body.into();
        let tag = format!("\"{}\"", &sha256_hex(&body)[..32]);
        Self { path, kind, body, tag, guarded }
    }

    /// The file, or 304 if the client's copy is current.
    pub(super) fn answer(&self, asked: &HeaderMap) -> HttpResponse {
        let mut answer = if self.is_known(asked) {
            let mut answer = response(StatusCode::NOT_MODIFIED, self.kind, Bytes::new());
            answer.headers_mut().remove(http::header::CONTENT_TYPE);
            answer
        } else {
            response(StatusCode::OK, self.kind, self.body.clone())
        };
        let headers = answer.headers_mut();
        let mut set = |name: HeaderName, value: &'static str| {
            headers.insert(name, HeaderValue::from_static(value));
        };
        set(CONTENT_SECURITY_POLICY, POLICY);
        set(X_CONTENT_TYPE_OPTIONS, "nosniff");
        set(REFERRER_POLICY, "no-referrer");
        set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
        set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
        // Cached, but always revalidated: a new binary may have new files.
        set(CACHE_CONTROL, if self.guarded { "private, no-cache" } else { "no-cache" });
        if self.guarded {
            set(VARY, "authorization");
        }
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            headers.insert(ETAG, tag);
        }
        answer
    }

    fn is_known(&self, asked: &HeaderMap) -> bool {
        let lists = asked.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        lists
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_file_names_is_served() {
        let paths: Vec<&str> = FILES.iter().map(|(path, ..)| *path).collect();
        for (path, _, text) in FILES {
            let imported =
                text.split("from './").skip(1).filter_map(|rest| rest.split('\'').next());
            let linked = text.split("=\"page/").skip(1).filter_map(|rest| rest.split('"').next());
            for name in imported.chain(linked) {
                let named = format!("/page/{name}");
                assert!(paths.contains(&named.as_str()), "{path} names {named}");
            }
        }
    }

    #[test]
    fn files_are_small_say_what_they_are_for_and_make_no_markup() {
        for (path, kind, text) in FILES {
            assert!(text.lines().count() <= 400, "{path} is long");
            if kind != SCRIPT {
                continue;
            }
            assert!(text.starts_with("// "), "{path} does not say what it is for");
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
            {
                assert!(!text.contains(word), "{path} has {word}");
            }
        }
    }

    #[test]
    fn nothing_from_elsewhere_is_named() {
        for (path, _, text) in FILES {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://"), "{path}");
        }
    }

    #[test]
    fn a_known_tag_is_not_sent_again() {
        let file = File::new("/x", HTML, "text", false);
        let status = |sent: &str| {
            let asked =
                HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_str(sent).unwrap())]);
            file.answer(&asked).status().as_u16()
        };
        for known in [file.tag.clone(), format!("\"a\", W/{}", file.tag), "*".to_owned()] {
            assert_eq!(status(&known), 304, "{known}");
        }
        assert_eq!(status("\"other\""), 200);
        assert_eq!(file.answer(&HeaderMap::new()).status(), 200);
    }
}
