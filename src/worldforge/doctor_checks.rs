//! The doctor checks of worldforge: its store, and the identities it acts for.

use std::path::Path;
use std::time::Duration;

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
        None => toolwright_platform::sqlite::doctor_rows(&settings.data_dir.join(setup::FILE)),
        Some(url) if url.starts_with("mongodb") => vec![server(url, &settings.database_name)],
        Some(url) => {
            let file = url.strip_prefix("sqlite:").unwrap_or(url);
            toolwright_platform::sqlite::doctor_rows(Path::new(
                file.strip_prefix("//").unwrap_or(file),
            ))
        }
    };
    rows.push(match settings.identity_users.len() + settings.identity_tokens.len() {
        0 => Row::doubtful("identity", "it acts for no user")
            .expected("a user or a token")
            .remedy("Set identity.tenant and identity.users; `worldforge tenant` lists them."),
        users => Row::good("identity", format!("{users} users and tokens")),
    });
    rows
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
