//! The settings that the user chose for the server: by an argument, by an environment variable of the
//! entry, or in the settings file that the server will read.

use std::collections::BTreeMap;

use clap::ArgMatches;

use super::environment::Environment;
use crate::{arguments, serve};
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::settings::{self, Loaded, Source, Sources};

/// The sources of the user's choices.
pub(super) struct UserSettings<'a> {
    info: &'static SurfaceInfo,
    arguments: &'a ArgMatches,
    env: &'a BTreeMap<String, String>,
    file: Option<Loaded>,
}

impl<'a> UserSettings<'a> {
    /// Collects the arguments of `mcp`, `env`, and the file that either names.
    pub(super) fn of(
        info: &'static SurfaceInfo,
        arguments: &'a ArgMatches,
        env: &'a BTreeMap<String, String>,
        environment: &Environment,
    ) -> Self {
        let config = info.config.as_ref().and_then(|config| {
            let named = config.env.and_then(|name| env.get(name));
            arguments.get_one::<String>(serve::CONFIG).or(named).cloned()
        });
        let is_setting = |name: &str| {
            info.config.as_ref().is_some_and(|config| config.env == Some(name))
                || info.all_settings().any(|setting| setting.env == Some(name))
        };
        let sources = Sources {
            flags: BTreeMap::new(),
            config,
            // Only to expand paths: settings of this process do not apply to the server.
            env: &|name| match is_setting(name) {
                true => None,
                false => env.get(name).cloned().or_else(|| std::env::var(name).ok()),
            },
            home: environment.home.clone(),
            cwd: environment.cwd.clone(),
        };
        // Ignore an invalid file: the server does not start with it.
        Self { info, arguments, env, file: settings::load(info, &sources).ok() }
    }

    /// Whether the user chose a value for this setting.
    pub(super) fn has(&self, key: &str) -> bool {
        let setting = self.info.setting(key);
        let found = self.file.as_ref().and_then(|file| file.get(key));
        setting.is_some_and(|setting| {
            let given = arguments::setting_values(setting, self.arguments);
            // An empty variable counts as not set.
            let variable = setting.env.and_then(|name| self.env.get(name));
            given.is_some_and(|texts| texts.iter().any(|text| !text.is_empty()))
                || variable.is_some_and(|text| !text.is_empty())
        }) || found
            .is_some_and(|found| found.source != Source::Default && !serve::is_empty(&found.value))
    }
}
