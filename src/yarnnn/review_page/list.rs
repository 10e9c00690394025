//! The list of what waits: proposals for a decision, captures for a basket.

use toolwright_runtime::web_pages::{Fields, PageResponse};

use super::html::{self, Notice};
use super::{cards, refusal};
use crate::engine::{Engine, Result, Reviewed, SignedIn};
use crate::model::Millis;
use crate::records::baskets::Basket;
use crate::records::captures::Status as CaptureStatus;
use crate::records::proposals::Status;

/// Most proposals, and most captures, that are looked at.
const MOST: i64 = 500;
/// Most cards of each on a page.
const CARDS: usize = 100;
const DAY: Millis = 86_400_000;

/// What the reader wants to see.
struct Filter<'a> {
    basket: &'a str,
    host: &'a str,
    /// At least so many days old; `-1`: at most one.
    days: Millis,
}

impl<'a> Filter<'a> {
    fn of(query: &'a Fields) -> Self {
        Self {
            basket: query.get("basket").unwrap_or_default(),
            host: query.get("host").unwrap_or_default(),
            days: query.get("age").and_then(|days| days.parse().ok()).unwrap_or(0),
        }
    }

    fn admits(&self, basket: Option<&str>, host: &str, at: Millis, now: Millis) -> bool {
        let age = (now - at).max(0);
        let old_enough = match self.days {
            days if days < 0 => age <= -days * DAY,
            days => age >= days * DAY,
        };
        (self.basket.is_empty() || basket == Some(self.basket))
            && (self.host.is_empty() || host == self.host)
            && old_enough
    }
}

/// The page.
pub(super) fn page(
    engine: &Engine,
    reviewer: &SignedIn,
    query: &Fields,
    notice: Option<Notice>,
) -> PageResponse {
    let notice = notice.or_else(|| done(query));
    match body(engine, reviewer, query) {
        Ok(body) => html::page(reviewer, "What waits", notice.as_ref(), &body),
        Err(error) => {
            let (status, said) = refusal(&error);
            html::message(status, "The list cannot be shown", &said)
        }
    }
}

/// What a redirect says was done.
fn done(query: &Fields) -> Option<Notice> {
    let said = match query.get("done")? {
        "approved" => "Approved.",
        "rejected" => "Rejected.",
        "assigned" => "Assigned.",
        "dismissed" => "Dismissed.",
        _ => return None,
    };
    Some(Notice::Done(said.to_owned()))
}

fn body(engine: &Engine, reviewer: &SignedIn, query: &Fields) -> Result<String> {
    let caller = &reviewer.caller;
    let (filter, now) = (Filter::of(query), engine.now());
    let baskets = engine.baskets(caller)?;
    let all = engine.reviewed_proposals(caller, Status::Proposed, MOST)?;
    let captures = engine.captures(caller, CaptureStatus::Pending, MOST)?;
    let mut hosts: Vec<&str> = all.iter().map(|one| one.proposal.source.host.as_str()).collect();
    hosts.extend(captures.iter().map(|one| one.source.host.as_str()));
    hosts.sort_unstable();
    hosts.dedup();
    let found: Vec<&Reviewed> = all
        .iter()
        .filter(|one| {
            let proposal = &one.proposal;
            let (basket, host) = (&proposal.basket_id, &proposal.source.host);
            filter.admits(Some(basket), host, proposal.created_at, now)
        })
        .collect();
    let waiting: Vec<_> = captures
        .iter()
        .filter(|one| filter.admits(None, &one.source.host, one.created_at, now))
        .collect();
    let proposals: String =
        found.iter().take(CARDS).map(|one| cards::proposal(one, &baskets, now)).collect();
    let bulk = match found.is_empty() {
        true => "<p class=\"empty\">No proposal waits for a decision.</p>".to_owned(),
        false => format!(
            "<form id=\"bulk\" class=\"row bar\" method=\"post\" action=\"/review/bulk\">{}\
             <label class=\"all\" hidden><input type=\"checkbox\" data-all> All</label>\
             <button class=\"main\" name=\"do\" value=\"approve\">Approve selected</button>\
             <button name=\"do\" value=\"reject\">Reject selected</button></form>",
            html::key(reviewer)
        ),
    };
    let queue: String = waiting
        .iter()
        .take(CARDS)
        .map(|one| cards::capture(reviewer, one, &baskets, now))
        .collect();
    let unassigned = match waiting.is_empty() {
        true => "<p class=\"empty\">No capture waits for a basket.</p>".to_owned(),
        false => queue,
    };
    Ok(format!(
        "{filters}<section aria-labelledby=\"proposals\"><h1 id=\"proposals\">Proposals \
         <span class=\"count\">{}</span></h1>{bulk}{proposals}{}</section>\
         <section aria-labelledby=\"captures\"><h1 id=\"captures\">Without a basket \
         <span class=\"count\">{}</span></h1>{unassigned}{}</section>",
        found.len(),
        beyond(found.len()),
        waiting.len(),
        beyond(waiting.len()),
        filters = filters(&filter, &baskets, &hosts),
    ))
}

fn beyond(found: usize) -> String {
    match found.saturating_sub(CARDS) {
        0 => String::new(),
        more => format!("<p class=\"hint\">{more} more follow when these are decided.</p>"),
    }
}

fn filters(filter: &Filter<'_>, baskets: &[Basket], hosts: &[&str]) -> String {
    let option = |value: &str, label: &str, chosen: bool| {
        let chosen = if chosen { " selected" } else { "" };
        format!("<option value=\"{}\"{chosen}>{}</option>", html::text(value), html::text(label))
    };
    let baskets: String = baskets
        .iter()
        .filter(|basket| basket.proposed > 0 || basket.id == filter.basket)
        .map(|basket| option(&basket.id, &basket.name, basket.id == filter.basket))
        .collect();
    let hosts: String = hosts.iter().map(|host| option(host, host, *host == filter.host)).collect();
    let ages =
        [(0, "any age"), (-1, "of the last day"), (1, "a day or older"), (7, "a week or older")];
    let ages: String = ages
        .iter()
        .map(|(days, label)| option(&days.to_string(), label, *days == filter.days))
        .collect();
    format!(
        "<form class=\"row filters\" method=\"get\" action=\"/review\" aria-label=\"Filters\">\
         <label>Basket <select name=\"basket\"><option value=\"\">all</option>{baskets}</select></label>\
         <label>Host <select name=\"host\"><option value=\"\">all</option>{hosts}</select></label>\
         <label>Age <select name=\"age\">{ages}</select></label><button>Show</button></form>"
    )
}
