//! From an export's text to prompts: our export (`kind: wink.descriptors`) and the library's own
//! serialised descriptor, single or in an array.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Prompt, Section, SourceName, Tool};
use super::verify;
use crate::ids::{Namespace, PromptKey, SectionPath};
use crate::override_file::Format;
use crate::python_json::{Json, parse};

/// The `kind` of an export.
const KIND: &str = "wink.descriptors";

/// One prompt of an export, or what is wrong with it.
pub(super) struct Loaded {
    pub(super) ns: String,
    pub(super) key: String,
    pub(super) prompt: Result<Prompt, String>,
}

/// Reads an export. The error is a sentence without the file's name.
pub(super) fn load(text: &str, source: SourceName, origin: &str) -> Result<Vec<Loaded>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let export = parse(text).map_err(|error| format!("not valid JSON: {error}"))?;
    let (prompts, library, format) = match &export {
        Json::Array(prompts) => (prompts.as_slice(), None, None),
        Json::Object(_) if export.get("kind").is_some() => header(&export)?,
        Json::Object(members) if members.contains_key("ns") && members.contains_key("key") => {
            (std::slice::from_ref(&export), None, None)
        }
        _ => return Err(format!("it has no `kind`; an export has `\"kind\": \"{KIND}\"`")),
    };
    let mut loaded = Vec::with_capacity(prompts.len());
    for (index, prompt) in prompts.iter().enumerate() {
        let at = format!("prompts[{index}]");
        let ns = text_of(prompt, "ns", &at)?;
        let key = text_of(prompt, "key", &at)?;
        let read = || -> Result<Prompt, String> {
            Ok(Prompt {
                ns: Namespace::parse(&ns).map_err(|error| error.message().to_owned())?,
                key: PromptKey::parse(&key).map_err(|error| error.message().to_owned())?,
                name: optional_text(prompt, "name", &at)?,
                sections: list(prompt, "sections", &at, section)?,
                tools: list(prompt, "tools", &at, tool)?,
                source,
                origin: origin.to_owned(),
                library: library.clone(),
                format,
            })
        };
        loaded.push(Loaded { prompt: read(), ns, key });
    }
    Ok(loaded)
}

type Header<'a> = (&'a [Json], Option<String>, Option<Format>);

fn header(export: &Json) -> Result<Header<'_>, String> {
    let kind = text_of(export, "kind", "the export")?;
    if kind != KIND {
        return Err(format!("`kind` is `{kind}`, not `{KIND}`"));
    }
    let version = export.get("version").unwrap_or(&Json::Null);
    if !version.equals_integer(1) {
        return Err("`version` is not 1, the only export version there is".to_owned());
    }
    let format = match export.get("override_format") {
        None => None,
        Some(number) if number.equals_integer(1) => Some(Format::One),
        Some(number) if number.equals_integer(2) => Some(Format::Two),
        Some(_) => return Err("`override_format` must be 1 or 2".to_owned()),
    };
    let prompts = export.get("prompts").and_then(Json::as_array);
    let prompts = prompts.ok_or_else(|| "`prompts` must be an array".to_owned())?;
    Ok((prompts, optional_text(export, "library", "the export")?, format))
}

fn section(value: &Json, at: &str) -> Result<Section, String> {
    let path = texts(value, "path", at)?.ok_or_else(|| format!("{at}: `path` is missing"))?;
    let path = SectionPath::from_parts(path.iter().map(String::as_str))
        .map_err(|error| format!("{at}: {}", error.message()))?;
    let mut section = Section {
        path,
        number: optional_text(value, "number", at)?,
        title: optional_text(value, "title", at)?,
        content_hash: optional_text(value, "content_hash", at)?,
        accepts_overrides: flag(value, "accepts_overrides", at)?,
        body: optional_text(value, "body", at)?,
        placeholders: texts(value, "placeholders", at)?.map(BTreeSet::from_iter),
        params: texts(value, "params", at)?.map(BTreeSet::from_iter),
        flaw: None,
    };
    section.flaw = verify::section_flaw(&section);
    Ok(section)
}

fn tool(value: &Json, at: &str) -> Result<Tool, String> {
    let schema = value.get("params_schema");
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Json::as_object);
    let mut tool = Tool {
        name: text_of(value, "name", at)?,
        path: texts(value, "path", at)?.unwrap_or_default(),
        contract_hash: optional_text(value, "contract_hash", at)?,
        accepts_overrides: flag(value, "accepts_overrides", at)?,
        description: optional_text(value, "description", at)?,
        param_descriptions: text_map(value, "param_descriptions", at)?,
        parameters: properties.map(|members| members.keys().cloned().collect()),
        flaw: None,
    };
    tool.flaw = verify::tool_flaw(&tool, schema, value.get("result_schema"));
    Ok(tool)
}

fn list<T>(
    owner: &Json,
    name: &str,
    at: &str,
    read: fn(&Json, &str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let Some(value) = owner.get(name) else { return Ok(Vec::new()) };
    let items = value.as_array().ok_or_else(|| format!("{at}: `{name}` must be an array"))?;
    let read_one = |(index, item)| read(item, &format!("{at}.{name}[{index}]"));
    items.iter().enumerate().map(read_one).collect()
}

fn text_of(owner: &Json, name: &str, at: &str) -> Result<String, String> {
    optional_text(owner, name, at)?.ok_or_else(|| format!("{at}: `{name}` is missing"))
}

fn optional_text(owner: &Json, name: &str, at: &str) -> Result<Option<String>, String> {
    match owner.get(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("{at}: `{name}` must be a string, not {}", other.kind())),
    }
}

fn flag(owner: &Json, name: &str, at: &str) -> Result<bool, String> {
    match owner.get(name) {
        None => Ok(true),
        Some(value) => {
            value.as_bool().ok_or_else(|| format!("{at}: `{name}` must be true or false"))
        }
    }
}

fn texts(owner: &Json, name: &str, at: &str) -> Result<Option<Vec<String>>, String> {
    let Some(value) = owner.get(name) else { return Ok(None) };
    let wrong = || format!("{at}: `{name}` must be an array of strings");
    let items = value.as_array().ok_or_else(wrong)?;
    let text = |item: &Json| item.as_str().map(str::to_owned).ok_or_else(wrong);
    items.iter().map(text).collect::<Result<_, _>>().map(Some)
}

fn text_map(
    owner: &Json,
    name: &str,
    at: &str,
) -> Result<Option<BTreeMap<String, String>>, String> {
    let Some(value) = owner.get(name) else { return Ok(None) };
    let wrong = || format!("{at}: `{name}` must be an object of strings");
    let members = value.as_object().ok_or_else(wrong)?;
    let pair = |(key, item): (&String, &Json)| {
        item.as_str().map(|text| (key.clone(), text.to_owned())).ok_or_else(wrong)
    };
    members.iter().map(pair).collect::<Result<_, _>>().map(Some)
}
