//! Fault injection: tests interrupt a transaction at any of its points.
//!
//! Production code passes [`FaultInjector::none`], which costs one comparison per point.

use std::sync::Mutex;

use toolwright_runtime::ErrorKind;

use super::Stop;
use crate::generated::Error;

/// How a transaction is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(test), expect(dead_code, reason = "only tests inject faults"))]
pub(crate) enum InjectedFault {
    /// The next operation fails.
    Fail,
    /// The process is gone.
    Kill,
}

type Hook = dyn FnMut(&'static str) -> Option<InjectedFault> + Send;

/// Decides at each point of a transaction whether to interrupt it.
#[derive(Default)]
pub(crate) struct FaultInjector {
    hook: Option<Mutex<Box<Hook>>>,
}

impl std::fmt::Debug for FaultInjector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FaultInjector")
    }
}

impl FaultInjector {
    /// No interruptions.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// Calls `hook` with the name of each point; a point may come more than once.
    #[cfg(test)]
    pub(crate) fn new(
        hook: impl FnMut(&'static str) -> Option<InjectedFault> + Send + 'static,
    ) -> Self {
        Self { hook: Some(Mutex::new(Box::new(hook))) }
    }

    /// The `n`th point, counted from 0, is interrupted, and no other.
    #[cfg(test)]
    pub(crate) fn nth(n: usize, fault: InjectedFault) -> Self {
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
            Some(InjectedFault::Kill) => Err(Stop::Killed),
            Some(InjectedFault::Fail) => {
                Err(Stop::Failed(Error::IoFailed.because(format!("Interrupted at: {point}."))))
            }
        }
    }
}
