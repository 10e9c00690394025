//! A generated module with everything in it, compiled and called: decode, guards in order,
//! rehearsal, two stages, envelope, types.

#[path = "../../../codegen/tests/golden/kitchen_sink.rs"]
#[rustfmt::skip]
#[allow(dead_code)]
mod sink;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use sink::*;
use tokio_util::sync::CancellationToken;
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::ResourceSource;
use toolwright_runtime::guard::Confirmations;
use toolwright_runtime::{
    Call, Client, Dispatch as _, ErrorKind as _, Guard, Handle, HandleGuarded, Outcome, Roles,
    Services, Stage, Staged, Subject,
};

/// Handlers that write down what was called.
struct Handlers {
    trace: Mutex<Vec<String>>,
    confirmations: Arc<Confirmations>,
    version: AtomicUsize,
}

impl Handlers {
    fn note(&self, text: impl Into<String>) {
        self.trace.lock().unwrap().push(text.into());
    }

    fn hash(&self, target: &str) -> String {
        format!("{target} {}", self.version.load(Ordering::Relaxed))
    }
}

impl Handle<Plan> for Handlers {
    async fn handle(&self, call: &Call, request: PlanRequest) -> Result<PlanResponse> {
        let minted = self.confirmations.mint(call, "plan", self.hash(&request.target));
        Ok(PlanResponse { steps: vec![format!("apply {}", request.target)], token: minted.token })
    }
}

impl Stage<Apply> for Handlers {
    type Plan = usize;

    async fn stage(&self, _: &Call, request: &ApplyRequest) -> Result<Staged<usize>> {
        self.note("stage");
        let plan = request.target.len();
        Ok(Staged::new(self.hash(&request.target), plan))
    }
}

impl Guard<PolicyGuard> for Handlers {
    type Pass = ();

    async fn check(&self, _: &Call, params: PolicyGuard) -> Result<()> {
        self.note(format!("policy {} {} {:?}", params.action, params.level, params.where_));
        match params.where_.as_deref() {
            Some("secret") => Err(Error::PolicyDenied.because("not there")),
            _ => Ok(()),
        }
    }
}

impl Guard<CredentialsGuard> for Handlers {
    type Pass = Caller;

    async fn check(&self, call: &Call, CredentialsGuard {}: CredentialsGuard) -> Result<Caller> {
        match call.client().name.as_deref() {
            Some("stranger") => Err(Error::Stranger.because("nobody knows you")),
            Some("broken") => panic!("no table of callers"),
            Some("slow") => std::future::pending().await,
            name => Ok(Caller(name.unwrap_or("somebody").to_owned())),
        }
    }
}

/// Who calls, as admission hands it on.
struct Caller(String);

impl Guard<QuotaGuard> for Handlers {
    type Pass = ();

    async fn check(&self, call: &Call, params: QuotaGuard) -> Result<()> {
        match call.client().name.as_deref() {
            Some("busy") => Err(Error::OverQuota.because(format!("{} is too much", params.cost))),
            _ => Ok(()),
        }
    }
}

/// What `two_stage` and `policy` give.
impl HandleGuarded<Apply, (Option<usize>, ())> for Handlers {
    async fn handle(
        &self,
        _: &Call,
        request: ApplyRequest,
        (plan, ()): (Option<usize>, ()),
    ) -> Result<ApplyResponse> {
        self.note(format!("apply {plan:?}"));
        Ok(entity(&request.target))
    }
}

impl Handle<Forget> for Handlers {
    async fn handle(&self, call: &Call, request: ForgetRequest) -> Result<ForgetResponse> {
        self.note(format!("forget rehearsal={}", call.is_rehearsal()));
        match request.name.as_str() {
            "nobody" => Err(Error::NotFound.because("no such name")),
            _ => Ok(ForgetResponse { forgotten: 1 }),
        }
    }
}

/// What `credentials` and `quota` give.
impl HandleGuarded<Wipe, (Caller, ())> for Handlers {
    async fn handle(
        &self,
        _: &Call,
        _: WipeRequest,
        (caller, ()): (Caller, ()),
    ) -> Result<WipeResponse> {
        self.note(format!("wipe for {}", caller.0));
        Ok([("things".to_owned(), 2)].into())
    }
}

