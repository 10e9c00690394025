//! Serves every method of the protocol except tool calls and the tool list, through the SDK.
//!
//! Independent of the transport, so stdio and HTTP share it; one handler per connection. It never
//! runs a tool: transports handle `tools/list`, `tools/call` and the `resources/read` of resources
//! that mirror a tool before the SDK sees them.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    MetaObject, PaginatedRequestParams, PromptsCapability, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use super::caller::CallerDefaults;
use super::catalogue::LIST_TTL_MS;
use super::host::Host;
use super::http::agent;
use super::list_changes::Lists;
use super::session::{Handshake, Session, may_be_subscribed};
use super::view::View;
use super::{icons, methods, prompts, resources};
use crate::call::Client;
use crate::contract::ResourceSource;
use crate::dispatch::Dispatch;

/// What is known of the sender of an HTTP request besides its content, as an extension of its head.
#[derive(Clone)]
pub(super) struct SenderClient(pub(super) Client);

/// Serves one connection.
pub(super) struct Handler {
    pub(super) host: Arc<Host>,
    session: Arc<Session>,
}

impl Handler {
    pub(super) fn new(host: Arc<Host>, session: Arc<Session>) -> Self {
        Self { host, session }
    }

    fn has_subscriptions(&self) -> bool {
        self.host.info.resources.iter().any(|resource| resource.subscribe)
    }

    fn may_subscribe(&self, uri: &str) -> bool {
        resources::find(self.host.info, uri).is_some_and(|found| {
            found.resource.subscribe && self.host.offer().has_resource(found.resource, None)
        })
    }

