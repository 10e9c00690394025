//! Two servers on one PostgreSQL: what one asked the other accepts, what one wrote the other knows,
//! and of two who do the same thing at once one does it.

use std::process::{Child, Stdio};
use std::sync::Barrier;

use serde_json::{Value, json};
use toolwright_testing::{HttpServer, ServerHome, eventually};

use crate::instance::{Instance, addition, axis, list, text_of, vector};
use crate::postgres::postgres;

/// A stage and two servers on it, with these flags.
fn pair(flags: &[&str]) -> Option<(Instance, [HttpServer; 2])> {
    let instance = Instance::new(&postgres()?, tempfile::tempdir().expect("a folder"));
    let servers = [instance.serve(flags), instance.serve(flags)];
    Some((instance, servers))
}

/// A session that is about half a basket's: it must be confirmed.
fn unsure() -> Vec<f64> {
    vector(&[0.7, 0.7])
}

/// Text that a server holds until its basket is confirmed; the capture's id.
fn held(server: &HttpServer, token: &str, text: &str) -> String {
    let mut user = server.user(token);
    let asked = user.fails("add_to_substrate", addition(text, &unsure()), "CONFIRMATION_REQUIRED");
    text_of(&asked["details"]["capture_id"])
}

fn confirmation(text: &str, capture: &str) -> Value {
    json!({"content": text, "capture_id": capture})
}

#[test]
fn what_one_replica_holds_is_confirmed_at_the_other() {
    let Some((instance, [one, two])) = pair(&[]) else { return };
    let token = &instance.tenant.token;
    instance.basket("Billing", 0);
    let text = "Refunds take five days.";
    let capture = held(&one, token, text);
    assert_eq!(instance.dumps(text), 0, "nothing is written before it is confirmed");
    let stored = two.user(token).ok("add_to_substrate", confirmation(text, &capture));
    assert_eq!(stored["basket_name"], "Billing");
    // Said again, at either, it is the same answer.
    for server in [&one, &two] {
        let again = server.user(token).ok("add_to_substrate", confirmation(text, &capture));
        assert_eq!(again["raw_dump_id"], stored["raw_dump_id"]);
    }
    assert_eq!(instance.dumps(text), 1);
}

#[test]
fn a_confirmation_at_both_replicas_at_once_is_stored_once() {
    let Some((instance, servers)) = pair(&[]) else { return };
    instance.basket("Billing", 0);
    // All are held before the first is confirmed: from then on such sessions belong there.
    let texts: Vec<String> =
        (0..12).map(|round| format!("Refund number {round} takes five days.")).collect();
    let captures: Vec<String> = texts
        .iter()
        .zip(servers.iter().cycle())
        .map(|(text, server)| held(server, &instance.tenant.token, text))
        .collect();
    for (text, capture) in texts.iter().zip(&captures) {
        let start = Barrier::new(2);
        let confirm = |server: &HttpServer| {
            let mut user = server.user(&instance.tenant.token);
            start.wait();
            user.ok("add_to_substrate", confirmation(text, capture))["raw_dump_id"].clone()
        };
        let dumps = std::thread::scope(|scope| {
            let running = servers.each_ref().map(|server| scope.spawn(|| confirm(server)));
            running.map(|running| running.join().expect("an answer"))
        });
        assert_eq!(dumps[0], dumps[1], "both are told of the one dump");
        assert_eq!(instance.dumps(text), 1);
    }
}

