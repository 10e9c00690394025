//! The settings file: TOML or YAML by its suffix, looked up by dotted keys.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::contract::{SettingInfo, SurfaceInfo};
use crate::settings::{SettingProblem, Source, Sources, expand};
use crate::suggest::nearest;

/// A settings file after parsing.
pub(super) struct SettingsFile {
    pub(super) path: PathBuf,
    tree: Value,
    /// Line of each key, by dotted path.
    lines: BTreeMap<String, usize>,
}

/// A value in the file.
pub(super) struct Found<'f> {
    pub(super) value: &'f Value,
    pub(super) source: Source,
}

/// Where the settings file is named, and where it is; the path is an error where it cannot be told.
fn locate(
    surface: &SurfaceInfo,
    sources: &Sources<'_>,
) -> Option<(String, Source, Result<PathBuf, String>)> {
    let config = surface.config.as_ref()?;
    let (text, source) = if let Some(text) = &sources.config {
        (text.clone(), Source::Flag(config.flag))
    } else if let Some((name, text)) =
        config.env.and_then(|name| Some((name, sources.variable(name)?)))
    {
        (text, Source::Environment(name))
    } else {
        (config.default.to_owned(), Source::Default)
    };
    let path = expand::path(&text, sources).map(|path| sources.cwd.join(path));
    Some((text, source, path))
}

/// The path of the settings file, whether or not it exists.
pub(super) fn path(surface: &SurfaceInfo, sources: &Sources<'_>) -> Option<PathBuf> {
    locate(surface, sources)?.2.ok()
}

/// Opens the settings file. Only the default file may be missing.
pub(super) fn open(
    surface: &SurfaceInfo,
    sources: &Sources<'_>,
    warnings: &mut Vec<String>,
    problems: &mut Vec<SettingProblem>,
) -> Option<SettingsFile> {
    let (text, source, path) = locate(surface, sources)?;
    let explicit = source != Source::Default;
    let mut wrong = |key: String, message: String| {
        problems.push(SettingProblem { key, source: Some(source.clone()), message });
    };
    let path = match path {
        Ok(path) => path,
        Err(message) if explicit => {
            wrong(text, message);
            return None;
        }
        Err(message) => {
            warnings.push(format!("the settings file is not read: {message}"));
            return None;
        }
    };
    let name = path.display().to_string();
    match std::fs::read_to_string(&path) {
        Ok(text) => match parse(&path, &text) {
            Ok((tree, lines)) => Some(SettingsFile { path, tree, lines }),
            Err(message) => {
                wrong(name, message);
                None
            }
        },
        Err(error)
            if !explicit
                && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            None
        }
        Err(error) => {
            wrong(name, format!("the settings file cannot be read: {error}"));
            None
        }
    }
}

fn parse(path: &Path, text: &str) -> Result<(Value, BTreeMap<String, usize>), String> {
    let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_ascii_lowercase());
    let mut lines = BTreeMap::new();
    let tree = match suffix.as_deref() {
        None | Some("toml") => {
            let table = DeTable::parse(text).map_err(|error| {
                let line = error.span().map_or(1, |span| line_of(text, span.start));
                format!("is not valid TOML in line {line}: {}", error.message())
            })?;
            toml_table(table.get_ref(), text, "", &mut lines)?
        }
        Some("yaml" | "yml") => {
            let value: serde_yaml::Value = serde_yaml::from_str(text)
                .map_err(|error| format!("is not valid YAML: {error}"))?;
            yaml_lines(text, &mut lines);
            let value = serde_json::to_value(value)
                .map_err(|error| format!("has a value that settings cannot hold: {error}"))?;
            if value.is_null() { Value::Object(Map::new()) } else { value }
        }
        Some(other) => {
            return Err(format!("has the suffix `.{other}`; use `.toml`, `.yaml` or `.yml`"));
        }
    };
    if !tree.is_object() {
        return Err("must hold keys and values".to_owned());
    }
    Ok((tree, lines))
}

fn line_of(text: &str, byte: usize) -> usize {
    text.as_bytes().iter().take(byte).filter(|byte| **byte == b'\n').count() + 1
}

fn dotted(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}

fn toml_table(
    table: &DeTable<'_>,
    text: &str,
    prefix: &str,
    lines: &mut BTreeMap<String, usize>,
) -> Result<Value, String> {
    let mut members = Map::new();
    for (key, value) in table {
        let path = dotted(prefix, key.get_ref());
        lines.insert(path.clone(), line_of(text, key.span().start));
        members.insert(key.get_ref().to_string(), toml_value(value, text, &path, lines)?);
    }
    Ok(Value::Object(members))
}

