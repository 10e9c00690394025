//! The review page: who gets in, who stays out, and what it does with text that is hostile.

use std::net::SocketAddr;

use serde_json::{Value, json};
use toolwright_testing::http_client::{Response, Web};
use yarnnn::governance::Role;

use crate::instance::{Instance, axis, on_both, text_of};

/// A browser that has one page open.
struct Browser {
    address: SocketAddr,
    cookie: String,
}

impl Browser {
    fn new(address: SocketAddr) -> Self {
        Self { address, cookie: String::new() }
    }

    /// One that signed in with a token.
    fn signed_in(address: SocketAddr, token: &str) -> Self {
        let mut browser = Self::new(address);
        let done = browser.sign_in(token);
        assert_eq!((done.status, done.header("location")), (303, Some("/review")), "{done:?}");
        browser
    }

    fn sign_in(&mut self, token: &str) -> Response {
        let done = self.post("/review/sign-in", &[("token", token), ("to", "/review")]);
        let cookie = done.header("set-cookie").and_then(|line| line.split(';').next());
        self.cookie = cookie.unwrap_or_default().to_owned();
        done
    }

    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    fn get(&self, path: &str) -> Response {
        let host = self.address.to_string();
        let headers = [("Host", host.as_str()), ("Cookie", self.cookie.as_str())];
        Web::connect(self.address).exchange("GET", path, &headers, "")
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        self.post_from(Some(&self.origin()), path, fields)
    }

    fn post_from(&self, origin: Option<&str>, path: &str, fields: &[(&str, &str)]) -> Response {
        let host = self.address.to_string();
        let mut headers = vec![("Host", host.as_str()), ("Cookie", self.cookie.as_str())];
        headers.push(("Content-Type", "application/x-www-form-urlencoded"));
        headers.extend(origin.map(|origin| ("Origin", origin)));
        let encoded: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        Web::connect(self.address).exchange("POST", path, &headers, &encoded.join("&"))
    }

    /// The value of a hidden field.
    fn hidden(&self, path: &str, name: &str) -> String {
        let page = self.get(path);
        assert_eq!(page.status, 200, "{page:?}");
        let marker = format!("name=\"{name}\" value=\"");
        let rest = page.body.split(&marker).nth(1).unwrap_or_else(|| panic!("no {name}"));
        rest.split('"').next().unwrap_or_default().to_owned()
    }
}

fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte.is_ascii_alphanumeric() {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

const TEXT: &str = "We decided to keep all <img src=x onerror=alert(1)> invoices of Acme. \
    Refunds must be paid within \"five\" days.";

/// The path of a proposal that waits.
fn proposed(instance: &Instance) -> (String, String) {
    instance.basket("Billing", 0);
    let added = instance.owner().add_stored(TEXT, &axis(0));
    let id = text_of(&added["proposal_id"]);
    (format!("/review/proposals/{id}"), id)
}

#[test]
fn owners_and_admins_sign_in_and_nobody_else() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    let (path, _) = proposed(&instance);
    let mut browser = Browser::new(server.address);
    for page in ["/review", path.as_str()] {
        let asked = browser.get(page);
        assert_eq!(asked.status, 401, "{page}");
        assert!(asked.body.contains("Sign in") && !asked.body.contains("Acme"), "{asked:?}");
    }
    let member = instance.member("max", Role::Member);
    for (token, status) in [("yit_wrong", 401), ("", 400), (member.as_str(), 403)] {
        let refused = browser.sign_in(token);
        assert_eq!((refused.status, refused.header("set-cookie")), (status, None), "{refused:?}");
        assert!(token.is_empty() || !refused.body.contains(token), "{refused:?}");
    }
    let done = browser.sign_in(&instance.tenant.token);
    let cookie = done.header("set-cookie").expect("a cookie").to_owned();
    for part in ["Path=/review", "HttpOnly", "SameSite=Strict", "Max-Age=3600"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure") && !cookie.contains(&instance.tenant.token), "{cookie}");
    let page = browser.get(&path);
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"));
    assert!(!policy.contains("unsafe"), "{policy}");
    for elsewhere in ["//evil.example", "https://evil.example", "/mcp", "/review/../mcp"] {
        let form = [("token", instance.tenant.token.as_str()), ("to", elsewhere)];
        let done = browser.post("/review/sign-in", &form);
        assert_eq!(done.header("location"), Some("/review"), "{elsewhere}");
    }
}

#[test]
fn a_proxy_with_tls_gets_a_cookie_for_tls_alone() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&["--http-host", "memory.example.com"]);
    let body = format!("token={}", encode(&instance.tenant.token));
    let headers = [("Host", "memory.example.com"), ("Origin", "https://memory.example.com")];
    let done = server.connect().exchange("POST", "/review/sign-in", &headers, &body);
    let cookie = done.header("set-cookie").expect("a cookie");
    assert!(cookie.ends_with("; Secure"), "{cookie}");
}

