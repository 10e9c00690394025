//! A handwritten surface: one tool for each outcome of a call.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_runtime::ask::{AskOutcome, Question, Reply};
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::{
    Budget, BuiltinErrors, Deprecation, Effects, Envelope, ErrorInfo, GuardUse, MemberInfo, Piece,
    ResourceInfo, ResourceSource, Strength, SurfaceInfo, ToolInfo, VariableInfo,
};
use toolwright_runtime::dispatch::{CallableFuture, ConsentFuture, OutcomeFuture, ProtocolError};
use toolwright_runtime::server::ServeOptions;
use toolwright_runtime::{
    Answer, Call, Caller, Dispatch, Outcome, Services, ToolChoice, ToolSelection,
};

const ANY: &str = r#"{"type":"object"}"#;

const fn tool(name: &'static str, canonical: &'static str, portable: &'static str) -> ToolInfo {
    ToolInfo {
        name,
        canonical,
        portable,
        title: "A tool",
        description: "Does something.",
        effects: Effects::Read,
        idempotent: true,
        open_world: false,
        immediate: false,
        listed: true,
        since: "v1",
        deprecated: None,
        command: &[],
        input: ANY,
        projections: &[],
        accepted: ANY,
        data: ANY,
        output: ANY,
        aliases: &[],
        constraints: &[],
        errors: &[],
        guards: &[],
        budget: Budget { definition_tokens: 600, result_tokens: 4000 },
        minimal_call: "{}",
        examples: &[],
        meta: "{}",
    }
}

static ASK: ToolInfo = ToolInfo {
    effects: Effects::Destructive,
    idempotent: false,
    // Declared as never waiting, but its guard does: it must still be able to ask.
    immediate: true,
    guards: &[GuardUse { name: "ask", strength: Strength::ClientAttested, params: "{}" }],
    ..tool("ask", "test.ask", "test_ask")
};
static ECHO: ToolInfo = ToolInfo { immediate: true, ..tool("echo", "test.echo", "test_echo") };
static EVENTS: ToolInfo = ToolInfo {
    meta: r#"{"openai/outputTemplate":"ui://test/page.html","example.com/deep":{"a":[1,null]}}"#,
    input: r#"{"type":"object","properties":{"limit":{"type":"integer"},"pane":{"type":"string"},"all":{"type":"boolean"}}}"#,
    ..tool("events", "test.events", "test_events")
};
static FAIL: ToolInfo = ToolInfo { immediate: true, ..tool("fail", "test.fail", "test_fail") };
static LAZY: ToolInfo = ToolInfo { immediate: true, ..tool("lazy", "test.lazy", "test_lazy") };
static OLD: ToolInfo = ToolInfo {
    effects: Effects::Write,
    open_world: true,
    deprecated: Some(Deprecation {
        since: "v1",
        replaced_by: Some("test.echo"),
        sunset: Some("2027-01-01"),
    }),
    meta: r#"{"example.com/colour":"red"}"#,
    ..tool("old", "test.old", "test_old")
};
static PANIC: ToolInfo = ToolInfo { immediate: true, ..tool("panic", "test.panic", "test_panic") };
static PROTOCOL: ToolInfo =
    ToolInfo { immediate: true, ..tool("protocol", "test.protocol", "test_protocol") };
static SLOW: ToolInfo = tool("slow", "test.slow", "test_slow");
static TEXT: ToolInfo = ToolInfo {
    input: r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#,
    ..tool("text", "test.text", "test_text")
};

const fn error(kind: &'static str) -> ErrorInfo {
    ErrorInfo {
        kind,
        code: kind,
        when: "",
        retryable: false,
        next: None,
        aliases: &[],
        jsonrpc: None,
        exit: 1,
        details: "{}",
    }
}
static INVALID: ErrorInfo = error("invalid_arguments");
static INTERNAL: ErrorInfo = error("internal");

