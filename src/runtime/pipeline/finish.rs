//! The end of a call: renders the envelope, checks it against the schema, writes the log line and
//! returns the outcome. Errors that the tool does not declare become internal errors here.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::Refusal;
use crate::ask::InputRequest;
use crate::call::Call;
use crate::clock::Clock;
use crate::contract::{ErrorInfo, SurfaceInfo, ToolInfo};
use crate::decode::{self, CompiledTool, DecodeError, Decoded, InvalidAnswer, LazyTool};
use crate::dispatch::{Answer, Outcome, ProtocolError};
use crate::envelope::{self, Frame};
use crate::error::RawFailure;
use crate::page::estimate_tokens;
use crate::problem::shorten;
use crate::suggest::nearest;
use crate::validate_output::ValidateOutput;

/// JSON-RPC "invalid params".
const INVALID_PARAMS: i32 = -32602;

/// State that lasts for a whole call.
pub(crate) struct Context<'a> {
    pub(super) surface: &'static SurfaceInfo,
    pub(super) call: &'a Call,
    tool: &'static ToolInfo,
    lazy: &'a LazyTool,
    started: u64,
}

impl<'a> Context<'a> {
    pub(crate) fn new(surface: &'static SurfaceInfo, lazy: &'a LazyTool, call: &'a Call) -> Self {
        Self { surface, call, tool: lazy.info(), lazy, started: call.clock().ticks() }
    }

    /// Reads and validates the arguments. On failure the outcome is ready to be sent.
    pub(crate) fn read<R: DeserializeOwned>(
        &self,
        arguments: &RawValue,
    ) -> Result<Decoded<R>, Outcome> {
        self.call.keep_arguments(arguments);
        match decode::decode::<R>(self.lazy, arguments) {
            Ok(decoded) => {
                self.warn_deprecated_names(&decoded.renamed);
                if let Some(name) = self.tool.command.last().and_then(|word| word.strip_prefix('$'))
                    && let Some(value) = &decoded.value
                    && let Some(word) = value.get(name).and_then(Value::as_str)
                {
                    self.call.set_command_word(word);
                }
                Ok(decoded)
            }
            Err(DecodeError::Problems(problems)) => {
                let invalid = self.surface.builtin.invalid_arguments;
                Err(self.fail(problems.into_failure(self.tool, invalid)))
            }
            Err(DecodeError::Defect(defect)) => Err(self.defect(&defect.message)),
        }
    }

    /// Warns a client that uses deprecated names.
    fn warn_deprecated_names(&self, renamed: &[(&str, &str)]) {
        for (alias, name) in renamed {
            self.call.warn(format!("`{alias}` is an alias of `{name}`; use `{name}`"));
        }
        if let Some(deprecated) = self.tool.deprecated {
            let mut text =
                format!("`{}` is deprecated since {}", self.tool.canonical, deprecated.since);
            if let Some(sunset) = deprecated.sunset {
                text += &format!(" and will be removed on {sunset}");
            }
            if let Some(replacement) = deprecated.replaced_by {
                text += &format!("; use `{replacement}`");
            }
            self.call.warn(text);
        }
    }

    pub(crate) fn internal(&self, cause: String) -> RawFailure {
        let mut failure = RawFailure::new(
            self.surface.builtin.internal,
            format!("`{}` failed because of a bug in the server", self.tool.canonical),
        );
        failure.hint = failure
            .info
            .next
            .is_none()
            .then(|| format!("see the server's log for request {}", shorten(self.call.id())));
        failure.internal = Some(cause);
        failure
    }

    pub(super) fn defect(&self, cause: &str) -> Outcome {
        self.fail(self.internal(cause.to_owned()))
    }

    pub(crate) fn succeed<R: Serialize>(&self, response: &R) -> Outcome {
        let warnings = self.warnings();
        match envelope::success(&self.frame(&warnings), response) {
            Ok(body) => self.answer(body),
            Err(error) => self.defect(&format!("the response cannot be serialised: {error}")),
        }
    }

    fn answer(&self, body: String) -> Outcome {
        if let Err(violation) = self.validate(&body, false) {
            return self.defect(&violation);
        }
        let tokens = estimate_tokens(body.len());
        let limit = self.tool.budget.result_tokens as usize;
        if tokens > limit {
            tracing::warn!(
                target: "toolwright::budget",
                event = "tool.over_budget",
                tool = self.tool.canonical,
                tokens,
                limit,
                "answer over its token budget"
            );
        }
        self.log(None, None);
        let meta = self.call.take_meta();
        Outcome::Answer(Answer { body, is_error: false, kind: None, exit: 0, meta })
    }

