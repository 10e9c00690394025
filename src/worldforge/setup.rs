//! Turns settings into engine options.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use toolwright_runtime::clock::{SystemClock, SystemIds};
use toolwright_runtime::settings::{SettingProblem, SettingsError};

use super::engine::Setup;
use super::messages::Language;
use super::store;
use crate::generated::{Settings, SettingsLanguage, SettingsPublishGate};

/// The SQLite file in the data folder.
const FILE: &str = "worldforge.db";

/// The setup of this process. A MongoDB is connected to when first needed.
pub(super) fn from_settings(settings: &Settings) -> Result<Setup, SettingsError> {
    let file = || format!("sqlite:{}", database_file(settings).display());
    let (key, url) = match &settings.database_url {
        Some(url) => ("database.url", url.clone()),
        None => ("data_dir", file()),
    };
    let wait = Duration::from_millis(u64::try_from(settings.database_timeout_ms).unwrap_or(10_000));
    let store = store::open(&url, &settings.database_name, wait).map_err(|error| {
        let message = error.to_string();
        let problem = SettingProblem { key: key.to_owned(), source: None, message };
        SettingsError { problems: vec![problem], warnings: Vec::new() }
    })?;
    Ok(Setup {
        store,
        language: match settings.language {
            SettingsLanguage::En => Language::English,
            SettingsLanguage::Pt => Language::Portuguese,
        },
        publishes_contradictions: settings.publish_gate == SettingsPublishGate::Warn,
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    })
}

/// The SQLite file, where no other database is named.
pub(super) fn database_file(settings: &Settings) -> PathBuf {
    settings.data_dir.join(FILE)
}