impl Roles<Error> for Handlers {
    async fn roles_of(&self, _: &Call, subject: &Subject) -> Result<Option<Vec<String>>> {
        self.note(format!("role of {} in {:?}", subject.user, subject.project));
        Ok(match subject.user.as_str() {
            "nobody" => None,
            "guest" => Some(vec!["GUEST".to_owned()]),
            _ => Some(vec!["GUEST".to_owned(), Role::Reader.as_str().to_owned()]),
        })
    }
}

impl Handle<EntityGet> for Handlers {
    async fn handle(&self, _: &Call, request: EntityGetRequest) -> Result<EntityGetResponse> {
        match request.target {
            Target::All => Ok(entity("all")),
            Target::ByName { name, .. } => {
                Err(Error::NotFound.because(format!("`{name}` is gone")).with("name", name))
            }
            Target::Near { at, how } => Ok(Entity { parent: Some(at), ..entity(how.as_str()) }),
        }
    }
}

impl HandleGuarded<Everything, (Caller, ())> for Handlers {
    async fn handle(
        &self,
        _: &Call,
        request: EverythingRequest,
        _: (Caller, ()),
    ) -> Result<EverythingResponse> {
        let echo = match serde_json::to_value(&request) {
            Ok(Value::Object(members)) => members,
            other => panic!("{other:?}"),
        };
        let points = request.inner.map(|inner| inner.points).unwrap_or_default();
        Ok(EverythingResponse { ok: true, next: None, note: None, echo, points, anything: None })
    }
}

fn entity(name: &str) -> Entity {
    Entity { name: name.to_owned(), state: State::Done, parent: None, note: None, tags: vec![] }
}

fn surface() -> Surface<Handlers> {
    let confirmations = sink::confirmations();
    let handlers = Handlers {
        trace: Mutex::default(),
        confirmations: confirmations.clone(),
        version: AtomicUsize::new(1),
    };
    Surface::with_confirmations(handlers, confirmations)
}

async fn outcome(surface: &Surface<Handlers>, tool: &str, arguments: &Value) -> Outcome {
    outcome_for(None, surface, tool, arguments, CancellationToken::new()).await
}

async fn outcome_for(
    client: Option<&str>,
    surface: &Surface<Handlers>,
    tool: &str,
    arguments: &Value,
    cancel: CancellationToken,
) -> Outcome {
    let (index, info) = SURFACE.tool(tool).unwrap();
    let services = Services {
        clock: Arc::new(FixedClock::at(1_700_000_000_000)),
        ids: Arc::new(CountingIds::default()),
        version: "1.2.3",
    };
    let client = Client { name: client.map(str::to_owned), ..Client::default() };
    let call =
        Call::new(info, "call-7", services).from_client(Arc::new(client)).cancelled_by(cancel);
    let arguments = RawValue::from_string(arguments.to_string()).unwrap();
    surface.dispatch(index, &call, &arguments).await
}

async fn call(surface: &Surface<Handlers>, tool: &str, arguments: Value) -> Value {
    match outcome(surface, tool, &arguments).await {
        Outcome::Answer(answer) => {
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(body["ok"], json!(!answer.is_error), "{body}");
            assert_fits(tool, &body);
            body
        }
        other => panic!("{other:?}"),
    }
}

/// Arguments of `ks.entity.get`.
fn get(user: &str, target: Value) -> Value {
    json!({"tenantId": "t", "userId": user, "projectId": "p", "target": target})
}

/// Every answer fits the served output schema.
fn assert_fits(tool: &str, body: &Value) {
    let schema: Value = serde_json::from_str(SURFACE.tool(tool).unwrap().1.output).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(body).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{tool}: {faults:?}\n{body}");
}

fn traced(surface: &Surface<Handlers>) -> Vec<String> {
    std::mem::take(&mut *surface.handlers().trace.lock().unwrap())
}

