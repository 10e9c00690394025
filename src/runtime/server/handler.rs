//! The ordinary road: every method of the protocol, through the SDK.
//!
//! Knows nothing of the transport, so that stdio and HTTP share it; one handler per connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, ErrorData, InitializeRequestParams, InitializeResult,
    InputResponses, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use serde_json::value::RawValue;

use super::asking::{ByRepeating, InSession, can_ask};
use super::catalogue::LIST_TTL_MS;
use super::host::Host;
use super::http::carried;
use super::progress::Reports;
use super::session::{Handshake, Session};
use super::view::View;
use super::{answer, methods, resources};
use crate::ask::Asker;
use crate::call::{Call, Client};
use crate::contract::{ResourceSource, SurfaceInfo, ToolInfo};
use crate::dispatch::Outcome;
use crate::pipeline;

/// Arguments as the transport read them; spares parsing and printing them once more.
#[derive(Clone)]
pub(super) struct RawArguments(pub(super) Arc<RawValue>);

/// How long a client may take to say where it works.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves one connection.
pub(super) struct Handler {
    host: Arc<Host>,
    session: Arc<Session>,
}

/// A tool to run, on behalf of a call or of a resource that mirrors it.
struct Errand {
    index: usize,
    tool: &'static ToolInfo,
    arguments: Arc<RawValue>,
    responses: Option<InputResponses>,
    state: Option<String>,
}

impl Handler {
    pub(super) fn new(host: Arc<Host>, session: Arc<Session>) -> Self {
        Self { host, session }
    }

    async fn run(&self, errand: Errand, context: &RequestContext<RoleServer>) -> Outcome {
        let client = Client { roots: self.roots(context).await, ..client(context) };
        let mut call = Call::new(errand.tool, context.id.to_string(), self.host.world.clone())
            .from_client(Arc::new(client))
            .cancelled_by(context.ct.clone())
            .with_request_meta(methods::own_meta(context.meta.0.0.clone()));
        if let Some(asker) = self.asker(errand.responses, errand.state, context) {
            call = call.with_asker(asker);
        }
        let Some(token) = context.meta.get_progress_token() else {
            return self.host.run(errand.index, &call, &errand.arguments).await;
        };
        let reports = Arc::new(Reports::default());
        call = call.with_progress(reports.clone());
        let mut running = std::pin::pin!(self.host.run(errand.index, &call, &errand.arguments));
        let outcome = loop {
            tokio::select! {
                outcome = &mut running => break outcome,
                () = reports.arrived() => self.send_reports(&reports, &token, &context.peer).await,
            }
        };
        self.send_reports(&reports, &token, &context.peer).await;
        outcome
    }

    /// Folders that the client works in: asked for once, where the surface wants to know and the
    /// client can tell. A client that does not answer soon has none.
    #[allow(deprecated, reason = "clients of the handshake revisions still have them")]
    async fn roots(&self, context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        let offered = context.client_capabilities().is_some_and(|can| can.roots.is_some());
        if !self.host.client_roots || !offered || is_modern(context) {
            return Vec::new();
        }
        if let Some(known) = self.session.roots() {
            return known;
        }
        let listed = tokio::select! {
            () = self.session.ending().cancelled() => None,
            listed = tokio::time::timeout(ROOTS_TIMEOUT, context.peer.list_roots()) => {
                listed.ok().and_then(Result::ok)
            }
        };
        let roots: Vec<PathBuf> = listed
            .map(|listed| listed.roots)
            .unwrap_or_default()
            .iter()
            .filter_map(|root| root.uri.strip_prefix("file://"))
            .map(|path| PathBuf::from(resources::percent_decode(path)))
            .collect();
        self.session.set_roots(Some(roots.clone()));
        roots
    }

    async fn send_reports(
        &self,
        reports: &Reports,
        token: &ProgressToken,
        peer: &Peer<RoleServer>,
    ) {
        while let Some(report) = reports.take() {
            let mut progress = ProgressNotificationParam::new(token.clone(), report.done);
            progress.total = report.total;
            progress.message = report.message;
            if !self.session.while_open(peer.notify_progress(progress)).await {
                return;
            }
        }
    }

    fn asker(
        &self,
        responses: Option<InputResponses>,
        state: Option<String>,
        context: &RequestContext<RoleServer>,
    ) -> Option<Arc<dyn Asker>> {
        if !context.client_capabilities().is_some_and(|capabilities| can_ask(&capabilities)) {
            return None;
        }
        Some(if is_modern(context) {
            Arc::new(ByRepeating { host: self.host.clone(), responses, state })
        } else {
            Arc::new(InSession {
                peer: context.peer.clone(),
                cancelled: context.ct.clone(),
                ending: self.session.ending().clone(),
                timeout: self.host.ask_timeout,
            })
        })
    }

