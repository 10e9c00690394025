//! Every binary at every revision: what comes out is protocol and nothing else, whatever goes in.

use serde_json::json;

use crate::homes::{self, Home};
use crate::session::{MODERN, REVISIONS, Session};

/// Longer than the longest line that is read.
const HUGE: usize = 17 << 20;

/// Runs a check in a session of its own for each surface and revision; at the end of each the
/// server must have nothing left to say.
fn in_every_session(check: impl Fn(&Home, &mut Session)) {
    for home in homes::all() {
        for revision in REVISIONS {
            eprintln!("{} at {revision}", home.name());
            let mut session = Session::open(&home, revision);
            check(&home, &mut session);
            assert_eq!(session.close(), [] as [serde_json::Value; 0]);
        }
    }
}

/// The line that answers `tools/list`, and the list in it.
fn tools(session: &mut Session) -> (String, String) {
    let (text, _) = session.request("tools/list", json!({}));
    session.write(format!("{text}\n").as_bytes());
    let line = session.receive_line();
    let (_, list) = line.split_once(r#""tools":"#).expect("a list");
    (line.clone(), list.to_owned())
}

#[test]
fn the_tool_list_is_the_same_bytes_for_everybody() {
    for home in homes::all() {
        let mut lists = Vec::new();
        for revision in REVISIONS {
            let lines: Vec<String> = (0..2)
                .map(|_| {
                    let mut session = Session::open(&home, revision);
                    let (line, list) = tools(&mut session);
                    let (_, again) = tools(&mut session);
                    assert!(list == again, "{} at {revision}: asked twice", home.name());
                    assert!(session.close().is_empty());
                    lists.push(list);
                    line
                })
                .collect();
            assert!(lines[0] == lines[1], "{} at {revision}: two processes", home.name());
        }
        assert!(lists.iter().all(|list| *list == lists[0]), "{}: revisions differ", home.name());
        let count = lists[0].matches(r#""inputSchema":"#).count();
        assert_eq!(count, home.info.tools.len(), "{}", home.name());
    }
}

#[test]
fn garbage_is_refused_with_the_right_code_and_the_next_call_is_served() {
    in_every_session(|home, session| {
        for (line, code) in [
            ("not json", -32700),
            ("{\"jsonrpc\":\"2.0\",", -32700),
            ("[]", -32600),
            ("null", -32600),
            ("{}", -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, -32600),
            (&"[".repeat(100_000), -32700),
        ] {
            session.write(format!("{line}\n").as_bytes());
            let answer = session.receive();
            assert_eq!(answer["error"]["code"], code, "{line:.40}: {answer}");
            assert!(answer.get("id").is_none(), "{line:.40}: {answer}");
        }
        session.write(b"\n\r\n \t \n");
        session.serves(home);
    });
}

#[test]
fn a_line_may_come_in_many_pieces_and_many_lines_in_one() {
    in_every_session(|home, session| {
        let (text, id) = session.call(&home.read);
        for piece in format!("{text}\n").as_bytes().chunks(7) {
            session.write(piece);
        }
        assert_eq!(session.answer_to(id)["result"]["isError"], false);

        let calls: Vec<(String, u64)> = (0..20).map(|_| session.call(&home.refused.0)).collect();
        let lines: Vec<&str> = calls.iter().map(|(text, _)| text.as_str()).collect();
        session.write(format!("{}\n", lines.join("\n")).as_bytes());
        let mut answered: Vec<u64> = (0..20)
            .map(|_| {
                let answer = session.receive();
                assert!(answer.to_string().contains(home.refused.1), "{answer}");
                answer["id"].as_u64().expect("an id")
            })
            .collect();
        answered.sort_unstable();
        assert!(answered.into_iter().eq(calls.into_iter().map(|(_, id)| id)));
    });
}

#[test]
fn a_huge_line_is_refused_by_its_id_and_skipped() {
    in_every_session(|home, session| {
        let (text, id) = session.call(&home.read);
        let padded = format!(r#""params":{{"padding":"{}","#, "x".repeat(HUGE));
        let text = text.replacen(r#""params":{"#, &padded, 1);
        session.write(format!("{text}\n").as_bytes());
        let answer = session.answer_to(id);
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        session.serves(home);
    });
}

#[test]
fn an_unfinished_line_at_the_end_is_no_call() {
    for home in homes::all() {
        for revision in REVISIONS {
            let mut session = Session::open(&home, revision);
            let (text, id) = session.call(&(home.write)(0));
            session.write(&text.as_bytes()[..text.len() - 2]);
            for message in session.close() {
                assert!(message.get("result").is_none(), "{} answered {message}", home.name());
                assert_eq!(message["id"], id, "{}: {message}", home.name());
            }
        }
    }
}

#[test]
fn methods_that_a_revision_does_not_have_are_not_found() {
    in_every_session(|home, session| {
        for method in ["no/such/method", "tools/lists", "Tools/List"] {
            let answer = session.exchange(method, json!({}));
            assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        }
        let modern = session.revision == MODERN;
        for (method, params) in [
            ("ping", json!({})),
            ("resources/subscribe", json!({"uri": "none://such"})),
            ("resources/unsubscribe", json!({"uri": "none://such"})),
        ] {
            let answer = session.exchange(method, params);
            let missing = answer["error"]["code"] == -32601;
            assert_eq!(missing, modern, "{method}: {answer}");
        }
        session.serves(home);
    });
}

#[test]
fn nobody_answers_notifications() {
    in_every_session(|home, session| {
        for (method, params) in [
            ("notifications/unheard_of", json!({})),
            ("notifications/cancelled", json!({"requestId": 4711, "reason": "none"})),
            ("notifications/progress", json!({"progressToken": "t", "progress": 1})),
            ("tools/list", json!({})),
            ("no/such/method", json!({})),
        ] {
            session.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        }
        session.line(&json!({"jsonrpc": "2.0", "id": 4711, "result": {}}));
        session.serves(home);
    });
}

#[test]
fn a_cancelled_call_ends_without_an_answer() {
    in_every_session(|home, session| {
        let Some(slow) = &home.slow else { return };
        for _ in 0..3 {
            let (text, id) = session.call(slow);
            session.write(format!("{text}\n").as_bytes());
            session.serves(home);
            session.line(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": id, "reason": "enough"}}));
            session.serves(home);
        }
    });
}