#[tokio::test]
async fn guards_run_in_the_order_of_the_spec_and_before_the_handler() {
    let surface = surface();
    for (arguments, code, trace) in [
        (json!({}), "KS-010", vec![]),
        (json!({"yes": false, "token": "x"}), "KS-010", vec![]),
        (json!({"yes": true}), "KS-011", vec![]),
        (json!({"yes": true, "token": "x"}), "KS-013", vec![]),
        (
            json!({"dry_run": true, "target": "secret"}),
            "KS-020",
            vec!["policy apply 3 Some(\"secret\")"],
        ),
    ] {
        let body = call(&surface, "ks.apply", arguments.clone()).await;
        assert_eq!(body["error"]["code"], code, "{arguments} → {body}");
        assert_eq!(traced(&surface), trace, "{arguments}");
    }
}

#[tokio::test]
async fn a_token_is_valid_once_for_the_reviewed_plan() {
    let surface = surface();
    let plan = call(&surface, "ks.plan", json!({})).await;
    let arguments = json!({"yes": true, "token": plan["data"]["token"]});

    surface.handlers().version.store(2, Ordering::Relaxed);
    let changed = call(&surface, "ks.apply", arguments.clone()).await;
    assert_eq!(changed["error"]["code"], "KS-013");
    assert_eq!(traced(&surface), ["stage"]);

    surface.handlers().version.store(1, Ordering::Relaxed);
    let applied = call(&surface, "ks.apply", arguments.clone()).await;
    assert_eq!(applied["data"], json!({"name": "everything", "parent": null, "state": "done"}));
    assert_eq!(
        traced(&surface),
        ["stage", "policy apply 3 Some(\"everything\")", "apply Some(10)"],
        "the default of `target` reaches stage, guard and handler"
    );

    let again = call(&surface, "ks.apply", arguments).await;
    assert_eq!(again["error"]["code"], "KS-013", "a used token is unknown");
    assert_eq!(traced(&surface), Vec::<String>::new());
}

#[tokio::test]
async fn an_unconfirmed_call_is_rehearsed() {
    let surface = surface();
    let body = call(&surface, "ks.forget", json!({"name": "a"})).await;
    assert_eq!(body["error"]["code"], "KS-010");
    assert_eq!(body["details"]["would"], json!({"forgotten": 1}));
    assert_eq!(body["error"]["would"], json!({"forgotten": 1}), "`$spread` puts details in");
    assert_eq!(traced(&surface), ["forget rehearsal=true"]);

    let failing = call(&surface, "ks.forget", json!({"name": "nobody"})).await;
    assert_eq!(failing["error"]["code"], "not_found");

    let body = call(&surface, "ks.forget", json!({"name": "a", "confirm": true})).await;
    assert_eq!(body["data"], json!({"forgotten": 1}));
    assert_eq!(traced(&surface).last().unwrap(), "forget rehearsal=false");
}

#[tokio::test]
async fn roles_and_questions_fail_closed() {
    let surface = surface();
    let asking = |user: &str| get(user, json!({"kind": "all"}));
    let body = call(&surface, "ks.entity.get", asking("reader")).await;
    assert_eq!(body["data"]["name"], "all");
    assert_eq!(traced(&surface), ["role of reader in Some(\"p\")"]);
    for (user, code) in [("nobody", "KS-030"), ("guest", "KS-031")] {
        let body = call(&surface, "ks.entity.get", asking(user)).await;
        assert_eq!(body["error"]["code"], code, "{user}");
    }

    let body = call(&surface, "ks.wipe", json!({"what": "all"})).await;
    assert_eq!(body["error"]["code"], "KS-021");
    let body = call(&surface, "ks.wipe", json!({"what": "all", "agreed": true})).await;
    assert_eq!(body["data"], json!({"things": 2}));
}