#[test]
fn of_two_assignments_at_once_exactly_one_replays() {
    let Some((instance, servers)) = pair(&[]) else { return };
    let baskets = [instance.basket("Billing", 0), instance.basket("Garden", 1)];
    let queue = |round: usize| {
        let text = format!("The window number {round} must be cleaned.");
        let mut user = servers[round % 2].user(&instance.tenant.token);
        let queued = user.ok("add_to_substrate", addition(&text, &axis(5)));
        assert_eq!(queued["status"], "queued", "{queued}");
        (round, text, text_of(&queued["capture_id"]))
    };
    let queued: Vec<_> = (0..6).map(queue).collect();
    for (round, text, capture) in queued {
        let assign = |basket: &String| -> Child {
            let mut command = instance.command(&["unassigned", "assign", &capture, basket]);
            command.stdout(Stdio::null()).spawn().expect("it starts")
        };
        // Every other time both mean the same basket.
        let meant = if round % 2 == 0 { [&baskets[0], &baskets[1]] } else { [&baskets[0]; 2] };
        let ended = meant.map(assign).map(|mut child| child.wait().expect("it ends").success());
        let won = ended.iter().filter(|success| **success).count();
        match meant[0] == meant[1] {
            false => assert_eq!(won, 1, "one of two different baskets"),
            true => assert!(won >= 1, "the same basket twice is no contradiction"),
        }
        assert_eq!(instance.dumps(&text), 1);
        let landed: String = instance
            .value(&format!("SELECT basket_id AS x FROM raw_dumps WHERE body_md = '{text}'"));
        let winner = ended.iter().position(|success| *success).expect("a winner");
        assert_eq!(&landed, meant[winner]);
        let late = instance.run(&["unassigned", "assign", &capture, &baskets[1]]);
        assert_eq!(late.code, 1, "it does not wait any more");
        assert_eq!(instance.dumps(&text), 1);
    }
}

#[test]
fn a_revoked_token_opens_neither_replica() {
    let Some((instance, servers)) = pair(&[]) else { return };
    let made = instance.run(&["token", "create", "olga", "--description", "to be revoked"]);
    let token = made.into_line();
    let status = |server: &HttpServer| server.user(&token).send("tools/list", json!({})).status;
    assert_eq!(servers.each_ref().map(status), [200, 200]);
    // Also on a connection that was let in before.
    let mut open = servers[1].user(&token);
    open.ok("get_substrate", json!({}));
    let listed = instance.run(&["token", "list", "--json"]).ok().json();
    let row = list(&listed).iter().find(|row| row["description"] == "to be revoked");
    let id = text_of(&row.expect("it is listed")["id"]);
    instance.run(&["token", "revoke", &id]).ok();
    assert_eq!(servers.each_ref().map(status), [401, 401]);
    assert_eq!(open.send("tools/list", json!({})).status, 401);
}

#[test]
fn a_basket_of_one_replica_is_inferred_by_the_other_in_its_next_call() {
    let Some((instance, servers)) = pair(&[]) else { return };
    let mut visitors = servers.each_ref().map(|server| server.user(&instance.tenant.token));
    for round in 0..8 {
        let name = format!("Topic {round}");
        let (maker, finder) = (round % 2, (round + 1) % 2);
        let chat = format!("User: We decided that topic {round} is a topic of its own.");
        let create = json!({"conversation_history": chat, "basket_name_suggestion": name,
            "session_fingerprint": {"embedding": axis(round)}});
        let made = visitors[maker].ok("create_memory_from_chat", create);
        assert_eq!(made["created"], true, "{made}");
        let text = format!("The topic {round} goes on.");
        let added = visitors[finder].ok("add_to_substrate", addition(&text, &axis(round)));
        assert_eq!(added["basket_id"], made["basket_id"], "{added}");
        // What the finder has put there, the maker recalls.
        let keyword =
            json!({"keywords": ["goes"], "session_fingerprint": {"embedding": axis(round)}});
        let recalled = visitors[maker].ok("get_substrate", keyword);
        assert_eq!(recalled["substrate"][0]["content"], text, "{recalled}");
    }
    // Archived through another process, it is not inferred any more.
    let first: String = instance.value("SELECT id AS x FROM baskets WHERE name = 'Topic 0'");
    instance.run(&["basket", "archive", &first]).ok();
    for user in &mut visitors {
        let added = user.ok("add_to_substrate", addition("Nothing left.", &axis(0)));
        assert_eq!(added["status"], "queued", "{added}");
    }
}

