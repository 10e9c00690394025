//! A door for fuzz targets: an entry put into the text of a client's file and taken out again.

use serde_json::json;

use super::client::Format;
use super::text::{self, CreatedParts};

/// How a file is written.
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
    /// What it says now.
    pub text: String,
    created: CreatedParts,
}

/// Puts an entry in; none where the file is refused.
pub fn install(kind: Kind, text: &str, name: &str) -> Option<Installed> {
    let members = vec![("command", json!("/usr/bin/server")), ("args", json!(["mcp"]))];
    let (text, created) = text::insert(text, kind.format(), name, &members).ok()?;
    Some(Installed { text, created })
}

/// Takes the entry out; none where the file is refused.
pub fn uninstall(kind: Kind, installed: &Installed, name: &str) -> Option<String> {
    let removed = text::remove(&installed.text, kind.format(), name, installed.created);
    removed.ok().map(|(text, _)| text)
}
