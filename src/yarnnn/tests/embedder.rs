//! Where vectors come from: plain clients send none, hosts may send theirs, an API may make them.
//! Over the program's standard streams, as hosts start it.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::instance::{Instance, addition, axis, list, on_both, text_of};
use crate::model::server::{Reply, Server};

const CHAT: &str = "User: We decided to run billing on Stripe from March on.\n\
                    User: Invoices must be sent within 14 days.";
const AGAIN: &str =
    "We run billing on Stripe from March on. Invoices are sent within 14 days, we decided.";
const GARDEN: &str = "Tomatoes need sun, and basil beside them keeps the snails away.";
const KEY: &str = "sk-not-to-be-seen-by-anybody";

/// A session with a server whose embedder is set so.
fn session(instance: &Instance, settings: &[(&str, &str)]) -> StdioSession {
    let mut command = instance.command(&["mcp"]);
    command.envs(settings.iter().copied());
    StdioSession::start(command, "claude-ai")
}

/// Models of the vectors of dumps, with how many each has.
fn models(instance: &Instance) -> Vec<(String, i64)> {
    let rows = instance.rows(
        "SELECT model, CAST(count(*) AS BIGINT) AS n FROM dump_vectors GROUP BY model ORDER BY model",
    );
    rows.iter()
        .map(|row| (row.get("model").expect("text"), row.get("n").expect("a number")))
        .collect()
}

fn model(name: &str, count: i64) -> (String, i64) {
    (name.to_owned(), count)
}

#[test]
fn a_client_that_sends_no_fingerprint_writes() {
    on_both(|instance| {
        let mut client = instance.session();
        let made = client.ok("create_memory_from_chat", json!({"conversation_history": CHAT}));
        assert_eq!(made["created"], true, "{made}");
        let added = client.call("add_to_substrate", json!({"content": AGAIN}));
        let ranked = &added.meta("_basket_selection")["ranked"];
        assert_eq!(ranked[0]["basket"]["id"], made["basket_id"], "{ranked}");
        assert!(ranked[0]["similarity"].as_f64() > Some(0.7), "{ranked}");
        let queued = client.ok("add_to_substrate", json!({"content": GARDEN}));
        assert_eq!(queued["status"], "queued", "{queued}");
        // With a summary only, which a model can write.
        let summary =
            json!({"summary": "Billing on Stripe, invoices within 14 days, from March on."});
        let named = json!({"content": "Refunds take five days.", "session_fingerprint": summary,
                           "basket_id": made["basket_id"]});
        assert_eq!(client.ok("add_to_substrate", named)["status"], "success");
        let read = client.call("get_substrate", json!({"session_fingerprint": summary}));
        let best = &read.meta("_basket_selection")["primary"];
        assert_eq!(best["basket"]["id"], made["basket_id"], "{best}");
        let found = models(instance);
        let [(name, count)] = found.as_slice() else { panic!("{found:?}") };
        assert!(name == "all-MiniLM-L6-v2" && *count >= 2, "{found:?}");
        client.close();
    });
}

#[test]
fn the_minimal_call_of_a_refusal_is_accepted() {
    on_both(|instance| {
        let mut client = instance.session();
        for tool in ["add_to_substrate", "create_memory_from_chat", "validate_against_substrate"] {
            let refused = client.fails(tool, json!({}), "INVALID_ARGUMENTS");
            let minimal = refused["details"]["minimal_call"].clone();
            let minimal = if minimal.is_null() { refused["minimal_call"].clone() } else { minimal };
            let reply = client.call(tool, minimal.clone());
            assert!(!reply.is_error, "{tool} {minimal}: {}", reply.body);
        }
        client.close();
    });
}

#[test]
fn texts_without_words_stay_named_errors() {
    on_both(|instance| {
        let mut client = instance.session();
        for text in [" ", "\u{200b}\u{2060}"] {
            client.fails("add_to_substrate", json!({"content": text}), "EMPTY_TEXT");
            let chat = json!({"conversation_history": text});
            client.fails("create_memory_from_chat", chat, "EMPTY_TEXT");
        }
        client.fails("add_to_substrate", json!({"content": ""}), "INVALID_ARGUMENTS");
        assert_eq!(instance.count("raw_dumps"), 0);
        client.close();
    });
}

