//! Files of a server that others than their owner may read or change: rows of `doctor`, and warnings when
//! a server starts.

use std::path::{Path, PathBuf};

use toolwright_platform::health::{self, Holds, Row};
use toolwright_runtime::settings::{Loaded, Source};

use super::audit;
use super::entry::SurfaceEntry;

/// What a surface keeps where nobody else should look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Private {
    /// A file.
    File(PathBuf),
    /// Everything below a folder.
    Below(PathBuf),
}

/// A row for each file that others can open. `secrets` are files besides those of the settings.
pub(crate) fn rows(entry: &SurfaceEntry, loaded: &Loaded, secrets: &[PathBuf]) -> Vec<Row> {
    let settings = loaded.file.as_deref().and_then(|file| {
        let is_secret = loaded
            .values
            .values()
            .any(|value| value.secret && matches!(value.source, Source::File { .. }));
        let holds = if is_secret { Holds::Secrets } else { Holds::Settings };
        health::exposed("settings.private", file, holds)
    });
    let secrets = secrets.iter().map(|file| ("tokens.private", file.as_path()));
    let audit = audit::file(entry.info, loaded).map(|file| ("audit.private", file));
    let files = secrets.chain(audit);
    let files = files.filter_map(|(check, file)| health::exposed(check, file, Holds::Secrets));
    let kept = entry.private.map(|private| private(loaded)).unwrap_or_default();
    settings.into_iter().chain(files).chain(kept.iter().filter_map(store)).collect()
}

fn store(private: &Private) -> Option<Row> {
    const CHECK: &str = "store.private";
    match private {
        Private::File(file) => health::exposed(CHECK, file, Holds::Secrets),
        Private::Below(folder) => health::exposed_below(CHECK, folder),
    }
}

/// Logs a warning for each row.
pub(crate) fn warn(rows: &[Row]) {
    for Row { check, measured, remedy, .. } in rows {
        tracing::warn!(event = "file.exposed", check, remedy, "{measured}");
    }
}

/// The files of an SQLite database: itself, its log and its index.
pub fn database(file: &Path) -> Vec<Private> {
    ["", "-wal", "-shm", "-journal"]
        .map(|suffix| {
            let mut name = file.as_os_str().to_owned();
            name.push(suffix);
            Private::File(name.into())
        })
        .into()
}
