//! The frame of each page, and the only way that text gets into one.

use toolwright_runtime::web_pages::PageResponse;

use crate::engine::SignedIn;
use crate::extract::clean;

/// A text as HTML: nothing in it is markup, nothing is invisible.
pub(super) fn text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for found in clean(text).text.chars() {
        match found {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(found),
        }
    }
    safe
}

/// A text with at most so many characters.
pub(super) fn short(full: &str, most: usize) -> String {
    match full.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text(full.get(..end).unwrap_or_default())),
        None => text(full),
    }
}

/// What is told above a page.
pub(super) enum Notice {
    /// Something was done.
    Done(String),
    /// Something was not done.
    Refused(u16, String),
}

impl Notice {
    pub(super) fn status(notice: Option<&Self>) -> u16 {
        match notice {
            Some(Self::Refused(status, _)) => *status,
            _ => 200,
        }
    }

    fn html(&self) -> String {
        match self {
            Self::Done(said) => {
                format!("<p class=\"notice good\" role=\"status\">{}</p>", text(said))
            }
            Self::Refused(_, said) => {
                format!("<p class=\"notice bad\" role=\"alert\">{}</p>", text(said))
            }
        }
    }
}

/// A page for a reviewer who is signed in.
pub(super) fn page(
    reviewer: &SignedIn,
    title: &str,
    notice: Option<&Notice>,
    body: &str,
) -> PageResponse {
    let caller = &reviewer.caller;
    let header = format!(
        "<header class=\"top\"><a class=\"brand\" href=\"/review\">Review</a>\
         <span class=\"who\">{} · {} ({})</span>\
         <button type=\"button\" class=\"quiet\" data-help hidden>Keys <kbd>?</kbd></button>\
         <form method=\"post\" action=\"/review/sign-out\">{}<button class=\"quiet\">Sign out</button>\
         </form></header>",
        text(&caller.workspace.name),
        text(&caller.source.user_id),
        caller.role.as_str(),
        key(reviewer),
    );
    let body = format!("{}{body}{HELP}", notice.map(Notice::html).unwrap_or_default());
    PageResponse::html(Notice::status(notice), frame(title, "", &header, &body))
}

/// The hidden field that proves that a form is ours.
pub(super) fn key(reviewer: &SignedIn) -> String {
    format!("<input type=\"hidden\" name=\"key\" value=\"{}\">", text(&reviewer.form_key))
}

/// A page that says one thing.
pub(super) fn message(status: u16, title: &str, said: &str) -> PageResponse {
    let body = format!(
        "<section class=\"card\"><h1>{}</h1><p>{}</p>\
         <p><a href=\"/review\">What waits for review</a></p></section>",
        text(title),
        text(said)
    );
    PageResponse::html(status, frame(title, "", "", &body))
}

/// The form to sign in with. `again`: the browser came from another site and keeps the cookie from
/// us; a visit from here shows whether there is one.
pub(super) fn sign_in(status: u16, said: Option<&str>, to: &str, again: bool) -> PageResponse {
    let refresh = match again {
        true => format!("<meta http-equiv=\"refresh\" content=\"0;url={}\">", text(to)),
        false => String::new(),
    };
    let said = said.map(|said| Notice::Refused(status, said.to_owned()).html());
    let body = format!(
        "<section class=\"card sign-in\"><h1>Sign in to review</h1>{}\
         <p>Owners and admins of a workspace decide here what becomes memory.</p>\
         <form method=\"post\" action=\"/review/sign-in\">\
         <input type=\"hidden\" name=\"to\" value=\"{}\">\
         <label for=\"token\">Integration token or JWT</label>\
         <input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"off\" required autofocus>\
         <button class=\"main\">Sign in</button></form>\
         <p class=\"hint\">A token is made with <code>yarnnn token create USER</code>. You stay signed \
         in for an hour at most.</p></section>",
        said.unwrap_or_default(),
        text(to)
    );
    PageResponse::html(status, frame("Sign in", &refresh, "", &body))
}

fn frame(title: &str, head: &str, header: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">{head}\
         <title>{} · Review</title><link rel=\"icon\" href=\"/page/icon.svg\">\
         <link rel=\"stylesheet\" href=\"/review/review.css\">\
         <script src=\"/review/review.js\" defer></script></head><body>\
         <a class=\"skip\" href=\"#main\">To the content</a>{header}\
         <main id=\"main\">{body}</main></body></html>",
        text(title)
    )
}

/// The keys, shown by the script.
const HELP: &str = "<dialog id=\"help\" aria-labelledby=\"help-title\">\
    <h2 id=\"help-title\">Keys</h2><table>\
    <tr><td><kbd>j</kbd> <kbd>k</kbd></td><td>next, previous</td></tr>\
    <tr><td><kbd>Enter</kbd></td><td>open the proposal</td></tr>\
    <tr><td><kbd>x</kbd></td><td>select</td></tr>\
    <tr><td><kbd>a</kbd></td><td>approve</td></tr>\
    <tr><td><kbd>r</kbd></td><td>reject</td></tr>\
    <tr><td><kbd>e</kbd></td><td>edit</td></tr>\
    <tr><td><kbd>u</kbd></td><td>back to the list</td></tr>\
    <tr><td><kbd>?</kbd></td><td>these keys</td></tr></table>\
    <form method=\"dialog\"><button>Close</button></form></dialog>";