    /// The tools that the caller may call, if the caller is known.
    pub(super) async fn callable(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Option<Vec<usize>> {
        self.host.callable(bound(context)).await
    }

    fn no_resource(&self, uri: &str) -> ErrorData {
        let info = self.host.info;
        let mirrored = resources::find(info, uri).map(|found| found.resource.source);
        let left_out = match mirrored {
            Some(ResourceSource::Tool(tool)) => self.host.offer().left_out_by(tool),
            _ => None,
        };
        let why = match left_out {
            Some(flags) => format!("; its tool is left out by {flags}"),
            None => String::new(),
        };
        let code = info.builtin.unknown_tool.map(|error| error.code);
        ErrorData::resource_not_found(
            format!("resource not found: `{uri}`{why}"),
            Some(json!({ "uri": uri, "error_code": code })),
        )
    }

    /// The view that the sender of a request is served.
    pub(super) fn view(&self, context: &RequestContext<RoleServer>) -> View {
        let head = || context.extensions.get::<http::request::Parts>();
        let name = context.client_info().map(|client| client.name);
        let name = name.or_else(|| agent(&head()?.headers).map(|(name, _)| name));
        self.host.views.of(name.as_deref())
    }

    /// The sender of a request, for calls on its behalf.
    pub(super) fn client(&self, context: &RequestContext<RoleServer>) -> Client {
        let head = context.extensions.get::<http::request::Parts>();
        let mut client = match head {
            Some(head) => {
                let sender = head.extensions.get::<SenderClient>();
                sender.map(|sender| sender.0.clone()).unwrap_or_default()
            }
            None => {
                let handshake = self.session.handshake();
                handshake.map(|found| (*found.defaults.client).clone()).unwrap_or_default()
            }
        };
        if let Some(program) = context.client_info() {
            (client.name, client.version) = (Some(program.name), Some(program.version));
        }
        if let Some(version) = context.protocol_version() {
            client.protocol = Some(version.to_string());
        }
        client
    }

    /// A text of the contract, with the names of tools as this view has them.
    fn spelled(&self, text: String, view: View) -> String {
        if view.dots { text } else { self.host.info.portable_text(&text).into_owned() }
    }

    /// Who may keep a result whose texts name tools, for a caller who may call these only.
    fn text_scope(&self, callable: Option<&[usize]>) -> CacheScope {
        match callable {
            None if !self.host.views.names_differ() => CacheScope::Public,
            _ => CacheScope::Private,
        }
    }

    fn result_meta(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        is_modern(context)
            .then(|| MetaObject(self.host.catalogue.with_server_info(serde_json::Map::new())))
    }

    /// Tells a client with a session whenever a list is another one.
    fn announce_lists(&self, peer: Peer<RoleServer>) {
        // The choice at the handshake: lists may have been answered, and the choice replaced, since.
        let Some(handshake) = self.session.handshake() else { return };
        let (host, session) = (self.host.clone(), self.session.clone());
        tokio::spawn(async move {
            let mut lists = Lists::with(host, None, &handshake.choice).await;
            loop {
                let changed = tokio::select! {
                    changed = lists.changed() => changed,
                    () = session.ending().cancelled() => return,
                };
                if !session.while_open(peer.notify_tool_list_changed()).await {
                    return;
                }
                if changed.resources
                    && !session.while_open(peer.notify_resource_list_changed()).await
                {
                    return;
                }
                if changed.prompts && !session.while_open(peer.notify_prompt_list_changed()).await {
                    return;
                }
            }
        });
    }

    /// Forwards resource changes to a client that subscribed in a session.
    fn forward_changes(&self, peer: Peer<RoleServer>) {
        let session = self.session.clone();
        let mut changes = self.host.notifier.listen();
        tokio::spawn(async move {
            loop {
                let changed = tokio::select! {
                    changed = changes.next() => changed,
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
        let mut capabilities = match (info.resources.is_empty(), self.has_subscriptions()) {
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
        if let Some(tools) = &mut capabilities.tools {
            tools.list_changed = Some(true);
        }
        if let Some(resources) = &mut capabilities.resources {
            let mirrored = |source| matches!(source, ResourceSource::Tool(_));
            let mirrors = info.resources.iter().any(|resource| mirrored(resource.source));
            resources.list_changed = mirrors.then_some(true);
        }
        let prompts = || info.prompts.iter().filter(|prompt| self.host.has_switched_on(prompt));
        if prompts().next().is_some() {
            let mut served = PromptsCapability::default();
            served.list_changed = prompts().any(|prompt| !prompt.tools.is_empty()).then_some(true);
            capabilities.prompts = Some(served);
        }
        capabilities.completions = self.host.completes().then(serde_json::Map::new);
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
        if self.session.is_for_one_request() {
            // Nothing can be sent without a session.
            if let Some(tools) = &mut result.capabilities.tools {
                tools.list_changed = None;
            }
            if let Some(resources) = &mut result.capabilities.resources {
                (resources.subscribe, resources.list_changed) = (None, None);
            }
            if let Some(prompts) = &mut result.capabilities.prompts {
                prompts.list_changed = None;
            }
        }
        if !icons::know(&result.protocol_version) {
            result.server_info.icons = None;
        }
        request.protocol_version = result.protocol_version.clone();
        let client = Client {
            name: Some(request.client_info.name.clone()),
            version: Some(request.client_info.version.clone()),
            protocol: Some(result.protocol_version.to_string()),
            ..Client::default()
        };
        let view = self.host.views.of(Some(&request.client_info.name));
        result.instructions = result.instructions.map(|text| self.spelled(text, view));
        let defaults = CallerDefaults::from_handshake(client, view, &request.capabilities);
        context.peer.set_peer_info(request);
        let choice = self.host.tools.current();
        self.session.open(Handshake { defaults, peer: context.peer, choice });
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let (mut info, view) = (self.get_info(), self.view(&context));
        info.instructions = info.instructions.map(|text| self.spelled(text, view));
        Ok(DiscoverResult::from_server_info(versions, info)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(self.text_scope(None)))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        only_page(request)?;
        let (callable, view) = (self.callable(&context).await, self.view(&context));
        let mut listed = resources::list(self.host.info, &self.host.offer(), callable.as_deref());
        let with_icons = icons::are_known(&context);
        for resource in &mut listed {
            resource.icons = resources::icons(self.host.info, &resource.uri, with_icons);
            let description = resource.description.take();
            resource.description = description.map(|text| self.spelled(text, view));
        }
        let mut result = ListResourcesResult::with_all_items(listed);
        result.meta = self.result_meta(&context);
        if is_modern(&context) {
            let scope = self.text_scope(callable.as_deref());
            result = result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(scope);
        }
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        let (callable, view) = (self.callable(&context).await, self.view(&context));
        let mut listed =
            resources::templates(self.host.info, &self.host.offer(), callable.as_deref());
        for template in &mut listed {
            let description = template.description.take();
            template.description = description.map(|text| self.spelled(text, view));
        }
        let mut result = ListResourceTemplatesResult::with_all_items(listed);
        result.meta = self.result_meta(&context);
        if is_modern(&context) {
            let scope = self.text_scope(callable.as_deref());
            result = result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(scope);
        }
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = resources::find(self.host.info, &request.uri);
        let contents = match found.map(|found| found.resource.source) {
            Some(ResourceSource::File { mime_type, text }) => {
                ResourceContents::text(text, request.uri).with_mime_type(mime_type)
            }
            Some(ResourceSource::Blob { mime_type, base64 }) => {
                ResourceContents::blob(base64, request.uri).with_mime_type(mime_type)
            }
            Some(ResourceSource::Tool(_)) | None => return Err(self.no_resource(&request.uri)),
        };
        let mut result = ReadResourceResult::new(vec![contents]);
        result.meta = self.result_meta(&context);
        if is_modern(&context) {
            // Compiled in, as the lists are.
            result = result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public);
        }
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        let (callable, view) = (self.callable(&context).await, self.view(&context));
        let with_icons = icons::are_known(&context);
        let listed = prompts::list(&self.host, view, with_icons, callable.as_deref());
        let mut result = ListPromptsResult::with_all_items(listed);
        result.meta = self.result_meta(&context);
        if is_modern(&context) {
            let scope = self.text_scope(callable.as_deref());
            result = result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(scope);
        }
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut result = self.write_prompt(request, &context).await?;
        result.meta = self.result_meta(&context);
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let mut result = CompleteResult::new(self.candidates(request, &context).await?);
        result.meta = self.result_meta(&context);
        Ok(result)
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
                "subscriptions require a session, which HTTP does not provide; use subscriptions/listen (2026-07-28)",
                None,
            ));
        }
        if !self.may_subscribe(&request.uri) {
            return Err(self.no_resource(&request.uri));
        }
        let first = self.session.subscribe(request.uri).map_err(|_| {
            let why =
                "too many subscriptions: unsubscribe from resources that are no longer needed";
            ErrorData::invalid_params(why, None)
        })?;
        if first {
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
        let requested = requested.resource_subscriptions.as_ref();
        if !requested.is_none_or(may_be_subscribed) {
            return None;
        }
        let mut accepted = SubscriptionFilter::new();
        // The SDK keeps what is requested and advertised.
        (accepted.tools_list_changed, accepted.resources_list_changed) = (Some(true), Some(true));
        accepted.prompts_list_changed = Some(true);
        accepted.resource_subscriptions = requested
            .map(|uris| uris.iter().filter(|uri| self.may_subscribe(uri)).cloned().collect());
        self.session.queue_changes(self.host.notifier.listen(), self.host.tools.current());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let current = || (self.host.notifier.listen(), self.host.tools.current());
        let (mut changes, choice) = self.session.take_changes().unwrap_or_else(current);
        let mut expired = std::pin::pin!(self.session.stream_expired());
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let wants_tools = context.accepted().tools_list_changed == Some(true);
        let wants_resources = context.accepted().resources_list_changed == Some(true);
        let wants_prompts = context.accepted().prompts_list_changed == Some(true);
        let bound = bound(context.request_context()).cloned();
        let mut lists = Lists::with(self.host.clone(), bound, &choice).await;
        let sink = context.sink();
        loop {
            tokio::select! {
                changed = changes.next() => {
                    let Some(changed) = changed else { return Ok(()) };
                    for uri in uris.iter().filter(|uri| changed.concerns(uri)) {
                        if !self.session.while_open(sink.notify_resource_updated(uri)).await {
                            return Ok(());
                        }
                    }
                }
                changed = lists.changed(), if wants_tools || wants_resources || wants_prompts => {
                    if wants_tools
                        && !self.session.while_open(sink.notify_tool_list_changed()).await
                    {
                        return Ok(());
                    }
                    if wants_resources
                        && changed.resources
                        && !self.session.while_open(sink.notify_resource_list_changed()).await
                    {
                        return Ok(());
                    }
                    if wants_prompts
                        && changed.prompts
                        && !self.session.while_open(sink.notify_prompt_list_changed()).await
                    {
                        return Ok(());
                    }
                }
                () = context.cancelled() => return Ok(()),
                () = self.session.ending().cancelled() => return Ok(()),
                () = &mut expired => return Ok(()),
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The SDK treats a known method with malformed parameters as a custom one.
        Err(if is_modern(&context) && methods::is_removed(&request.method) {
            methods::removed(&request.method)
        } else if methods::is_known(&request.method) {
            ErrorData::invalid_params(format!("malformed params for {}", request.method), None)
        } else {
            methods::unknown(&request.method)
        })
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if !self.session.is_for_one_request() && self.session.begin_list_changes() {
            self.announce_lists(context.peer);
        }
    }
}

/// The surface that is bound to the sender of a request over HTTP.
fn bound(context: &RequestContext<RoleServer>) -> Option<&Arc<dyn Dispatch>> {
    let head = context.extensions.get::<http::request::Parts>()?;
    head.extensions.get::<SenderClient>()?.0.surface.as_ref()
}

/// The request follows revision 2026-07-28 or later.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(
            "unknown cursor: the list has a single page; request it without a cursor",
            None,
        )),
    }
}
