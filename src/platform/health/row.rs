//! What a health check found: one row of a `doctor` report.

/// One row of a doctor's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name of the check, short and stable, such as `store.writable`.
    pub check: String,
    /// The result.
    pub verdict: Verdict,
    /// The measured value; never a secret.
    pub measured: String,
    /// The expected value.
    pub expected: String,
    /// Why the value is not as expected.
    pub cause: Option<String>,
    /// How to fix it.
    pub remedy: Option<String>,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// As expected.
    Good,
    /// Works, with limitations.
    Doubtful,
    /// Does not work.
    Bad,
}

impl Row {
    /// A row that is as expected.
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

    /// Works, with limitations.
    pub fn doubtful(check: impl Into<String>, measured: impl Into<String>) -> Self {
        Self { verdict: Verdict::Doubtful, ..Self::good(check, measured) }
    }

    /// Does not work.
    pub fn bad(check: impl Into<String>, measured: impl Into<String>) -> Self {
        Self { verdict: Verdict::Bad, ..Self::good(check, measured) }
    }

    /// Sets the expected value.
    pub fn expected(self, expected: impl Into<String>) -> Self {
        Self { expected: expected.into(), ..self }
    }

    /// Sets the cause.
    pub fn cause(self, cause: impl Into<String>) -> Self {
        Self { cause: Some(cause.into()), ..self }
    }

    /// Sets the remedy.
    pub fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }
}