fn toml_value(
    value: &Spanned<DeValue<'_>>,
    text: &str,
    path: &str,
    lines: &mut BTreeMap<String, usize>,
) -> Result<Value, String> {
    Ok(match value.get_ref() {
        DeValue::String(text) => Value::from(&**text),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map(Value::from).map_err(|_| {
                let line = line_of(text, value.span().start);
                format!("has a number in line {line} that is too large")
            })?
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(items) => items
            .iter()
            .map(|item| toml_value(item, text, path, lines))
            .collect::<Result<_, _>>()?,
        DeValue::Table(table) => toml_table(table, text, path, lines)?,
    })
}

/// Finds the lines of keys in block style, because the parser keeps no positions. Keys in flow style
/// have none.
fn yaml_lines(text: &str, lines: &mut BTreeMap<String, usize>) {
    let mut open: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let body = line.trim_start();
        let Some((key, _)) = body.split_once(':').filter(|_| !body.starts_with(['#', '-'])) else {
            continue;
        };
        let indent = line.len() - body.len();
        open.retain(|(depth, _)| *depth < indent);
        let prefix = open.last().map_or("", |(_, path)| path);
        let path = dotted(prefix, key.trim().trim_matches(['"', '\'']));
        lines.entry(path.clone()).or_insert(number + 1);
        open.push((indent, path));
    }
}

impl SettingsFile {
    /// The value of a setting, under its key or one of its aliases.
    pub(super) fn setting(&self, info: &SettingInfo) -> Option<Found<'_>> {
        std::iter::once(&info.key).chain(info.aliases).find_map(|key| self.found(key))
    }

    fn found(&self, key: &str) -> Option<Found<'_>> {
        let value = look_up(&self.tree, key)?;
        Some(Found { value, source: self.source(key) })
    }

    fn source(&self, key: &str) -> Source {
        Source::File { path: self.path.clone(), line: self.lines.get(key).copied() }
    }

    /// Reports keys that are not settings, and settings that are given under two names.
    pub(super) fn review(
        &self,
        surface: &SurfaceInfo,
        warnings: &mut Vec<String>,
        problems: &mut Vec<SettingProblem>,
    ) {
        let mut known: BTreeMap<&str, &SettingInfo> = BTreeMap::new();
        for info in surface.all_settings() {
            let mut used = None;
            for key in std::iter::once(&info.key).chain(info.aliases) {
                known.insert(key, info);
                if self.found(key).is_some() {
                    match used {
                        None => used = Some(key),
                        Some(first) => warnings.push(format!(
                            "`{key}` is ignored because `{first}` is set ({})",
                            self.source(key)
                        )),
                    }
                }
            }
        }
        self.review_keys(&self.tree, "", &known, warnings, problems);
    }

    fn review_keys(
        &self,
        tree: &Value,
        prefix: &str,
        known: &BTreeMap<&str, &SettingInfo>,
        warnings: &mut Vec<String>,
        problems: &mut Vec<SettingProblem>,
    ) {
        for (key, value) in tree.as_object().into_iter().flatten() {
            let path = dotted(prefix, key);
            if known.contains_key(path.as_str()) {
                continue;
            }
            let inside = format!("{path}.");
            let is_table = known.keys().any(|key| key.starts_with(&inside));
            if is_table && value.is_object() {
                self.review_keys(value, &path, known, warnings, problems);
            } else if is_table && !value.is_null() {
                problems.push(SettingProblem {
                    message: "must be a table".to_owned(),
                    source: Some(self.source(&path)),
                    key: path,
                });
            } else if !is_table {
                let mut text = format!("`{path}` is not a setting ({})", self.source(&path));
                if let Some(near) = nearest(&path, known.keys().copied()) {
                    text += &format!("; did you mean `{near}`?");
                }
                warnings.push(text);
            }
        }
    }
}

/// Follows a dotted key through nested tables; `"a.b" = 1` and `[a] b = 1` are the same.
fn look_up<'t>(tree: &'t Value, key: &str) -> Option<&'t Value> {
    let members = tree.as_object()?;
    if let Some(value) = members.get(key) {
        return (!value.is_null()).then_some(value);
    }
    key.match_indices('.').find_map(|(dot, _)| look_up(members.get(&key[..dot])?, &key[dot + 1..]))
}
