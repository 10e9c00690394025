//! Warnings of calls that succeeded.

use serde::Serialize;

/// The kind of a warning; stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// A delete found nothing.
    NothingToRemove,
    /// The override exists, but the application does not apply it.
    OverrideIgnored,
    /// The section or tool does not accept overrides.
    NotOverridable,
    /// A stale override was re-based on the current default.
    Rebased,
    /// A placeholder of the default is not in the new text.
    PlaceholderDropped,
    /// A placeholder could not be checked.
    PlaceholderUnverified,
    /// A parameter's name could not be checked.
    ParameterUnverified,
    /// The override changes nothing.
    NoEffect,
    /// The file's format is not the one that the application reads.
    FormatDisagrees,
    /// Only overrides that the application ignores are left in the file.
    OnlyIgnoredRemain,
    /// The library rejects the file because of an entry.
    FileRejected,
    /// Unknown keys were deleted with the file.
    ExtraKeysDropped,
    /// Without a descriptor it is not known whether overrides are stale.
    StalenessUnknown,
    /// The exports do not have the prompt.
    PromptNotExported,
    /// A source of descriptors failed.
    DescriptorUnavailable,
    /// A hash in the descriptor does not match its text.
    DescriptorFlawed,
    /// A symbolic link was not followed.
    LinkSkipped,
}

impl WarningCode {
    /// The code in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NothingToRemove => "nothing_to_remove",
            Self::OverrideIgnored => "override_ignored",
            Self::NotOverridable => "not_overridable",
            Self::Rebased => "rebased",
            Self::PlaceholderDropped => "placeholder_dropped",
            Self::PlaceholderUnverified => "placeholder_unverified",
            Self::ParameterUnverified => "parameter_unverified",
            Self::NoEffect => "no_effect",
            Self::FormatDisagrees => "format_disagrees",
            Self::OnlyIgnoredRemain => "only_ignored_remain",
            Self::FileRejected => "file_rejected",
            Self::ExtraKeysDropped => "extra_keys_dropped",
            Self::StalenessUnknown => "staleness_unknown",
            Self::PromptNotExported => "prompt_not_exported",
            Self::DescriptorUnavailable => "descriptor_unavailable",
            Self::DescriptorFlawed => "descriptor_flawed",
            Self::LinkSkipped => "link_skipped",
        }
    }

    /// A warning of this kind.
    pub fn because(self, message: impl Into<String>) -> Warning {
        Warning { code: self, message: message.into() }
    }
}

/// One warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its kind.
    pub code: WarningCode,
    /// The message.
    pub message: String,
}