#[tokio::test]
async fn admission_runs_before_the_arguments_are_read() {
    let surface = surface();
    let never = CancellationToken::new;
    let wrong = json!({"unknown": 1});
    for (client, code) in [("stranger", "KS-040"), ("broken", "KS-002"), ("known", "KS-001")] {
        for tool in ["ks.wipe", "ks.everything"] {
            let ended = outcome_for(Some(client), &surface, tool, &wrong, never()).await;
            let Outcome::Answer(answer) = ended else { panic!("{ended:?}") };
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(body["error"]["code"], code, "{client} {tool}: {body}");
            let told = body["details"]["problems"].is_array();
            assert_eq!(told, client == "known", "only the known are told: {body}");
            assert_fits(tool, &body);
        }
    }
    match outcome_for(Some("busy"), &surface, "ks.everything", &wrong, never()).await {
        Outcome::Protocol(error) => {
            assert_eq!((error.code, error.kind), (-31002, "over_quota"));
            assert_eq!(error.message, "1 is too much", "a fixed parameter is bound");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(traced(&surface), Vec::<String>::new());
}

#[tokio::test]
async fn admission_can_be_cancelled_and_passes_the_caller_to_the_handler() {
    let surface = surface();
    let agreed = json!({"what": "all", "agreed": true});
    let gone = CancellationToken::new();
    gone.cancel();
    let Outcome::Answer(answer) =
        outcome_for(Some("slow"), &surface, "ks.wipe", &agreed, gone).await
    else {
        panic!("no answer")
    };
    assert!(answer.body.contains("cancelled"), "{}", answer.body);
    assert_eq!(traced(&surface), Vec::<String>::new());

    let never = CancellationToken::new();
    outcome_for(Some("alice"), &surface, "ks.wipe", &agreed, never).await;
    assert_eq!(traced(&surface), ["wipe for alice"]);
}

#[tokio::test]
async fn unions_and_nullable_members_keep_their_shape() {
    let surface = surface();
    let near = get("reader", json!({"kind": "near", "at": {"x": 1}}));
    let body = call(&surface, "ks_entity_get", near).await;
    assert_eq!(
        body["data"],
        json!({"name": "fuzzy", "parent": {"x": 1.0, "y": 2.5}, "state": "done"}),
        "defaults inside a union hold, absent members stay absent"
    );
    let gone = get("reader", json!({"kind": "by_name", "name": "gone"}));
    let body = call(&surface, "ks.entity.get", gone).await;
    assert_eq!(body["error"]["name"], "gone");
}

#[tokio::test]
async fn every_problem_is_listed_with_its_pointer() {
    let surface = surface();
    let body = call(
        &surface,
        "ks.everything",
        json!({
            "id": 200, "mode": "quick", "tags": [], "unknown": 1, "fixed": "never",
            "digest": "xyz", "inner": {"rows": [{"cells": ["a"]}]}
        }),
    )
    .await;
    assert_eq!(body["error"]["code"], "KS-001");
    let problems = body["details"]["problems"].as_array().unwrap();
    let mut pointers: Vec<&str> =
        problems.iter().map(|problem| problem["pointer"].as_str().unwrap()).collect();
    pointers.sort_unstable();
    assert_eq!(
        pointers,
        ["/digest", "/fixed", "/id", "/inner/rows/0/cells/0", "/mode", "/tags", "/unknown"]
    );
    assert_eq!(body["details"]["minimal_call"], json!({"id": 1, "mode": "fast"}));

    let both = json!({"id": 1, "mode": "fast", "digest": "0123abcd", "digests": []});
    let body = call(&surface, "ks.everything", both).await;
    assert_eq!(body["details"]["problems"][0]["rule"], "at_most_one_of", "{body}");
}

#[tokio::test]
async fn defaults_and_aliases_reach_the_handler() {
    let surface = surface();
    let body =
        call(&surface, "ks.everything", json!({"ident": 7, "mode": "slow-and-steady"})).await;
    assert_eq!(
        body["data"],
        json!({
            "ok": true,
            "next": null,
            "echo": {
                "id": 7, "shift": -5, "limit": 10, "ratio": 0.5, "on": true, "off": false,
                "name": "nobody", "mode": "slow-and-steady", "style": "plain", "some": ["one"],
                "state": "fresh"
            }
        })
    );
    let warnings = body["warnings"].to_string();
    assert!(warnings.contains("ident"), "{warnings}");
}

#[tokio::test]
async fn the_envelope_has_all_placeholders() {
    let surface = surface();
    let body = call(&surface, "ks.apply", json!({"dry_run": true})).await;
    assert_eq!(
        body["meta"],
        json!({
            "elapsed_ms": 0,
            "now_ms": 1_700_000_000_000_u64,
            "now": body["meta"]["now"],
            "version": "1.2.3",
            "contract": "v2",
            "tool": "apply",
            "command": "deploy.apply",
            "command_id": "deploy apply",
            "command_path": ["deploy", "apply"],
            "request_id": "call-7",
        })
    );
    assert!(body["meta"]["now"].as_str().unwrap().starts_with("2023-11-14T22:13:20"));
}

#[tokio::test]
async fn an_unknown_tool_index_has_the_code_of_the_contract() {
    let surface = surface();
    let services = Services {
        clock: Arc::new(FixedClock::at(0)),
        ids: Arc::new(CountingIds::default()),
        version: "1",
    };
    let call = Call::new(SURFACE.tools[0], "1", services);
    let arguments = RawValue::from_string("{}".to_owned()).unwrap();
    match surface.dispatch(99, &call, &arguments).await {
        Outcome::Protocol(error) => assert_eq!((error.code, error.kind), (-31001, "no_tool")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_tables_match_the_spec() {
    let names: Vec<&str> = SURFACE.tools.iter().map(|tool| tool.canonical).collect();
    assert_eq!(
        names,
        ["ks.apply", "ks.entity.get", "ks.everything", "ks.forget", "ks.plan", "ks.wipe"]
    );
    for tool in SURFACE.tools {
        for text in [tool.input, tool.accepted, tool.data, tool.output, tool.minimal_call] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(value.to_string(), text, "{}: compact and sorted", tool.name);
        }
    }
    let plan = SURFACE.tools.iter().position(|tool| tool.name == "plan").unwrap();
    assert_eq!(SURFACE.resources[0].source, ResourceSource::Tool(plan));
    let text = include_str!(
        "../../../../tests/specs/valid/kitchen_sink/kitchen_sink/components/plan.html"
    );
    let page = ResourceSource::File { mime_type: "text/html+skybridge", text };
    assert_eq!(SURFACE.resources[1].source, page, "embedded as it is");
    let meta: Value = serde_json::from_str(SURFACE.tools[plan].meta).unwrap();
    assert_eq!(meta["openai/outputTemplate"], SURFACE.resources[1].uri);
    assert_eq!(SURFACE.roles[1].name, Role::Writer.as_str());
    assert_eq!(Role::from_name("READER"), Some(Role::Reader));
    assert_eq!(Role::from_name("reader"), None);
    assert_eq!(Error::ALL.len(), SURFACE.errors.len());
    for (kind, info) in Error::ALL.iter().zip(SURFACE.errors) {
        assert_eq!(kind.info(), *info);
    }
    let guards: Vec<&str> = SURFACE.tools[0].guards.iter().map(|guard| guard.name).collect();
    assert_eq!(guards, ["confirm", "two_stage", "policy"]);
}

#[test]
fn enums_of_strings_are_strings() {
    assert_eq!(State::HalfDone.to_string(), "half-done");
    assert_eq!("half-done".parse(), Ok(State::HalfDone));
    assert_eq!(State::ALL.len(), 3);
    let unknown = "gone".parse::<State>().unwrap_err();
    assert!(unknown.contains("gone") && unknown.contains("half-done"), "{unknown}");
    assert_eq!(SettingsBackend::WezTerm.as_str(), "wez-term");
}

#[test]
fn settings_are_typed_and_secrets_are_masked() {
    let settings: Settings = serde_json::from_value(json!({
        "backend": "tmux", "llm_token": "hush", "root": "/r", "limit": 3, "strict": true,
        "modes": ["red"], "words": []
    }))
    .unwrap();
    assert_eq!(settings.backend, SettingsBackend::Tmux);
    assert_eq!(settings.modes, ["red"]);
    assert_eq!((settings.llm_model.as_deref(), settings.log.as_deref()), (None, None));
    let shown = format!("{settings:?}");
    assert!(shown.contains("/r") && !shown.contains("hush"), "{shown}");
}

#[test]
fn keys_are_sorted_on_the_wire_whatever_the_order_of_the_spec() {
    let sorted = r#"{"digest":"abc","kind":"by_name","name":"x"}"#;
    let by_name: ByName = serde_json::from_str(sorted).unwrap();
    assert_eq!(serde_json::to_string(&by_name).unwrap(), sorted);
    let without = ByName { digest: None, ..by_name };
    assert_eq!(serde_json::to_string(&without).unwrap(), r#"{"kind":"by_name","name":"x"}"#);
}
