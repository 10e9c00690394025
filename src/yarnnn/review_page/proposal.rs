//! One proposal: its source with the statements marked, and a decision about each.

use toolwright_runtime::web_pages::{Fields, PageResponse};

use super::html::{self, Notice};
use super::{cards, refusal, source};
use crate::admin::proposals::kind;
use crate::engine::{Engine, Result, Reviewed, SignedIn, Standing};
use crate::extract::pluralise;
use crate::model::{Operation, SemanticType};
use crate::records::reviews::Action;

/// The page.
pub(super) fn page(
    engine: &Engine,
    reviewer: &SignedIn,
    id: &str,
    query: &Fields,
    notice: Option<Notice>,
) -> PageResponse {
    let notice = notice.or_else(|| done(query));
    match body(engine, reviewer, id) {
        Ok((title, body)) => html::page(reviewer, &title, notice.as_ref(), &body),
        Err(error) => {
            let (status, said) = refusal(&error);
            html::message(status, "The proposal cannot be shown", &said)
        }
    }
}

fn done(query: &Fields) -> Option<Notice> {
    let said = match query.get("done")? {
        "approved" => "Approved. The rest still waits.",
        "rejected" => "Rejected. The rest still waits.",
        "edited" => "Changed. It still waits for a decision.",
        _ => return None,
    };
    Some(Notice::Done(said.to_owned()))
}

fn body(engine: &Engine, reviewer: &SignedIn, id: &str) -> Result<(String, String)> {
    let caller = &reviewer.caller;
    let one = engine.reviewed(caller, id)?;
    let trace = engine.trace(caller, id)?;
    let baskets = engine.baskets(caller)?;
    let name = cards::basket_name(&baskets, &one.proposal.basket_id).to_owned();
    let proposal = &one.proposal;
    let raw = engine.source(caller, &proposal.dump_id)?;
    let text = match &raw {
        Some(text) => source::marked(text, &one),
        None => "<p class=\"empty\">The text is forgotten.</p>".to_owned(),
    };
    let state = trace.sources.first().map_or("in_memory", |source| source.state);
    let state = match state {
        "in_memory" => String::new(),
        other => format!(" <span class=\"badge rejected\">{}</span>", html::text(other)),
    };
    let operations: String = (0..proposal.operations.len())
        .filter_map(|index| Some(operation(reviewer, &one, index, proposal.operations.get(index)?)))
        .collect();
    let warnings: String = proposal
        .report
        .warnings
        .iter()
        .map(|warning| format!("<li>{}</li>", html::text(warning)))
        .collect();
    let html = format!(
        "<p class=\"back\"><a href=\"/review\" data-back>← What waits</a></p>\
         <h1>{name}</h1><p class=\"hint\">{left} · {impact} · proposed by {user} from {host}, {age} · \
         confidence {confidence:.2}</p>{reasons}<ul class=\"warnings\">{warnings}</ul>\
         <div class=\"columns\"><section aria-labelledby=\"source\" class=\"source-side\">\
         <h2 id=\"source\">Source{state}</h2><div class=\"source\" tabindex=\"0\" role=\"region\" \
         aria-label=\"The text\">{text}</div></section><section aria-labelledby=\"operations\">\
         <h2 id=\"operations\">Statements and names</h2>{bar}{operations}</section></div>",
        name = html::text(&name),
        left = match one.waiting().len() {
            0 => proposal.status.as_str().to_lowercase(),
            waiting => format!("{} waiting", pluralise(waiting, "operation")),
        },
        impact = html::text(&proposal.report.impact_summary),
        user = html::text(&proposal.source.user_id),
        host = html::text(&proposal.source.host),
        age = cards::ago(proposal.created_at, engine.now()),
        confidence = proposal.confidence,
        reasons = cards::reasons(&proposal.reasons),
        bar = bar(reviewer, &one),
    );
    Ok((name, html))
}