/// The answer to a question of a modern server.
fn answered(call: &Value, asked: &Value, yes: bool) -> Value {
    let mut again = call.clone();
    again["requestState"] = asked["result"]["requestState"].clone();
    let questions = asked["result"]["inputRequests"].as_object().expect("a question");
    let said = json!({"action": "accept", "content": {"confirm": yes}});
    let replies = questions.keys().map(|key| (key.clone(), said.clone()));
    again["inputResponses"] = Value::Object(replies.collect());
    again
}

#[test]
fn a_question_of_one_replica_is_answered_at_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("key");
    std::fs::write(&key, "a secret that both replicas have, 32 bytes").expect("writable");
    let Some((instance, [one, two])) = pair(&["--http-key-file", key.to_str().expect("text")])
    else {
        return;
    };
    let stranger = instance.serve(&[]);
    instance.basket("Billing", 0);
    let token = &instance.tenant.token;
    // A no leaves it waiting.
    let call = json!({"name": "add_to_substrate",
        "arguments": addition("Refunds take six days.", &unsure())});
    let asked = two.user(token).modern("tools/call", call.clone());
    let refused = one.user(token).modern("tools/call", answered(&call, &asked, false));
    let body = &refused["result"]["structuredContent"];
    assert_eq!(body["code"], "CONFIRMATION_REQUIRED", "{refused}");
    assert_eq!(instance.dumps("Refunds take six days."), 0);

    let text = "Refunds take five days.";
    let call = json!({"name": "add_to_substrate", "arguments": addition(text, &unsure())});
    let asked = one.user(token).modern("tools/call", call.clone());
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let yes = answered(&call, &asked, true);

    // A server without the key does not take the answer for one: it asks anew.
    let again = stranger.user(token).modern("tools/call", yes.clone());
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    // Nor does a yes to one text count for another.
    let mut other = yes.clone();
    other["arguments"]["content"] = json!("Refunds take fifty days.");
    let again = two.user(token).modern("tools/call", other);
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    assert_eq!(instance.count("raw_dumps WHERE body_md LIKE 'Refunds%'"), 0);

    let done = two.user(token).modern("tools/call", yes);
    assert_eq!(done["result"]["structuredContent"]["basket_name"], "Billing", "{done}");
    assert_eq!(instance.dumps(text), 1);
}

/// A yes lowers the review once, wherever it is sent again after somebody has raised it.
#[test]
fn a_yes_is_used_up_among_the_replicas() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("key");
    std::fs::write(&key, "a secret that both replicas have, 32 bytes").expect("writable");
    let Some((instance, [one, two])) = pair(&["--http-key-file", key.to_str().expect("text")])
    else {
        return;
    };
    let token = &instance.tenant.token;
    let call = json!({"name": "config_settings", "arguments": {"auto_approve": true}});
    let asked = one.user(token).modern("tools/call", call.clone());
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let yes = answered(&call, &asked, true);
    let done = two.user(token).modern("tools/call", yes.clone());
    assert_eq!(done["result"]["structuredContent"]["auto_approve"], true, "{done}");
    one.user(token).ok("config_settings", json!({"manual_review": true}));
    for server in [&one, &two] {
        let again = server.user(token).modern("tools/call", yes.clone());
        assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    }
    assert_eq!(instance.count("used_consents"), 1);
}

#[test]
fn replicas_that_start_at_once_make_the_tables_once() {
    let Some(url) = postgres() else { return };
    let home = ServerHome::of("yarnnn").path_env("HOME", ".").env("YARNNN_DATABASE_URL", url);
    let start = |number: u32| {
        let (name, owner) = (format!("Workspace {number}"), format!("user-{number}"));
        let mut command = home.command(&["workspace", "create", &name, "--owner", &owner]);
        command.stdout(Stdio::null()).spawn().expect("it starts")
    };
    let started: Vec<Child> = (0..4).map(start).collect();
    for mut child in started {
        let ended = eventually("it ends", || child.try_wait().expect("it can be waited for"));
        assert!(ended.success(), "{ended:?}");
    }
}