const BASE: SurfaceInfo = SurfaceInfo {
    name: "test",
    title: "Test surface",
    contract: "v1",
    digest: "0123456789abcdef",
    instructions: "For tests.",
    prefix: "test.",
    tools: &[&ASK, &ECHO, &EVENTS, &FAIL, &LAZY, &OLD, &PANIC, &PROTOCOL, &SLOW, &TEXT],
    errors: &[&INTERNAL, &INVALID],
    builtin: BuiltinErrors { invalid_arguments: &INVALID, unknown_tool: None, internal: &INTERNAL },
    envelope: Envelope { success: &[], failure: &[] },
    guards: &[],
    settings: &[],
    server_settings: &[],
    config: None,
    resources: &[
        ResourceInfo {
            uri: "test://events",
            name: "events",
            title: "Events",
            description: "What happened.",
            source: ResourceSource::Tool(2),
            variables: &[],
            arguments: "{}",
            not_found: &[],
            content: None,
            subscribe: true,
        },
        ResourceInfo {
            uri: "test://text",
            name: "text",
            title: "Text",
            description: "A text by name.",
            source: ResourceSource::Tool(9),
            variables: &[],
            arguments: "{}",
            not_found: &[],
            content: None,
            subscribe: false,
        },
        ResourceInfo {
            uri: "ui://test/page.html",
            name: "page",
            title: "Page",
            description: "Shows events.",
            source: ResourceSource::File { mime_type: "text/html+skybridge", text: "<p>\n" },
            variables: &[],
            arguments: "{}",
            not_found: &[],
            content: None,
            subscribe: false,
        },
        ResourceInfo {
            uri: "test://panes/{paneId}/events",
            name: "pane_events",
            title: "Events of a pane",
            description: "What happened in a pane.",
            source: ResourceSource::Tool(2),
            variables: &[VariableInfo { name: "paneId", argument: "pane" }],
            arguments: r#"{"limit":1}"#,
            not_found: &[],
            content: None,
            subscribe: true,
        },
        ResourceInfo {
            uri: "test://missing/{what}",
            name: "missing",
            title: "Missing",
            description: "Never there.",
            source: ResourceSource::Tool(3),
            variables: &[VariableInfo { name: "what", argument: "what" }],
            arguments: "{}",
            not_found: &["nope"],
            content: None,
            subscribe: false,
        },
        ResourceInfo {
            uri: "test://names/{name}",
            name: "name",
            title: "Name",
            description: "A name alone.",
            source: ResourceSource::Tool(9),
            variables: &[VariableInfo { name: "name", argument: "name" }],
            arguments: "{}",
            not_found: &[],
            content: Some(MemberInfo {
                member: "got",
                mime_type: "application/json",
                base64: false,
            }),
            subscribe: false,
        },
        ResourceInfo {
            uri: "test://client",
            name: "client",
            title: "Client",
            description: "Bytes.",
            source: ResourceSource::Tool(1),
            variables: &[],
            arguments: "{}",
            not_found: &[],
            content: Some(MemberInfo {
                member: "client",
                mime_type: "application/octet-stream",
                base64: true,
            }),
            subscribe: false,
        },
        ResourceInfo {
            uri: "test://dot.png",
            name: "dot",
            title: "Dot",
            description: "A picture.",
            source: ResourceSource::Blob { mime_type: "image/png", base64: "iVBORw==" },
            variables: &[],
            arguments: "{}",
            not_found: &[],
            content: None,
            subscribe: false,
        },
    ],
    prompts: crate::prompts::PROMPTS,
    icons: &[],
    roles: &[],
    identity: None,
    toolsets: &[],
};

static INFO: SurfaceInfo = BASE;

/// Serves all tools but this one.
pub(crate) fn without(tool: &str) -> ServeOptions {
    ServeOptions { tools: excluding(tool).into(), ..ServeOptions::default() }
}

/// All tools but these, whose names are separated by commas.
pub(crate) fn excluding(tools: &str) -> ToolSelection {
    let choice = ToolChoice { exclude_tools: vec![tools.to_owned()], ..ToolChoice::default() };
    ToolSelection::new(&INFO, &choice).unwrap()
}

static UNKNOWN: ErrorInfo = error("unknown_tool");
/// The same with a code of its own for tools that are not there.
static STRICT: SurfaceInfo = SurfaceInfo {
    builtin: BuiltinErrors { unknown_tool: Some(&UNKNOWN), ..BASE.builtin },
    envelope: Envelope {
        success: &[],
        failure: &[Piece::Text("{\"code\":"), Piece::ErrorCode, Piece::Text("}")],
    },
    ..BASE
};

/// Counts what went on, for tests to see.
#[derive(Default)]
pub(crate) struct Surface {
    pub(crate) strict: bool,
    /// Whom it serves, where somebody verified that.
    pub(crate) caller: Option<String>,
    /// What its caller may call, where that is known.
    pub(crate) callable: Mutex<Option<Vec<usize>>>,
    pub(crate) cancelled: AtomicUsize,
    pub(crate) running: AtomicUsize,
    pub(crate) most: AtomicUsize,
    /// Where replicas remember which answers were used.
    pub(crate) shared_consents: Mutex<Option<Arc<Mutex<BTreeSet<String>>>>>,
}

pub(crate) fn test_services() -> Services {
    Services {
        clock: Arc::new(FixedClock::at(1_000)),
        ids: Arc::new(CountingIds::default()),
        version: "1.2.3",
    }
}

fn answer(call: &Call, body: &Value, kind: Option<&'static str>) -> Outcome {
    Outcome::Answer(Answer {
        body: body.to_string(),
        is_error: kind.is_some(),
        kind,
        exit: 0,
        meta: call.take_meta(),
    })
}

