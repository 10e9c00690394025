//! What forms ask for: decisions, edits, assignments.

use toolwright_runtime::web_pages::{Fields, PageResponse};

use super::html::{self, Notice};
use super::{list, proposal, refusal};
use crate::engine::{Decision, Edit, Engine, Error, Result, SignedIn};
use crate::model::SemanticType;
use crate::records::proposals::Status;

/// Longest note, in characters.
const NOTES: usize = 500;

/// Does what a form asks for, and shows a page that says so.
pub(super) fn act(
    engine: &Engine,
    reviewer: &SignedIn,
    parts: &[&str],
    form: &Fields,
) -> PageResponse {
    match parts {
        ["bulk"] => match bulk(engine, reviewer, form) {
            Ok(done) => PageResponse::redirect(&format!("/review?done={done}")),
            Err(notice) => list::page(engine, reviewer, &Fields::default(), Some(notice)),
        },
        ["captures", id] => match capture(engine, reviewer, id, form) {
            Ok(done) => PageResponse::redirect(&format!("/review?done={done}")),
            Err(notice) => list::page(engine, reviewer, &Fields::default(), Some(notice)),
        },
        ["proposals", id, what @ ("decide" | "edit")] => {
            let done = match *what {
                "edit" => edit(engine, reviewer, id, form),
                _ => decide(engine, reviewer, id, form),
            };
            match done {
                Ok(to) => PageResponse::redirect(&to),
                Err(notice) => {
                    proposal::page(engine, reviewer, id, &Fields::default(), Some(notice))
                }
            }
        }
        _ => html::message(404, "There is no such page", "Go back to what waits for review."),
    }
}

fn notice(error: &Error) -> Notice {
    let (status, said) = refusal(error);
    Notice::Refused(status, said)
}

fn unclear() -> Notice {
    Notice::Refused(400, "Nothing was selected, so nothing was decided.".to_owned())
}

fn notes(form: &Fields) -> Option<String> {
    let notes = form.get("notes")?.trim();
    let notes: String = notes.chars().take(NOTES).collect();
    (!notes.is_empty()).then_some(notes)
}

/// `approve`, `reject`, alone for what is selected, with `all`, or with a number.
fn decide(engine: &Engine, reviewer: &SignedIn, id: &str, form: &Fields) -> Result<String, Notice> {
    let (verb, about) = words(form.get("do").unwrap_or_default());
    let approve = approves(verb)?;
    let selected: Option<Vec<usize>> = match about {
        "all" => None,
        "" => Some(form.all("operation").filter_map(place).collect()),
        number => Some(place(number).into_iter().collect()),
    };
    if selected.as_ref().is_some_and(Vec::is_empty) {
        return Err(unclear());
    }
    let notes = notes(form);
    let decision = Decision {
        approve,
        only: selected.as_deref(),
        notes: notes.as_deref(),
        seen: Some(seen(form)?),
    };
    let after = engine.decide(&reviewer.caller, id, &decision).map_err(|error| notice(&error))?;
    let done = if approve { "approved" } else { "rejected" };
    Ok(match after.proposal.status {
        Status::Proposed => {
            let next = after.waiting().first().map_or(1, |index| index + 1);
            format!("/review/proposals/{id}?done={done}#operation-{next}")
        }
        _ => format!("/review?done={done}"),
    })
}

fn edit(engine: &Engine, reviewer: &SignedIn, id: &str, form: &Fields) -> Result<String, Notice> {
    let operation = form.get("operation").and_then(place).ok_or_else(unclear)?;
    // Forms send line ends in pairs.
    let content = form.get("content").unwrap_or_default().replace("\r\n", "\n");
    let edit = Edit {
        content: &content,
        title: form.get("title"),
        semantic_type: form.get("type").and_then(SemanticType::parse),
        seen: Some(seen(form)?),
    };
    engine.edit(&reviewer.caller, id, operation, &edit).map_err(|error| notice(&error))?;
    Ok(format!("/review/proposals/{id}?done=edited#operation-{}", operation + 1))
}

/// Decides about whole proposals; the first that fails ends it, and says how many were decided.
fn bulk(engine: &Engine, reviewer: &SignedIn, form: &Fields) -> Result<&'static str, Notice> {
    let approve = approves(form.get("do").unwrap_or_default())?;
    let chosen: Vec<(&str, usize)> = form
        .all("proposal")
        .filter_map(|value| value.split_once(' '))
        .filter_map(|(id, seen)| Some((id, seen.parse().ok()?)))
        .collect();
    if chosen.is_empty() {
        return Err(unclear());
    }
    for (done, (id, seen)) in chosen.iter().enumerate() {
        let decision = Decision { approve, only: None, notes: None, seen: Some(*seen) };
        if let Err(error) = engine.decide(&reviewer.caller, id, &decision) {
            let (status, said) = refusal(&error);
            let said = format!("{done} of {} were decided. {said}", chosen.len());
            return Err(Notice::Refused(status, said));
        }
    }
    Ok(if approve { "approved" } else { "rejected" })
}

fn capture(
    engine: &Engine,
    reviewer: &SignedIn,
    id: &str,
    form: &Fields,
) -> Result<&'static str, Notice> {
    let caller = &reviewer.caller;
    match form.get("do") {
        Some("assign") => {
            let basket = form.get("basket").unwrap_or_default();
            engine.assign(caller, id, basket).map_err(|error| notice(&error))?;
            Ok("assigned")
        }
        Some("dismiss") => {
            engine.dismiss(caller, id).map_err(|error| notice(&error))?;
            Ok("dismissed")
        }
        _ => Err(unclear()),
    }
}

fn approves(verb: &str) -> Result<bool, Notice> {
    match verb {
        "approve" => Ok(true),
        "reject" => Ok(false),
        _ => Err(unclear()),
    }
}

fn words(text: &str) -> (&str, &str) {
    text.split_once(' ').unwrap_or((text, ""))
}

/// An operation's place from its number.
fn place(number: &str) -> Option<usize> {
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// How many steps the reviewer has seen.
fn seen(form: &Fields) -> Result<usize, Notice> {
    form.get("seen").and_then(|seen| seen.parse().ok()).ok_or_else(unclear)
}
