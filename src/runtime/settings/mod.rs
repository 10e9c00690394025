//! Settings of a surface: flag over environment over file over default, each with its source.
//!
//! All inputs come through [`Sources`], so that tests can provide them; nothing here reads the
//! process's environment directly. All problems are reported in one run. Relative paths stay
//! relative: the surface decides what they are relative to (wink's `overrides_dir` is relative to its
//! workspace root).

mod expand;
mod file;
mod loaded;
mod read;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::contract::{SettingInfo, SettingKind, SurfaceInfo};

pub use loaded::{Loaded, Resolved, SettingProblem, SettingsError, Source};

use file::SettingsFile;

/// The typed settings of a surface. Generated.
pub trait SurfaceSettings: DeserializeOwned {
    /// The surface they belong to.
    const SURFACE: &'static SurfaceInfo;
}

/// Where settings come from.
pub struct Sources<'a> {
    /// Values of flags by the key of their setting. No value means `true`.
    pub flags: BTreeMap<String, Vec<String>>,
    /// Value of the flag that names the settings file.
    pub config: Option<String>,
    /// The environment. An empty variable counts as not set.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The home directory, for `~`.
    pub home: Option<PathBuf>,
    /// The directory that a relative path of the settings file is relative to.
    pub cwd: PathBuf,
}

impl Sources<'static> {
    /// The sources of this process: its environment, the user's home (`HOME`, or else the entry in
    /// the user database) and the working directory.
    pub fn of_process(flags: BTreeMap<String, Vec<String>>, config: Option<String>) -> Self {
        Self {
            flags,
            config,
            env: &|name| std::env::var(name).ok(),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        }
    }
}

impl Sources<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        (self.env)(name).filter(|value| !value.is_empty())
    }
}

/// Loads the settings of `surface`, or reports all their problems.
pub fn load(surface: &'static SurfaceInfo, sources: &Sources<'_>) -> Result<Loaded, SettingsError> {
    let mut problems = Vec::new();
    let mut warnings = Vec::new();
    let file = file::open(surface, sources, &mut warnings, &mut problems);
    if let Some(file) = &file {
        file.review(surface, &mut warnings, &mut problems);
    }
    for key in sources.flags.keys() {
        if surface.setting(key).is_none() {
            problems.push(SettingProblem {
                key: key.clone(),
                source: None,
                message: "is not a setting of this surface".to_owned(),
            });
        }
    }
    let mut values = BTreeMap::new();
    for info in surface.all_settings() {
        match resolve(info, sources, file.as_ref()) {
            Ok(Some(resolved)) => {
                values.insert(info.key, resolved);
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() {
        Ok(Loaded { surface, values, warnings, file: file.map(|file| file.path) })
    } else {
        Err(SettingsError { problems, warnings })
    }
}

/// The path of the surface's settings file, whether or not it exists.
pub fn file_path(surface: &SurfaceInfo, sources: &Sources<'_>) -> Option<PathBuf> {
    file::path(surface, sources)
}

/// Loads the typed settings of a surface.
pub fn load_typed<S: SurfaceSettings>(sources: &Sources<'_>) -> Result<(S, Loaded), SettingsError> {
    let loaded = load(S::SURFACE, sources)?;
    Ok((loaded.typed()?, loaded))
}

fn resolve(
    info: &'static SettingInfo,
    sources: &Sources<'_>,
    file: Option<&SettingsFile>,
) -> Result<Option<Resolved>, SettingProblem> {
    let (source, value) = if let Some(texts) = sources.flags.get(info.key) {
        (Source::Flag(info.flag.unwrap_or(info.key)), read::from_flag(info.kind, texts))
    } else if let Some((name, text)) =
        info.env.and_then(|name| Some((name, sources.variable(name)?)))
    {
        (Source::Environment(name), read::from_text(info.kind, &text))
    } else if let Some(found) = file.and_then(|file| file.setting(info)) {
        (found.source, read::from_file(info.kind, found.value))
    } else if let Some(text) = info.default {
        let value = serde_json::from_str(text).map_err(|error| error.to_string());
        (Source::Default, value.and_then(|value| read::from_file(info.kind, &value)))
    } else {
        let empty = match info.kind {
            SettingKind::StringList | SettingKind::PathList => Value::Array(Vec::new()),
            SettingKind::StringMap => Value::Object(serde_json::Map::new()),
            _ => return Ok(None),
        };
        (Source::Default, Ok(empty))
    };
    match value.and_then(|value| expand::paths(info.kind, value, sources)).and_then(|value| {
        read::check(info, &value)?;
        Ok(value)
    }) {
        Ok(value) => Ok(Some(Resolved { value, source, secret: info.secret })),
        Err(message) => Err(SettingProblem {
            key: info.key.to_owned(),
            source: Some(source),
            // The message may quote the secret.
            message: if info.secret { read::shape(info) } else { message },
        }),
    }
}