impl Surface {
    async fn run(&self, tool: usize, call: &Call, arguments: &RawValue) -> Outcome {
        let given: Value = serde_json::from_str(arguments.get()).unwrap();
        match INFO.tools[tool].name {
            "ask" => return self.ask(call, arguments).await,
            "echo" => {
                if let Some(meta) = given.get("meta") {
                    call.attach("x/echo", meta.clone());
                }
                let client = call.client().name.clone();
                let protocol = call.client().protocol.clone();
                let extra = Value::Object(call.request_meta().clone());
                let mut body = json!({"got": given, "id": call.id(), "client": client,
                    "protocol": protocol, "extra": extra, "text": "a\"\n\u{1f600}é"});
                if given.get("sender").is_some() {
                    body["address"] = json!(call.client().address);
                    body["token_id"] = json!(call.client().token_id);
                }
                if let Some(caller) = &self.caller {
                    body["caller"] = caller.as_str().into();
                }
                answer(call, &body, None)
            }
            "fail" => answer(call, &json!({"code": "nope"}), Some("nope")),
            "lazy" => {
                tokio::time::sleep(Duration::from_millis(10)).await;
                if given.get("forever").is_some() {
                    call.cancelled().await;
                    self.cancelled.fetch_add(1, Ordering::SeqCst);
                }
                answer(call, &json!({"late": true}), None)
            }
            "panic" => panic!("on purpose"),
            "protocol" => Outcome::Protocol(ProtocolError {
                code: -31_999,
                message: "as declared".to_owned(),
                data: Some(json!({"why": "declared"})),
                kind: "declared",
                exit: 1,
            }),
            "slow" => self.slow(call, &given).await,
            "events" | "text" if given.get("limit").is_some_and(Value::is_string) => {
                answer(call, &json!({"code": "invalid_arguments"}), Some("invalid_arguments"))
            }
            _ => answer(call, &json!({"got": given}), None),
        }
    }

    async fn ask(&self, call: &Call, arguments: &RawValue) -> Outcome {
        let asked = match call.asker() {
            Some(asker) => asker.ask(&Question::new("Really?"), arguments.get()).await,
            None => AskOutcome::Impossible,
        };
        match asked {
            AskOutcome::Answered(Reply::Yes) => answer(call, &json!({"done": true}), None),
            AskOutcome::Answered(Reply::Late) => {
                answer(call, &json!({"code": "late"}), Some("late"))
            }
            AskOutcome::Answered(Reply::No) => {
                answer(call, &json!({"code": "declined"}), Some("declined"))
            }
            AskOutcome::Repeat(request) => Outcome::NeedsInput(request),
            AskOutcome::Impossible => {
                let code = if call.must_ask() { "must_ask" } else { "cannot_ask" };
                answer(call, &json!({"code": code}), Some("cannot_ask"))
            }
        }
    }

    async fn slow(&self, call: &Call, given: &Value) -> Outcome {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        for step in 0..given["steps"].as_u64().unwrap_or(0) {
            call.progress(step as f64, Some(10.0), Some("step"));
            tokio::task::yield_now().await;
        }
        if given.get("forever").is_some() {
            call.cancelled().await;
            self.cancelled.fetch_add(1, Ordering::SeqCst);
        }
        if let Some(ms) = given["ms"].as_u64() {
            tokio::time::sleep(Duration::from_millis(ms)).await;
        }
        if let Some(file) = given["until"].as_str() {
            while !std::path::Path::new(file).exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        if given.get("late").is_some() {
            call.progress(100.0, None, None);
        }
        self.running.fetch_sub(1, Ordering::SeqCst);
        answer(call, &json!({"got": given}), None)
    }
}

impl Dispatch for Surface {
    fn info(&self) -> &'static SurfaceInfo {
        if self.strict { &STRICT } else { &INFO }
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(self.run(tool, call, arguments))
    }

    fn callable<'a>(&'a self, _: Option<&'a Caller>) -> CallableFuture<'a> {
        Box::pin(async {
            let callable = self.callable.lock().unwrap().clone();
            if callable.is_some() {
                // As if it were looked up.
                tokio::task::yield_now().await;
            }
            callable
        })
    }

    fn spend_consent<'a>(&'a self, consent: &'a str, _expires: u64) -> ConsentFuture<'a> {
        let shared = self.shared_consents.lock().unwrap().clone();
        let spent = shared.is_none_or(|used| used.lock().unwrap().insert(consent.to_owned()));
        Box::pin(std::future::ready(Ok(spent)))
    }
}

/// `_meta` of a request of revision 2026-07-28.
pub(crate) fn modern_meta() -> Map<String, Value> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "9"},
    });
    meta.as_object().unwrap().clone()
}
