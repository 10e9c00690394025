//! Prompts and completion: what a client lists, gets with its arguments, and is told when it cannot.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use toolwright_runtime::contract::{
    PromptArgument, PromptContent, PromptInfo, PromptInput, PromptMessage, PromptPiece, PromptRole,
    PromptValueKind,
};
use toolwright_runtime::server::{Completions, HttpOptions, OfferedTools, ServeOptions};

use crate::client::{Client, patient};
use crate::http::Server;
use crate::surface::{excluding, modern_meta, without};

const fn argument(name: &'static str, kind: PromptValueKind) -> PromptArgument {
    PromptArgument {
        name,
        title: None,
        description: "A value.",
        required: false,
        default: None,
        kind,
        complete: None,
    }
}

const fn says(content: PromptContent) -> PromptMessage {
    PromptMessage { role: PromptRole::User, when: None, content }
}

const fn prompt(name: &'static str, messages: &'static [PromptMessage]) -> PromptInfo {
    PromptInfo {
        name,
        title: "A prompt",
        description: "Uses test.echo.",
        offered_by: None,
        arguments: &[],
        messages,
        tools: &[],
        icons: &[],
        example: &[],
    }
}

const TEXT: PromptValueKind = PromptValueKind::Text { max_length: Some(10) };

/// The indices are those of the tools of the surface.
pub(crate) const PROMPTS: &[PromptInfo] = &[
    PromptInfo {
        arguments: &[
            PromptArgument {
                required: true,
                complete: Some((2, "pane")),
                ..argument("word", TEXT)
            },
            PromptArgument {
                title: Some("How"),
                default: Some("short"),
                ..argument("tone", PromptValueKind::Choice(&["short", "thorough"]))
            },
            argument("limit", PromptValueKind::Integer { minimum: Some(1), maximum: Some(9) }),
            argument("wish", TEXT),
        ],
        tools: &[1, 2, 9],
        ..prompt(
            "look",
            &[
                says(PromptContent::Text(&[
                    PromptPiece::Text("Look at "),
                    PromptPiece::Argument("word"),
                    PromptPiece::Text(", "),
                    PromptPiece::Argument("tone"),
                    PromptPiece::Text(", with "),
                    PromptPiece::Tool(1),
                ])),
                says(PromptContent::Result {
                    tool: 2,
                    input: &[
                        ("pane", PromptInput::Argument("word")),
                        ("limit", PromptInput::Argument("limit")),
                        ("all", PromptInput::Json("true")),
                    ],
                }),
                PromptMessage {
                    role: PromptRole::Assistant,
                    when: Some("wish"),
                    content: PromptContent::Text(&[PromptPiece::Argument("wish")]),
                },
                says(PromptContent::Resource(&[
                    PromptPiece::Text("test://names/"),
                    PromptPiece::Argument("word"),
                ])),
                says(PromptContent::Image { data: "iVBORw==", mime_type: "image/png" }),
            ],
        )
    },
    PromptInfo {
        offered_by: Some("more"),
        ..prompt(
            "files",
            &[
                says(PromptContent::Resource(&[PromptPiece::Text("ui://test/page.html")])),
                says(PromptContent::Resource(&[PromptPiece::Text("test://dot.png")])),
            ],
        )
    },
    PromptInfo {
        tools: &[3],
        ..prompt("fails", &[says(PromptContent::Result { tool: 3, input: &[] })])
    },
    PromptInfo {
        arguments: &[argument("what", TEXT)],
        tools: &[3],
        ..prompt(
            "refused",
            &[says(PromptContent::Result {
                tool: 3,
                input: &[("what", PromptInput::Argument("what"))],
            })],
        )
    },
    PromptInfo {
        tools: &[8],
        ..prompt(
            "waits",
            &[says(PromptContent::Result {
                tool: 8,
                input: &[("forever", PromptInput::Json("true"))],
            })],
        )
    },
    PromptInfo {
        tools: &[1],
        ..prompt(
            "sender",
            &[says(PromptContent::Result {
                tool: 1,
                input: &[("sender", PromptInput::Json("true"))],
            })],
        )
    },
];