#[test]
fn a_form_of_another_page_decides_nothing() {
    let instance = Instance::on_sqlite();
    let allowed = "https://app.example.com";
    let server = instance.serve(&["--http-origin", allowed]);
    let (path, _) = proposed(&instance);
    let browser = Browser::signed_in(server.address, &instance.tenant.token);
    let (key, seen) = (browser.hidden(&path, "key"), browser.hidden(&path, "seen"));
    let form = [("key", key.as_str()), ("seen", &seen), ("do", "approve all")];
    let decide = format!("{path}/decide");
    // One that may call the tools may still not send forms.
    for origin in [Some("https://evil.example"), Some(allowed), Some("null"), None] {
        assert_eq!(browser.post_from(origin, &decide, &form).status, 403, "{origin:?}");
    }
    for key in ["", "0000"] {
        let refused =
            browser.post(&decide, &[("key", key), ("seen", &seen), ("do", "approve all")]);
        assert_eq!(refused.status, 403, "{refused:?}");
    }
    assert_eq!(browser.get(&decide).status, 404);
    for method in ["PUT", "DELETE", "OPTIONS"] {
        let refused = server.connect().exchange(method, &path, &[], "");
        assert_eq!(refused.status, 405, "{method}");
    }
    let refused = server.connect().exchange("GET", &path, &[("Host", "evil.example")], "");
    assert_eq!(refused.status, 403);
    assert_eq!(instance.count("proposal_reviews"), 0);
    assert_eq!(browser.post(&decide, &form).status, 303);
    assert_eq!(instance.count("proposals WHERE status = 'APPROVED'"), 1);
}

#[test]
fn hostile_text_is_text_and_decisions_are_recorded() {
    on_both(|instance| {
        let server = instance.serve(&[]);
        let (path, id) = proposed(instance);
        let browser = Browser::signed_in(server.address, &instance.tenant.token);
        let list = browser.get("/review");
        assert!(list.body.contains(&path), "{list:?}");
        let page = browser.get(&path);
        for page in [&list.body, &page.body] {
            assert!(page.contains("&lt;img src=x") && !page.contains("<img"), "{page}");
        }
        assert!(page.body.contains("<mark"), "{}", page.body);
        let key = browser.hidden(&path, "key");
        let send = |what: &str, fields: &[(&str, &str)]| {
            let seen = browser.hidden(&path, "seen");
            let fields = [&[("key", key.as_str()), ("seen", seen.as_str())], fields].concat();
            browser.post(&format!("{path}/{what}"), &fields)
        };
        let content = "Refunds are <b>slow</b>\r\nand late.";
        let edited = send("edit", &[("operation", "2"), ("content", content), ("type", "problem")]);
        assert_eq!(edited.status, 303, "{edited:?}");
        assert_eq!(send("decide", &[("do", "approve")]).status, 400, "nothing is selected");
        let selected = [("do", "approve"), ("operation", "2"), ("notes", "fine")];
        assert_eq!(send("decide", &selected).status, 303);
        assert_eq!(send("decide", &[("do", "reject 1")]).status, 303);
        let page = browser.get(&path).body;
        assert!(page.contains("Refunds are &lt;b&gt;slow"), "{page}");
        // An answer to what was seen before.
        let late = [("key", key.as_str()), ("seen", "0"), ("do", "approve all")];
        let late = browser.post(&format!("{path}/decide"), &late);
        assert_eq!(late.status, 409, "{late:?}");
        assert_eq!(instance.count("blocks WHERE semantic_type = 'problem'"), 1);
        let by = "proposal_reviews WHERE by_user = 'olga' AND source_host = 'web'";
        assert_eq!(instance.count(by), 3);
        let steps = instance.engine.reviewed(&instance.operator(), &id).unwrap().steps;
        assert_eq!(steps[1].notes.as_deref(), Some("fine"));
        assert_eq!(browser.get("/review/proposals/nothing").status, 404);
    });
}

