//! Resources of a surface: mirrors of tools, and files beside the spec.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use toolwright_contract::UriTemplate;

use super::Fields;
use super::fields::text;
use crate::diagnostics::{Findings, code};
use crate::model::{Member, Resource, Source, Variable};
use crate::names;
use crate::parse::{Asset, Entry, Folder, Node};

/// Reads one element of `resources`.
pub(super) fn read(node: &Node, folder: &Folder, out: &mut Findings) -> Option<Resource> {
    let mut fields = Fields::new(node, node.place, "a resource", out)?;
    let (uri, name) = (fields.need_text("uri", out), fields.need_text("name", out));
    let (title, description) =
        (fields.need_text("title", out), fields.need_text("description", out));
    let (tool, file) = (fields.text("tool", out), fields.entry("file"));
    if node.entry("tool").is_some() == file.is_some() {
        out.add(code::BAD_VALUE, node.place, "a resource needs either `tool` or `file`")
            .label(if file.is_some() { "has both" } else { "has neither" })
            .help("`tool: name` serves the answer of a tool, `file: folder/page.html` a text file");
    }
    let source = match file {
        Some(entry) => file_source(entry, fields.need_text("mime_type", out), folder, out),
        None => Source::Tool(tool.unwrap_or_default().to_owned()),
    };
    let member = fields.text("member", out).map(str::to_owned);
    let base64 = fields.flag("base64", out).unwrap_or(false);
    let content = member.map(|member| Member {
        member,
        mime_type: fields.text("mime_type", out).unwrap_or("application/json").to_owned(),
        base64,
    });
    let (variables, arguments) = arguments(&uri, fields.map("arguments", out));
    let kinds = fields.texts("not_found", out).unwrap_or_default();
    let not_found = kinds.into_iter().map(|(kind, _)| kind.to_owned()).collect();
    let subscribe = fields.flag("subscribe", out).unwrap_or(false);
    // Read by `icons`, which knows all files.
    fields.entry("icons");
    fields.finish(out);
    Some(Resource {
        uri,
        name,
        title,
        description,
        source,
        variables,
        arguments,
        not_found,
        content,
        subscribe,
    })
}

/// What the variables of the URI are to the tool, and the fixed arguments. A variable that `arguments`
/// does not name is the argument of its own name.
fn arguments(uri: &str, entries: &[Entry]) -> (Vec<Variable>, Map<String, Value>) {
    let variable = |entry: &Entry| Some(entry.value.text()?.strip_prefix('$')?.to_owned());
    let template = UriTemplate::parse(uri);
    let names = template.iter().flat_map(UriTemplate::variables);
    let variables = names
        .map(|name| {
            let bound = entries.iter().find(|entry| variable(entry).as_deref() == Some(name));
            let argument = bound.map_or(name, |entry| &entry.key).to_owned();
            Variable { name: name.to_owned(), argument }
        })
        .collect();
    let fixed = entries.iter().filter(|entry| variable(entry).is_none());
    let fixed = fixed.map(|entry| (entry.key.clone(), entry.value.to_value())).collect();
    (variables, fixed)
}

fn file_source(entry: &Entry, mime_type: String, folder: &Folder, out: &mut Findings) -> Source {
    let path = text(entry, out).unwrap_or_default().to_owned();
    match content(entry, folder, out) {
        Some(Asset::Bytes(bytes)) if mime_type.starts_with("text/") => {
            let message = format!("`{path}` cannot be served as `{mime_type}`: it is not UTF-8");
            out.add(code::BAD_RESOURCE, entry.focus(), message)
                .label("not a text file")
                .help("save it as UTF-8, or name the media type of its bytes");
            Source::Blob { path, mime_type, base64: STANDARD.encode(bytes) }
        }
        Some(Asset::Bytes(bytes)) => {
            Source::Blob { path, mime_type, base64: STANDARD.encode(bytes) }
        }
        Some(Asset::Text(text)) => Source::File { path, mime_type, text: text.clone() },
        None => Source::File { path, mime_type, text: String::new() },
    }
}

fn content<'a>(entry: &Entry, folder: &'a Folder, out: &mut Findings) -> Option<&'a Asset> {
    let path = entry.value.text().filter(|path| !path.trim().is_empty())?;
    let inside = path.split('/').count() > 1
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && !path.contains('\\')
        && !path.starts_with("tools/")
        && !path.starts_with("prompts/");
    if !inside {
        let message = format!("`{path}` is outside the folders that can be served");
        out.add(code::BAD_RESOURCE, entry.focus(), message)
            .label("must be in a folder beside `surface.yaml` other than `tools` and `prompts`")
            .help("such as `components/page.html`, without `.` and `..`");
        return None;
    }
    match folder.assets.get(path) {
        Some(Ok(asset)) => Some(asset),
        Some(Err(why)) => {
            let message = format!("`{path}` cannot be served: {why}");
            out.add(code::BAD_RESOURCE, entry.focus(), message).label("must be a readable file");
            None
        }
        None => {
            let message = format!("there is no file `{}/{path}`", folder.name);
            out.add(code::BAD_RESOURCE, entry.focus(), message)
                .label("not found in the folder of the surface")
                .help(names::suggest(path, folder.assets.keys().map(String::as_str)));
            None
        }
    }
}
