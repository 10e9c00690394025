//! Expands `~` and `${VAR}` in paths, because clients pass both unexpanded.

use serde_json::Value;

use crate::contract::SettingKind;
use crate::settings::Sources;

/// Expands the paths of a value; other kinds are unchanged.
pub(super) fn paths(
    kind: SettingKind,
    value: Value,
    sources: &Sources<'_>,
) -> Result<Value, String> {
    match (kind, value) {
        (SettingKind::Path, Value::String(text)) => path(&text, sources).map(Value::String),
        (SettingKind::PathList, Value::Array(items)) => items
            .into_iter()
            .map(|item| match item {
                Value::String(text) => path(&text, sources).map(Value::String),
                other => Ok(other),
            })
            .collect(),
        (_, value) => Ok(value),
    }
}

/// Expands a leading `~` and every `${VAR}`.
pub(super) fn path(text: &str, sources: &Sources<'_>) -> Result<String, String> {
    let text = variables(text, sources)?;
    if text.is_empty() {
        return Err("is an empty path; remove the setting instead".to_owned());
    }
    let Some(rest) = text.strip_prefix('~') else { return Ok(text) };
    if !rest.is_empty() && !rest.starts_with('/') {
        return Err(format!(
            "`{text}`: home directories of other users are not supported; write the full path, or `./{text}` for a file of that name"
        ));
    }
    let Some(home) = &sources.home else {
        return Err(format!(
            "`{text}`: there is no home directory for `~`; set HOME or write an absolute path"
        ));
    };
    let home = home.to_str().ok_or_else(|| "the home directory is not UTF-8".to_owned())?;
    Ok(format!("{}{rest}", home.trim_end_matches('/')))
}

fn variables(text: &str, sources: &Sources<'_>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        let (name, tail) =
            after.split_once('}').ok_or_else(|| format!("`{text}`: `${{` without `}}`"))?;
        let value = sources.variable(name).ok_or_else(|| {
            format!("`{text}`: the environment variable `{name}` is not set; set it or write the full path")
        })?;
        expanded.push_str(&value);
        rest = tail;
    }
    expanded.push_str(rest);
    Ok(expanded)
}
