//! Making rows.

use crate::cli::entry::{Row, Verdict};

impl Row {
    /// As it should be.
    pub fn good(check: impl Into<String>, measured: impl Into<String>) -> Self {
        Self {
            check: check.into(),
            verdict: Verdict::Good,
            measured: measured.into(),
            expected: String::new(),
            cause: None,
            remedy: None,
        }
    }

    /// Works, but not as it should.
    pub fn doubtful(check: impl Into<String>, measured: impl Into<String>) -> Self {
        Self { verdict: Verdict::Doubtful, ..Self::good(check, measured) }
    }

    /// Does not work.
    pub fn bad(check: impl Into<String>, measured: impl Into<String>) -> Self {
        Self { verdict: Verdict::Bad, ..Self::good(check, measured) }
    }

    /// What it should be.
    pub fn expected(self, expected: impl Into<String>) -> Self {
        Self { expected: expected.into(), ..self }
    }

    /// Why it is so.
    pub fn cause(self, cause: impl Into<String>) -> Self {
        Self { cause: Some(cause.into()), ..self }
    }

    /// What to do.
    pub fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }
}