fn names(list: &Value) -> Vec<&str> {
    list["prompts"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

fn get(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// The text of a message, which is the JSON that a tool answered.
fn answer(message: &Value) -> Value {
    serde_json::from_str(message["content"]["text"].as_str().unwrap()).unwrap()
}

fn complete(reference: Value, argument: &str, typed: &str) -> Value {
    json!({"ref": reference, "argument": {"name": argument, "value": typed}})
}

fn of_prompt(name: &str) -> Value {
    json!({"type": "ref/prompt", "name": name})
}

fn of_template(uri: &str) -> Value {
    json!({"type": "ref/resource", "uri": uri})
}

#[test]
fn the_list_has_titles_and_arguments_and_what_is_switched_on() {
    let mut client = Client::raw(patient());
    let opened = client.initialize("2025-11-25", "tests");
    assert_eq!(opened["capabilities"]["prompts"], json!({"listChanged": true}));
    assert_eq!(opened["capabilities"]["completions"], json!({}));
    let list = client.request("prompts/list", json!({}));
    assert_eq!(names(&list), ["look", "fails", "refused", "waits", "sender"]);
    let expected = json!({
        "name": "look",
        "title": "A prompt",
        "description": "Uses test.echo.",
        "arguments": [
            {"name": "word", "description": "A value.", "required": true},
            {"name": "tone", "title": "How", "description": "A value.", "required": false},
            {"name": "limit", "description": "A value.", "required": false},
            {"name": "wish", "description": "A value.", "required": false},
        ],
    });
    assert_eq!(list["prompts"][0], expected);
    client.close().unwrap();

    let options = ServeOptions { switches: vec!["more"], ..ServeOptions::default() };
    let mut client = Client::legacy_with("2025-11-25", "tests", options);
    assert_eq!(names(&client.request("prompts/list", json!({})))[1], "files");
    let messages = client.request("prompts/get", get("files", json!({})))["messages"].take();
    let expected = json!([
        {"role": "user", "content": {"type": "resource", "resource":
            {"uri": "ui://test/page.html", "mimeType": "text/html+skybridge", "text": "<p>\n"}}},
        {"role": "user", "content": {"type": "resource", "resource":
            {"uri": "test://dot.png", "mimeType": "image/png", "blob": "iVBORw=="}}},
    ]);
    assert_eq!(messages, expected);
    client.close().unwrap();
}

/// The same for every transport and revision.
fn check_messages(got: &Value) {
    assert_eq!(got["description"], "Uses test.echo.");
    let messages = got["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 5, "{got}");
    let text = json!({"type": "text", "text": "Look at a/b, short, with test.echo"});
    assert_eq!(messages[0], json!({"role": "user", "content": text}));
    assert_eq!(answer(&messages[1]), json!({"got": {"pane": "a/b", "limit": 3, "all": true}}));
    let text = json!({"type": "text", "text": "peace"});
    assert_eq!(messages[2], json!({"role": "assistant", "content": text}));
    let resource = &messages[3]["content"]["resource"];
    // One segment, whatever is in it.
    assert_eq!(resource["uri"], "test://names/a%2Fb");
    let read: Value = serde_json::from_str(resource["text"].as_str().unwrap()).unwrap();
    assert_eq!(read, json!({"name": "a/b"}));
    let image = json!({"type": "image", "data": "iVBORw==", "mimeType": "image/png"});
    assert_eq!(messages[4]["content"], image);
}

#[test]
fn messages_have_arguments_answers_and_resources_in_them() {
    let given = json!({"word": "a/b", "limit": "3", "wish": "peace"});
    let mut client = Client::legacy();
    check_messages(&client.request("prompts/get", get("look", given.clone())));
    let modern = client.modern("prompts/get", get("look", given.clone()))["result"].take();
    assert_eq!(modern["resultType"], "complete");
    check_messages(&modern);
    client.close().unwrap();

    let server = Server::new();
    check_messages(
        &server.connect().legacy(&[], "prompts/get", get("look", given.clone()))["result"],
    );
    check_messages(&server.connect().modern(&[], "prompts/get", get("look", given))["result"]);
}

#[test]
fn what_is_not_given_is_left_out_or_has_its_default() {
    let mut client = Client::legacy();
    // Forms send an empty text for a field that was left empty.
    let given = json!({"word": "3", "tone": "", "wish": ""});
    let got = client.request("prompts/get", get("look", given));
    let messages = got["messages"].as_array().unwrap();
    assert_eq!(messages[0]["content"]["text"], "Look at 3, short, with test.echo");
    assert_eq!(answer(&messages[1]), json!({"got": {"pane": "3", "all": true}}));
    assert_eq!(messages.len(), 4, "without the wish: {got}");
    client.close().unwrap();
}

#[test]
fn wrong_arguments_are_all_named_at_once() {
    let mut client = Client::legacy();
    let given = json!({"wrod": "x", "tone": "loud", "limit": "10", "wish": "much too long"});
    let error = client.exchange("prompts/get", get("look", given))["error"].take();
    assert_eq!(error["code"], -32602);
    let problems = json!([
        {"argument": "wrod", "problem": "is no argument of `look`; did you mean `word`?"},
        {"argument": "word", "problem": "is missing"},
        {"argument": "tone", "problem": "must be one of short, thorough"},
        {"argument": "limit", "problem": "must be an integer from 1 to 9"},
        {"argument": "wish", "problem": "must be at most 10 characters long"},
    ]);
    assert_eq!(error["data"], json!({"prompt": "look", "problems": problems}));
    assert!(error["message"].as_str().unwrap().contains("`word` is missing"), "{error}");
    client.close().unwrap();
}

#[test]
fn an_unknown_prompt_is_named_with_what_was_probably_meant() {
    let mut client = Client::legacy();
    for (name, why) in
        [("lok", "did you mean `look`?"), ("files", "offered with `more` only"), ("x", "`x`")]
    {
        let error = client.exchange("prompts/get", get(name, json!({})))["error"].take();
        assert_eq!((&error["code"], &error["data"]["prompt"]), (&json!(-32602), &json!(name)));
        assert!(error["message"].as_str().unwrap().ends_with(why), "{error}");
        let reference = complete(of_prompt(name), "word", "");
        assert_eq!(client.exchange("completion/complete", reference)["error"]["code"], -32602);
    }
    client.close().unwrap();
}

#[test]
fn a_tool_that_fails_leaves_no_half_prompt() {
    let mut client = Client::legacy();
    let error = client.exchange("prompts/get", get("fails", json!({})))["error"].take();
    assert_eq!(error["code"], -32603, "the contract's own call: {error}");
    assert_eq!(error["data"], json!({"tool": "test.fail", "answer": {"code": "nope"}}));
    let error =
        client.exchange("prompts/get", get("refused", json!({"what": "x"})))["error"].take();
    assert_eq!(error["code"], -32602, "with the user's argument: {error}");
    client.close().unwrap();
}

#[test]
fn a_prompt_goes_with_its_tools() {
    let mut client = Client::legacy_with("2025-11-25", "tests", without("events"));
    assert!(!names(&client.request("prompts/list", json!({}))).contains(&"look"));
    let error = client.exchange("prompts/get", get("look", json!({"word": "x"})))["error"].take();
    assert!(error["message"].as_str().unwrap().contains("`--exclude-tools`"), "{error}");
    client.close().unwrap();

    let mut client = Client::legacy();
    *client.surface.callable.lock().unwrap() = Some(vec![1, 2]);
    assert_eq!(names(&client.request("prompts/list", json!({}))), ["sender"]);
    let error = client.exchange("prompts/get", get("look", json!({"word": "x"})))["error"].take();
    assert!(error["message"].as_str().unwrap().contains("may not call"), "{error}");
    client.close().unwrap();
}

#[test]
fn clients_hear_when_the_list_of_prompts_is_another() {
    let tools = OfferedTools::default();
    let mut client = Client::raw(ServeOptions { tools: tools.clone(), ..patient() });
    let listen = json!({"_meta": modern_meta(), "notifications": {"promptsListChanged": true}});
    client.start("subscriptions/listen", listen);
    let accepted = client.receive();
    assert_eq!(accepted["params"]["notifications"]["promptsListChanged"], true, "{accepted}");
    tools.replace(excluding("old"));
    tools.replace(excluding("old,fail"));
    assert_eq!(client.receive()["method"], "notifications/prompts/list_changed");
    client.close().unwrap();
}

#[test]
fn a_prompt_that_waits_keeps_nobody_waiting_and_can_be_cancelled() {
    let mut client = Client::legacy();
    let id = client.start("prompts/get", get("waits", json!({})));
    while client.surface.running.load(Ordering::SeqCst) == 0 {
        client.call("test.echo", json!({}));
    }
    let cancelled = json!({"requestId": id});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    while client.surface.cancelled.load(Ordering::SeqCst) == 0 {
        client.call("test.echo", json!({}));
    }
    client.close().unwrap();
}

#[test]
fn tools_of_a_prompt_see_who_asked_for_it() {
    let mut client = Client::legacy();
    let got = client.request("prompts/get", get("sender", json!({})));
    assert_eq!(answer(&got["messages"][0])["client"], "tests");
    client.close().unwrap();
    let server = Server::new();
    let got =
        server.connect().modern(&[], "prompts/get", get("sender", json!({})))["result"].take();
    let seen = answer(&got["messages"][0]);
    assert_eq!((&seen["protocol"], &seen["address"]), (&json!("2026-07-28"), &json!("127.0.0.1")));
}

/// Panes as a store has them.
fn panes() -> ServeOptions {
    let find = |tool: &toolwright_runtime::contract::ToolInfo, argument: &str| match argument {
        "pane" => (0..120).map(|number| format!("{}-{number}", tool.name)).collect(),
        _ => Vec::new(),
    };
    ServeOptions { completions: Completions::from_fn(find), ..patient() }
}

#[test]
fn arguments_of_prompts_are_completed_from_the_contract_and_from_the_store() {
    let mut client = Client::legacy_with("2025-11-25", "tests", panes());
    let request = |client: &mut Client, reference: Value, argument: &str, typed: &str| {
        let params = complete(reference, argument, typed);
        client.request("completion/complete", params)["completion"].take()
    };
    let words = request(&mut client, of_prompt("look"), "tone", "th");
    assert_eq!(words, json!({"values": ["thorough"], "total": 1, "hasMore": false}));
    let found = request(&mut client, of_prompt("look"), "word", "events-11");
    assert_eq!(found["values"].as_array().unwrap().len(), 11, "{found}");
    let all = request(&mut client, of_prompt("look"), "word", "");
    assert_eq!((all["values"].as_array().unwrap().len(), &all["total"]), (100, &json!(120)));
    assert_eq!(all["hasMore"], true);
    let nothing = request(&mut client, of_prompt("look"), "wish", "");
    assert_eq!(nothing["values"], json!([]));

    // Of a template: a variable of the path, under its own name, and a parameter of the query.
    let events = of_template("test://panes/{paneId}/events{?all}");
    let found = request(&mut client, events.clone(), "paneId", "events-7");
    assert_eq!(found["values"].as_array().unwrap().len(), 11, "{found}");
    let switch = request(&mut client, events, "all", "f");
    assert_eq!(switch["values"], json!(["false"]));
    for (reference, argument) in [
        (of_prompt("look"), "wrod"),
        (of_template("test://panes/{paneId}/events{?all}"), "pain"),
        (of_template("test://unknown/{x}"), "x"),
    ] {
        let params = complete(reference, argument, "");
        let error = client.exchange("completion/complete", params)["error"].take();
        assert_eq!(error["code"], -32602, "{error}");
    }
    client.close().unwrap();

    let server = Server::start(HttpOptions::default(), panes());
    let params = complete(of_prompt("look"), "word", "events-11");
    let found = server.connect().modern(&[], "completion/complete", params)["result"].take();
    assert_eq!(found["completion"]["total"], 11, "{found}");
}