    fn view(&self, context: &RequestContext<RoleServer>) -> View {
        match self.session.handshake() {
            Some(handshake) if !is_modern(context) => handshake.view,
            _ => self.host.views.without_handshake(),
        }
    }

    fn has_subscriptions(&self) -> bool {
        self.host.info.resources.iter().any(|resource| resource.subscribe)
    }

    fn may_subscribe(&self, uri: &str) -> bool {
        resources::find(self.host.info, uri).is_some_and(|resource| resource.subscribe)
    }

    fn result_meta(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        is_modern(context).then(|| MetaObject(self.host.catalogue.sign(serde_json::Map::new())))
    }

    fn contents(
        &self,
        contents: ResourceContents,
        ttl_ms: u64,
        scope: CacheScope,
        context: &RequestContext<RoleServer>,
    ) -> ReadResourceResponse {
        let mut result = ReadResourceResult::new(vec![contents]);
        result.meta = self.result_meta(context);
        if is_modern(context) {
            result = result.with_ttl_ms(ttl_ms).with_cache_scope(scope);
        }
        result.into()
    }

    /// Passes changes on to a client that subscribed in a handshake session.
    fn forward_changes(&self, peer: Peer<RoleServer>) {
        let session = self.session.clone();
        let mut news = self.host.notifier.listen();
        tokio::spawn(async move {
            loop {
                let changed = tokio::select! {
                    changed = news.next() => changed,
                    () = session.ending().cancelled() => None,
                };
                let Some(changed) = changed else { return };
                for uri in session.subscriptions() {
                    if !changed.concerns(&uri) {
                        continue;
                    }
                    let updated = rmcp::model::ResourceUpdatedNotificationParam::new(uri);
                    if !session.while_open(peer.notify_resource_updated(updated)).await {
                        return;
                    }
                }
            }
        });
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let info = self.host.info;
        let capabilities = match (info.resources.is_empty(), self.has_subscriptions()) {
            (true, _) => ServerCapabilities::builder().enable_tools().build(),
            (false, false) => {
                ServerCapabilities::builder().enable_tools().enable_resources().build()
            }
            (false, true) => ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .enable_resources_subscribe()
                .build(),
        };
        let mut config = ServerConfig::new(capabilities).with_server_info(self.host.server.clone());
        if !info.instructions.is_empty() {
            config = config.with_instructions(info.instructions);
        }
        config.meta = Some(MetaObject(self.host.catalogue.contract_meta(false)));
        config
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        if self.session.is_for_one_request()
            && let Some(resources) = &mut result.capabilities.resources
        {
            resources.subscribe = None;
        }
        request.protocol_version = result.protocol_version.clone();
        self.session.open(Handshake {
            view: self.host.views.after_handshake(&request.client_info.name),
            client: Arc::new(Client {
                name: Some(request.client_info.name.clone()),
                version: Some(request.client_info.version.clone()),
                protocol: Some(result.protocol_version.to_string()),
                roots: Vec::new(),
                surface: None,
            }),
        });
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        let tools = self.host.catalogue.list(self.view(&context)).tools.clone();
        let mut result = ListToolsResult::with_all_items(tools);
        let modern = is_modern(&context);
        result.meta = Some(MetaObject(self.host.catalogue.contract_meta(modern)));
        if modern {
            result = result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public);
        }
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let (_, tool) = self.host.tool(name)?;
        let list = self.host.catalogue.list(View::CANONICAL);
        list.tools.iter().find(|listed| listed.name == tool.canonical).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let modern = is_modern(&context);
        let Some((index, tool)) = self.host.tool(&request.name) else {
            let id = context.id.to_string();
            let outcome =
                pipeline::unknown_tool(self.host.info, &self.host.world, &id, &request.name);
            return answer::to_response(outcome, &self.host.catalogue, modern);
        };
        let carried = carried::of(&context.extensions);
        let unread = context.extensions.get().or_else(|| carried?.arguments.as_ref());
        let arguments = match unread {
            Some(RawArguments(raw)) => raw.clone(),
            None => raw(&request.arguments.unwrap_or_default())?,
        };
        let (responses, state) = (request.input_responses, request.request_state);
        let errand = Errand { index, tool, arguments, responses, state };
        let outcome = self.run(errand, &context).await;
        answer::to_response(outcome, &self.host.catalogue, modern)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        only_page(request)?;
        let mut result = ListResourcesResult::with_all_items(resources::list(self.host.info));
        result.meta = self.result_meta(&context);
        if is_modern(&context) {
            result = result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public);
        }
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        let templates = resources::templates(self.host.info);
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        result.meta = self.result_meta(&context);
        if is_modern(&context) {
            result = result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public);
        }
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let info = self.host.info;
        let found = resources::find(info, &request.uri).map(|resource| resource.source);
        if let Some(ResourceSource::File { mime_type, text }) = found {
            let contents = ResourceContents::text(text, request.uri).with_mime_type(mime_type);
            // Compiled in, as the lists are.
            return Ok(self.contents(contents, LIST_TTL_MS, CacheScope::Public, &context));
        }
        let mirrored = match found {
            Some(ResourceSource::Tool(index)) => info.tools.get(index).map(|tool| (index, *tool)),
            _ => None,
        };
        let Some((index, tool)) = mirrored else { return Err(no_resource(info, &request.uri)) };
        let arguments = raw(&resources::arguments(tool, &request.uri))?;
        let (responses, state) = (request.input_responses, request.request_state);
        let errand = Errand { index, tool, arguments, responses, state };
        match self.run(errand, &context).await {
            Outcome::Answer(answer) if answer.is_error => {
                let refused = answer.kind == Some(info.builtin.invalid_arguments.kind);
                let code =
                    if refused { ErrorCode::INVALID_PARAMS } else { ErrorCode::INTERNAL_ERROR };
                let message = format!("reading `{}` failed; `data` says why", request.uri);
                Err(ErrorData::new(code, message, serde_json::from_str(&answer.body).ok()))
            }
            Outcome::Answer(answer) => {
                let mut contents = ResourceContents::text(answer.body, request.uri)
                    .with_mime_type(resources::MIME);
                if !answer.meta.is_empty() {
                    contents = contents.with_meta(MetaObject(answer.meta));
                }
                Ok(self.contents(contents, 0, CacheScope::Private, &context))
            }
            Outcome::Protocol(error) => Err(answer::to_error(error)),
            Outcome::NeedsInput(request) => {
                Ok(answer::to_input_required(request, &self.host.catalogue)?.into())
            }
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(methods::removed("resources/subscribe"));
        }
        if self.session.is_for_one_request() {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                "there are no sessions to subscribe in: use subscriptions/listen of 2026-07-28",
                None,
            ));
        }
        if !self.may_subscribe(&request.uri) {
            return Err(no_resource(self.host.info, &request.uri));
        }
        if self.session.subscribe(request.uri) {
            self.forward_changes(context.peer);
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(methods::removed("resources/unsubscribe"));
        }
        self.session.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        if !self.has_subscriptions() {
            return None;
        }
        let mut accepted = SubscriptionFilter::new();
        accepted.resource_subscriptions = requested
            .resource_subscriptions
            .as_ref()
            .map(|uris| uris.iter().filter(|uri| self.may_subscribe(uri)).cloned().collect());
        self.session.await_news(self.host.notifier.listen());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut news = self.session.take_news().unwrap_or_else(|| self.host.notifier.listen());
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        loop {
            let changed = tokio::select! {
                changed = news.next() => changed,
                () = context.cancelled() => None,
                () = self.session.ending().cancelled() => None,
            };
            let Some(changed) = changed else { return Ok(()) };
            for uri in uris.iter().filter(|uri| changed.concerns(uri)) {
                let sending = context.sink().notify_resource_updated(uri);
                if !self.session.while_open(sending).await {
                    return Ok(());
                }
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The SDK takes a known method with malformed parameters for a custom one.
        Err(if is_modern(&context) && methods::is_removed(&request.method) {
            methods::removed(&request.method)
        } else if methods::is_known(&request.method) {
            ErrorData::invalid_params(format!("malformed params of {}", request.method), None)
        } else {
            methods::unknown(&request.method)
        })
    }

    async fn on_initialized(&self, _context: NotificationContext<RoleServer>) {}

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.session.set_roots(None);
    }
}

