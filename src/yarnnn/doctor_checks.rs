//! What a doctor sees of yarnnn: its database, its embedder, and whether calls over stdio bring a
//! token.

use std::path::PathBuf;
use std::time::Duration;

use toolwright_commands::{Private, database};
use toolwright_platform::health::Row;
use toolwright_runtime::settings::Loaded;

use super::setup;
use super::sql::{Database, Options};
use crate::generated::{Settings, SettingsEmbedderKind};

/// A server that takes longer counts as unreachable.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Runs the checks; changes nothing.
pub(super) fn run(loaded: &Loaded) -> Vec<Row> {
    let Ok(settings) = loaded.typed::<Settings>() else { return Vec::new() };
    let mut rows = match settings.database_url.as_deref() {
        Some(url) if url.starts_with("postgres:") || url.starts_with("postgresql:") => {
            vec![server(url)]
        }
        _ => toolwright_platform::sqlite::doctor_rows(&file(&settings)),
    };
    rows.push(match settings.token {
        Some(_) => Row::good("token", "set"),
        None => Row::doubtful("token", "not set")
            .expected("a token for calls over stdio")
            .remedy("Create one with `yarnnn token create USER` and set YARNNN_TOKEN."),
    });
    rows.push(embedder(&settings));
    rows
}

/// What makes vectors. A server of an API is not asked: that may cost money.
fn embedder(settings: &Settings) -> Row {
    match setup::embedder(settings) {
        Ok(made) => match (made.model(), settings.embedder_kind) {
            (Some(model), SettingsEmbedderKind::Api) => {
                Row::good("embedder", format!("{model} at {}", settings.embedder_base_url))
            }
            (Some(model), _) => Row::good("embedder", format!("{model}, built in")),
            (None, _) => Row::good("embedder", "none; hosts send vectors"),
        },
        Err(error) => Row::bad("embedder", "cannot be used")
            .expected("a setting `embedder.kind` that this program can serve")
            .cause(error.to_string())
            .remedy("Correct the settings of `embedder`."),
    }
}

/// The memory, unless it is on a server.
pub(super) fn private(loaded: &Loaded) -> Vec<Private> {
    let Ok(settings) = loaded.typed::<Settings>() else { return Vec::new() };
    let url = settings.database_url.as_deref().unwrap_or_default();
    if url.starts_with("postgres") { Vec::new() } else { database(&file(&settings)) }
}

/// The SQLite file.
fn file(settings: &Settings) -> PathBuf {
    let Some(url) = settings.database_url.as_deref() else { return settings.database_file.clone() };
    let file = url.strip_prefix("sqlite:").unwrap_or(url);
    file.strip_prefix("//").unwrap_or(file).into()
}

/// The URL itself is a secret.
fn server(url: &str) -> Row {
    let options = Options { connections: 1, line: TIMEOUT, wait: TIMEOUT, ..Options::default() };
    match Database::open(url, options).and_then(|database| database.ping()) {
        Ok(()) => Row::good("store", "PostgreSQL answers"),
        Err(error) => Row::bad("store", "PostgreSQL does not answer")
            .expected("a server that answers within three seconds")
            .cause(error.to_string())
            .remedy("Start it, or correct the setting `database_url`."),
    }
}
