//! Resources of a surface: mirrors of tools, and files beside the spec.

use super::Fields;
use super::fields::text;
use crate::diagnostics::{Findings, code};
use crate::model::{Resource, Source};
use crate::names;
use crate::parse::{Entry, Folder, Node};

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
        Some(entry) => Source::File {
            mime_type: fields.need_text("mime_type", out),
            path: text(entry, out).unwrap_or_default().to_owned(),
            text: content(entry, folder, out).unwrap_or_default(),
        },
        None => Source::Tool(tool.unwrap_or_default().to_owned()),
    };
    let subscribe = fields.flag("subscribe", out).unwrap_or(false);
    // Read by `icons`, which knows all files.
    fields.entry("icons");
    fields.finish(out);
    Some(Resource { uri, name, title, description, source, subscribe })
}

fn content(entry: &Entry, folder: &Folder, out: &mut Findings) -> Option<String> {
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
        Some(Ok(text)) => Some(text.clone()),
        Some(Err(why)) => {
            let message = format!("`{path}` cannot be served: {why}");
            out.add(code::BAD_RESOURCE, entry.focus(), message)
                .label("must be a readable text file");
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