#[test]
fn a_session_is_known_to_every_replica_and_ends_with_its_token() {
    on_both(|instance| {
        let (one, two) = (instance.serve(&[]), instance.serve(&[]));
        let workspace = &instance.tenant.workspace;
        let token = instance.engine.mint_token(workspace, "olga", "browser").expect("a token");
        let mut browser = Browser::signed_in(one.address, &token.token);
        browser.address = two.address;
        assert_eq!(browser.get("/review").status, 200);
        // Only a hash is stored.
        let value = browser.cookie.split('=').nth(1).expect("a value");
        assert_eq!(instance.count(&format!("review_sessions WHERE cookie_hash = '{value}'")), 0);
        instance.engine.revoke_token(workspace, &token.id).expect("revoked");
        assert_eq!(browser.get("/review").status, 401);

        let anna = instance.member("anna", Role::Admin);
        let browser = Browser::signed_in(one.address, &anna);
        instance.engine.add_member(workspace, "anna", Role::Member).expect("a member");
        assert_eq!(browser.get("/review").status, 401);

        let browser = Browser::signed_in(one.address, &instance.tenant.token);
        let key = browser.hidden("/review", "key");
        assert_eq!(browser.post("/review/sign-out", &[("key", &key)]).status, 303);
        assert_eq!(browser.get("/review").status, 401);
        let browser = Browser::signed_in(one.address, &instance.tenant.token);
        instance.execute("UPDATE review_sessions SET expires_at = 0").expect("changed");
        assert_eq!(browser.get("/review").status, 401);
        // The tools take no cookie.
        let headers = [("Cookie", browser.cookie.as_str())];
        assert_eq!(one.connect().post(&headers, "{}").status, 401);
    });
}

#[test]
fn guessing_is_slowed_down() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    let mut browser = Browser::new(server.address);
    let statuses: Vec<u16> =
        (0..60).map(|number| browser.sign_in(&format!("yit_{number:043}")).status).collect();
    assert!(statuses.contains(&401) && statuses.contains(&429), "{statuses:?}");
}

#[test]
fn captures_are_assigned_and_dismissed_and_proposals_decided_in_bulk() {
    on_both(|instance| {
        let server = instance.serve(&[]);
        let basket = instance.basket("Billing", 0);
        let captures: Vec<String> = ["Nothing fits.", "Nothing fits <i>either</i>."]
            .iter()
            .map(|text| text_of(&instance.owner().add(text, &axis(7)).body["capture_id"]))
            .collect();
        let browser = Browser::signed_in(server.address, &instance.tenant.token);
        let key = browser.hidden("/review", "key");
        let page = browser.get("/review").body;
        assert!(page.contains("&lt;i&gt;either"), "{page}");
        let send = |id: &str, fields: &[(&str, &str)]| {
            let fields = [&[("key", key.as_str())], fields].concat();
            browser.post(&format!("/review/captures/{id}"), &fields).status
        };
        assert_eq!(send(&captures[0], &[("do", "assign"), ("basket", "nowhere")]), 404);
        assert_eq!(send(&captures[0], &[("do", "assign"), ("basket", &basket)]), 303);
        assert_eq!(send(&captures[1], &[("do", "dismiss")]), 303);
        assert_eq!(send(&captures[1], &[("do", "dismiss")]), 409);
        assert_eq!(instance.dumps("Nothing fits."), 1);

        let none = browser.post("/review/bulk", &[("key", &key), ("do", "approve")]);
        assert_eq!(none.status, 400);
        let waiting: Vec<String> = instance
            .rows("SELECT id AS x FROM proposals WHERE status = 'PROPOSED' ORDER BY id")
            .iter()
            .map(|row| format!("{} 0", row.get::<String>("x").expect("an id")))
            .collect();
        let mut form = vec![("key", key.as_str()), ("do", "reject")];
        form.extend(waiting.iter().map(|one| ("proposal", one.as_str())));
        assert_eq!(browser.post("/review/bulk", &form).status, 303);
        assert_eq!(instance.count("proposals WHERE status = 'PROPOSED'"), 0);
        let filtered = browser.get("/review?basket=none&host=none&age=7");
        assert_eq!(filtered.status, 200);
    });
}

#[test]
fn answers_name_the_page_where_a_person_decides() {
    let instance = Instance::on_sqlite();
    let basket = instance.basket("Billing", 0);
    let server = instance.serve(&[]);
    let mut user = server.user(&instance.tenant.token);
    let fingerprint = json!({"embedding": axis(0)});
    let add = |text: &str, embedding: &Value| json!({"content": text, "basket_id": basket, "session_fingerprint": embedding});
    let added = user.ok("add_to_substrate", add("We decided to use Stripe.", &fingerprint));
    let id = text_of(&added["proposal_id"]);
    let url = format!("http://{}/review/proposals/{id}", server.address);
    assert_eq!(added["review_url"], json!(url), "{added}");
    let far = json!({"content": "Nothing fits.", "session_fingerprint": {"embedding": axis(7)}});
    let queued = user.ok("add_to_substrate", far);
    assert_eq!(queued["review_url"], json!(format!("http://{}/review", server.address)));
    // Over stdio nothing is served, unless the settings know better.
    let added = instance.owner().ok("add_to_substrate", add("We use Adyen, too.", &fingerprint));
    assert_eq!(added.get("review_url"), None, "{added}");
}

#[test]
fn a_server_without_pages_has_no_review_page() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&["--http-no-page"]);
    assert_eq!(server.connect().get("/review").status, 404);
    let server = instance.serve(&[]);
    assert_eq!(server.connect().get("/reviews").status, 404);
}
