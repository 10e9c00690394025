//! What a health check found: one row of a `doctor` report.

/// One row of a doctor's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What was looked at, a short stable name such as `store.writable`.
    pub check: String,
    /// How it stands.
    pub verdict: Verdict,
    /// What was measured; never a secret.
    pub measured: String,
    /// What it should be.
    pub expected: String,
    /// Why it is so, where it is not as expected.
    pub cause: Option<String>,
    /// What to do, where there is something to do.
    pub remedy: Option<String>,
}

/// How a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// As expected.
    Good,
    /// Works, but not as it should.
    Doubtful,
    /// Does not work.
    Bad,
}

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
