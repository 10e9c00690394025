//! The supported clients: their configuration files per scope, and the format of an entry.
//!
//! Data only; no file access.

use std::path::PathBuf;

use super::environment::Environment;

/// An MCP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Codex: command line, extension and app share a file.
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
}

/// The scope of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The user, in every project.
    User,
    /// The project in the current folder.
    Project,
}

/// The format of a file, and the key of its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, perhaps with comments and trailing commas.
    Json(&'static str),
    /// TOML.
    Toml(&'static str),
}

impl Scope {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::User, Self::Project];

    /// On the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl Client {
    /// All of them, sorted by name.
    pub(crate) const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::ClaudeDesktop, Self::Codex, Self::Cursor, Self::VsCode];

    /// On the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
        }
    }

    /// Display name.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
        }
    }

    /// The profile that suits the client.
    pub(crate) fn profile(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop => "claude",
            Self::Codex => "openai",
            Self::Cursor | Self::VsCode => "portable",
        }
    }

    /// The supported scopes; the first is the default.
    pub(crate) fn scopes(self) -> &'static [Scope] {
        match self {
            Self::ClaudeDesktop => &[Scope::User],
            _ => &Scope::ALL,
        }
    }

    /// The format of its files.
    pub(crate) fn format(self) -> Format {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => Format::Json("mcpServers"),
            Self::Codex => Format::Toml("mcp_servers"),
            Self::VsCode => Format::Json("servers"),
        }
    }

    /// Whether its entries name the transport.
    pub(crate) fn names_transport(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::VsCode)
    }

    /// The file of a scope; `None` if the client lacks the scope or there is no home folder.
    pub(crate) fn file(self, scope: Scope, environment: &Environment) -> Option<PathBuf> {
        let project = |path: &str| Some(environment.cwd.join(path));
        let settings = |path: &str| Some(environment.settings_folder()?.join(path));
        match (self, scope) {
            (Self::ClaudeCode, Scope::User) => {
                let home = environment.claude_home.as_ref().or(environment.home.as_ref());
                Some(home?.join(".claude.json"))
            }
            (Self::ClaudeCode, Scope::Project) => project(".mcp.json"),
            (Self::ClaudeDesktop, Scope::User) => settings("Claude/claude_desktop_config.json"),
            (Self::ClaudeDesktop, Scope::Project) => None,
            (Self::Codex, Scope::User) => {
                let home = environment.codex_home.clone();
                Some(home.or_else(|| environment.in_home(".codex"))?.join("config.toml"))
            }
            (Self::Codex, Scope::Project) => project(".codex/config.toml"),
            (Self::Cursor, Scope::User) => environment.in_home(".cursor/mcp.json"),
            (Self::Cursor, Scope::Project) => project(".cursor/mcp.json"),
            (Self::VsCode, Scope::User) => settings("Code/User/mcp.json"),
            (Self::VsCode, Scope::Project) => project(".vscode/mcp.json"),
        }
    }

    /// What to do next for the client to load the change.
    pub(crate) fn afterwards(self, scope: Scope) -> &'static str {
        match (self, scope) {
            (Self::Codex, Scope::Project) => {
                "start a new session; Codex reads the file in trusted projects only"
            }
            (Self::ClaudeCode, Scope::Project) => {
                "start a new session; Claude Code asks once whether to trust the file"
            }
            (Self::ClaudeCode | Self::Codex, _) => "start a new session",
            _ => "restart it",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::environment::Platform;
    use super::*;

    fn machine(platform: Platform) -> Environment {
        Environment {
            home: Some("/home/ann".into()),
            config_home: None,
            state_home: None,
            claude_home: None,
            codex_home: None,
            app_data: None,
            cwd: "/project".into(),
            platform,
            executable: "/bin/wink".into(),
        }
    }

    fn file(client: Client, environment: &Environment) -> PathBuf {
        client.file(Scope::User, environment).unwrap()
    }

    #[test]
    fn settings_folders_follow_the_platform() {
        let desktop = |machine: &Environment| file(Client::ClaudeDesktop, machine);
        let linux = Environment { config_home: Some("/xdg".into()), ..machine(Platform::Unix) };
        assert_eq!(desktop(&linux), PathBuf::from("/xdg/Claude/claude_desktop_config.json"));
        assert_eq!(
            file(Client::VsCode, &machine(Platform::Unix)),
            PathBuf::from("/home/ann/.config/Code/User/mcp.json")
        );
        let mac = "/home/ann/Library/Application Support";
        assert_eq!(
            desktop(&machine(Platform::Mac)),
            PathBuf::from(format!("{mac}/Claude/claude_desktop_config.json"))
        );
        let windows = Environment { app_data: Some("/roam".into()), ..machine(Platform::Windows) };
        assert_eq!(file(Client::VsCode, &windows), PathBuf::from("/roam/Code/User/mcp.json"));
    }

    #[test]
    fn claude_code_and_codex_have_homes_of_their_own() {
        let moved = Environment { claude_home: Some("/claude".into()), ..machine(Platform::Unix) };
        assert_eq!(file(Client::ClaudeCode, &moved), PathBuf::from("/claude/.claude.json"));
        let moved = Environment { codex_home: Some("/codex".into()), ..machine(Platform::Unix) };
        assert_eq!(file(Client::Codex, &moved), PathBuf::from("/codex/config.toml"));
    }

    #[test]
    fn without_a_home_there_is_no_user_file() {
        let nobody = Environment { home: None, ..machine(Platform::Unix) };
        assert!(Client::ALL.iter().all(|client| client.file(Scope::User, &nobody).is_none()));
        assert!(Client::Cursor.file(Scope::Project, &nobody).is_some());
    }
}