#[test]
fn a_server_for_hosts_only_makes_nothing_and_takes_every_vector() {
    on_both(|instance| {
        let mut client = session(instance, &[("YARNNN_EMBEDDER", "host")]);
        for fingerprint in
            [json!({}), json!({"embedding": []}), json!({"summary": "Nothing else."})]
        {
            let arguments = json!({"content": GARDEN, "session_fingerprint": fingerprint});
            client.fails("add_to_substrate", arguments.clone(), "EMBEDDING_MISSING");
            assert!(
                client
                    .call("get_substrate", json!({"session_fingerprint": fingerprint}))
                    .code()
                    .is_none()
            );
        }
        let chat = json!({"conversation_history": CHAT});
        client.fails("create_memory_from_chat", chat, "EMBEDDING_MISSING");
        let mut eight = [0.0; 8];
        eight[3] = 1.0;
        let chat =
            json!({"conversation_history": CHAT, "session_fingerprint": {"embedding": eight}});
        let made = client.ok("create_memory_from_chat", chat);
        let added = client.ok("add_to_substrate", addition(GARDEN, &eight));
        assert_eq!(added["basket_id"], made["basket_id"], "the host knows: {added}");
        assert_eq!(models(instance), [model("host/8", 2)]);
        client.close();
    });
}

#[test]
fn the_models_of_a_workspace_are_kept_apart() {
    on_both(|instance| {
        let mut client = instance.session();
        let own = client.ok("create_memory_from_chat", json!({"conversation_history": CHAT}));
        let sent = |name: &str, at: usize| json!({"embedding": axis(at), "embedding_model": name});
        let mut made = Vec::new();
        for name in ["ours", "theirs"] {
            let chat = json!({"conversation_history": format!("User: We decided that {name} is here."),
                              "new_basket": true, "session_fingerprint": sent(name, 0)});
            made.push(text_of(&client.ok("create_memory_from_chat", chat)["basket_id"]));
        }
        for (name, basket) in ["ours", "theirs"].into_iter().zip(&made) {
            let arguments = json!({"content": format!("Roses too, says {name}."),
                                   "session_fingerprint": sent(name, 0)});
            let added = client.call("add_to_substrate", arguments);
            assert_eq!(added.body["basket_id"], json!(basket), "{}", added.body);
            // The others are candidates, but nothing is known of how near they are.
            let ranked = added.meta("_basket_selection")["ranked"].clone();
            let near: Vec<f64> =
                list(&ranked).iter().filter_map(|one: &Value| one["similarity"].as_f64()).collect();
            assert_eq!(near, [1.0, 0.0, 0.0], "{ranked}");
        }
        let added = client.call("add_to_substrate", json!({"content": AGAIN}));
        let best = &added.meta("_basket_selection")["primary"]["basket"]["id"];
        assert_eq!(*best, own["basket_id"]);
        let listed = instance.run(&["workspace", "list"]).ok();
        assert!(listed.stdout.contains("all-MiniLM-L6-v2, ours, theirs"), "{}", listed.stdout);
        // A dump that is moved to another basket takes its vector along.
        let stray = json!({"content": "It rains.", "basket_id": made[0],
                           "session_fingerprint": sent("theirs", 1)});
        let dump = text_of(&client.ok("add_to_substrate", stray)["raw_dump_id"]);
        instance.run(&["misrouted", &dump, "--to", &made[1]]).ok();
        let in_first = format!("dump_vectors WHERE basket_id = '{}' AND model = 'theirs'", made[0]);
        assert_eq!(instance.count(&in_first), 0);
        client.close();
    });
}

/// The answer of an embeddings API for one text.
fn made(numbers: &[f64]) -> Reply {
    let data = json!({"data": [{"index": 0, "embedding": numbers}]});
    Reply::new(200, &["Content-Type: application/json"], data.to_string())
}

fn api(server: &Server) -> Vec<(&'static str, String)> {
    vec![
        ("YARNNN_EMBEDDER", "api".to_owned()),
        ("YARNNN_EMBEDDER_BASE_URL", server.base_url()),
        ("YARNNN_EMBEDDER_MODEL", "bge-m3".to_owned()),
        ("YARNNN_EMBEDDER_API_KEY", KEY.to_owned()),
    ]
}

fn with_api(instance: &Instance, server: &Server) -> StdioSession {
    let settings = api(server);
    let settings: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    session(instance, &settings)
}

