//! The settings of the trail.

use std::path::Path;
use std::sync::Arc;

use toolwright_runtime::audit::{AuditSink, Limits, Trail};
use toolwright_runtime::clock::SystemClock;
use toolwright_runtime::contract::{Effects, SurfaceInfo, ToolInfo};
use toolwright_runtime::settings::{Loaded, Resolved, SettingProblem, SettingsError};

use super::entry::SurfaceEntry;

const FILE: &str = "audit_file";
const FILES: &str = "audit_files";
const MAX_BYTES: &str = "audit_max_bytes";

/// The audit file that the settings name, opened; without one, the lines go to the log.
///
/// # Errors
/// When the file cannot be opened for writing.
pub(crate) fn sink(info: &SurfaceInfo, loaded: &Loaded) -> Result<AuditSink, SettingsError> {
    let Some(file) = file(info, loaded) else { return Ok(AuditSink::log()) };
    let number = |key| value(info, loaded, key).and_then(|found| found.value.as_u64());
    let files = number(FILES).and_then(|files| u32::try_from(files).ok());
    let limits =
        Limits { max_bytes: number(MAX_BYTES).unwrap_or(u64::MAX), files: files.unwrap_or(1) };
    AuditSink::file(file, limits).map_err(|error| {
        let message = format!(
            "`{}` cannot be written: {error}; name a file that this user may create and write",
            file.display()
        );
        let source = loaded.get(FILE).map(|found| found.source.clone());
        let problems = vec![SettingProblem { key: FILE.to_owned(), source, message }];
        SettingsError { problems, warnings: Vec::new() }
    })
}

/// The trail of a tool command: none without a file, because a command has no log, and none for a tool
/// that only reads.
pub(crate) fn trail_of_command(
    entry: &SurfaceEntry,
    loaded: &Loaded,
    tool: &ToolInfo,
) -> Result<Option<Trail>, SettingsError> {
    if tool.effects == Effects::Read || file(entry.info, loaded).is_none() {
        return Ok(None);
    }
    let sink = sink(entry.info, loaded)?;
    let clock = Arc::new(SystemClock::default());
    Ok(Some(Trail::new(entry.info, clock, sink, "cli")))
}

/// The audit file that the settings name.
pub(crate) fn file<'l>(info: &SurfaceInfo, loaded: &'l Loaded) -> Option<&'l Path> {
    value(info, loaded, FILE)?.value.as_str().map(Path::new)
}

/// A contract's own setting of the same key belongs to its surface.
fn value<'l>(info: &SurfaceInfo, loaded: &'l Loaded, key: &str) -> Option<&'l Resolved> {
    let own = info.settings.iter().any(|setting| setting.key == key);
    loaded.get(key).filter(|_| !own)
}
