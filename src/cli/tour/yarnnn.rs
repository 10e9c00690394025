//! The chapter about yarnnn: a chat is captured, reviewed and queried; further findings are stored,
//! queued or in conflict.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright_runtime::clock::{SystemClock, SystemIds};

use super::session::{Error, TourSession, text};
use yarnnn::embed::Embedder;
use yarnnn::engine::{Caller, Engine, Retention, Setup};
use yarnnn::llm::Extractor;
use yarnnn::sql::{Database, Options};

const CHAT: &str = "User: We decided to run billing on Stripe from March on.\n\
                    User: Invoices must be sent within 14 days.\n\
                    Assistant: Noted. Anything else about billing?\n\
                    User: Acme pays 4,000 euros per month.";
/// Findings that fit the chat's basket surely, and not by their words.
const SURE: &str = "We run billing on Stripe from March on: Acme pays 4,000 euros per month, and its \
                    invoices are kept for ten years.";
const FAR: &str = "Refunds take five days.";
/// Events of the timeline that are shown.
const EVENTS: i64 = 6;

/// Runs the chapter.
pub(super) fn run(session: &mut TourSession) -> Result<(), Error> {
    let file = session.path("memory.db").display().to_string();
    let (engine, ann) = workspace(&file)?;
    session.step(
        "An operator runs `yarnnn workspace create studio --owner ann`. The host gets the token.",
    );
    let token = engine.mint_token(&ann.workspace, "ann", "tour")?.token;
    let shown: String = token.chars().take(8).collect();
    session.show(&format!("YARNNN_TOKEN={shown}…"));
    session.set("YARNNN_DATABASE_FILE", file);
    session.set("YARNNN_TOKEN", token);

    capture(session, &engine, &ann)?;
    write(session, &engine, &ann)?;
    compare(session)?;

    session.step("Every change is logged with its host: `yarnnn timeline`.");
    for event in engine.events(&ann.workspace, EVENTS)? {
        session.show(&format!("{:21} {:22} {}", event.kind, event.host, event.preview));
    }
    Ok(())
}

/// Capture, proposal, approval, query.
fn capture(session: &mut TourSession, engine: &Engine, ann: &Caller) -> Result<(), Error> {
    session.step(
        "A chat becomes a basket. The chat is stored as it is; its statements are only proposed.",
    );
    let chat = json!({"conversation_history": CHAT, "basket_name_suggestion": "Billing"});
    let made = session.call("create_memory_from_chat", chat)?;
    session.show(text(&made["visualization"]));

    session.step("Until a reviewer approves, queries return the chat and count what is pending.");
    let stripe = json!({"keywords": ["stripe", "invoices"], "format": "prose"});
    query(session, stripe.clone())?;

    session.step("The reviewer reads the proposal and approves it: `yarnnn proposal approve ID`.");
    let proposal = engine.approve(ann, text(&made["proposal_id"]), Some("as we said"))?;
    session.show(&proposal.report.impact_summary);
    query(session, stripe)
}

/// Basket inference: certain, uncertain, none.
fn write(session: &mut TourSession, engine: &Engine, ann: &Caller) -> Result<(), Error> {
    session.step(
        "Another chat says more. The server finds its basket by the text; rules approve the proposal.",
    );
    session.call("config_settings", json!({"auto_approve": true}))?;
    let added = session.call("add_to_substrate", json!({"content": SURE}))?;
    session.show(text(&added["selection_summary"]));
    session.show(text(&added["message"]));

    session.step("A second one fits no basket. It is queued, and nothing is lost.");
    let queued = session.call("add_to_substrate", json!({"content": FAR}))?;
    session.show(text(&queued["selection_summary"]));

    session.step("The reviewer selects the basket: `yarnnn unassigned assign CAPTURE BASKET`.");
    let basket = text(&added["basket_id"]);
    let stored = engine.assign(ann, text(&queued["capture_id"]), basket)?;
    session.show(&format!("replayed once, into “{}”", stored.basket_name));
    Ok(())
}

/// Conflict.
fn compare(session: &mut TourSession) -> Result<(), Error> {
    session.step("An idea is checked against the stored statements.");
    let idea = json!({"new_idea": "Invoices are sent within 30 days."});
    let found = session.call("validate_against_substrate", idea)?;
    let conflict = &found["conflicts"][0];
    let evidence = &conflict["evidence"];
    session.show(&format!(
        "{} ({}): “{}” against “{}”",
        text(&conflict["conflict_type"]),
        text(&conflict["severity"]),
        text(&evidence["idea_quote"]),
        text(&evidence["substrate_quote"]),
    ));
    session.show(&format!(
        "alignment {}, recommendation: {}",
        found["alignment_score"],
        text(&found["recommendation"])
    ));
    if conflict["conflict_type"] != "contradiction" || found["recommendation"] != "revise" {
        return Err(format!("the contradiction was not detected: {found}").into());
    }
    Ok(())
}

fn query(session: &mut TourSession, question: Value) -> Result<(), Error> {
    let found = session.call("get_substrate", question)?;
    session.show(text(&found["prose"]));
    session.show(&format!("({} pending review)", found["hidden_count"]));
    Ok(())
}

/// The workspace that `yarnnn workspace create` would create, and its owner.
fn workspace(file: &str) -> Result<(Engine, Caller), Error> {
    let engine = Engine::new(Setup {
        database: Database::open(&format!("sqlite:{file}"), Options::default())?,
        extractor: Extractor::Rules,
        embedder: Embedder::builtin()?,
        jwt: None,
        use_pgvector: false,
        activity: Retention { max_age: None, max_rows: None },
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    });
    let workspace = engine.create_workspace("studio", "ann")?;
    let ann = engine.operator(workspace, "ann")?;
    Ok((engine, ann))
}
