//! The trail: a line for every call with effects and for refusals, to the log or to a file.
//!
//! A line says who called what, and how it ended; it never has arguments or answers. It is written when
//! the call has ended and before its answer is sent. Refusals are limited in rate, because whoever is
//! refused can repeat that for nothing; those that have no line are counted in the next one.

mod line;
mod refusals;
mod sink;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

pub use sink::AuditSink;
pub use toolwright_platform::line_file::Limits;

use crate::call::{Call, Client};
use crate::clock::Clock;
use crate::contract::{Effects, SurfaceInfo, ToolInfo};
use crate::dispatch::Outcome;
use line::{AuditLine, Event};
use refusals::RefusalLimit;

/// Writes the lines of one server or command.
pub struct Trail {
    surface: &'static SurfaceInfo,
    clock: Arc<dyn Clock>,
    sink: AuditSink,
    /// How calls without an address arrive: `stdio` or `cli`.
    transport: &'static str,
    refusals: Mutex<RefusalLimit>,
}

impl Trail {
    /// `transport` is that of calls without an address.
    pub fn new(
        surface: &'static SurfaceInfo,
        clock: Arc<dyn Clock>,
        sink: AuditSink,
        transport: &'static str,
    ) -> Self {
        Self { surface, clock, sink, transport, refusals: Mutex::default() }
    }

    /// Follows a call until it ends.
    pub fn follow<'t>(&'t self, call: &'t Call) -> Followed<'t> {
        Followed { trail: self, call, ended: false }
    }

    /// A call of a tool that is unknown or left out.
    pub(crate) fn absent_tool(&self, tool: &str, request_id: &str, client: &Client) {
        let line =
            AuditLine { tool: Some(tool), request_id: Some(request_id), ..self.line(client) };
        self.write(Event::Refusal, AuditLine { outcome: "unknown_tool", ..line });
    }

    /// A request that was rejected before it was read.
    pub(crate) fn rejected(&self, reason: &str, address: IpAddr) {
        let client = Client { address: Some(address), ..Client::default() };
        self.write(Event::Rejection, AuditLine { outcome: reason, ..self.line(&client) });
    }

    fn ended(&self, call: &Call, outcome: &str, succeeded: bool) {
        let (tool, client): (&ToolInfo, &Client) = (call.tool(), call.client());
        let reached = call.has_reached_handler() && !call.is_rehearsal();
        let event = match (reached || succeeded, tool.effects) {
            (true, Effects::Read) => return,
            (true, _) => Event::Call,
            (false, _) => Event::Refusal,
        };
        let subject = call.subject();
        let line = AuditLine {
            tool: Some(tool.canonical),
            effects: Some(tool.effects.name()),
            outcome,
            request_id: Some(call.id()),
            subject: subject.as_deref(),
            ..self.line(client)
        };
        self.write(event, line);
    }

    fn line<'l>(&self, client: &'l Client) -> AuditLine<'l> {
        AuditLine {
            transport: if client.address.is_some() { "http" } else { self.transport },
            client: client.name.as_deref(),
            client_version: client.version.as_deref(),
            token: client.token_id.as_deref(),
            address: client.address.map(|address| address.to_canonical()),
            ..AuditLine::new(self.surface)
        }
    }

    fn write(&self, event: Event, line: AuditLine<'_>) {
        let omitted = {
            let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            if event != Event::Call && !refusals.admit(self.clock.ticks()) {
                return;
            }
            refusals.take_omitted()
        };
        let line = AuditLine { omitted_refusals: (omitted > 0).then_some(omitted), ..line };
        self.sink.write(self.clock.now(), event, &line);
    }
}

/// At the end, what was omitted since the last line.
impl Drop for Trail {
    fn drop(&mut self) {
        let refusals = self.refusals.get_mut().unwrap_or_else(PoisonError::into_inner);
        let omitted = refusals.take_omitted();
        if omitted > 0 {
            let line = AuditLine {
                outcome: "omitted",
                omitted_refusals: Some(omitted),
                transport: self.transport,
                ..AuditLine::new(self.surface)
            };
            self.sink.write(self.clock.now(), Event::Refusal, &line);
        }
    }
}

/// A call that has not ended. Dropped before, it was abandoned.
pub struct Followed<'t> {
    trail: &'t Trail,
    call: &'t Call,
    ended: bool,
}

impl Followed<'_> {
    /// Writes the call's line, if it has one.
    pub fn end(mut self, outcome: &Outcome) {
        self.ended = true;
        let (name, succeeded) = match outcome {
            Outcome::Answer(answer) => (answer.kind.unwrap_or("ok"), !answer.is_error),
            Outcome::Protocol(error) => (error.kind, false),
            Outcome::NeedsInput(_) => ("input_required", false),
        };
        let cancelled = !succeeded && self.call.is_cancelled();
        self.trail.ended(self.call, if cancelled { "cancelled" } else { name }, succeeded);
    }
}

impl Drop for Followed<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.trail.ended(self.call, "abandoned", false);
        }
    }
}
