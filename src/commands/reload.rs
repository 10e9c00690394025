//! Reads the settings file again when it changes, and applies what may change while a server runs: the
//! choice of its tools. Everything else in the file counts from the next start on.
//!
//! The file is read and compared, so it does not matter how an editor saves it. Settings that are not
//! valid change nothing, and the log says why.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::ArgMatches;
use serde_json::Value;
use toolwright_runtime::ToolSelection;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::server::OfferedTools;
use toolwright_runtime::settings::{self, Loaded, SettingsError};

use super::{serve, tool_choice};

/// Between two looks at the file. A change counts once two looks find the same, so that no file is
/// used that is half written.
const INTERVAL: Duration = Duration::from_millis(500);

/// The settings file, as it was when the server read it.
pub(crate) struct SettingsFile {
    info: &'static SurfaceInfo,
    flags: Option<ArgMatches>,
    path: PathBuf,
    content: Option<Vec<u8>>,
}

impl SettingsFile {
    /// Remembers the content; call it before the settings are loaded, so that no change is missed.
    /// `None` where it cannot be told which file it is, or it can be read only once.
    pub(crate) fn remember(info: &'static SurfaceInfo, flags: Option<&ArgMatches>) -> Option<Self> {
        let path = settings::file_path(info, &serve::sources(info, flags))?;
        if std::fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return None;
        }
        let content = content(&path);
        Some(Self { info, flags: flags.cloned(), path, content })
    }

    /// Follows the file for as long as the process runs. `loaded` are the settings in use.
    pub(crate) fn follow(self, loaded: &Loaded, tools: OfferedTools) {
        let fixed = self.fixed(loaded);
        let follow = move || self.poll(fixed, &tools);
        if let Err(error) = thread::Builder::new().name("settings".to_owned()).spawn(follow) {
            tracing::warn!(event = "settings.follow", %error, "changes of the settings need a restart");
        }
    }

    fn poll(mut self, mut fixed: Value, tools: &OfferedTools) {
        let mut found = None;
        loop {
            thread::sleep(INTERVAL);
            let content = content(&self.path);
            if content == self.content {
                found = None;
            } else if found.as_ref() == Some(&content) {
                self.content = content;
                self.apply(&mut fixed, tools);
            } else {
                found = Some(content);
            }
        }
    }

    fn apply(&self, fixed: &mut Value, tools: &OfferedTools) {
        let path = self.path.display();
        let (loaded, selection) = match self.read() {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!(
                    event = "settings.kept", %path, %error,
                    "the settings file has changed and is not valid; the settings in use are kept"
                );
                return;
            }
        };
        let changed = tools.replace(selection);
        tracing::info!(event = "settings.reloaded", %path, tools_changed = changed, "settings reloaded");
        let now = self.fixed(&loaded);
        if now != *fixed {
            tracing::warn!(
                event = "settings.need_restart", %path, settings = %differing(fixed, &now),
                "these settings have changed; they count from the next start on"
            );
            *fixed = now;
        }
    }

    fn read(&self) -> Result<(Loaded, ToolSelection), SettingsError> {
        let loaded = settings::load(self.info, &serve::sources(self.info, self.flags.as_ref()))?;
        let selection = tool_choice::selection(self.info, &loaded)?;
        Ok((loaded, selection))
    }

    /// The settings that a running server keeps, without secrets.
    fn fixed(&self, loaded: &Loaded) -> Value {
        let mut report = loaded.report();
        if let Some(settings) = report.as_object_mut() {
            settings.retain(|key, _| !tool_choice::is_choice(self.info, key));
            // The line of a setting is no part of it.
            settings.values_mut().for_each(|setting| *setting = setting["value"].take());
        }
        report
    }
}

fn content(path: &Path) -> Option<Vec<u8>> {
    // A pipe would wait for its writer.
    let is_file = std::fs::metadata(path).ok()?.is_file();
    is_file.then(|| std::fs::read(path).ok()).flatten()
}

/// The keys whose values differ.
fn differing(before: &Value, after: &Value) -> String {
    let keys = after.as_object().into_iter().flatten();
    let keys = keys.filter(|(key, value)| before.get(key.as_str()) != Some(*value));
    keys.map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", ")
}
