//! Turns settings into the engine's options.

use std::sync::Arc;
use std::time::Duration;

use toolwright_runtime::clock::{SystemClock, SystemIds};
use toolwright_runtime::settings::{SettingProblem, SettingsError};

use super::auth::{JwtRules, Secret};
use super::embed::Embedder;
use super::engine::{Retention, Setup};
use super::llm::{Extractor, Key, LlmClient, LlmOptions};
use super::sql::{Database, Options};
use crate::generated::{Settings, SettingsEmbedderKind, SettingsExtractorKind, SettingsPgvector};

/// In milliseconds.
const DAY: i64 = 86_400_000;

/// The engine's options from the settings. Opens no connection yet.
pub(super) fn from_settings(settings: &Settings) -> Result<Setup, SettingsError> {
    let connections = usize::try_from(settings.database_connections).unwrap_or(1);
    let options = Options { connections, ..Options::default() };
    let (key, url) = match &settings.database_url {
        Some(url) => ("database_url", url.clone()),
        None => ("database_file", format!("sqlite:{}", settings.database_file.display())),
    };
    let database = Database::open(&url, options).map_err(|error| setting_error(key, error))?;
    Ok(Setup {
        database,
        extractor: extractor(settings)?,
        embedder: embedder(settings)?,
        jwt: jwt(settings)?,
        activity: Retention {
            max_age: limit(settings.activity_max_age_days).map(|days| days.saturating_mul(DAY)),
            max_rows: limit(settings.activity_max_rows),
        },
        use_pgvector: settings.pgvector == SettingsPgvector::Auto,
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    })
}

/// A limit that 0 switches off.
fn limit(setting: i64) -> Option<i64> {
    (setting > 0).then_some(setting)
}

fn jwt(settings: &Settings) -> Result<Option<JwtRules>, SettingsError> {
    let Some(text) = &settings.jwt_secret else { return Ok(None) };
    let secret = Secret::new(text).map_err(|error| setting_error("jwt.secret", error))?;
    Ok(Some(JwtRules { issuer: settings.jwt_issuer.clone(), ..JwtRules::new(secret) }))
}

fn extractor(settings: &Settings) -> Result<Extractor, SettingsError> {
    if settings.extractor_kind == SettingsExtractorKind::Rules {
        return Ok(Extractor::Rules);
    }
    let key = settings.extractor_api_key.as_deref().map(Key::new).transpose();
    let options = LlmOptions {
        model: settings.extractor_model.clone(),
        base_url: settings.extractor_base_url.clone(),
        key: key.map_err(|error| setting_error("extractor.api_key", error))?,
        timeout: Duration::from_secs(u64::try_from(settings.extractor_timeout_secs).unwrap_or(60)),
        ..LlmOptions::default()
    };
    let llm = LlmClient::new(options).map_err(|error| setting_error("extractor", error))?;
    Ok(Extractor::Model { llm, fallback: settings.extractor_fallback })
}

/// The embedder of the settings. Reads and connects to nothing yet.
pub(super) fn embedder(settings: &Settings) -> Result<Embedder, SettingsError> {
    match settings.embedder_kind {
        SettingsEmbedderKind::Builtin => {
            Embedder::builtin().map_err(|error| setting_error("embedder.kind", error))
        }
        SettingsEmbedderKind::Host => Ok(Embedder::host()),
        SettingsEmbedderKind::Api => {
            let key = settings.embedder_api_key.as_deref().map(Key::new).transpose();
            let secs = u64::try_from(settings.embedder_timeout_secs).unwrap_or(30);
            let options = LlmOptions {
                model: settings.embedder_model.clone(),
                base_url: settings.embedder_base_url.clone(),
                key: key.map_err(|error| setting_error("embedder.api_key", error))?,
                timeout: Duration::from_secs(secs),
                ..LlmOptions::default()
            };
            Embedder::api(&options).map_err(|error| setting_error("embedder", error))
        }
    }
}

fn setting_error(key: &str, error: impl std::fmt::Display) -> SettingsError {
    let problem = SettingProblem { key: key.to_owned(), source: None, message: error.to_string() };
    SettingsError { problems: vec![problem], warnings: Vec::new() }
}
