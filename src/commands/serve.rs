//! Opening a surface from settings, and serving it.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use serde_json::{Value, json};
use toolwright_runtime::ask::{ASK_TIMEOUT, AskPolicy};
use toolwright_runtime::audit::{AuditSink, Trail};
use toolwright_runtime::clock::{SystemClock, SystemIds};
use toolwright_runtime::contract::{Profile, SurfaceInfo, ToolInfo};
use toolwright_runtime::logging::{self, Format, LoggingError};
use toolwright_runtime::mock::Mock;
use toolwright_runtime::server::{self, Bearer, Completions, ServeOptions, ToolNames};
use toolwright_runtime::settings::{self, Loaded, SettingProblem, SettingsError, Sources};
use toolwright_runtime::{Call, Dispatch, Identity, Services, ValidateOutput, acting_for};

use super::entry::SurfaceEntry;
use super::reload::SettingsFile;
use super::{USAGE, arguments, audit, exposure, http, mock, terminal, tool_choice};

/// Id of the flag that names the settings file.
pub(super) const CONFIG: &str = "settings file";

/// Serves over stdio until the client disconnects, or over HTTP until a signal. `flags` is `None` for a
/// plain `mcp`.
pub fn run(entry: &SurfaceEntry, flags: Option<&ArgMatches>) -> ExitCode {
    let file = SettingsFile::remember(entry.info, flags);
    let loaded = match load(entry, flags) {
        Ok(loaded) => loaded,
        Err(error) => return settings_error(&error),
    };
    let mock = match flags.map(|flags| mock::read(flags, entry.info)).transpose() {
        Ok(mock) => mock.flatten(),
        Err(error) => return usage_error(&error),
    };
    let handshake_only = flags.is_some_and(mock::is_handshake_only);
    if handshake_only && let Err(error) = required(entry, &loaded) {
        return settings_error(&error);
    }
    // What only answers the handshake needs no store.
    let mock = mock.or_else(|| handshake_only.then(|| Mock::new(entry.info)));
    // A mock verifies no tokens and uses no roots.
    let (client_roots, bearer) = match mock {
        Some(_) => (false, Bearer::Transport),
        None => (entry.client_roots, entry.bearer),
    };
    let tools = match tool_choice::selection(entry.info, &loaded) {
        Ok(tools) => tools,
        Err(error) => return settings_error(&error),
    };
    // A handshake leaves no file behind.
    let audit = match handshake_only {
        true => Ok(AuditSink::log()),
        false => audit::sink(entry.info, &loaded),
    };
    let audit = match audit {
        Ok(audit) => audit,
        Err(error) => return settings_error(&error),
    };
    let mut options = ServeOptions {
        profile: profile(&loaded),
        tool_names: tool_names(&loaded),
        tools: tools.into(),
        switches: switches(entry.info, &loaded),
        completions: completions(entry, &loaded),
        ask: ask(&loaded),
        ask_timeout: ask_timeout(&loaded),
        validate_output: validate_output(&loaded),
        audit,
        client_roots,
        ..ServeOptions::default()
    };
    let http = match flags.map(|flags| http::read(flags, &loaded, bearer, &mut options)).transpose()
    {
        Ok(http) => http.flatten(),
        Err(error) => return usage_error(&error),
    };
    if handshake_only && http.is_some() {
        return usage_error("with --http it does not answer the client that starts it");
    }
    start_logging(&loaded);
    for warning in &loaded.warnings {
        tracing::warn!(event = "settings.warning", "{warning}");
    }
    let secrets = flags.map(http::secret_files).unwrap_or_default();
    exposure::warn(&exposure::rows(entry, &loaded, &secrets));
    let is_mock = mock.is_some();
    let surface: Arc<dyn Dispatch> = match mock {
        Some(mock) => Arc::new(mock),
        None => match (entry.open)(&loaded, Some(options.notifier.clone())) {
            Ok(surface) => identified(entry, surface, &loaded),
            Err(error) => return settings_error(&error),
        },
    };
    if let Some(file) = file.filter(|_| !handshake_only) {
        file.follow(&loaded, options.tools.clone());
    }
    let info = entry.info;
    tracing::info!(
        event = "mcp.start",
        surface = info.name,
        contract = info.contract,
        digest = info.digest,
        mock = is_mock.then_some(true),
        settings = %changed(&loaded),
        "serving over {}",
        if http.is_some() { "HTTP" } else { "stdio" },
    );
    let status = match http {
        Some(http) => server::run_http(surface, services(entry.version), options, http),
        None => server::run_stdio(surface, services(entry.version), options),
    };
    logging::flush();
    ExitCode::from(status)
}

