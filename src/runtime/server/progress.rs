//! Carries a handler's progress reports to the task that sends them.
//!
//! Reports come from wherever the handler runs and must never make it wait; the protocol wants
//! them strictly increasing and none after the answer. So they queue here, and the task that runs
//! the call sends them and empties the queue before it answers.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::call::ProgressSink;

/// Reports kept while the client is slow; beyond that the newest replaces the one before.
const KEPT: usize = 64;

/// One report.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Report {
    pub(super) done: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

/// Reports of one call, waiting to be sent.
#[derive(Default)]
pub(super) struct Reports {
    queue: Mutex<Queue>,
    arrived: Notify,
}

#[derive(Default)]
struct Queue {
    reports: VecDeque<Report>,
    last: Option<f64>,
}

impl Reports {
    /// The oldest report not yet taken.
    pub(super) fn take(&self) -> Option<Report> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).reports.pop_front()
    }

    /// Resolves when there may be a report to take.
    pub(super) async fn arrived(&self) {
        self.arrived.notified().await;
    }
}

impl ProgressSink for Reports {
    fn report(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if !done.is_finite() || queue.last.is_some_and(|last| done <= last) {
            return;
        }
        queue.last = Some(done);
        if queue.reports.len() == KEPT {
            queue.reports.pop_back();
        }
        let total = total.filter(|total| total.is_finite());
        queue.reports.push_back(Report { done, total, message: message.map(str::to_owned) });
        drop(queue);
        self.arrived.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_increasing_finite_reports_pass() {
        let reports = Reports::default();
        for done in [0.0, 1.0, 1.0, f64::NAN, 0.5, 2.0] {
            reports.report(done, Some(f64::INFINITY), None);
        }
        let seen: Vec<_> = std::iter::from_fn(|| reports.take()).collect();
        assert_eq!(seen.iter().map(|report| report.done).collect::<Vec<_>>(), [0.0, 1.0, 2.0]);
        assert!(seen.iter().all(|report| report.total.is_none()));
    }

    #[test]
    fn a_flood_keeps_the_newest() {
        let reports = Reports::default();
        for done in 0..1_000 {
            reports.report(f64::from(done), None, None);
        }
        let seen: Vec<_> = std::iter::from_fn(|| reports.take()).collect();
        assert_eq!(seen.len(), KEPT);
        assert_eq!(seen.last().map(|report| report.done), Some(999.0));
    }
}