/// The form that decides about several.
fn bar(reviewer: &SignedIn, one: &Reviewed) -> String {
    if one.waiting().is_empty() {
        return String::new();
    }
    format!(
        "<form id=\"decide\" class=\"bar\" method=\"post\" action=\"/review/proposals/{}/decide\">{}\
         <input type=\"hidden\" name=\"seen\" value=\"{}\"><div class=\"row\">\
         <label class=\"all\" hidden><input type=\"checkbox\" data-all> All</label>\
         <button class=\"main\" name=\"do\" value=\"approve\">Approve selected</button>\
         <button name=\"do\" value=\"reject\">Reject selected</button>\
         <button name=\"do\" value=\"approve all\">Approve all</button>\
         <button name=\"do\" value=\"reject all\">Reject all</button></div>\
         <label class=\"wide\">Note <input name=\"notes\" maxlength=\"500\" \
         placeholder=\"why, for the history\"></label></form>",
        html::text(&one.proposal.id),
        html::key(reviewer),
        one.steps.len()
    )
}

fn operation(reviewer: &SignedIn, one: &Reviewed, index: usize, operation: &Operation) -> String {
    let (number, standing) = (index + 1, one.standing(index));
    let waits = standing == Standing::Waiting;
    let decide = match waits {
        false => String::new(),
        true => format!(
            "<div class=\"row\"><button form=\"decide\" class=\"main\" name=\"do\" \
             value=\"approve {number}\" data-key=\"a\">Approve</button>\
             <button form=\"decide\" name=\"do\" value=\"reject {number}\" data-key=\"r\">Reject\
             </button></div>{}",
            edit(reviewer, one, index, operation)
        ),
    };
    let select = match waits {
        false => String::new(),
        true => format!(
            "<input type=\"checkbox\" name=\"operation\" value=\"{number}\" form=\"decide\" \
             aria-label=\"Select statement {number}\">"
        ),
    };
    let steps: String = one
        .steps
        .iter()
        .filter(|step| step.operation == index)
        .map(|step| {
            let before = step.replaced.as_ref().filter(|_| step.action == Action::Edited);
            let before = before.map(|old| format!(", before: “{}”", html::text(old.content())));
            let notes = step.notes.as_ref().map(|notes| format!(": {}", html::text(notes)));
            format!(
                "<li>{} by {} ({}){}{}</li>",
                step.action.as_str(),
                html::text(&step.by),
                html::text(&step.host),
                before.unwrap_or_default(),
                notes.unwrap_or_default()
            )
        })
        .collect();
    let source = match operation.spans().is_empty() {
        true => String::new(),
        false => format!("<a class=\"hint\" href=\"#said-{number}\">in the source</a>"),
    };
    format!(
        "<article id=\"operation-{number}\" class=\"card item {standing}\" tabindex=\"0\" \
         aria-label=\"Statement {number}\"><div class=\"row\">{select}\
         <span class=\"number\">{number}</span><span class=\"kind\">{kind}</span>\
         <span class=\"badge {standing}\">{standing}</span>{source}</div>\
         <p class=\"content\">{content}</p><ul class=\"steps hint\">{steps}</ul>{decide}</article>",
        standing = standing.as_str(),
        kind = html::text(kind(operation)),
        content = html::text(operation.content()),
    )
}

fn edit(reviewer: &SignedIn, one: &Reviewed, index: usize, operation: &Operation) -> String {
    let number = index + 1;
    let more = match operation {
        Operation::CreateBlock { semantic_type, title, .. } => {
            let types: String = SemanticType::ALL
                .iter()
                .map(|kind| {
                    let chosen = if kind == semantic_type { " selected" } else { "" };
                    let word = kind.as_str();
                    format!("<option value=\"{word}\"{chosen}>{word}</option>")
                })
                .collect();
            format!(
                "<label>Type <select name=\"type\">{types}</select></label>\
                 <label class=\"wide\">Title <input name=\"title\" maxlength=\"200\" \
                 placeholder=\"{}\"></label>",
                html::text(title)
            )
        }
        _ => String::new(),
    };
    format!(
        "<details class=\"edit\"><summary data-key=\"e\">Edit</summary>\
         <form method=\"post\" action=\"/review/proposals/{}/edit\">{}\
         <input type=\"hidden\" name=\"seen\" value=\"{}\">\
         <input type=\"hidden\" name=\"operation\" value=\"{number}\">\
         <label class=\"wide\">Words <textarea name=\"content\" rows=\"3\" required>{}</textarea>\
         </label>{more}<button class=\"main\">Save</button></form></details>",
        html::text(&one.proposal.id),
        html::key(reviewer),
        one.steps.len(),
        // A line end right after the tag would be dropped.
        format_args!("\n{}", html::text(operation.content())),
    )
}