    /// Refuses an unconfirmed call and adds the answer of its rehearsal.
    pub(crate) fn rehearsed<R: Serialize>(&self, mut refusal: RawFailure, response: &R) -> Outcome {
        match serde_json::to_value(response) {
            Ok(would) => {
                refusal.details.insert("would".to_owned(), would);
                self.fail(refusal)
            }
            Err(error) => self.defect(&format!("the response cannot be serialised: {error}")),
        }
    }

    pub(super) fn refused(&self, refusal: Refusal) -> Outcome {
        match refusal {
            Refusal::Failure(failure) => self.fail(failure),
            Refusal::NeedsInput(request) => self.needs_input(request),
            Refusal::Cancelled => self.cancelled(),
        }
    }

    pub(super) fn needs_input(&self, request: InputRequest) -> Outcome {
        self.log(Some("input_required"), None);
        Outcome::NeedsInput(request)
    }

    /// The client discards this answer; the log records the cancellation.
    pub(super) fn cancelled(&self) -> Outcome {
        let mut failure = self.internal(String::new());
        failure.message = format!("`{}` was cancelled by the client", self.tool.canonical);
        failure.internal = None;
        self.log(Some("cancelled"), None);
        self.outcome(&failure)
            .unwrap_or_else(|text| without_envelope(failure.info, &failure.message, text))
    }

    pub(crate) fn fail(&self, mut failure: RawFailure) -> Outcome {
        if let Some(request) = failure.asking.take() {
            return self.needs_input(*request);
        }
        let failure = self.spelled(self.declared(failure));
        match self.outcome(&failure) {
            Ok(outcome) => {
                self.log(Some(failure.info.kind), Some(&failure));
                outcome
            }
            Err(cause) => {
                let defect = self.internal(cause.clone());
                self.log(Some(defect.info.kind), Some(&defect));
                // The internal error's envelope may be invalid for the same reason; send it anyway.
                let warnings = self.warnings();
                match envelope::failure(&self.frame(&warnings), &defect) {
                    Ok(body) => self.failed(defect.info, &defect.message, body),
                    Err(_) => without_envelope(defect.info, &defect.message, cause),
                }
            }
        }
    }

    /// Names tools in message and hint as the client knows them.
    fn spelled(&self, mut failure: RawFailure) -> RawFailure {
        let hint = failure.effective_hint().map(str::to_owned);
        failure.hint = hint.map(|hint| self.call.spelled(hint));
        failure.message = self.call.spelled(failure.message);
        failure
    }

    /// The warnings of the call, for the envelope.
    fn warnings(&self) -> Vec<String> {
        let warnings = self.call.take_warnings().into_iter();
        warnings.map(|warning| self.call.spelled(warning)).collect()
    }

    /// Replaces an undeclared error kind with an internal error.
    fn declared(&self, failure: RawFailure) -> RawFailure {
        let builtin = &self.surface.builtin;
        let kind = failure.info.kind;
        if self.tool.errors.contains(&kind)
            || kind == builtin.internal.kind
            || kind == builtin.invalid_arguments.kind
        {
            return failure;
        }
        let cause = failure.internal.as_deref().unwrap_or(&failure.message);
        self.internal(format!("undeclared error kind `{kind}`: {cause}"))
    }

    fn outcome(&self, failure: &RawFailure) -> Result<Outcome, String> {
        let warnings = self.warnings();
        let body = envelope::failure(&self.frame(&warnings), failure)
            .map_err(|error| format!("the failure cannot be serialised: {error}"))?;
        if failure.info.jsonrpc.is_none() {
            self.validate(&body, true)?;
        }
        Ok(self.failed(failure.info, &failure.message, body))
    }

    fn failed(&self, info: &'static ErrorInfo, message: &str, body: String) -> Outcome {
        failed(info, message, body, self.call.take_meta())
    }

    fn frame<'f>(&'f self, warnings: &'f [String]) -> Frame<'f> {
        Frame::of(self.surface, self.call, self.elapsed() / 1_000_000, warnings)
    }

    fn elapsed(&self) -> u64 {
        self.call.clock().ticks().saturating_sub(self.started)
    }

    /// Checks an answer against the served schema. The error is why it must not be sent.
    fn validate(&self, body: &str, is_error: bool) -> Result<(), String> {
        let mode = self.call.validate_output();
        if mode == ValidateOutput::Off {
            return Ok(());
        }
        let Some(invalid) = self.violation(body, is_error) else { return Ok(()) };
        self.call.set_invalid_answer();
        if mode == ValidateOutput::Strict {
            return Err(invalid.to_string());
        }
        tracing::error!(
            target: "toolwright::call",
            event = "tool.invalid_answer",
            tool = self.tool.canonical,
            field = invalid.field(),
            rule = invalid.rule(),
            request_id = self.call.id(),
            cause = %invalid,
            "answer does not match its output schema"
        );
        Ok(())
    }

    fn violation(&self, body: &str, is_error: bool) -> Option<InvalidAnswer> {
        let schema = self.lazy.get().and_then(CompiledTool::answers);
        let schema = schema.map_err(|defect| InvalidAnswer::defect(self.tool, &defect.message));
        schema.and_then(|schema| schema.check(body, is_error)).err()
    }

