//! Web pages that a surface serves over HTTP, beside its tools: for work that belongs to people.
//!
//! The transport checks `Host`, `Origin`, rate and size, and adds a strict content security policy; a
//! request that changes something must come from a page of this server. Who is signed in is the
//! surface's matter. Knows no surface and no protocol.

use std::borrow::Cow;
use std::pin::Pin;

use http::HeaderMap;
use percent_encoding::percent_decode_str;

/// The pages of a surface; see [`with_pages`](crate::dispatch::with_pages).
pub trait Pages: Send + Sync + 'static {
    /// The path of the first page, such as `/review`; the others are below it.
    fn path(&self) -> &'static str;

    /// The server listens here, such as `http://127.0.0.1:8080`. Not called where the address that
    /// clients use is not known.
    fn listening(&self, _url: &str) {}

    /// Answers a request.
    fn answer<'a>(&'a self, request: PageRequest, access: &'a dyn Access) -> PageFuture<'a>;
}

/// What [`Pages::answer`] returns.
pub type PageFuture<'a> = Pin<Box<dyn Future<Output = PageResponse> + Send + 'a>>;

/// The transport's check of bearer tokens: with its limits for guesses and rates.
pub trait Access: Send + Sync {
    /// Whether a token would open the server's tools.
    fn verify<'a>(&'a self, token: &'a str) -> VerifyFuture<'a>;
}

/// What [`Access::verify`] returns.
pub type VerifyFuture<'a> = Pin<Box<dyn Future<Output = Result<(), PageRefusal>> + Send + 'a>>;

/// Why a token does not open the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRefusal {
    /// HTTP status.
    pub status: u16,
    /// For the user.
    pub message: String,
    /// In seconds.
    pub retry_after: Option<u64>,
}

/// A request for a page.
#[derive(Debug, Clone)]
pub struct PageRequest {
    path: String,
    query: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl PageRequest {
    /// `body` only for requests that change something.
    pub fn new(path: &str, query: &str, headers: HeaderMap, body: Option<Vec<u8>>) -> Self {
        Self { path: path.to_owned(), query: query.to_owned(), headers, body }
    }

    /// The path, without the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it may change something: a POST.
    pub fn is_post(&self) -> bool {
        self.body.is_some()
    }

    /// The first header of this name, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.headers.get_all(http::header::COOKIE).iter();
        let mut pairs = cookies.filter_map(|line| line.to_str().ok()).flat_map(|l| l.split(';'));
        pairs.find_map(|pair| {
            let (known, value) = pair.trim().split_once('=')?;
            (known == name).then_some(value)
        })
    }

    /// The fields of the query.
    pub fn query(&self) -> Fields {
        Fields::read(&self.query)
    }

    /// The fields of a form that was sent.
    pub fn form(&self) -> Fields {
        let body = self.body.as_deref().unwrap_or_default();
        Fields::read(&String::from_utf8_lossy(body))
    }
}

/// The fields of a form, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads `name=value&…`.
    fn read(text: &str) -> Self {
        let decoded = |part: &str| {
            let spaced = part.replace('+', " ");
            percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
        };
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        Self(pairs.collect())
    }

    /// The first value of a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All values of a field.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The answer to a request for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageResponse {
    /// HTTP status.
    pub status: u16,
    /// The type of the body.
    pub content_type: &'static str,
    /// More headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Cow<'static, str>,
}

impl PageResponse {
    /// A page.
    pub fn html(status: u16, body: String) -> Self {
        let content_type = "text/html; charset=utf-8";
        Self { status, content_type, headers: Vec::new(), body: body.into() }
    }

    /// A file that is compiled in, such as a style sheet.
    pub fn file(content_type: &'static str, body: &'static str) -> Self {
        Self { status: 200, content_type, headers: Vec::new(), body: body.into() }
    }

    /// Sends the browser to another page, which it gets.
    pub fn redirect(to: &str) -> Self {
        Self::html(303, String::new()).with("location", to.to_owned())
    }

    /// With a header. One that cannot be sent is left out.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_in_order() {
        let fields = Fields::read("op=1&op=2&text=a+b%26%3Cc%3E%0D%0A&empty=&alone&=x");
        assert_eq!(fields.all("op").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(fields.get("text"), Some("a b&<c>\r\n"));
        assert_eq!((fields.get("empty"), fields.get("alone")), (Some(""), Some("")));
        assert_eq!(fields.get("none"), None);
        assert_eq!(Fields::read("%ff=%zz").get("\u{fffd}"), Some("%zz"));
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let headers = HeaderMap::from_iter([(
            http::header::COOKIE,
            http::HeaderValue::from_static("a=1; review=2=3;b=4"),
        )]);
        let request = PageRequest::new("/review", "", headers, None);
        assert_eq!(request.cookie("review"), Some("2=3"));
        assert_eq!(request.cookie("b"), Some("4"));
        assert_eq!(request.cookie("rev"), None);
        assert!(!request.is_post());
    }
}
