//! Pages of a surface: what reaches them, and what is sent with them.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use toolwright_runtime::dispatch::with_pages;
use toolwright_runtime::server::{HttpOptions, Rate, ServeOptions, Tokens};
use toolwright_runtime::web_pages::{Access, PageFuture, PageRequest, PageResponse, Pages};

use super::{Server, eventually};
use crate::surface::Surface;
use toolwright_testing::http_client::Response;

/// Answers with what it got, and verifies the token of a form.
#[derive(Default)]
struct Echo {
    url: Mutex<String>,
}

impl Pages for Echo {
    fn path(&self) -> &'static str {
        "/desk"
    }

    fn listening(&self, url: &str) {
        url.clone_into(&mut self.url.lock().unwrap());
    }

    fn answer<'a>(&'a self, request: PageRequest, access: &'a dyn Access) -> PageFuture<'a> {
        Box::pin(async move {
            let form = request.form();
            if let Some(token) = form.get("token") {
                return match access.verify(token).await {
                    Ok(()) => PageResponse::html(200, "let in".to_owned()),
                    Err(refused) => PageResponse::html(refused.status, refused.message),
                };
            }
            let query = request.query();
            let said = format!(
                "{} {} {:?} {:?}",
                request.path(),
                request.is_post(),
                query.get("q"),
                form.get("f")
            );
            PageResponse::html(200, said).with("set-cookie", "a=b".to_owned())
        })
    }
}

fn serve(http: HttpOptions) -> (Server, Arc<Echo>) {
    let (surface, pages) = (Arc::new(Surface::default()), Arc::new(Echo::default()));
    let served = with_pages(surface.clone(), pages.clone());
    (Server::serve(surface, served, http, ServeOptions::default()), pages)
}

fn post(server: &Server, headers: &[(&str, &str)], body: &str) -> Response {
    server.connect().exchange("POST", "/desk/do", headers, body)
}

const OWN: (&str, &str) = ("Origin", "http://localhost");

#[test]
fn pages_are_served_with_strict_headers_and_know_where() {
    let (server, pages) = serve(HttpOptions::default());
    let page = server.connect().get("/desk/sub?q=a%20b");
    assert_eq!((page.status, page.body.as_str()), (200, "/desk/sub false Some(\"a b\") None"));
    assert_eq!(page.header("set-cookie"), Some("a=b"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let policy = page.header("content-security-policy").unwrap();
    for rule in
        ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"]
    {
        assert!(policy.contains(rule), "{policy}");
    }
    assert_eq!(server.connect().get("/desk").status, 200);
    for path in ["/desks", "/des", "/sub/desk"] {
        assert_eq!(server.connect().get(path).status, 404, "{path}");
    }
    let url = format!("http://{}", server.address);
    eventually("the address is told", || *pages.url.lock().unwrap() == url);
}

#[test]
fn only_a_page_of_the_server_changes_something() {
    let origins = vec!["https://app.example.com".to_owned()];
    let (server, _) = serve(HttpOptions { origins, ..HttpOptions::default() });
    assert_eq!(post(&server, &[OWN], "f=1&f=2").body, "/desk/do true None Some(\"1\")");
    for origin in ["https://app.example.com", "https://evil.example", "null", "http://localhost:1"]
    {
        assert_eq!(post(&server, &[("Origin", origin)], "f=1").status, 403, "{origin}");
    }
    assert_eq!(post(&server, &[], "f=1").status, 403);
    let refused = server.connect().exchange("GET", "/desk", &[("Host", "evil.example")], "");
    assert_eq!(refused.status, 403);
    let refused = server.connect().exchange("PUT", "/desk", &[OWN], "");
    assert_eq!((refused.status, refused.header("allow")), (405, Some("GET, POST")));
    let large = format!("f={}", "x".repeat(1024 * 1024));
    assert_eq!(post(&server, &[OWN], &large).status, 413);
}

#[test]
fn tokens_are_verified_as_those_of_calls_are() {
    let tokens = Tokens::parse("right").unwrap();
    let (server, _) = serve(HttpOptions { tokens, ..HttpOptions::default() });
    assert_eq!(server.connect().get("/desk").status, 200, "a page has a session of its own");
    assert_eq!(post(&server, &[OWN], "token=right").body, "let in");
    let statuses: Vec<u16> =
        (0..40).map(|guess| post(&server, &[OWN], &format!("token=wrong{guess}")).status).collect();
    assert!(statuses.contains(&401) && statuses.contains(&429), "{statuses:?}");
    assert_eq!(post(&server, &[OWN], "token=a%0Ab").status, 401);
}

#[test]
fn pages_are_limited_as_calls_are() {
    let one = NonZeroU32::MIN;
    let rate = Some(Rate { per_second: one, burst: one.saturating_add(2) });
    let (server, _) = serve(HttpOptions { rate, ..HttpOptions::default() });
    let statuses: Vec<u16> = (0..20).map(|_| server.connect().get("/desk").status).collect();
    assert!(statuses.starts_with(&[200, 200, 200]) && statuses.contains(&429), "{statuses:?}");
    let (server, _) = serve(HttpOptions { page: false, ..HttpOptions::default() });
    assert_eq!(server.connect().get("/desk").status, 404);
}
