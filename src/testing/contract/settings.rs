//! The settings of a surface that a state opens in this process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use toolwright_runtime::contract::{SettingKind, SurfaceInfo};
use toolwright_runtime::settings::{self, Loaded, Sources};

/// Settings given as flags. The environment has the test's own `PATH` and nothing else.
#[derive(Debug, Clone)]
pub struct StateSettings {
    surface: &'static SurfaceInfo,
    flags: BTreeMap<String, Vec<String>>,
}

impl StateSettings {
    /// The defaults of a surface.
    pub fn of(surface: &'static SurfaceInfo) -> Self {
        Self { surface, flags: BTreeMap::new() }
    }

    /// Sets one, by its key. The values of a list are separated by commas.
    pub fn set(&mut self, key: &str, text: &str) {
        let found = self.surface.settings.iter().find(|setting| setting.key == key);
        let values = match found.expect("a setting of the surface").kind {
            SettingKind::StringList => text.split(',').map(str::to_owned).collect(),
            _ => vec![text.to_owned()],
        };
        self.flags.insert(key.to_owned(), values);
    }

    /// Reads them as a server does.
    pub fn load(&self) -> Loaded {
        let sources = Sources {
            flags: self.flags.clone(),
            config: None,
            env: &|name| std::env::var(name).ok().filter(|_| name == "PATH"),
            home: None,
            cwd: PathBuf::from("/"),
        };
        settings::load(self.surface, &sources).expect("the settings are valid")
    }
}
