//! Who calls: arguments are compared with what settings and tokens say, and never decide it.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright_runtime::contract::{IdentityInfo, SettingInfo, SettingKind, SurfaceInfo};
use toolwright_runtime::dispatch::{OutcomeFuture, Rejected};
use toolwright_runtime::guard::{self, Role};
use toolwright_runtime::pipeline::DecodedCall;
use toolwright_runtime::{Call, Dispatch, Identity, Outcome, acting_for};

use crate::fixture::{
    DEMO, DemoHandlers, FORBIDDEN, NOTE, Note, UNKNOWN, block_on, body, call, kind, raw,
};

const fn setting(key: &'static str, env: Option<&'static str>) -> SettingInfo {
    SettingInfo {
        key,
        field: key,
        kind: SettingKind::String,
        choices: &[],
        range: None,
        default: None,
        env,
        flag: Some("--acting-for"),
        aliases: &[],
        secret: false,
        doc: "",
    }
}

static BOUND: SurfaceInfo = SurfaceInfo {
    identity: Some(IdentityInfo { users: "users", tenant: Some("team"), tokens: Some("tokens") }),
    settings: &[setting("team", None), setting("users", Some("DEMO_USERS"))],
    ..DEMO
};

/// A surface with one tool behind the guard.
struct OneGuard {
    handlers: Arc<DemoHandlers>,
    guard: Role,
}

impl Dispatch for OneGuard {
    fn info(&self) -> &'static SurfaceInfo {
        &BOUND
    }

    fn dispatch<'a>(
        &'a self,
        _: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(async move {
            let mut run = DecodedCall::<Note>::decode(&BOUND, call, arguments).ok().unwrap();
            match guard::role(&mut run, &*self.handlers, &self.guard).await {
                Err(refusal) => run.refused(refusal),
                Ok(()) => run.handle(&*self.handlers, ()).await,
            }
        })
    }
}

fn guarded(arguments: bool, identity: Option<Identity>) -> (Arc<dyn Dispatch>, Arc<DemoHandlers>) {
    let handlers = Arc::new(DemoHandlers {
        roles: Box::new(|_, subject| {
            assert_eq!(subject.tenant.as_deref(), Some("t"));
            Ok(Some(vec![subject.user.to_uppercase()]))
        }),
        ..DemoHandlers::default()
    });
    let (tenant, user) = if arguments { (Some("tenant"), Some("user")) } else { (None, None) };
    let guard = Role { tenant, user, project: None, unknown: &UNKNOWN, forbidden: &FORBIDDEN };
    let surface: Arc<dyn Dispatch> = Arc::new(OneGuard { handlers: handlers.clone(), guard });
    let surface = match identity {
        Some(identity) => acting_for(surface, identity),
        None => surface,
    };
    (surface, handlers)
}

fn identity(tenant: Option<&str>, users: &[&str]) -> Identity {
    Identity {
        tenant: tenant.map(str::to_owned),
        users: users.iter().map(|user| (*user).to_owned()).collect(),
        tokens: [("s3cret".to_owned(), "writer".to_owned())].into(),
    }
}

fn note(surface: &dyn Dispatch, extra: &Value) -> Outcome {
    let mut arguments = json!({"ns": "demo", "section_path": "a"});
    for (name, value) in extra.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    block_on(surface.dispatch(0, &call(&NOTE), &raw(&arguments)))
}

#[test]
fn arguments_are_compared_with_the_caller() {
    let (surface, handlers) = guarded(true, Some(identity(Some("t"), &["owner", "reader"])));
    for (tenant, user, expected) in [
        ("t", "owner", None),
        ("t", "reader", Some("forbidden")),
        ("t", "writer", Some("unknown_user")),
        ("u", "owner", Some("unknown_user")),
    ] {
        let outcome = note(&*surface, &json!({"tenant": tenant, "user": user}));
        assert_eq!(kind(&outcome), expected, "{tenant} {user}");
    }
    assert_eq!(handlers.call_count(), 1);
}

#[test]
fn without_arguments_the_caller_is_the_user() {
    for (user, expected) in [("owner", None), ("reader", Some("forbidden"))] {
        let (surface, _) = guarded(false, Some(identity(Some("t"), &[user])));
        assert_eq!(kind(&note(&*surface, &json!({}))), expected, "{user}");
        // What the model claims besides does not matter.
        let claimed = json!({"tenant": "t", "user": "owner"});
        assert_eq!(kind(&note(&*surface, &claimed)), expected, "{user}");
    }
}

#[test]
fn a_server_for_nobody_names_the_setting_that_is_missing() {
    for (bound, setting, how) in [
        (None, "users", " (`DEMO_USERS` or `--acting-for`)"),
        (Some(identity(Some("t"), &[])), "users", " (`DEMO_USERS` or `--acting-for`)"),
        (Some(identity(None, &["owner"])), "team", " (`--acting-for`)"),
    ] {
        for arguments in [true, false] {
            let (surface, handlers) = guarded(arguments, bound.clone());
            let refused = note(&*surface, &json!({"tenant": "t", "user": "owner"}));
            assert_eq!(kind(&refused), Some("unknown_user"));
            let refused = body(&refused);
            assert_eq!(refused["setting"], setting, "{refused}");
            let hint = format!("tell whoever runs the server to set `{setting}`{how}");
            assert_eq!(refused["hint"], hint);
            assert!(refused["message"].as_str().unwrap().ends_with(&format!("is set{how}")));
            assert_eq!(handlers.call_count(), 0);
        }
    }
}

#[test]
fn a_token_acts_for_its_user_and_for_nobody_else() {
    let (surface, _) = guarded(true, Some(identity(Some("t"), &["owner"])));
    let authenticator = surface.authenticator().unwrap();
    for (token, why) in [(None, "requires a bearer token"), (Some("s3cre"), "not one of `tokens`")]
    {
        let Err(Rejected::Refused(message)) = block_on(authenticator.authenticate(token)) else {
            panic!("{token:?} is let in");
        };
        assert!(message.contains(why), "{message}");
    }
    let writer = block_on(authenticator.authenticate(Some("s3cret"))).unwrap();
    let claim = |user: &str| json!({"tenant": "t", "user": user});
    assert_eq!(kind(&note(&*writer, &claim("writer"))), None);
    // The settings are for those who come without a token.
    assert_eq!(kind(&note(&*writer, &claim("owner"))), Some("unknown_user"));
    assert_eq!(kind(&note(&*surface, &claim("writer"))), Some("unknown_user"));
}
