//! What waits, as cards of the list.

use super::html;
use crate::admin::proposals::kind;
use crate::engine::{Payload, Reviewed, SignedIn};
use crate::extract::pluralise;
use crate::model::Millis;
use crate::records::baskets::Basket;
use crate::records::captures::Capture;

/// Statements of a proposal that its card shows.
const SHOWN: usize = 5;
/// Characters of a statement on a card, and of a capture.
const STATEMENT: usize = 200;
const CONTENT: usize = 2_000;

/// How long ago, in words.
pub(super) fn ago(then: Millis, now: Millis) -> String {
    let minutes = (now - then).max(0) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..=119 => format!("{minutes} min ago"),
        120..=2_879 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1_440),
    }
}

/// The name of a basket.
pub(super) fn basket_name<'a>(baskets: &'a [Basket], id: &'a str) -> &'a str {
    baskets.iter().find(|basket| basket.id == id).map_or(id, |basket| &basket.name)
}

/// A proposal that waits.
pub(super) fn proposal(one: &Reviewed, baskets: &[Basket], now: Millis) -> String {
    let proposal = &one.proposal;
    let id = html::text(&proposal.id);
    let waiting = one.waiting();
    let lines: String = waiting
        .iter()
        .filter_map(|index| proposal.operations.get(*index))
        .take(SHOWN)
        .map(|operation| {
            format!(
                "<li><span class=\"kind\">{}</span> {}</li>",
                html::text(kind(operation)),
                html::short(operation.content(), STATEMENT)
            )
        })
        .collect();
    let more = match waiting.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("<p class=\"hint\">and {more} more</p>"),
    };
    let name = html::text(basket_name(baskets, &proposal.basket_id));
    format!(
        "<article class=\"card item\" tabindex=\"0\" aria-label=\"Proposal for {name}\" \
         data-open=\"/review/proposals/{id}\">\
         <div class=\"row\"><input type=\"checkbox\" name=\"proposal\" value=\"{id} {steps}\" \
         form=\"bulk\" aria-label=\"Select the proposal for {name}\">\
         <h2><a href=\"/review/proposals/{id}\">{name}</a></h2>\
         <span class=\"hint\">{left} · {host} · {user} · {age}</span></div>\
         <ul class=\"statements\">{lines}</ul>{more}{reasons}</article>",
        steps = one.steps.len(),
        left = pluralise(waiting.len(), "operation"),
        host = html::text(&proposal.source.host),
        user = html::text(&proposal.source.user_id),
        age = ago(proposal.created_at, now),
        reasons = reasons(&proposal.reasons),
    )
}

/// Why it waits.
pub(super) fn reasons(codes: &[String]) -> String {
    let codes: Vec<String> =
        codes.iter().map(|code| format!("<code>{}</code>", html::text(code))).collect();
    match codes.is_empty() {
        true => String::new(),
        false => format!("<p class=\"hint\">waits because of {}</p>", codes.join(", ")),
    }
}

/// A capture that waits for a basket.
pub(super) fn capture(
    reviewer: &SignedIn,
    one: &Capture<Payload>,
    baskets: &[Basket],
    now: Millis,
) -> String {
    let id = html::text(&one.id);
    let is_candidate = |id: &str| one.candidates.iter().any(|candidate| candidate.id == id);
    let open = baskets.iter().filter(|basket| basket.status.is_open());
    let (likely, others): (Vec<&Basket>, Vec<&Basket>) =
        open.partition(|basket| is_candidate(&basket.id));
    let mut ranked = likely;
    ranked.sort_by_key(|basket| one.candidates.iter().position(|known| known.id == basket.id));
    let options: String = ranked
        .into_iter()
        .chain(others)
        .map(|basket| {
            let score = one.candidates.iter().find(|known| known.id == basket.id);
            let score = score.map(|known| format!(" ({:.2})", known.score)).unwrap_or_default();
            format!(
                "<option value=\"{}\">{}{score}</option>",
                html::text(&basket.id),
                html::text(&basket.name)
            )
        })
        .collect();
    format!(
        "<article class=\"card item\" tabindex=\"0\" aria-label=\"Capture\">\
         <div class=\"row\"><h2>{summary}</h2><span class=\"hint\">{purpose} · {host} · {user} · {age}\
         </span></div><details><summary>The text</summary><div class=\"source\">{content}</div>\
         </details><form class=\"row\" method=\"post\" action=\"/review/captures/{id}\">{key}\
         <label>Basket <select name=\"basket\">{options}</select></label>\
         <button class=\"main\" name=\"do\" value=\"assign\" data-key=\"a\">Assign</button>\
         <button name=\"do\" value=\"dismiss\" data-key=\"r\">Dismiss</button></form></article>",
        summary = html::short(&one.summary, STATEMENT),
        purpose = html::text(one.purpose.as_str()),
        host = html::text(&one.source.host),
        user = html::text(&one.source.user_id),
        age = ago(one.created_at, now),
        content = html::short(&one.payload.content, CONTENT),
        key = html::key(reviewer),
    )
}