    /// Writes the log line of the call. `kind` is `None` for success.
    fn log(&self, kind: Option<&str>, failure: Option<&RawFailure>) {
        let tool = self.tool.canonical;
        let outcome = kind.unwrap_or("ok");
        let request_id = self.call.id();
        let cause = failure.and_then(|failure| failure.internal.as_deref());
        macro_rules! line {
            ($level:ident $(, $cause:ident)?) => {
                tracing::$level!(
                    target: "toolwright::call",
                    event = "tool.call",
                    tool,
                    outcome,
                    duration_us = self.elapsed() / 1_000,
                    request_id,
                    $($cause,)?
                    "call"
                )
            };
        }
        match cause {
            None => line!(info),
            Some(cause) if outcome == self.surface.builtin.internal.kind => line!(error, cause),
            Some(cause) => line!(warn, cause),
        }
    }
}

fn failed(
    info: &'static ErrorInfo,
    message: &str,
    body: String,
    meta: Map<String, Value>,
) -> Outcome {
    match info.jsonrpc {
        Some(code) => Outcome::Protocol(ProtocolError {
            code,
            message: message.to_owned(),
            data: serde_json::from_str(&body).ok(),
            kind: info.kind,
            exit: info.exit,
        }),
        None => Outcome::Answer(Answer {
            body,
            is_error: true,
            kind: Some(info.kind),
            exit: info.exit,
            meta,
        }),
    }
}

/// Fallback when no envelope can be rendered.
fn without_envelope(info: &'static ErrorInfo, message: &str, cause: String) -> Outcome {
    tracing::error!(target: "toolwright::call", event = "tool.no_envelope", cause, "no envelope");
    let data = json!({"code": info.code});
    Outcome::Protocol(ProtocolError {
        code: info.jsonrpc.unwrap_or(-32603),
        message: message.to_owned(),
        data: Some(data),
        kind: info.kind,
        exit: info.exit,
    })
}

/// Clock, version of the product and id of the request, for an answer without a call.
type Answered<'a> = (&'a dyn Clock, &'static str, &'a str);

pub(super) fn unknown_tool(
    surface: &'static SurfaceInfo,
    answered: Answered<'_>,
    name: &str,
    portable: bool,
) -> Outcome {
    let name = shorten(name);
    let known = |tool: &&ToolInfo| if portable { tool.portable } else { tool.canonical };
    let names = surface.tools.iter().flat_map(|tool| [tool.canonical, tool.portable]);
    let suggestion = nearest(&name, names).and_then(|near| surface.tool(near));
    let suggestion = suggestion.map(|(_, tool)| known(&tool));
    let mut message = format!("unknown tool `{name}`");
    if let Some(suggestion) = suggestion {
        message += &format!("; did you mean `{suggestion}`?");
    }
    let why = ("did_you_mean", suggestion);
    absent(surface, answered, Absent { name: &name, message, why })
}

pub(super) fn left_out_tool(
    surface: &'static SurfaceInfo,
    answered: Answered<'_>,
    name: &str,
    flags: &str,
) -> Outcome {
    let message = format!(
        "`{name}` is left out by {flags}, so this server does not offer it; use a tool of its list"
    );
    absent(surface, answered, Absent { name, message, why: ("left_out_by", Some(flags)) })
}

/// A tool that cannot be called, and the detail that says why.
struct Absent<'a> {
    name: &'a str,
    message: String,
    why: (&'static str, Option<&'a str>),
}

fn absent(
    surface: &'static SurfaceInfo,
    (clock, version, request_id): Answered<'_>,
    Absent { name, message, why }: Absent<'_>,
) -> Outcome {
    tracing::info!(
        target: "toolwright::call", event = "tool.call", tool = name, outcome = "unknown_tool",
        duration_us = 0, request_id, "call"
    );
    let Some(info) = surface.builtin.unknown_tool else {
        let data = json!({"tool": name, why.0: why.1});
        return Outcome::Protocol(ProtocolError {
            code: INVALID_PARAMS,
            message,
            data: Some(data),
            kind: "unknown_tool",
            exit: 2,
        });
    };
    let mut failure = RawFailure::new(info, message);
    failure.details.insert("tool".to_owned(), Value::from(name));
    if let (key, Some(value)) = why {
        failure.details.insert(key.to_owned(), Value::from(value));
    }
    let frame = Frame {
        surface,
        name,
        request_id,
        version,
        clock,
        elapsed_ms: 0,
        warnings: &[],
        call: None,
    };
    match envelope::failure(&frame, &failure) {
        Ok(body) => failed(info, &failure.message, body, Map::new()),
        Err(error) => without_envelope(info, &failure.message, error.to_string()),
    }
}
