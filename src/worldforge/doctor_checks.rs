//! The doctor checks of worldforge: its store, and the identities it acts for.

use std::path::PathBuf;
use std::time::Duration;

use toolwright_commands::{Private, database};
use toolwright_platform::health::Row;
use toolwright_runtime::settings::Loaded;

use super::{setup, store};
use crate::generated::Settings;

/// A server that takes longer is as good as gone.
const PATIENCE: Duration = Duration::from_secs(3);

/// Looks, and changes nothing.
pub(super) fn run(loaded: &Loaded) -> Vec<Row> {
    let Ok(settings) = loaded.typed::<Settings>() else { return Vec::new() };
    let mut rows = match settings.database_url.as_deref() {
        Some(url) if url.starts_with("mongodb") => vec![server(url, &settings.database_name)],
        _ => toolwright_platform::sqlite::doctor_rows(&file(&settings)),
    };
    rows.push(match settings.identity_users.len() + settings.identity_tokens.len() {
        0 => Row::doubtful("identity", "it acts for no user")
            .expected("a user or a token")
            .remedy("Set identity.tenant and identity.users; `worldforge tenant` lists them."),
        users => Row::good("identity", format!("{users} users and tokens")),
    });
    rows
}

/// The worlds, unless they are on a server.
pub(super) fn private(loaded: &Loaded) -> Vec<Private> {
    let Ok(settings) = loaded.typed::<Settings>() else { return Vec::new() };
    let url = settings.database_url.as_deref().unwrap_or_default();
    if url.starts_with("mongodb") { Vec::new() } else { database(&file(&settings)) }
}

/// The SQLite file.
fn file(settings: &Settings) -> PathBuf {
    let Some(url) = settings.database_url.as_deref() else {
        return setup::database_file(settings);
    };
    let file = url.strip_prefix("sqlite:").unwrap_or(url);
    file.strip_prefix("//").unwrap_or(file).into()
}

/// The URL itself is a secret.
fn server(url: &str, name: &str) -> Row {
    match store::reach(url, name, PATIENCE) {
        Ok(()) => Row::good("store", "MongoDB answers"),
        Err(error) => Row::bad("store", "MongoDB does not answer")
            .expected("a server that answers within three seconds")
            .cause(error.to_string())
            .remedy("Start it, or correct the setting `database.url`."),
    }
}
