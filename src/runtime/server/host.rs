//! A surface that is being served: the state that all connections share, and the step that runs a
//! call.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use rmcp::model::Implementation;
use serde_json::value::RawValue;
use tracing::Instrument as _;

use super::caller::Caller;
use super::catalogue::Catalogue;
use super::completion::Completions;
use super::consents::Consents;
use super::notifier::Notifier;
use super::offer::{CurrentOffer, Offer};
use super::offered_tools::OfferedTools;
use super::seal::Seal;
use super::view::Views;
use super::{ServeOptions, icons};
use crate::ask::AskPolicy;
use crate::audit::Trail;
use crate::call::{Call, Client, Services};
use crate::contract::{IconOwner, SurfaceInfo, ToolInfo};
use crate::dispatch::{Dispatch, Outcome, ProtocolError};
use crate::logging::call_span;
use crate::pipeline;
use crate::validate_output::ValidateOutput;

/// State that all connections share.
pub(super) struct Host {
    surface: Arc<dyn Dispatch>,
    pub(super) info: &'static SurfaceInfo,
    pub(super) services: Services,
    pub(super) server: Implementation,
    pub(super) catalogue: Catalogue,
    pub(super) seal: Seal,
    pub(super) consents: Consents,
    pub(super) notifier: Notifier,
    pub(super) trail: Trail,
    pub(super) views: Views,
    pub(super) ask: AskPolicy,
    pub(super) ask_timeout: Duration,
    pub(super) client_roots: bool,
    pub(super) tools: OfferedTools,
    pub(super) switches: Vec<&'static str>,
    pub(super) completions: Completions,
    pub(super) validate_output: ValidateOutput,
    offer: CurrentOffer,
    by_name: HashMap<&'static str, usize>,
}

/// A name under which nothing can be called.
pub(super) struct NoTool {
    name: String,
    /// The flags that leave the tool out, where the contract has it.
    left_out_by: Option<&'static str>,
}

impl NoTool {
    /// The answer to a call of it.
    pub(super) fn answer(&self, host: &Host, request_id: &str, caller: &Caller) -> Outcome {
        let (info, services, name) = (host.info, &host.services, &self.name);
        host.trail.absent_tool(name, request_id, &caller.client);
        match self.left_out_by {
            Some(flags) => pipeline::left_out_tool(info, services, request_id, name, flags),
            None => pipeline::unknown_tool(info, services, request_id, name, !caller.view.dots),
        }
    }
}

impl Host {
    pub(super) fn new(
        surface: Arc<dyn Dispatch>,
        services: Services,
        options: &ServeOptions,
    ) -> Self {
        let info = surface.info();
        let version = options.server_version.clone().unwrap_or_else(|| services.version.to_owned());
        let mut server = Implementation::new(info.name, version).with_title(info.title);
        server.icons = icons::served(info.icons_of(IconOwner::Surface), true);
        let described = serde_json::to_value(&server).unwrap_or_default();
        let views = Views { profile: options.profile, tool_names: options.tool_names };
        let by_name = info
            .tools
            .iter()
            .enumerate()
            .flat_map(|(index, tool)| [(tool.canonical, index), (tool.portable, index)])
            .collect();
        Self {
            info,
            server,
            catalogue: Catalogue::new(info, described, views),
            seal: Seal::new(options.seal_key, &*services.ids),
            consents: Consents::default(),
            notifier: options.notifier.clone(),
            trail: Trail::new(info, services.clock.clone(), options.audit.clone(), "stdio"),
            views,
            ask: options.ask,
            ask_timeout: options.ask_timeout,
            client_roots: options.client_roots,
            offer: CurrentOffer::new(options.tools.current()),
            tools: options.tools.clone(),
            switches: options.switches.clone(),
            completions: options.completions.clone(),
            validate_output: options.validate_output,
            by_name,
            surface,
            services,
        }
    }

    /// What is offered at the moment.
    pub(super) fn offer(&self) -> Arc<Offer> {
        self.offer.of(self.tools.current())
    }

    /// The tools that the caller may call, if the caller is known; `bound` is the surface bound to
    /// the caller.
    pub(super) async fn callable(&self, bound: Option<&Arc<dyn Dispatch>>) -> Option<Vec<usize>> {
        let surface = bound.unwrap_or(&self.surface);
        let callable = async { surface.callable(None).await };
        // The list says nothing about calls: after a bug it is that for everybody.
        AssertUnwindSafe(callable).catch_unwind().await.unwrap_or_default()
    }

    /// The result of `tools/list` for a caller.
    pub(super) async fn tool_list(&self, caller: &Caller) -> String {
        let callable = self.callable(caller.client.surface.as_ref()).await;
        let (view, modern) = (caller.view, caller.modern);
        self.offer().list(&self.catalogue, view, modern, callable.as_deref()).into_owned()
    }

    /// Finds a tool by either spelling of its name.
    pub(super) fn tool(&self, name: &str) -> Result<(usize, &'static ToolInfo), NoTool> {
        let index = self.by_name.get(name).copied();
        let left_out_by = index.and_then(|index| self.offer().left_out_by(index));
        match index {
            Some(index) if left_out_by.is_none() => Ok((index, self.info.tools[index])),
            _ => Err(NoTool { name: name.to_owned(), left_out_by }),
        }
    }

    /// Whether neither the tool nor its guards ever wait: its calls need no slot.
    pub(super) fn is_immediate(tool: &ToolInfo) -> bool {
        tool.immediate && tool.guards.iter().all(|guard| guard.name != "ask")
    }

    /// The surface that runs the calls of this client.
    pub(super) fn surface_of<'a>(&'a self, client: &'a Client) -> &'a Arc<dyn Dispatch> {
        client.surface.as_ref().unwrap_or(&self.surface)
    }

    /// Runs a call within its span, so that its log lines name it, and writes its line of the trail. A panic
    /// becomes an error response:
    /// without one the client would wait forever.
    pub(super) async fn run(&self, tool: usize, call: &Call, arguments: &RawValue) -> Outcome {
        let surface = self.surface_of(call.client());
        let ran = async { surface.dispatch(tool, call, arguments).await }
            .instrument(call_span(call.tool().canonical, call.id()));
        let followed = self.trail.follow(call);
        let outcome = AssertUnwindSafe(ran).catch_unwind().await.unwrap_or_else(|_| {
            Outcome::Protocol(ProtocolError {
                code: -32603,
                message: format!(
                    "`{}` failed because of a bug in the server; see the server's log",
                    call.tool().canonical
                ),
                data: None,
                kind: self.info.builtin.internal.kind,
                exit: self.info.builtin.internal.exit,
            })
        });
        followed.end(&outcome);
        outcome
    }
}
