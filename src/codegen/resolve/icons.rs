//! Icons, and other images of a contract: files beside the spec, or URLs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::fields::{choice, text};
use super::{Draft, Fields};
use crate::diagnostics::{Findings, code};
use crate::model::{Icon, IconOwner, IconTheme};
use crate::names;
use crate::parse::{Asset, Entry, Folder, Node};

/// Largest file: every client of the surface is sent its icons.
const MAX_ICON: usize = 8 * 1024;
/// Largest image of a prompt.
const MAX_IMAGE: usize = 256 * 1024;

/// Icons of the surface, its tools and its resources.
pub(super) fn read_all(draft: &Draft<'_>, out: &mut Findings) -> Vec<(IconOwner, Icon)> {
    let folder = draft.folder;
    let mut icons = Vec::new();
    let mut add = |owner: IconOwner, node: &Node, out: &mut Findings| {
        if let Some(entry) = node.entry("icons") {
            let read = read(entry, folder, out).into_iter();
            icons.extend(read.map(|icon| (owner.clone(), icon)));
        }
    };
    if let Some(doc) = &folder.surface {
        add(IconOwner::Surface, &doc.root, out);
        let resources = doc.root.get("resources").map(Node::elements).unwrap_or_default();
        for node in resources {
            let uri = node.text_of("uri").unwrap_or_default();
            add(IconOwner::Resource(uri.to_owned()), node, out);
        }
    }
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        add(IconOwner::Tool(tool.name.clone()), &source.doc.root, out);
    }
    icons
}

/// Reads `icons`.
pub(super) fn read(entry: &Entry, folder: &Folder, out: &mut Findings) -> Vec<Icon> {
    if entry.value.elements().is_empty() {
        super::fields::wrong(&entry.value, entry.focus(), "`icons` must be a list of icons", out);
    }
    entry.value.elements().iter().filter_map(|node| icon(node, folder, out)).collect()
}

fn icon(node: &Node, folder: &Folder, out: &mut Findings) -> Option<Icon> {
    let mut fields = Fields::new(node, node.place, "an icon", out)?;
    let (file, url) = (fields.entry("file"), fields.entry("url"));
    let mime_type = fields.text("mime_type", out);
    let sizes = fields.texts("sizes", out).unwrap_or_default();
    let theme = fields.text("theme", out).and_then(|word| {
        let words = [("light", IconTheme::Light), ("dark", IconTheme::Dark)];
        let at = node.entry("theme").map_or(node.place, Entry::focus);
        choice(word, at, "`theme`", &words, out)
    });
    fields.finish(out);
    for (size, place) in &sizes {
        let number = |text: &str| text.parse::<u16>().is_ok_and(|number| number > 0);
        let fits =
            size.split_once('x').is_some_and(|(width, height)| number(width) && number(height));
        if *size != "any" && !fits {
            out.add(code::BAD_ICON, *place, format!("`{size}` is not a size"))
                .help("such as `48x48`, or `any` for an image that can be scaled");
        }
    }
    if file.is_some() == url.is_some() {
        out.add(code::BAD_VALUE, node.place, "an icon needs either `file` or `url`")
            .label(if file.is_some() { "has both" } else { "has neither" })
            .help("`file: icons/name.svg` is sent with the contract, `url` is fetched by clients");
    }
    let (src, found) = match (file, url) {
        (Some(entry), _) => {
            let path = text(entry, out)?;
            let (mime_type, data) = encoded(path, MAX_ICON, entry, folder, out)?;
            (format!("data:{mime_type};base64,{data}"), mime_type)
        }
        (None, Some(entry)) => {
            let url = text(entry, out)?;
            let host = url.strip_prefix("https://").unwrap_or_default();
            if host.is_empty() || url.contains(char::is_whitespace) {
                out.add(code::BAD_ICON, entry.focus(), format!("`{url}` is not an `https:` URL"))
                    .label("clients fetch icons over HTTPS only");
            }
            (url.to_owned(), mime_of(url).unwrap_or("image/png"))
        }
        (None, None) => return None,
    };
    Some(Icon {
        src,
        mime_type: mime_type.unwrap_or(found).to_owned(),
        sizes: sizes.into_iter().map(|(size, _)| size.to_owned()).collect(),
        theme,
    })
}

/// An image of a prompt: media type and base64.
pub(super) fn image(
    path: &str,
    entry: &Entry,
    folder: &Folder,
    out: &mut Findings,
) -> Option<(&'static str, String)> {
    encoded(path, MAX_IMAGE, entry, folder, out)
}

fn encoded(
    path: &str,
    limit: usize,
    entry: &Entry,
    folder: &Folder,
    out: &mut Findings,
) -> Option<(&'static str, String)> {
    let at = entry.focus();
    let Some(mime_type) = mime_of(path) else {
        out.add(code::BAD_ICON, at, format!("`{path}` is no image that clients show"))
            .help("use a file that ends in `.svg`, `.png`, `.jpg` or `.webp`");
        return None;
    };
    let Some(content) = folder.assets.get(path) else {
        out.add(code::BAD_ICON, at, format!("there is no file `{}/{path}`", folder.name))
            .label("not found in the folder of the surface")
            .help(names::suggest(path, folder.assets.keys().map(String::as_str)));
        return None;
    };
    let bytes = match content {
        Ok(Asset::Text(text)) => text.as_bytes(),
        Ok(Asset::Bytes(bytes)) => bytes,
        Err(why) => {
            out.add(code::BAD_ICON, at, format!("`{path}` cannot be read: {why}"));
            return None;
        }
    };
    if bytes.len() > limit {
        let message = format!("`{path}` has {} bytes", bytes.len());
        out.add(code::BAD_ICON, at, message)
            .label(format!("more than {limit}"))
            .help("make it smaller, or serve it from a `url`");
        return None;
    }
    if !begins_as(mime_type, bytes) {
        out.add(code::BAD_ICON, at, format!("`{path}` is not what its ending says"))
            .label(format!("does not begin like {mime_type}"));
        return None;
    }
    Some((mime_type, STANDARD.encode(bytes)))
}

fn mime_of(path: &str) -> Option<&'static str> {
    match path.rsplit('.').next()? {
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

fn begins_as(mime_type: &str, bytes: &[u8]) -> bool {
    match mime_type {
        "image/png" => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
        "image/jpeg" => bytes.starts_with(b"\xff\xd8\xff"),
        "image/webp" => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        // A script in it would run wherever a client shows it as a document.
        _ => std::str::from_utf8(bytes)
            .is_ok_and(|text| text.contains("<svg") && !text.contains("<script")),
    }
}