#[test]
fn an_embeddings_api_makes_vectors_under_its_models_name() {
    on_both(|instance| {
        let server = Server::start(vec![made(&axis(0)), made(&axis(0)), made(&axis(0))]);
        let mut client = with_api(instance, &server);
        let chat = json!({"conversation_history": CHAT});
        let basket = client.ok("create_memory_from_chat", chat)["basket_id"].clone();
        let said = json!({"content": GARDEN, "session_fingerprint": {"summary": "Gardens."}});
        assert_eq!(client.ok("add_to_substrate", said)["basket_id"], basket);
        let read = json!({"session_fingerprint": {"summary": "Gardens."}});
        assert_eq!(client.ok("get_substrate", read)["basket_id"], basket);
        let requests = server.requests();
        let sent: Vec<&str> =
            requests.iter().filter_map(|one| one.body["input"][0].as_str()).collect();
        assert_eq!(sent, [CHAT.to_owned(), format!("Gardens.\n{GARDEN}"), "Gardens.".to_owned()]);
        assert!(requests.iter().all(|one| one.body["model"] == "bge-m3"));
        assert!(requests.iter().all(|one| one.head.contains(KEY)));
        assert_eq!(models(instance), [model("bge-m3", 2)]);
        client.close();
    });
}

#[test]
fn an_api_that_fails_is_named_and_nothing_is_written() {
    on_both(|instance| {
        for (replies, reason) in [
            (vec![Reply::status(401)], "ORACLE_DENIED"),
            (vec![Reply::status(404)], "ORACLE_NOT_FOUND"),
            (vec![Reply::new(200, &[], "{}")], "ORACLE_ANSWER_INVALID"),
            (Vec::new(), "ORACLE_UNREACHABLE"),
        ] {
            let server = Server::start(replies);
            let mut client = with_api(instance, &server);
            let params = json!({"name": "add_to_substrate", "arguments": {"content": GARDEN}});
            let refused = client.exchange("tools/call", params);
            let data = &refused["error"]["data"];
            assert_eq!(data["code"], "EMBEDDER_FAILED", "{refused}");
            assert_eq!(data["details"]["reason"], reason, "{refused}");
            assert!(!refused.to_string().contains(KEY), "{refused}");
            client.close();
        }
        assert_eq!(instance.count("raw_dumps"), 0);
        assert_eq!(instance.count("mcp_unassigned_captures"), 0);
    });
}

#[test]
fn the_doctor_names_the_embedder() {
    let instance = Instance::on_sqlite();
    let row = |settings: &[(&str, &str)]| {
        let mut command = instance.command(&["doctor", "--json"]);
        command.envs(settings.iter().copied());
        toolwright_testing::run(command).stdout
    };
    assert!(row(&[]).contains("all-MiniLM-L6-v2, built in"), "{}", row(&[]));
    assert!(row(&[("YARNNN_EMBEDDER", "host")]).contains("hosts send vectors"));
    let plain = [
        ("YARNNN_EMBEDDER", "api"),
        ("YARNNN_EMBEDDER_API_KEY", KEY),
        ("YARNNN_EMBEDDER_BASE_URL", "http://models.example/v1"),
    ];
    let told = row(&plain);
    assert!(told.contains("plain http") && !told.contains(KEY), "{told}");
}

#[test]
fn a_fingerprint_of_the_command_line_is_what_the_server_makes() {
    let instance = Instance::on_sqlite();
    let printed = instance.run(&["fingerprint", GARDEN]).ok().json();
    assert_eq!(printed["embedding_model"], "all-MiniLM-L6-v2");
    assert_eq!(list(&printed["embedding"]).len(), 384);
    assert!(text_of(&printed["summary"]).contains("Tomatoes"), "{printed}");
    let owner = instance.owner();
    let chat = json!({"conversation_history": GARDEN, "basket_name_suggestion": "Garden"});
    owner.ok("create_memory_from_chat", chat);
    let read = owner.call_ok("get_substrate", json!({"session_fingerprint": printed}));
    assert_eq!(read.meta("_basket_selection")["primary"]["similarity"], json!(1.0));
    let mut command = instance.command(&["fingerprint", GARDEN]);
    command.env("YARNNN_EMBEDDER", "host");
    toolwright_testing::run(command).fails(1, &["`embedder.kind` is `host`"]);
}
