//! A surface without handlers: it answers from the examples of its contract.
//!
//! A call goes the way of a real one: decode, validation, guards, envelope. Only the handler is
//! missing; in its place stands an example of the contract, completed from the output schema, so
//! that every answer fits what is served. A mock keeps nothing, reads nothing and writes nothing:
//! the same call gets the same answer, whatever came before. Only what an envelope says of the
//! call itself, its time and its id, differs.
//!
//! # Which answer
//!
//! 1. What the caller chose, in the `_meta` of the call:
//!    `{"toolwright/mock": {"error": "<kind or code>"}}` or `{"toolwright/mock": {"example": "<name>"}}`;
//!    else what whoever started the server chose ([`Mock::failing`], [`Mock::showing`]).
//! 2. The example with the same arguments. Of several, which differ in the state that they are
//!    given, the first success.
//! 3. The success example that shares most arguments with the call, the first of equals.
//!
//! A chosen error comes at once, whatever the arguments are, as a fault would; a chosen success
//! goes the whole way.
//!
//! # Guards
//!
//! `confirm` and `two_stage` are judged as ever; the token of the latter is always the same.
//! `ask`, `role` and a surface's own guards cannot be judged without the surface: they pass, unless
//! the example with the same arguments says otherwise.

mod choice;
mod complete;
mod examples;
mod guards;
pub mod pattern;
mod sample;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::call::Call;
use crate::contract::{
    BuiltinErrors, Envelope, ErrorInfo, ExampleInfo, Expect, SurfaceInfo, ToolInfo,
};
use crate::decode::LazyTool;
use crate::dispatch::{Dispatch, Outcome, OutcomeFuture, ProtocolError};
use crate::error::RawFailure;
use crate::pipeline::{self, Context};
use choice::Choice;
use complete::ExampleCompleter;
use examples::Arguments;

/// `_meta` key by which a caller chooses an answer, and which marks every answer of a mock.
pub const MOCK_KEY: &str = "toolwright/mock";

/// JSON-RPC "invalid params".
const INVALID_PARAMS: i32 = -32602;

/// A surface that answers from its examples.
pub struct Mock {
    info: &'static SurfaceInfo,
    /// By the tool's number.
    tools: Vec<LazyTool>,
    /// What whoever started the server chose, by the tool's number.
    chosen: BTreeMap<usize, Choice>,
}

impl Mock {
    /// A mock of the surface.
    pub fn new(info: &'static SurfaceInfo) -> Self {
        let tools = info.tools.iter().map(|tool| LazyTool::new(tool)).collect();
        Self { info: with_mock_notice(info), tools, chosen: BTreeMap::new() }
    }

    /// Lets every call of `tool` fail with `error`, a kind or a code that it declares. `*` is every
    /// tool that declares it and for which nothing else is chosen yet.
    ///
    /// # Errors
    /// When there is no such tool or error; the text says what there is.
    pub fn failing(mut self, tool: &str, error: &str) -> Result<Self, String> {
        if tool != "*" {
            let (index, found) = self.tool(tool)?;
            let choice = choice::error(self.info, found, error)?;
            return self.choose(index, choice);
        }
        let before = self.chosen.len();
        for (index, found) in self.info.tools.iter().enumerate() {
            if let (Ok(choice), Entry::Vacant(entry)) =
                (choice::error(self.info, found, error), self.chosen.entry(index))
            {
                entry.insert(choice);
            }
        }
        if self.chosen.len() == before {
            let all: Vec<&str> = self.info.errors.iter().map(|error| error.kind).collect();
            return Err(format!(
                "no tool is left that declares the error `{error}`; there are: {}",
                all.join(", ")
            ));
        }
        Ok(self)
    }

    /// Lets every call of `tool` answer as in the example of that name.
    ///
    /// # Errors
    /// When there is no such tool or example; the text says what there is.
    pub fn showing(self, tool: &str, example: &str) -> Result<Self, String> {
        let (index, found) = self.tool(tool)?;
        let choice = choice::example(self.info, found, example)?;
        self.choose(index, choice)
    }

    fn choose(mut self, index: usize, choice: Choice) -> Result<Self, String> {
        match self.chosen.insert(index, choice) {
            None => Ok(self),
            Some(_) => {
                Err(format!("two answers are chosen for `{}`", self.info.tools[index].canonical))
            }
        }
    }

    fn tool(&self, name: &str) -> Result<(usize, &'static ToolInfo), String> {
        let by_short_name = || {
            let position = self.info.tools.iter().position(|tool| tool.name == name)?;
            Some((position, self.info.tools[position]))
        };
        self.info.tool(name).or_else(by_short_name).ok_or_else(|| {
            let all: Vec<&str> = self.info.tools.iter().map(|tool| tool.canonical).collect();
            format!("there is no tool `{name}`; there are: {}", all.join(", "))
        })
    }

