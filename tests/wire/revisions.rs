//! Every binary at every revision: what comes out is protocol and nothing else, whatever goes in.

use serde_json::json;

use crate::fixtures::{self, SurfaceFixture};
use crate::session::{REVISIONS, answer_to, call_text, open, still_serves};
use toolwright_testing::StdioSession;
use toolwright_testing::session::STATELESS;

/// Longer than the longest line that is read.
const HUGE: usize = 17 << 20;

/// Runs a check in a session of its own for each surface and revision; at the end of each the
/// server must have nothing left to say.
fn in_every_session(check: impl Fn(&SurfaceFixture, &mut StdioSession)) {
    for fixture in fixtures::all() {
        for revision in REVISIONS {
            eprintln!("{} at {revision}", fixture.name());
            let mut session = open(&fixture, revision);
            check(&fixture, &mut session);
            assert_eq!(session.close(), [] as [serde_json::Value; 0]);
        }
    }
}

/// The line that answers `tools/list`, and the list in it.
fn tools(session: &mut StdioSession) -> (String, String) {
    let (text, _) = session.request_text("tools/list", json!({}));
    session.send_line(&text);
    let line = session.receive_line();
    let (_, list) = line.split_once(r#""tools":"#).expect("a list");
    (line.clone(), list.to_owned())
}

#[test]
fn the_tool_list_is_the_same_bytes_for_everybody() {
    for fixture in fixtures::all() {
        let mut lists = Vec::new();
        for revision in REVISIONS {
            let lines: Vec<String> = (0..2)
                .map(|_| {
                    let mut session = open(&fixture, revision);
                    let (line, list) = tools(&mut session);
                    let (_, again) = tools(&mut session);
                    assert!(list == again, "{} at {revision}: asked twice", fixture.name());
                    assert!(session.close().is_empty());
                    lists.push(list);
                    line
                })
                .collect();
            assert!(lines[0] == lines[1], "{} at {revision}: two processes", fixture.name());
        }
        assert!(lists.iter().all(|list| *list == lists[0]), "{}: revisions differ", fixture.name());
        let count = lists[0].matches(r#""inputSchema":"#).count();
        assert_eq!(count, fixture.info.listed_tools().count(), "{}", fixture.name());
    }
}

#[test]
fn garbage_is_refused_with_the_right_code_and_the_next_call_is_served() {
    in_every_session(|fixture, session| {
        for (line, code) in [
            ("not json", -32700),
            ("{\"jsonrpc\":\"2.0\",", -32700),
            ("[]", -32600),
            ("null", -32600),
            ("{}", -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, -32600),
            (&"[".repeat(100_000), -32700),
        ] {
            session.send_line(line);
            let answer = session.receive();
            assert_eq!(answer["error"]["code"], code, "{line:.40}: {answer}");
            assert!(answer.get("id").is_none(), "{line:.40}: {answer}");
        }
        session.send_bytes(b"\n\r\n \t \n");
        still_serves(session, fixture);
    });
}

#[test]
fn a_line_may_come_in_many_pieces_and_many_lines_in_one() {
    in_every_session(|fixture, session| {
        let (text, id) = call_text(session, &fixture.read);
        for piece in format!("{text}\n").as_bytes().chunks(7) {
            session.send_bytes(piece);
        }
        assert_eq!(answer_to(session, id)["result"]["isError"], false);

        let calls: Vec<(String, u64)> =
            (0..20).map(|_| call_text(session, &fixture.refused.0)).collect();
        let lines: Vec<&str> = calls.iter().map(|(text, _)| text.as_str()).collect();
        session.send_bytes(format!("{}\n", lines.join("\n")).as_bytes());
        let mut answered: Vec<u64> = (0..20)
            .map(|_| {
                let answer = session.receive();
                assert!(answer.to_string().contains(fixture.refused.1), "{answer}");
                answer["id"].as_u64().expect("an id")
            })
            .collect();
        answered.sort_unstable();
        assert!(answered.into_iter().eq(calls.into_iter().map(|(_, id)| id)));
    });
}

#[test]
fn a_huge_line_is_refused_by_its_id_and_skipped() {
    in_every_session(|fixture, session| {
        let (text, id) = call_text(session, &fixture.read);
        let padded = format!(r#""params":{{"padding":"{}","#, "x".repeat(HUGE));
        let text = text.replacen(r#""params":{"#, &padded, 1);
        session.send_line(&text);
        let answer = answer_to(session, id);
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        still_serves(session, fixture);
    });
}

#[test]
fn an_unfinished_line_at_the_end_is_no_call() {
    for fixture in fixtures::all() {
        for revision in REVISIONS {
            let mut session = open(&fixture, revision);
            let (text, id) = call_text(&mut session, &(fixture.write)(0));
            session.send_bytes(&text.as_bytes()[..text.len() - 2]);
            for message in session.close() {
                assert!(message.get("result").is_none(), "{} answered {message}", fixture.name());
                assert_eq!(message["id"], id, "{}: {message}", fixture.name());
            }
        }
    }
}

#[test]
fn methods_that_a_revision_does_not_have_are_not_found() {
    in_every_session(|fixture, session| {
        for method in ["no/such/method", "tools/lists", "Tools/List"] {
            let answer = session.exchange(method, json!({}));
            assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        }
        let modern = session.revision() == STATELESS;
        for (method, params) in [
            ("ping", json!({})),
            ("resources/subscribe", json!({"uri": "none://such"})),
            ("resources/unsubscribe", json!({"uri": "none://such"})),
        ] {
            let answer = session.exchange(method, params);
            let missing = answer["error"]["code"] == -32601;
            assert_eq!(missing, modern, "{method}: {answer}");
        }
        still_serves(session, fixture);
    });
}

#[test]
fn nobody_answers_notifications() {
    in_every_session(|fixture, session| {
        for (method, params) in [
            ("notifications/unheard_of", json!({})),
            ("notifications/cancelled", json!({"requestId": 4711, "reason": "none"})),
            ("notifications/progress", json!({"progressToken": "t", "progress": 1})),
            ("tools/list", json!({})),
            ("no/such/method", json!({})),
        ] {
            session.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        }
        session.send(&json!({"jsonrpc": "2.0", "id": 4711, "result": {}}));
        still_serves(session, fixture);
    });
}

#[test]
fn a_cancelled_call_ends_without_an_answer() {
    in_every_session(|fixture, session| {
        let Some(slow) = &fixture.slow else { return };
        for _ in 0..3 {
            let (text, id) = call_text(session, slow);
            session.send_line(&text);
            still_serves(session, fixture);
            session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": id, "reason": "enough"}}));
            still_serves(session, fixture);
        }
    });
}