/// Prints every setting with its value and source.
pub(super) fn report_settings(entry: &SurfaceEntry, matches: &ArgMatches) -> ExitCode {
    match load(entry, Some(matches)) {
        Ok(loaded) => {
            if let Err(error) = tool_choice::selection(entry.info, &loaded) {
                return settings_error(&error);
            }
            let report = json!({
                "surface": entry.info.name,
                "file": loaded.file,
                "settings": loaded.report(),
                "warnings": loaded.warnings,
            });
            terminal::line(&serde_json::to_string_pretty(&report).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(error) => settings_error(&error),
    }
}

/// A surface that is open for calls on the command line.
pub(super) struct Opened {
    pub(super) surface: Arc<dyn Dispatch>,
    version: &'static str,
    validate_output: ValidateOutput,
    /// None without a file, or for a tool that only reads.
    pub(super) trail: Option<Trail>,
}

impl Opened {
    /// A call of one of its tools.
    pub(super) fn call(&self, tool: usize) -> Call {
        let info = self.surface.info().tools[tool];
        Call::new(info, "cli", services(self.version)).validating_output(self.validate_output)
    }
}

/// Opens the surface for a call of this tool on the command line. From here on, errors are logged.
pub(super) fn open(
    entry: &SurfaceEntry,
    matches: &ArgMatches,
    tool: &ToolInfo,
) -> Result<Opened, ExitCode> {
    let opened = load(entry, Some(matches)).and_then(|loaded| {
        let _ = logging::init("error", Format::Text);
        let validate_output = validate_output(&loaded);
        let trail = audit::trail_of_command(entry, &loaded, tool)?;
        let surface = identified(entry, (entry.open)(&loaded, None)?, &loaded);
        Ok(Opened { surface, version: entry.version, validate_output, trail })
    });
    opened.map_err(|error| settings_error(&error))
}

/// The surface as it serves those for whom the settings let it act.
fn identified(
    entry: &SurfaceEntry,
    surface: Arc<dyn Dispatch>,
    loaded: &Loaded,
) -> Arc<dyn Dispatch> {
    match &entry.info.identity {
        Some(info) => acting_for(surface, Identity::of(info, loaded)),
        None => surface,
    }
}

/// Whether the settings say for whom calls over stdio are.
fn required(entry: &SurfaceEntry, loaded: &Loaded) -> Result<(), SettingsError> {
    let missing = entry
        .required
        .iter()
        .filter(|required| loaded.get(required.key).is_none_or(|found| is_empty(&found.value)));
    let problems: Vec<SettingProblem> = missing
        .map(|required| SettingProblem {
            key: required.key.to_owned(),
            source: None,
            message: format!("is not set, so calls would be for nobody. {}", required.how),
        })
        .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(SettingsError { problems, warnings: Vec::new() }),
    }
}

/// The real clock and real randomness.
fn services(version: &'static str) -> Services {
    Services { clock: Arc::new(SystemClock::default()), ids: Arc::new(SystemIds), version }
}

/// Runs one future on a single-threaded runtime.
pub(super) fn block_on<F: Future>(future: F) -> Option<F::Output> {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => Some(runtime.block_on(future)),
        Err(error) => {
            terminal::message(&format!("error: cannot start the async runtime: {error}"));
            None
        }
    }
}