/// The request follows revision 2026-07-28 or later.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn client(context: &RequestContext<RoleServer>) -> Client {
    let carried = carried::of(&context.extensions);
    let implementation = match carried {
        // Where there is no session the SDK would give its own name.
        Some(carried) => context.meta.client_info().or_else(|| carried.agent.clone()),
        None => context.client_info(),
    };
    Client {
        name: implementation.as_ref().map(|client| client.name.clone()),
        version: implementation.map(|client| client.version),
        protocol: context.protocol_version().map(|version| version.to_string()),
        roots: Vec::new(),
        surface: carried.and_then(|carried| carried.surface.clone()),
    }
}

fn raw(arguments: &impl serde::Serialize) -> Result<Arc<RawValue>, ErrorData> {
    serde_json::value::to_raw_value(arguments)
        .map(Arc::from)
        .map_err(|error| ErrorData::internal_error(format!("cannot pass arguments: {error}"), None))
}

fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(
            "unknown cursor: the list has one page, ask for it without a cursor",
            None,
        )),
    }
}

fn no_resource(info: &SurfaceInfo, uri: &str) -> ErrorData {
    let code = info.builtin.unknown_tool.map(|error| error.code);
    ErrorData::resource_not_found(
        format!("there is no such resource: `{uri}`"),
        Some(json!({ "uri": uri, "error_code": code })),
    )
}
