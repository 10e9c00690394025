//! The context of one call: identity, time, randomness, cancellation, progress.
//!
//! Handlers get everything that is not an argument from here, so that every answer can be
//! reproduced in a test. It knows nothing of the transport behind it.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::ask::Asker;
use crate::clock::{Clock, Ids};
use crate::contract::{SurfaceInfo, ToolInfo};
use crate::dispatch::Dispatch;
use crate::identity::Caller;
use crate::validate_output::ValidateOutput;

/// Process-wide services that all calls share.
#[derive(Clone)]
pub struct Services {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness and ids.
    pub ids: Arc<dyn Ids>,
    /// Version of the product, for `$version`.
    pub version: &'static str,
}

/// Who sent the call, as far as the transport knows.
#[derive(Clone, Default)]
pub struct Client {
    /// `clientInfo.name`
    pub name: Option<String>,
    /// `clientInfo.version`
    pub version: Option<String>,
    /// Agreed protocol revision.
    pub protocol: Option<String>,
    /// The client's roots (workspace folders), if the server is configured to request them.
    pub roots: Vec<PathBuf>,
    /// Address of the client; `None` over stdio.
    pub address: Option<IpAddr>,
    /// Identifies the bearer token that was accepted, without revealing it: the beginning of its
    /// SHA-256 digest, in hexadecimal.
    pub token_id: Option<String>,
    /// The surface bound to this client after authentication; see
    /// [`Authenticate`](crate::dispatch::Authenticate). Runs the calls instead of the shared one.
    pub surface: Option<Arc<dyn Dispatch>>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("protocol", &self.protocol)
            .field("roots", &self.roots)
            .field("address", &self.address)
            .field("token_id", &self.token_id)
            .field("authenticated", &self.surface.is_some())
            .finish()
    }
}

/// Receives progress; implemented by the transport.
pub trait ProgressSink: Send + Sync {
    /// Reports `done` of `total`, with a short human-readable message.
    fn report(&self, done: f64, total: Option<f64>, message: Option<&str>);
}

/// One call of one tool.
pub struct Call {
    tool: &'static ToolInfo,
    id: String,
    services: Services,
    client: Arc<Client>,
    caller: OnceLock<Arc<Caller>>,
    /// Created on first use: most calls finish before they could be cancelled.
    cancel: OnceLock<CancellationToken>,
    progress: Option<Arc<dyn ProgressSink>>,
    asker: Option<Arc<dyn Asker>>,
    must_ask: bool,
    /// As sent; kept only where the user can be asked about them.
    arguments: OnceLock<Box<RawValue>>,
    request_meta: Map<String, Value>,
    /// The surface whose tools the client knows by their portable names.
    portable_names: Option<&'static SurfaceInfo>,
    validate_output: ValidateOutput,
    reads_resource: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rehearsal: bool,
    invalid_answer: bool,
    reached_handler: bool,
    subject: Option<String>,
    warnings: Vec<String>,
    command_word: Option<String>,
    meta: Map<String, Value>,
}

impl Call {
    /// A call of `tool`, without progress, cancellation or a way to ask the user.
    pub fn new(tool: &'static ToolInfo, id: impl Into<String>, services: Services) -> Self {
        Self {
            tool,
            id: id.into(),
            services,
            client: Arc::default(),
            caller: OnceLock::new(),
            cancel: OnceLock::new(),
            progress: None,
            asker: None,
            must_ask: false,
            arguments: OnceLock::new(),
            request_meta: Map::new(),
            portable_names: None,
            validate_output: ValidateOutput::default(),
            reads_resource: false,
            state: Mutex::default(),
        }
    }

    /// Sets the client.
    #[must_use]
    pub fn from_client(mut self, client: Arc<Client>) -> Self {
        self.client = client;
        self
    }

    /// The call reads a resource that mirrors the tool: arguments that say for whom it acts are the
    /// caller's where the URI leaves them out.
    #[must_use]
    pub fn that_reads_a_resource(mut self) -> Self {
        self.reads_resource = true;
        self
    }

    /// Whether the call reads a resource.
    pub(crate) fn reads_resource(&self) -> bool {
        self.reads_resource
    }

