//! One log line per call with tenant and user, and runtime refusals in the configured language.
//!
//! The runtime speaks English and knows no settings, so its own refusals are localized here by code.
//! Every call gets its own handlers, which afterwards know who called.

use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright_runtime::contract::{Effects, SurfaceInfo};
use toolwright_runtime::dispatch::{CallableFuture, OutcomeFuture};
use toolwright_runtime::{Answer, Call, Caller, Dispatch, Outcome};

use super::Worldforge;
use super::engine::Engine;
use super::messages::Language;
use crate::generated::{SURFACE, Surface};

/// The surface with a journal.
#[derive(Clone)]
pub(super) struct ActivityLog {
    pub(super) engine: Arc<Engine>,
    pub(super) read_only: bool,
}

impl ActivityLog {
    fn handlers(&self) -> Worldforge {
        Worldforge {
            engine: Arc::clone(&self.engine),
            read_only: self.read_only,
            subject: OnceLock::new(),
            user: OnceLock::new(),
        }
    }
}

impl Dispatch for ActivityLog {
    fn info(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn callable<'a>(&'a self, caller: Option<&'a Caller>) -> CallableFuture<'a> {
        Box::pin(async move {
            let mut tools = Surface::new(self.handlers()).callable(caller).await?;
            tools.retain(|tool| !self.read_only || SURFACE.tools[*tool].effects == Effects::Read);
            Some(tools)
        })
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(async move {
            let started = call.clock().ticks();
            let surface = Surface::new(self.handlers());
            let outcome = surface.dispatch(tool, call, arguments).await;
            let elapsed = call.clock().ticks().saturating_sub(started) / 1_000_000;
            let subject = surface.handlers().subject.get();
            let tenant = subject.and_then(|subject| subject.tenant.as_deref()).unwrap_or_default();
            let user = subject.map_or("", |subject| &subject.user);
            let status = match &outcome {
                Outcome::Answer(answer) => answer.kind.unwrap_or("ok"),
                Outcome::Protocol(error) => error.kind,
                Outcome::NeedsInput(_) => "input_required",
            };
            tracing::info!(
                event = "worldforge.call",
                traceId = call.id(),
                tenantId = tenant,
                userId = user,
                action = call.tool().name,
                durationMs = elapsed,
                status,
            );
            match outcome {
                Outcome::Answer(answer) if answer.is_error => {
                    let language = self.engine.language();
                    Outcome::Answer(Answer { body: localized(&answer.body, language), ..answer })
                }
                outcome => outcome,
            }
        })
    }
}

/// What the runtime refused, in the reader's words; what handlers refuse is so already.
fn localized(body: &str, language: Language) -> String {
    let Ok(mut failure) = serde_json::from_str::<Value>(body) else { return body.to_owned() };
    let details = &failure["details"];
    let message = match failure["code"].as_str() {
        Some("UNAUTHORIZED") if details.get("setting").is_some() => {
            if language == Language::English {
                return body.to_owned();
            }
            let ways = details["set_by"].as_array().into_iter().flatten();
            let ways: Vec<&str> = ways.filter_map(Value::as_str).collect();
            format!(
                "Este servidor não age por ninguém enquanto a configuração `{}` não for definida (`{}`).",
                details["setting"].as_str().unwrap_or_default(),
                ways.join("` ou `")
            )
        }
        Some("UNAUTHORIZED") => language
            .pick(
                "The user is unknown in this tenant, or this server does not act for them. Its setup \
                 or your token determines whom it acts for.",
                "O usuário não é conhecido neste tenant, ou este servidor não age por ele: a \
                 configuração ou o token diz por quem ele age.",
            )
            .to_owned(),
        _ if language == Language::English => return body.to_owned(),
        Some("FORBIDDEN") if details.get("allowed").is_some() => {
            let allowed: Vec<&str> = details["allowed"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            format!("Nenhum papel do usuário permite isto; é preciso {}.", allowed.join(" ou "))
        }
        Some("VALIDATION_ERROR") if details.get("minimal_call").is_some() => {
            let places: Vec<&str> = details["problems"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|problem| problem["pointer"].as_str())
                .map(|pointer| if pointer.is_empty() { "/" } else { pointer })
                .collect();
            format!("Os argumentos não obedecem ao esquema: {}.", places.join(", "))
        }
        _ => return body.to_owned(),
    };
    failure["message"] = json!(message);
    failure.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runtime_refusals_are_localized() {
        let forbidden = r#"{"code":"FORBIDDEN","details":{"allowed":["ADMIN"]},"message":"no"}"#;
        assert!(localized(forbidden, Language::Portuguese).contains("é preciso ADMIN"));
        assert_eq!(localized(forbidden, Language::English), forbidden);
        let own = r#"{"code":"NOT_FOUND","details":{},"message":"Não existe."}"#;
        assert_eq!(localized(own, Language::Portuguese), own);
        assert_eq!(localized("no JSON", Language::Portuguese), "no JSON");
    }

    #[test]
    fn an_unset_setting_is_named() {
        let unset = r#"{"code":"UNAUTHORIZED","details":{"set_by":["A_USERS","--users"],"setting":"a.users"},"message":"m"}"#;
        assert_eq!(localized(unset, Language::English), unset);
        let portuguese = localized(unset, Language::Portuguese);
        assert!(portuguese.contains("`a.users` não for definida (`A_USERS` ou `--users`)"));
    }

    #[test]
    fn an_unauthorized_user_is_referred_to_the_setup() {
        let stranger = r#"{"code":"UNAUTHORIZED","details":{},"message":"user `x` is not known"}"#;
        assert!(localized(stranger, Language::English).contains("setup or your token"));
        assert!(localized(stranger, Language::Portuguese).contains("configuração ou o token"));
    }
}
