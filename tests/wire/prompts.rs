//! Prompts of the products, over real binaries: every example is written, wink offers its own only when
//! it is told to, and arguments are completed from the store.

use serde_json::{Map, Value, json};
use toolwright_runtime::contract::{PromptContent, PromptInfo};
use toolwright_testing::{HttpServer, StdioSession};

use crate::fixtures::{self, SurfaceFixture};

fn names(list: &Value) -> Vec<String> {
    let prompts = list["prompts"].as_array().expect("a list").iter();
    prompts.map(|prompt| prompt["name"].as_str().expect("a name").to_owned()).collect()
}

fn example(prompt: &PromptInfo) -> Value {
    let given = prompt.example.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
    json!({"name": prompt.name, "arguments": given.collect::<Map<_, _>>()})
}

/// Without data of its own: the texts of a contract alone.
fn reads_nothing(prompt: &PromptInfo) -> bool {
    let is_text = |content: &PromptContent| matches!(content, PromptContent::Text(_));
    prompt.messages.iter().all(|message| is_text(&message.content))
}

#[test]
fn every_product_has_prompts_that_are_listed_and_refuse_what_they_do_not_know() {
    for fixture in fixtures::all() {
        let surface = fixture.name();
        assert!(!fixture.info.prompts.is_empty(), "{surface}");
        let mut session = fixture.session();
        let offered = fixture.info.prompts.iter().filter(|prompt| prompt.offered_by.is_none());
        let offered: Vec<&PromptInfo> = offered.collect();
        let expected: Vec<&str> = offered.iter().map(|prompt| prompt.name).collect();
        assert_eq!(names(&session.request("prompts/list", json!({}))), expected, "{surface}");
        for prompt in offered {
            let wrong = json!({"name": prompt.name, "arguments": {"no_such": "x"}});
            let error = session.exchange("prompts/get", wrong)["error"].take();
            assert_eq!(error["code"], -32602, "{surface}: {error}");
            if reads_nothing(prompt) {
                let got = session.request("prompts/get", example(prompt));
                assert!(!got["messages"].as_array().expect("a list").is_empty(), "{surface}");
            }
        }
    }
}

fn check_of_wink(list: &Value, got: &Value, completed: &Value) {
    assert_eq!(names(list), ["review_stale_overrides"]);
    let messages = got["messages"].as_array().expect("messages");
    let answer = messages[1]["content"]["text"].as_str().expect("a text");
    let answer: Value = serde_json::from_str(answer).expect("JSON");
    assert_eq!(answer["total"], 1, "the override of this namespace: {answer}");
    let last = messages[2]["content"]["text"].as_str().expect("a text");
    assert!(last.contains("wink.write_section_override"), "{last}");
    assert_eq!(completed["completion"]["values"], json!(["demo.app"]), "{completed}");
}

fn wink() -> SurfaceFixture {
    let wink = fixtures::named("wink");
    let mut session = wink.session();
    let written = (wink.write)(1);
    session.ok(written.tool, written.arguments);
    session.close();
    wink
}

#[test]
fn wink_offers_its_prompt_with_the_flag_only_over_both_transports() {
    let wink = wink();
    let mut session = wink.session();
    assert_eq!(names(&session.request("prompts/list", json!({}))), [""; 0]);
    let get = json!({"name": "review_stale_overrides", "arguments": {"ns": "demo.app"}});
    let error = session.exchange("prompts/get", get.clone())["error"].take();
    let said = error["message"].as_str().expect("a message");
    assert!(said.ends_with("offered with `--prompts` only"), "{error}");
    session.close();

    let complete = json!({
        "ref": {"type": "ref/prompt", "name": "review_stale_overrides"},
        "argument": {"name": "ns", "value": "demo"},
    });
    let mut session = StdioSession::start(wink.command(&["mcp", "--prompts"]), "tests");
    let list = session.request("prompts/list", json!({}));
    let got = session.request("prompts/get", get.clone());
    let completed = session.request("completion/complete", complete.clone());
    check_of_wink(&list, &got, &completed);
    session.close();

    let server = HttpServer::spawn(wink.command(&["mcp", "--prompts"]));
    let ask =
        |method: &str, params: Value| server.connect().legacy(&[], method, params)["result"].take();
    let list = ask("prompts/list", json!({}));
    check_of_wink(&list, &ask("prompts/get", get), &ask("completion/complete", complete));
}
