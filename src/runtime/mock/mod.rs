//! A surface without handlers: it answers from the examples of its contract.
//!
//! A call takes the same path as a real one: decode, validation, guards, envelope. Instead of a
//! handler, an example of the contract provides the answer, completed from the output schema so that
//! it is valid. A mock has no state, reads nothing and writes nothing: the same call always gets the
//! same answer, except for the time and id in the envelope.
//!
//! # Which answer
//!
//! 1. The caller's choice, in the `_meta` of the call:
//!    `{"toolwright/mock": {"error": "<kind or code>"}}` or `{"toolwright/mock": {"example": "<name>"}}`;
//!    otherwise the choice at server start ([`Mock::failing`], [`Mock::showing`]).
//! 2. The example with the same arguments. If several match (with different given states), the first
//!    success.
//! 3. The success example that shares the most arguments with the call; the first on a tie.
//!
//! A chosen error is returned at once, whatever the arguments are; a chosen success passes validation
//! and guards.
//!
//! # Guards
//!
//! `confirm` and `two_stage` work as usual, except that a token is always the same. `ask`, `role` and a
//! surface's own guards need the surface: they pass, unless the example with the same arguments shows
//! a refusal.

mod choice;
mod complete;
mod examples;
mod guards;
pub mod pattern;
mod sample;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::contract::{
    BuiltinErrors, Envelope, ErrorInfo, ExampleInfo, Expect, SurfaceInfo, ToolInfo,
};
use crate::decode::LazyTool;
use crate::dispatch::{Dispatch, Outcome, OutcomeFuture, ProtocolError};
use crate::error::RawFailure;
use crate::identity;
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
    /// By the tool's index.
    tools: Vec<LazyTool>,
    /// Choices at server start, by the tool's index.
    chosen: BTreeMap<usize, Choice>,
}

impl Mock {
    /// A mock of the surface.
    pub fn new(info: &'static SurfaceInfo) -> Self {
        let tools = info.tools.iter().map(|tool| LazyTool::new(tool)).collect();
        Self { info: with_mock_notice(info), tools, chosen: BTreeMap::new() }
    }

    /// Makes every call of `tool` fail with `error`, a kind or code that it declares. `*` means every
    /// tool that declares it and has no other choice yet.
    ///
    /// # Errors
    /// If there is no such tool or error; the message lists the valid ones.
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
                "no remaining tool declares the error `{error}`; errors: {}",
                all.join(", ")
            ));
        }
        Ok(self)
    }

    /// Makes every call of `tool` answer with the example of that name.
    ///
    /// # Errors
    /// If there is no such tool or example; the message lists the valid ones.
    pub fn showing(self, tool: &str, example: &str) -> Result<Self, String> {
        let (index, found) = self.tool(tool)?;
        let choice = choice::example(self.info, found, example)?;
        self.choose(index, choice)
    }

    fn choose(mut self, index: usize, choice: Choice) -> Result<Self, String> {
        match self.chosen.insert(index, choice) {
            None => Ok(self),
            Some(_) => Err(format!(
                "more than one answer is chosen for `{}`",
                self.info.tools[index].canonical
            )),
        }
    }

    fn tool(&self, name: &str) -> Result<(usize, &'static ToolInfo), String> {
        let by_short_name = || {
            let position = self.info.tools.iter().position(|tool| tool.name == name)?;
            Some((position, self.info.tools[position]))
        };
        self.info.tool(name).or_else(by_short_name).ok_or_else(|| {
            let all: Vec<&str> = self.info.tools.iter().map(|tool| tool.canonical).collect();
            format!("unknown tool `{name}`; tools: {}", all.join(", "))
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

    /// A refusal by a guard that cannot be checked here and runs first, if an example with these
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

    /// The data that replaces a handler's response.
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
                        "the mock cannot build a complete answer for `{}` ({shown}): {why}",
                        tool.canonical
                    ),
                );
                failure.hint = Some("add what is missing to the contract's example".to_owned());
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
            Some(found) => {
                let acting = acting(self.info, found.info(), call, arguments);
                let arguments = acting.as_deref().unwrap_or(arguments);
                Box::pin(std::future::ready(self.answer(tool, found, call, arguments)))
            }
            None => Box::pin(pipeline::no_such_tool(self.info, call)),
        }
    }
}

/// The arguments of a resource that is read, for whom the first example acts.
fn acting(
    info: &SurfaceInfo,
    tool: &ToolInfo,
    call: &Call,
    arguments: &RawValue,
) -> Option<Box<RawValue>> {
    let names = identity::arguments_of(info, tool);
    let first = tool.examples.first().filter(|_| call.reads_resource())?;
    let example: Map<String, Value> = serde_json::from_str(first.input).ok()?;
    let mut arguments: Map<String, Value> = serde_json::from_str(arguments.get()).ok()?;
    for name in names.names() {
        if let Some(value) = example.get(name) {
            arguments.entry(name).or_insert_with(|| value.clone());
        }
    }
    serde_json::value::to_raw_value(&arguments).ok()
}

/// A simulated failure, with the registry's text as message.
fn simulated(error: &'static ErrorInfo) -> RawFailure {
    RawFailure::new(error, error.when)
}

/// The error for an invalid choice.
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

/// The same contract, with instructions that identify the mock. Leaked on purpose: a server creates
/// only one, and it lives as long as the process.
fn with_mock_notice(info: &'static SurfaceInfo) -> &'static SurfaceInfo {
    let instructions = format!(
        "This is a mock of {}: answers come from the contract's examples; nothing is read or \
         changed. {}",
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
