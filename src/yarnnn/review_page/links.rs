//! The address of the review page, for the answers of tools.

use std::sync::OnceLock;

/// Where the review page is: as the settings say, else where this server listens.
#[derive(Debug, Default)]
pub(crate) struct ReviewLinks {
    setting: Option<String>,
    listening: OnceLock<String>,
}

impl ReviewLinks {
    /// `setting`: the public address of the server, such as `https://memory.example.com`.
    pub(crate) fn new(setting: Option<String>) -> Self {
        Self { setting, listening: OnceLock::new() }
    }

    /// This server serves the page here.
    pub(super) fn listening(&self, url: &str) {
        let _ = self.listening.set(url.to_owned());
    }

    /// Where proposals and captures wait; none where no page is served, as far as is known.
    pub(crate) fn list(&self) -> Option<String> {
        let base = self.setting.as_ref().or_else(|| self.listening.get())?;
        Some(format!("{}{}", base.trim_end_matches('/'), super::PATH))
    }

    /// Where a proposal is decided.
    pub(crate) fn proposal(&self, id: &str) -> Option<String> {
        Some(format!("{}/proposals/{id}", self.list()?))
    }
}