    fn answer(&self, index: usize, lazy: &LazyTool, call: &Call, raw: &RawValue) -> Outcome {
        let tool = lazy.info();
        call.attach(MOCK_KEY, json!(true));
        let chosen = match choice::of_call(self.info, tool, call) {
            Ok(chosen) => chosen.or_else(|| self.chosen.get(&index).copied()),
            Err(message) => return invalid_choice(tool, call, message),
        };
        let context = Context::new(self.info, lazy, call);
        let example = match chosen {
            Some(Choice::Error(error)) => return context.fail(simulated(error)),
            Some(Choice::Example(example)) => Some(example),
            None => None,
        };
        let arguments = match context.read::<Value>(raw) {
            Ok(decoded) => Arguments::new(lazy, decoded.request),
            Err(outcome) => return outcome,
        };
        let checked = guards::check(self.info, tool, call, &arguments);
        if let Err(refusal) | Ok(Some(refusal)) = &checked
            && let Some(other) = self.refused_otherwise(lazy, &arguments, refusal)
        {
            return context.fail(other);
        }
        let pending = match checked {
            Ok(pending) => pending,
            Err(refusal) => return context.fail(refusal),
        };
        match (self.data(lazy, example, &arguments), pending) {
            (Ok(data), None) => context.succeed(&data),
            (Ok(would), Some(refusal)) => context.rehearsed(refusal, &would),
            (Err(failure), _) => context.fail(*failure),
        }
    }

    /// A refusal by a guard that cannot be judged here and comes first, where an example with these
    /// arguments shows it.
    fn refused_otherwise(
        &self,
        tool: &LazyTool,
        arguments: &Arguments,
        refusal: &RawFailure,
    ) -> Option<RawFailure> {
        let mut other = None;
        for example in examples::equal(tool, arguments, &[]) {
            match example.expect {
                Expect::Error(kind) if kind == refusal.info.kind => return None,
                Expect::Error(kind) => other = other.or_else(|| self.info.error(kind)),
                Expect::Output(_) => {}
            }
        }
        other.map(simulated)
    }

    /// What a handler would have returned.
    fn data(
        &self,
        lazy: &LazyTool,
        chosen: Option<&'static ExampleInfo>,
        arguments: &Arguments,
    ) -> Result<Value, Box<RawFailure>> {
        let tool = lazy.info();
        let example = chosen.or_else(|| {
            let tokens = guards::tokens_given(self.info, tool, arguments);
            examples::fitting(lazy, arguments, &tokens, &guards::kinds(self.info, tool))
        });
        if let Some(Expect::Error(kind)) = example.map(|example| &example.expect)
            && let Some(error) = self.info.error(kind)
        {
            return Err(Box::new(simulated(error)));
        }
        let issued = guards::issued(self.info, tool);
        ExampleCompleter::new(lazy)
            .and_then(|completer| completer.answer(example, arguments, &issued))
            .map_err(|why| {
                let shown = example.map_or("no example", |example| example.name);
                let mut failure = RawFailure::new(
                    self.info.builtin.internal,
                    format!(
                        "the mock has no whole answer of `{}` ({shown}): {why}",
                        tool.canonical
                    ),
                );
                failure.hint = Some("write what is missing into the contract's example".to_owned());
                Box::new(failure)
            })
    }
}

impl Dispatch for Mock {
    fn info(&self) -> &'static SurfaceInfo {
        self.info
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        match self.tools.get(tool) {
            Some(found) => Box::pin(std::future::ready(self.answer(tool, found, call, arguments))),
            None => Box::pin(pipeline::no_such_tool(self.info, call)),
        }
    }
}

/// A failure that did not happen: the registry's own words.
fn simulated(error: &'static ErrorInfo) -> RawFailure {
    RawFailure::new(error, error.when)
}

/// The answer to a choice that there is not.
fn invalid_choice(tool: &ToolInfo, call: &Call, message: String) -> Outcome {
    tracing::info!(
        target: "toolwright::call", event = "tool.call", tool = tool.canonical,
        outcome = "mock_choice", duration_us = 0, request_id = call.id(), "call"
    );
    let examples: Vec<&str> = tool.examples.iter().map(|example| example.name).collect();
    Outcome::Protocol(ProtocolError {
        code: INVALID_PARAMS,
        message,
        data: Some(json!({"errors": tool.errors, "examples": examples})),
        kind: "mock_choice",
        exit: 2,
    })
}

/// The same contract, with instructions that say what answers. It lives as long as the process, as
/// the compiled tables do; a server makes one.
fn with_mock_notice(info: &'static SurfaceInfo) -> &'static SurfaceInfo {
    let instructions = format!(
        "This is a mock of {}: every answer comes from the contract's examples, nothing is read \
         and nothing is changed. {}",
        info.name, info.instructions
    );
    let BuiltinErrors { invalid_arguments, unknown_tool, internal } = info.builtin;
    let Envelope { success, failure } = info.envelope;
    Box::leak(Box::new(SurfaceInfo {
        instructions: String::leak(instructions),
        builtin: BuiltinErrors { invalid_arguments, unknown_tool, internal },
        envelope: Envelope { success, failure },
        ..*info
    }))
}