/// The settings of this process.
pub(super) fn load(
    entry: &SurfaceEntry,
    flags: Option<&ArgMatches>,
) -> Result<Loaded, SettingsError> {
    settings::load(entry.info, &sources(entry.info, flags))
}

/// Where the settings of this process come from.
pub(super) fn sources(info: &SurfaceInfo, flags: Option<&ArgMatches>) -> Sources<'static> {
    let Some(flags) = flags else { return Sources::of_process(BTreeMap::new(), None) };
    let given = info.all_settings().filter_map(|setting| {
        Some((setting.key.to_owned(), arguments::setting_values(setting, flags)?))
    });
    let config = info.config.and_then(|_| flags.get_one::<String>(CONFIG).cloned());
    Sources::of_process(given.collect(), config)
}

fn start_logging(loaded: &Loaded) {
    let text = |key: &str| loaded.get(key).and_then(|found| found.value.as_str());
    let as_text = loaded.get("json_logs").is_some_and(|found| found.value == json!(false));
    let format = if as_text { Format::Text } else { Format::Json };
    match logging::init(text("log_level").unwrap_or("info"), format) {
        // An embedding program may have its own subscriber.
        Ok(()) | Err(LoggingError::AlreadySet) => {}
        Err(error) => terminal::message(&format!("warning: logging is off: {error}")),
    }
}

/// The settings that differ from their defaults, for the log.
fn changed(loaded: &Loaded) -> Value {
    let mut report = loaded.report();
    if let Some(settings) = report.as_object_mut() {
        settings.retain(|_, setting| setting["source"] != "default");
    }
    report
}

/// `None` (for `auto`, or without the setting) chooses by the client's name.
fn profile(loaded: &Loaded) -> Option<Profile> {
    let name = loaded.get("client_profile")?.value.as_str()?;
    Profile::ALL.into_iter().find(|profile| profile.name() == name)
}

/// The boolean settings of the contract that are on.
fn switches(info: &SurfaceInfo, loaded: &Loaded) -> Vec<&'static str> {
    let is_on = |key: &str| loaded.get(key).is_some_and(|found| found.value == json!(true));
    info.settings.iter().map(|setting| setting.key).filter(|key| is_on(key)).collect()
}

/// What the surface completes in a shell, it completes for clients too.
fn completions(entry: &SurfaceEntry, loaded: &Loaded) -> Completions {
    let Some(complete) = entry.complete else { return Completions::default() };
    let loaded = loaded.clone();
    Completions::from_fn(move |tool, argument| {
        let found = complete(&loaded, tool, argument).into_iter();
        found.map(|candidate| candidate.value).collect()
    })
}

fn validate_output(loaded: &Loaded) -> ValidateOutput {
    let chosen = loaded.get("validate_output").and_then(|found| found.value.as_str());
    chosen.and_then(ValidateOutput::named).unwrap_or_default()
}

fn tool_names(loaded: &Loaded) -> ToolNames {
    match loaded.get("tool_names").and_then(|found| found.value.as_str()) {
        Some("canonical") => ToolNames::Canonical,
        Some("portable") => ToolNames::Portable,
        _ => ToolNames::Auto,
    }
}

fn ask(loaded: &Loaded) -> AskPolicy {
    match loaded.get("ask").and_then(|found| found.value.as_str()) {
        Some("always") => AskPolicy::Always,
        Some("never") => AskPolicy::Never,
        _ => AskPolicy::Auto,
    }
}

fn ask_timeout(loaded: &Loaded) -> Duration {
    let seconds = loaded.get("ask_timeout").and_then(|found| found.value.as_u64());
    seconds.map_or(ASK_TIMEOUT, Duration::from_secs)
}

/// Reports a usage error.
fn usage_error(error: &str) -> ExitCode {
    terminal::message(&format!("error: {error}"));
    ExitCode::from(USAGE)
}

/// Reports invalid settings.
pub(super) fn settings_error(error: &SettingsError) -> ExitCode {
    terminal::message(&format!("error: {error}"));
    ExitCode::from(USAGE)
}

/// Whether a value says nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
