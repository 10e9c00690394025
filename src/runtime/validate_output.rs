//! What happens to answers that do not match their output schema.

/// How answers are checked before they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValidateOutput {
    /// An invalid answer becomes an internal error.
    Strict,
    /// An invalid answer is sent, logged as an error and counted.
    Log,
    /// Nothing is checked.
    Off,
}

impl ValidateOutput {
    /// By its name in the setting `validate_output`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "strict" => Self::Strict,
            "log" => Self::Log,
            "off" => Self::Off,
            _ => return None,
        })
    }
}

/// Lenient where clients depend on the server, strict where it is developed: in debug builds.
impl Default for ValidateOutput {
    fn default() -> Self {
        if cfg!(debug_assertions) { Self::Strict } else { Self::Log }
    }
}
