//! The chapter about wink: the prompt of a support bot is read, overridden, rebased and reset.

use serde_json::{Value, json};

use super::session::{Error, TourSession, text};
use wink::hash;
use wink::python_json::{Json, parse};

const TONE: &str = "Answer $customer in two sentences.\nNever promise a refund.\n";
const PARAMS: &str = r#"{"type": "object", "title": "FindOrder", "additionalProperties": false,
    "properties": {"number": {"type": "string"}}, "required": ["number"]}"#;
const RESULT: &str = r#"{"type": "object", "title": "Order", "additionalProperties": true,
    "properties": {"state": {"type": "string"}}, "required": ["state"]}"#;
const TONE_NEXT: &str = "Answer $customer in two sentences.\nOffer a refund once.\n";

/// Runs the chapter.
pub(super) fn run(session: &mut TourSession) -> Result<(), Error> {
    session.write(".git/HEAD", "ref: refs/heads/main\n")?;
    export(session, TONE)?;
    let tone = || json!({"ns": "support.desk", "prompt": "triage", "section_path": "tone"});

    session.step("A project exports its prompts. Nothing is overridden yet.");
    let list = session.call("wink.list_overrides", json!({}))?;
    session.show(&format!(
        "{} override files below {}",
        list["total"],
        text(&list["overrides_dir"])
    ));

    session.step("The section `tone`, as defined in code.");
    let section = session.call("wink.get_section_override", tone())?;
    session.show(&format!("status {}, default text:", text(&section["status"])));
    session.show(&quoted(text(&section["default_body"])));

    session.step("A write without `confirm` changes nothing and shows what it would do.");
    let body = "Greet $customer by name, then answer in two sentences.\n";
    let refusal = session.expect_error(
        "wink.write_section_override",
        with(tone(), "body", body),
        "confirm_required",
    )?;
    session.show(&format!("it would write {}", text(&refusal["would"]["backing_file_path"])));

    session.step("A misspelt placeholder would break rendering in the app; it is rejected here.");
    let misspelt = with(with(tone(), "body", "Greet $custmer."), "confirm", true);
    session.expect_error("wink.write_section_override", misspelt, "body_not_renderable")?;

    session.step("The confirmed write carries the hash that was read.");
    let edit = with(with(tone(), "body", body), "confirm", true);
    let edit = with(edit, "expected_hash", section["current_hash"].clone());
    let change = session.call("wink.write_section_override", edit.clone())?;
    let file = text(&change["backing_file_path"]).to_owned();
    session.show(&quoted(&std::fs::read_to_string(&file)?));

    session.step(
        "The developer edits the prompt in code. The override becomes stale: the app ignores it.",
    );
    export(session, TONE_NEXT)?;
    let section = session.call("wink.get_section_override", tone())?;
    session.show(&format!(
        "status {}: {}",
        text(&section["status"]),
        text(&section["warnings"][0]["message"])
    ));

    session.step("The old hash is refused. With the new one the override is rebased.");
    session.expect_error("wink.write_section_override", edit.clone(), "hash_mismatch")?;
    let rebased = with(edit, "expected_hash", section["current_hash"].clone());
    let change = session.call("wink.write_section_override", rebased)?;
    session.show(&format!("{} → {}", text(&change["previous_status"]), text(&change["status"])));

    session.step("Tool descriptions can be overridden, too.");
    let tool = json!({"ns": "support.desk", "prompt": "triage", "tool_name": "find_order"});
    let edit =
        with(with(tool.clone(), "description", "Find an order by its number."), "confirm", true);
    let change = session.call("wink.write_tool_override", edit)?;
    session.show(&format!("status {}", text(&change["status"])));

    session.step("Where the client can ask its user, a delete asks. The user declines.");
    session.restart_asking();
    let refused = session.call_before(false, "wink.delete_tool_override", tool.clone())?;
    if refused.body["code"] != "declined" {
        return Err(format!("the delete should have been declined: {}", refused.raw).into());
    }
    session.show(&format!("refused: declined: {}", text(&refused.body["message"])));

    session.step("The user agrees. Deleting the last override removes the file.");
    session.call_before(true, "wink.delete_tool_override", tool)?;
    let change = session.call_before(true, "wink.delete_section_override", tone())?.body;
    session.show(&format!("file exists: {}", change["file_exists"]));
    if std::path::Path::new(&file).exists() {
        return Err("the override file is still there".into());
    }

    session.step("Served with --read-only, it neither lists nor runs a tool that changes files.");
    session.restart_with(&["--read-only"]);
    let tools = session.tool_names()?;
    session.show(&format!("{} tools: {}", tools.len(), tools.join(", ")));
    session.expect_left_out("wink.delete_section_override", tone())
}

/// Writes the descriptor export, as the app's exporter would.
fn export(session: &TourSession, tone: &str) -> Result<(), Error> {
    let description = "Find an order.";
    let contract = hash::of_contract(description, &schema(PARAMS)?, &schema(RESULT)?);
    let export = json!({
        "kind": "wink.descriptors", "version": 1, "override_format": 2,
        "library": "weakincentives 0.27.0",
        "prompts": [{
            "ns": "support.desk", "key": "triage", "name": "triage",
            "sections": [{
                "path": ["tone"], "number": "1", "title": "Tone", "accepts_overrides": true,
                "body": tone, "content_hash": hash::of_text(tone), "placeholders": ["customer"],
            }],
            "tools": [{
                "name": "find_order", "path": ["tone"], "accepts_overrides": true,
                "description": description, "param_descriptions": {"number": "Order number."},
                "params_schema": serde_json::from_str::<Value>(PARAMS)?,
                "result_schema": serde_json::from_str::<Value>(RESULT)?,
                "contract_hash": contract,
            }],
        }],
    });
    session.write(".weakincentives/prompts/descriptors.json", &export.to_string())?;
    Ok(())
}

fn schema(text: &str) -> Result<Json, Error> {
    parse(text).map_err(|error| format!("{error:?}").into())
}

fn with(mut arguments: Value, name: &str, value: impl Into<Value>) -> Value {
    arguments[name] = value.into();
    arguments
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("| {line}\n")).collect()
}