    /// Makes the call cancellable.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel.into();
        self
    }

    /// Lets the handler report progress.
    #[must_use]
    pub fn with_progress(mut self, sink: Arc<dyn ProgressSink>) -> Self {
        self.progress = Some(sink);
        self
    }

    /// Lets guards ask the user through the client.
    #[must_use]
    pub fn with_asker(mut self, asker: Arc<dyn Asker>) -> Self {
        self.asker = Some(asker);
        self
    }

    /// Refuses what the user cannot be asked about, whatever stands in for the question.
    #[must_use]
    pub fn that_must_ask(mut self) -> Self {
        self.must_ask = true;
        self
    }

    /// Stores the request's `_meta` for handlers that are allowed to read it.
    #[must_use]
    pub fn with_request_meta(mut self, meta: Map<String, Value>) -> Self {
        self.request_meta = meta;
        self
    }

    /// The client knows the tools of this surface by their portable names, and so do texts for it.
    #[must_use]
    pub(crate) fn with_portable_names(mut self, info: Option<&'static SurfaceInfo>) -> Self {
        self.portable_names = info;
        self
    }

    /// A text for the client, with the names of tools as it knows them.
    pub(crate) fn spelled(&self, text: String) -> String {
        match self.portable_names.map(|info| info.portable_text(&text)) {
            Some(Cow::Owned(spelled)) => spelled,
            _ => text,
        }
    }

    /// Sets what happens if the answer does not match the output schema.
    #[must_use]
    pub fn validating_output(mut self, validate_output: ValidateOutput) -> Self {
        self.validate_output = validate_output;
        self
    }

    /// The tool's contract.
    pub fn tool(&self) -> &'static ToolInfo {
        self.tool
    }

    /// The request's id, as text.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The client that sent the call.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// For whom the call may act, where the contract has an `identity`.
    pub fn caller(&self) -> Option<&Arc<Caller>> {
        self.caller.get()
    }

    /// Sets for whom the call may act; the first one stays.
    pub(crate) fn set_caller(&self, caller: Arc<Caller>) {
        self.caller.get_or_init(|| caller);
    }

    /// Time.
    pub fn clock(&self) -> &dyn Clock {
        &*self.services.clock
    }

    /// Randomness and ids.
    pub fn ids(&self) -> &dyn Ids {
        &*self.services.ids
    }

    /// Version of the product.
    pub fn version(&self) -> &'static str {
        self.services.version
    }

    /// The request's `_meta`.
    pub fn request_meta(&self) -> &Map<String, Value> {
        &self.request_meta
    }

    /// Asks the user, if the client supports it.
    pub fn asker(&self) -> Option<&Arc<dyn Asker>> {
        self.asker.as_ref()
    }

    /// What the user cannot be asked about is refused.
    pub fn must_ask(&self) -> bool {
        self.must_ask
    }

    /// Remembers the arguments, to bind the user's answer to them.
    pub(crate) fn keep_arguments(&self, arguments: &RawValue) {
        if self.asker.is_some() {
            self.arguments.get_or_init(|| arguments.to_owned());
        }
    }

    pub(crate) fn arguments(&self) -> Option<&RawValue> {
        self.arguments.get().map(|arguments| &**arguments)
    }

    /// Resolves when the client no longer wants the answer.
    pub async fn cancelled(&self) {
        self.token().cancelled().await;
    }

    /// The client no longer wants the answer.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.get().is_some_and(CancellationToken::is_cancelled)
    }

    /// A token for work that runs elsewhere, such as a blocking thread.
    pub fn cancellation(&self) -> CancellationToken {
        self.token().clone()
    }

    /// Reports progress; a no-op unless the client asked for it.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(sink) = &self.progress {
            sink.report(done, total, message);
        }
    }

    /// The call must change nothing: it is unconfirmed and its guard has `rehearse`.
    pub fn is_rehearsal(&self) -> bool {
        self.state().rehearsal
    }

    /// Turns the call into a rehearsal. Guards do this before the handler runs.
    pub fn rehearse(&self) {
        self.state().rehearsal = true;
    }

    /// The guards have let the call pass. For the trail.
    pub(crate) fn enter_handler(&self) {
        self.state().reached_handler = true;
    }

    /// Whether the guards have let the call pass.
    pub(crate) fn has_reached_handler(&self) -> bool {
        self.state().reached_handler
    }

    /// The surface has verified who calls: a user or an account, for the trail. Never a token, and never
    /// what is only an argument.
    pub fn identify(&self, subject: impl Into<String>) {
        self.state().subject = Some(subject.into());
    }

    /// Who was [identified](Call::identify).
    pub(crate) fn subject(&self) -> Option<String> {
        self.state().subject.clone()
    }

    /// Stores the argument that the last word of the tool's command stands for.
    pub(crate) fn set_command_word(&self, word: &str) {
        self.state().command_word = Some(word.to_owned());
    }

    /// What happens if the answer does not match the output schema.
    pub(crate) fn validate_output(&self) -> ValidateOutput {
        self.validate_output
    }

    /// Records that the answer does not match the output schema.
    pub(crate) fn set_invalid_answer(&self) {
        self.state().invalid_answer = true;
    }

    /// Whether the handler's answer did not match the output schema.
    pub(crate) fn has_invalid_answer(&self) -> bool {
        self.state().invalid_answer
    }

    /// The words of the tool command, as this call would be typed.
    pub(crate) fn command_words(&self) -> Vec<String> {
        let state = self.state();
        self.tool
            .command
            .iter()
            .filter_map(|word| match word.strip_prefix('$') {
                Some(_) => state.command_word.clone(),
                None => Some((*word).to_owned()),
            })
            .collect()
    }

    /// Adds a warning for the envelope's `$warnings`.
    pub fn warn(&self, text: impl Into<String>) {
        self.state().warnings.push(text.into());
    }

    /// Adds to the result's `_meta`.
    pub fn attach(&self, key: impl Into<String>, value: Value) {
        self.state().meta.insert(key.into(), value);
    }

    /// Takes the warnings, for the envelope.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.state().warnings)
    }

    /// Takes the result's `_meta`, for the transport.
    pub fn take_meta(&self) -> Map<String, Value> {
        std::mem::take(&mut self.state().meta)
    }

    fn token(&self) -> &CancellationToken {
        self.cancel.get_or_init(CancellationToken::new)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
