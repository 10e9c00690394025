//! The environment of this process: home, folders, platform, executable.
//!
//! `install` and `doctor` get everything about the machine from it, so that tests can replace it. It
//! knows no clients.

use std::path::{Path, PathBuf};

/// The environment of `install` and `doctor`.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// The user's home.
    pub(crate) home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, where it is set and absolute.
    pub(crate) config_home: Option<PathBuf>,
    /// `XDG_STATE_HOME`, where it is set and absolute.
    pub(crate) state_home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub(crate) claude_home: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub(crate) codex_home: Option<PathBuf>,
    /// `APPDATA` of Windows.
    pub(crate) app_data: Option<PathBuf>,
    /// The working directory: the project.
    pub(crate) cwd: PathBuf,
    /// The operating system.
    pub(crate) platform: Platform,
    /// The running executable, links resolved.
    pub(crate) executable: PathBuf,
}

/// Determines the folders of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platform {
    /// Linux and its relatives.
    Unix,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl Environment {
    /// The environment of this process.
    pub(crate) fn from_process() -> std::io::Result<Self> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let absolute = |name: &str| folder(name).filter(|path| path.is_absolute());
        let platform = match std::env::consts::OS {
            "macos" => Platform::Mac,
            "windows" => Platform::Windows,
            _ => Platform::Unix,
        };
        let cwd = std::env::current_dir()?;
        let from_here = |name: &str| {
            folder(name).filter(|path| !path.as_os_str().is_empty()).map(|path| cwd.join(path))
        };
        Ok(Self {
            home: std::env::home_dir().filter(|home| home.is_absolute()),
            config_home: absolute("XDG_CONFIG_HOME"),
            state_home: absolute("XDG_STATE_HOME"),
            claude_home: from_here("CLAUDE_CONFIG_DIR"),
            codex_home: from_here("CODEX_HOME"),
            app_data: absolute("APPDATA"),
            platform,
            executable: std::env::current_exe()?.canonicalize()?,
            cwd,
        })
    }

    /// The folder for settings of programs.
    pub(crate) fn settings_folder(&self) -> Option<PathBuf> {
        match self.platform {
            Platform::Unix => self.config_home.clone().or_else(|| self.in_home(".config")),
            Platform::Mac => self.in_home("Library/Application Support"),
            Platform::Windows => self.app_data.clone().or_else(|| self.in_home("AppData/Roaming")),
        }
    }

    /// The folder for the state of this product.
    pub(crate) fn state_folder(&self) -> Option<PathBuf> {
        let state = self.state_home.clone().or_else(|| self.in_home(".local/state"))?;
        Some(state.join("toolwright"))
    }

    /// A path below the home.
    pub(crate) fn in_home(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(path))
    }
}
