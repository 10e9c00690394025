//! The table of codes, one row per kind of finding, used by `explain`, the docs and the tests.

use std::sync::LazyLock;

use super::Severity;

/// A kind of finding.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// `TW012`
    pub code: &'static str,
    /// Title, in a few words.
    pub title: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Why it matters, a wrong and a right example.
    pub explain: &'static str,
}

/// Declares codes as constants and as a table.
macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $title:literal $explain:literal)*) => {
        $(pub(crate) const $name: &CodeInfo = &CodeInfo {
            code: $code,
            title: $title,
            severity: Severity::$severity,
            explain: $explain,
        };)*

        pub(super) const TABLE: &[&CodeInfo] = &[$($name),*];
    };
}
pub(super) use codes;

/// All codes by name.
pub(crate) mod names {
    pub(crate) use super::super::{
        codes_contract::*, codes_files::*, codes_prompts::*, codes_schema::*,
    };
}

/// All codes, sorted.
pub static CODES: LazyLock<Vec<&'static CodeInfo>> = LazyLock::new(|| {
    use super::{codes_contract, codes_files, codes_prompts, codes_schema};
    [codes_files::TABLE, codes_schema::TABLE, codes_contract::TABLE, codes_prompts::TABLE].concat()
});

/// What a code means, at length.
pub fn explain(code: &str) -> Option<&'static CodeInfo> {
    CODES.iter().find(|info| info.code.eq_ignore_ascii_case(code)).copied()
}
