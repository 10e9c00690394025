//! Where tests may interrupt a transaction.
//!
//! Production code passes [`Faults::none`], which costs one comparison per point.

use std::sync::Mutex;

use toolwright_runtime::ErrorKind;

use super::Stop;
use crate::generated::Error;

/// How a transaction is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The next operation fails.
    Fail,
    /// The process is gone.
    Kill,
}

type Hook = dyn FnMut(&'static str) -> Option<Fault> + Send;

/// Decides at each point of a transaction whether to interrupt it there.
#[derive(Default)]
pub struct Faults {
    hook: Option<Mutex<Box<Hook>>>,
}

impl std::fmt::Debug for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Faults")
    }
}

impl Faults {
    /// No interruptions.
    pub fn none() -> Self {
        Self::default()
    }

    /// Asks `hook` at each point. It is given the point's name; points come more than once.
    pub fn new(hook: impl FnMut(&'static str) -> Option<Fault> + Send + 'static) -> Self {
        Self { hook: Some(Mutex::new(Box::new(hook))) }
    }

    /// The `n`th point, counted from 0, is interrupted, and no other.
    pub fn nth(n: usize, fault: Fault) -> Self {
        let mut count = 0;
        Self::new(move |_| {
            count += 1;
            (count == n + 1).then_some(fault)
        })
    }

    pub(super) fn at(&self, point: &'static str) -> Result<(), Stop> {
        let Some(hook) = &self.hook else { return Ok(()) };
        let mut hook = hook.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match hook(point) {
            None => Ok(()),
            Some(Fault::Kill) => Err(Stop::Killed),
            Some(Fault::Fail) => {
                Err(Stop::Failed(Error::IoFailed.because(format!("Interrupted at: {point}."))))
            }
        }
    }
}
