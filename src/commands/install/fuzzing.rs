//! Entry points for fuzz targets: add an entry to the text of a client's file and remove it again.

use serde_json::json;

use super::client::Format;
use super::text::{self, CreatedParts};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// JSON with comments.
    Json,
    /// TOML.
    Toml,
}

impl Kind {
    fn format(self) -> Format {
        match self {
            Self::Json => Format::Json("mcpServers"),
            Self::Toml => Format::Toml("mcp_servers"),
        }
    }
}

/// A file with the entry in it.
#[derive(Debug, Clone)]
pub struct Installed {
    /// The new text.
    pub text: String,
    created: CreatedParts,
}

/// Adds an entry; `None` if the file is rejected.
pub fn install(kind: Kind, text: &str, name: &str) -> Option<Installed> {
    let members = [("command", json!("/usr/bin/server")), ("args", json!(["mcp"]))];
    let members = members.map(|(key, value)| (key.to_owned(), value)).into();
    let (text, created) = text::insert(text, kind.format(), name, &members).ok()?;
    Some(Installed { text, created })
}

/// Removes the entry; `None` if the file is rejected.
pub fn uninstall(kind: Kind, installed: &Installed, name: &str) -> Option<String> {
    let removed = text::remove(&installed.text, kind.format(), name, installed.created);
    removed.ok().map(|(text, _)| text)
}
