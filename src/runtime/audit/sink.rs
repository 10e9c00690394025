//! Where the lines of the trail go.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use toolwright_platform::line_file::{Limits, LineFile};

use super::line::{AuditLine, Event};

/// The log, or a file. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct AuditSink(Option<Arc<Mutex<AuditFile>>>);

#[derive(Debug)]
struct AuditFile {
    lines: LineFile,
    /// Lines that went to the log because the file could not be written.
    unwritten: u64,
}

impl AuditSink {
    /// The log.
    pub fn log() -> Self {
        Self::default()
    }

    /// A file, rotated by size. Several processes may write to it.
    ///
    /// # Errors
    /// When it cannot be opened for writing.
    pub fn file(path: &Path, limits: Limits) -> io::Result<Self> {
        let lines = LineFile::open(path, limits)?;
        Ok(Self(Some(Arc::new(Mutex::new(AuditFile { lines, unwritten: 0 })))))
    }

    /// Writes a line. While the file cannot be written, lines go to the log: calls are answered all the
    /// same, and nothing is lost.
    pub(super) fn write(&self, now: Timestamp, event: Event, line: &AuditLine<'_>) {
        let Some(file) = &self.0 else { return log(event, line) };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        match file.lines.append(&line.json(now, event)) {
            Ok(()) => {
                let unwritten = std::mem::take(&mut file.unwritten);
                if unwritten > 0 {
                    tracing::warn!(
                        target: "toolwright::audit", event = "audit.resumed", unwritten,
                        "the audit file can be written again; its missing lines are in this log"
                    );
                }
            }
            Err(error) => {
                if file.unwritten == 0 {
                    tracing::error!(
                        target: "toolwright::audit", event = "audit.unwritable", %error,
                        file = %file.lines.path().display(),
                        "the audit file cannot be written; its lines go to this log until it can"
                    );
                }
                file.unwritten += 1;
                drop(file);
                log(event, line);
            }
        }
    }
}

fn log(event: Event, line: &AuditLine<'_>) {
    tracing::info!(
        target: "toolwright::audit",
        event = match event {
            Event::Call => "audit.call",
            Event::Refusal => "audit.refusal",
            Event::Rejection => "audit.rejection",
        },
        contract = line.contract,
        tool = line.tool.map(crate::problem::shorten),
        effects = line.effects,
        outcome = line.outcome,
        request_id = line.request_id.map(crate::problem::shorten),
        transport = line.transport,
        client = line.client.map(crate::problem::shorten),
        client_version = line.client_version.map(crate::problem::shorten),
        subject = line.subject.map(crate::problem::shorten),
        token = line.token,
        address = line.address.map(tracing::field::display),
        omitted_refusals = line.omitted_refusals,
        "audit"
    );
}
