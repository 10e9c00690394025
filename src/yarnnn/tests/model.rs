//! Extraction with a model: called over HTTP, by the program as a host starts it.

// The unit tests of the extractor use all of it.
#[allow(dead_code)]
#[path = "../llm/tests/server.rs"]
pub(crate) mod server;

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::instance::{Instance, addition, axis, on_both};
use server::{Reply, Server};

const KEY: &str = "sk-not-to-be-seen-by-anybody";
const TEXT: &str = "We decided to keep all invoices of Acme for ten years in the archive.";

fn session(instance: &Instance, model: &Server, fallback: bool) -> StdioSession {
    let mut command = instance.command(&["mcp"]);
    command
        .env("YARNNN_EXTRACTOR", "model")
        .env("YARNNN_EXTRACTOR_BASE_URL", model.base_url())
        .env("YARNNN_EXTRACTOR_FALLBACK", fallback.to_string())
        .env("OPENAI_API_KEY", KEY);
    StdioSession::start(command, "claude-ai")
}

fn answer() -> Value {
    json!({
        "statements": [{
            "semantic_type": "constraint", "title": "Ten years of invoices", "confidence": 0.9,
            "content": TEXT, "quotes": [TEXT],
        }],
        "entities": [],
    })
}

#[test]
fn what_a_model_read_is_proposed_under_its_name() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let model = Server::start(vec![Reply::answer(&answer())]);
        let mut client = session(instance, &model, false);
        let reply = client.call("add_to_substrate", addition(TEXT, &axis(0)));
        assert_eq!(reply.body["proposed_blocks"], 1, "{}", reply.body);
        let requests = model.requests();
        let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
        assert!(request.head.starts_with("post /v1/chat/completions"), "{}", request.head);
        assert!(request.head.contains(KEY), "the key goes to the model");
        assert_eq!(request.body["model"], "gpt-5");
        let made = "proposals WHERE extractor = 'model gpt-5' AND ops LIKE '%constraint%'";
        assert_eq!(instance.count(made), 1);
        assert!(!reply.response.to_string().contains(KEY));
    });
}

#[test]
fn without_the_model_the_rules_read_or_nothing_is_written() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let before = instance.count("raw_dumps");
        let broken = || Server::start(vec![Reply::status(401)]);
        let (model, other) = (broken(), broken());
        let arguments = addition(TEXT, &axis(0));

        let mut strict = session(instance, &model, false);
        let params = json!({"name": "add_to_substrate", "arguments": arguments});
        let refused = strict.exchange("tools/call", params);
        assert_eq!(refused["error"]["code"], -32603, "{refused}");
        assert_eq!(refused["error"]["data"]["code"], "EXTRACTOR_FAILED", "{refused}");
        assert!(!refused.to_string().contains(KEY), "{refused}");
        assert_eq!(instance.count("raw_dumps"), before);

        let mut lenient = session(instance, &other, true);
        let reply = lenient.call("add_to_substrate", arguments);
        let warnings = reply.body["warnings"].to_string();
        assert!(warnings.contains("Extracted by the rules"), "{}", reply.body);
        assert_eq!(instance.count("proposals WHERE extractor = 'rules' AND ops LIKE '%Acme%'"), 1);
    });
}
