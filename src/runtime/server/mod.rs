//! Serves a surface over MCP. The only module that depends on the SDK (`rmcp`).
//!
//! [`serve_stdio`] serves one client over standard input and output (`stdio`), [`serve_http`] many
//! clients (`http`). Both handle calls the same way: the transport decodes a request into a
//! `raw_call::RawCall`, starts it (`invocation`) and writes its answer once (`answer`). The SDK
//! serves every other method (`handler`) and never runs a tool. Handlers, guards and surfaces see
//! none of this: they get a [`Call`](crate::Call) and return an envelope.
//!
//! Nothing here prints: standard output belongs to the transport, logs go through `tracing`. The
//! SDK logs arguments at debug level, so the log target `rmcp` must stay at warnings or above.

mod answer;
mod caller;
mod catalogue;
mod completion;
mod consents;
mod content;
mod elicitation;
mod handler;
mod host;
mod hosts;
mod http;
mod icons;
mod invocation;
mod list_changes;
mod methods;
mod names;
mod notifier;
mod offer;
mod offered_tools;
mod progress;
mod prompt_values;
mod prompts;
mod raw_call;
mod resources;
mod seal;
mod session;
mod signals;
mod stdio;
mod view;

use std::net::SocketAddr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio_util::sync::CancellationToken;

pub use self::completion::Completions;
pub use self::http::{
    Bearer, ForwardedHeader, HttpOptions, MetricsEndpoint, Network, OptionsError, Rate, Tokens,
    TrustedProxies, run_http, serve_http, serve_listener,
};
pub use self::names::ToolNames;
pub use self::notifier::Notifier;
pub use self::offered_tools::OfferedTools;

use self::handler::Handler;
use self::host::Host;
use self::session::Session;
use self::signals::stop_on_signals;
use self::stdio::Stdio;
use crate::ask::{ASK_TIMEOUT, AskPolicy};
use crate::audit::AuditSink;
use crate::call::Services;
use crate::contract::Profile;
use crate::dispatch::Dispatch;
use crate::validate_output::ValidateOutput;

/// Options for serving.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The profile whose definitions are served. Default: chosen by the client's name.
    pub profile: Option<Profile>,
    /// Spelling of tool names in `tools/list`; overrides the profile.
    pub tool_names: ToolNames,
    /// The tools that are offered; one handle for each server. Default: all.
    pub tools: OfferedTools,
    /// Keys of the boolean settings that are on, for prompts that are offered by one.
    pub switches: Vec<&'static str>,
    /// Where the current values of arguments come from.
    pub completions: Completions,
    /// What happens to answers that do not match their output schema.
    pub validate_output: ValidateOutput,
    /// Longer lines are skipped and answered with an error. Default: 16 MiB.
    pub max_line_bytes: usize,
    /// Maximum number of concurrent calls; more are queued. Default: 256.
    pub max_calls: usize,
    /// How long running calls may take to finish after the client has disconnected. Default: 2 s.
    pub grace: Duration,
    /// Whether users are asked.
    pub ask: AskPolicy,
    /// How long the user may take to answer a question; then the answer is no. Default: 2 min.
    pub ask_timeout: Duration,
    /// Request the roots (workspace folders) of clients that have them. Default: no.
    pub client_roots: bool,
    /// Version reported as `serverInfo`. Default: that of the [`Services`].
    pub server_version: Option<String>,
    /// Key that authenticates the state which clients return with the answer to a question. Replicas
    /// of one service must share it. Default: a random key.
    pub seal_key: Option<[u8; 32]>,
    /// Where the lines of the trail go. Default: the log.
    pub audit: AuditSink,
    /// The surface keeps a clone and reports resource changes through it.
    pub notifier: Notifier,
    /// Cancel it to shut down as if the client had disconnected.
    pub stop: CancellationToken,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            profile: None,
            tool_names: ToolNames::default(),
            tools: OfferedTools::default(),
            switches: Vec::new(),
            completions: Completions::default(),
            validate_output: ValidateOutput::default(),
            max_line_bytes: 16 * 1024 * 1024,
            max_calls: 256,
            grace: Duration::from_secs(2),
            ask: AskPolicy::default(),
            ask_timeout: ASK_TIMEOUT,
            client_roots: false,
            server_version: None,
            seal_key: None,
            audit: AuditSink::log(),
            notifier: Notifier::default(),
            stop: CancellationToken::new(),
        }
    }
}

