//! How to register a surface in each client: a command, or an entry of its settings file.

use serde_json::json;

use super::page::{Block, Inline, Section, Text, code, text};
use super::prose::json as json_text;
use crate::model::Contract;

/// The section with one snippet per client.
pub(super) fn section(contract: &Contract) -> Section {
    let name = contract.name.as_str();
    let server = json!({"command": name, "args": ["mcp"]});
    let mut vscode = server.clone();
    vscode["type"] = json!("stdio");
    let servers = json_text(&json!({"mcpServers": {name: server}}));
    let mut section = Section::new("register", "Register in a client");
    section.blocks = vec![
        Block::Paragraph(
            [
                text("These entries start the program "),
                code(name),
                text(" with the argument "),
                code("mcp"),
                text("; adapt them if yours starts differently. "),
                text("A client that does not find the program needs its absolute path."),
            ]
            .concat(),
        ),
        client(
            "Claude Code",
            None,
            "sh",
            format!("claude mcp add {name} --scope user -- {name} mcp"),
        ),
        client("Claude Desktop", Some("claude_desktop_config.json"), "json", servers.clone()),
        client(
            "Codex",
            Some("~/.codex/config.toml"),
            "toml",
            format!("[mcp_servers.{name}]\ncommand = \"{name}\"\nargs = [\"mcp\"]"),
        ),
        client("Cursor", Some("~/.cursor/mcp.json"), "json", servers),
        client(
            "VS Code",
            Some(".vscode/mcp.json"),
            "json",
            json_text(&json!({"servers": {name: vscode}})),
        ),
    ];
    section
}

fn client(name: &str, file: Option<&str>, language: &'static str, snippet: String) -> Block {
    let mut summary: Text = text(name);
    if let Some(file) = file {
        summary.extend([Inline::Text(": ".to_owned()), Inline::Code(file.to_owned())]);
    }
    Block::Fold(summary, vec![Block::Code(language, snippet)])
}
