//! Settings after loading: values with their sources, typed, or as a report without secrets.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::contract::SurfaceInfo;
use crate::settings::SurfaceSettings;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A flag, with its dashes.
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The settings file.
    File {
        /// Its path.
        path: PathBuf,
        /// The line, counted from 1, where it is known.
        line: Option<usize>,
    },
    /// The contract.
    Default,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "flag {flag}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File { path, line: Some(line) } => write!(f, "file {}:{line}", path.display()),
            Self::File { path, line: None } => write!(f, "file {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value and where it came from.
#[derive(Clone, PartialEq)]
pub struct Resolved {
    /// The value, of the setting's kind, paths expanded.
    pub value: Value,
    /// Where it came from.
    pub source: Source,
    /// Must not be displayed.
    pub secret: bool,
}

impl Resolved {
    /// The value for display and logs; secrets are masked.
    pub fn shown(&self) -> Value {
        if self.secret { json!("***") } else { self.value.clone() }
    }
}

impl std::fmt::Debug for Resolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.shown(), self.source)
    }
}

/// All settings of a surface.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub(super) surface: &'static SurfaceInfo,
    /// By key; a setting without value and default is absent.
    pub values: BTreeMap<&'static str, Resolved>,
    /// Warnings, which do not prevent loading.
    pub warnings: Vec<String>,
    /// The settings file that was read.
    pub file: Option<PathBuf>,
}

impl Loaded {
    /// The typed settings.
    pub fn typed<S: SurfaceSettings>(&self) -> Result<S, SettingsError> {
        let mut fields = Map::new();
        for info in S::SURFACE.settings {
            if let Some(resolved) = self.values.get(info.key) {
                fields.insert(info.field.to_owned(), resolved.value.clone());
            }
        }
        serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
            let field = error.path().to_string();
            let info = S::SURFACE.settings.iter().find(|info| info.field == field);
            let secret = info.is_some_and(|info| info.secret);
            let message =
                if secret { "does not fit".to_owned() } else { error.inner().to_string() };
            SettingsError {
                problems: vec![SettingProblem {
                    key: info.map_or(field, |info| info.key.to_owned()),
                    source: info
                        .and_then(|info| self.values.get(info.key))
                        .map(|resolved| resolved.source.clone()),
                    message,
                }],
                warnings: Vec::new(),
            }
        })
    }

    /// One value.
    pub fn get(&self, key: &str) -> Option<&Resolved> {
        self.values.get(key)
    }

    /// Every setting with value and source, for logs and `doctor`: secrets are shown as `***`,
    /// settings without a value as null.
    pub fn report(&self) -> Value {
        let rows = self.surface.all_settings().map(|info| {
            let row = match self.values.get(info.key) {
                Some(found) => {
                    json!({"value": found.shown(), "source": found.source.to_string()})
                }
                None => json!({"value": null, "source": Source::Default.to_string()}),
            };
            (info.key.to_owned(), row)
        });
        Value::Object(rows.collect())
    }
}

/// One problem with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    /// Key of the setting, or path of the settings file if the file itself is invalid.
    pub key: String,
    /// Where the value came from.
    pub source: Option<Source>,
    /// What is wrong and what to do.
    pub message: String,
}

impl std::fmt::Display for SettingProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.key, self.message)?;
        match &self.source {
            Some(source) => write!(f, " ({source})"),
            None => Ok(()),
        }
    }
}

/// All problems with the settings.
#[derive(Debug, Clone)]
pub struct SettingsError {
    /// At least one.
    pub problems: Vec<SettingProblem>,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl std::fmt::Display for SettingsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("invalid settings")?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingsError {}