/// Why serving could not start or continue. A client that disconnects is not an error.
#[derive(Debug)]
pub enum ServeError {
    /// Standard input or output cannot be used.
    Descriptors(io::Error),
    /// The asynchronous runtime or its signal handlers cannot be set up.
    Runtime(io::Error),
    /// The HTTP options are invalid.
    Options(OptionsError),
    /// The address cannot be listened on.
    Listen(SocketAddr, io::Error),
    /// The ready file cannot be written.
    Ready(io::Error),
    /// The service loop failed.
    Service(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Descriptors(error) => {
                write!(f, "cannot serve over standard input and output: {error}")
            }
            Self::Runtime(error) => write!(f, "cannot start serving: {error}"),
            Self::Options(error) => write!(f, "cannot serve over HTTP: {error}"),
            Self::Listen(address, error) => write!(f, "cannot listen on {address}: {error}"),
            Self::Ready(error) => write!(f, "cannot write the ready file: {error}"),
            Self::Service(error) => write!(f, "the server stopped unexpectedly: {error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Descriptors(error)
            | Self::Runtime(error)
            | Self::Listen(_, error)
            | Self::Ready(error) => Some(error),
            Self::Options(error) => Some(error),
            Self::Service(_) => None,
        }
    }
}

/// Serves over standard input and output until the client disconnects, or on SIGTERM, SIGINT or
/// SIGHUP.
///
/// # Errors
/// When the descriptors or signal handlers cannot be set up, or the service loop fails.
pub async fn serve_stdio(
    surface: Arc<dyn Dispatch>,
    services: Services,
    options: ServeOptions,
) -> Result<(), ServeError> {
    let input = io::stdin().as_fd().try_clone_to_owned().map_err(ServeError::Descriptors)?;
    let output = io::stdout().as_fd().try_clone_to_owned().map_err(ServeError::Descriptors)?;
    let watching = stop_on_signals(options.stop.clone())?;
    let served = serve_descriptors(surface, services, options, input, output).await;
    watching.abort();
    served
}

/// Serves over any pair of descriptors: FIFOs, sockets, files. The caller handles signals.
///
/// # Errors
/// When the descriptors cannot be used, or the service loop fails.
pub async fn serve_descriptors(
    surface: Arc<dyn Dispatch>,
    services: Services,
    options: ServeOptions,
    input: OwnedFd,
    output: OwnedFd,
) -> Result<(), ServeError> {
    let host = Arc::new(Host::new(surface, services, &options));
    let session = Arc::new(Session::default());
    let cancel = CancellationToken::new();
    let (serving, abandoned) = (session.clone(), cancel.clone());
    let transport = Stdio::open(input, output, host.clone(), serving, &options, abandoned)
        .map_err(ServeError::Descriptors)?;
    // Do not wait for a handshake: the transport rejects requests that need one, so that no first
    // message can end the server.
    let running = rmcp::service::serve_directly_with_ct(
        Handler::new(host, session.clone()),
        transport,
        None,
        cancel.clone(),
    );
    let mut done = std::pin::pin!(running.waiting());
    tokio::select! {
        ended = &mut done => return ended.map(drop).map_err(broken),
        () = session.ending().cancelled() => {}
    }
    // Running calls may finish; those that do not finish in time are cancelled, then abandoned.
    for grace in [options.grace, options.grace / 4] {
        if let Ok(ended) = tokio::time::timeout(grace, &mut done).await {
            return ended.map(drop).map_err(broken);
        }
        cancel.cancel();
    }
    tracing::warn!("abandoned calls that did not finish in time");
    Ok(())
}

fn broken(error: tokio::task::JoinError) -> ServeError {
    ServeError::Service(error.to_string())
}

/// Builds a runtime, serves over standard input and output, and returns the exit status.
pub fn run_stdio(surface: Arc<dyn Dispatch>, services: Services, options: ServeOptions) -> u8 {
    // Single-threaded: for one pipe a second thread only adds wake-ups.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    run(runtime, serve_stdio(surface, services, options))
}

/// Serves on a runtime and returns the exit status.
fn run(
    runtime: io::Result<tokio::runtime::Runtime>,
    serving: impl Future<Output = Result<(), ServeError>>,
) -> u8 {
    let served = runtime.map_err(ServeError::Runtime).and_then(|runtime| {
        let served = runtime.block_on(serving);
        runtime.shutdown_timeout(Duration::from_millis(200));
        served
    });
    match served {
        Ok(()) => 0,
        Err(error) => {
            tracing::error!(%error, "the server ended");
            1
        }
    }
}
