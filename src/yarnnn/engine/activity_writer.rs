//! Records calls that wrote nothing else, in batches and on a thread of its own.
//!
//! A call that writes adds its entry to its own transaction. For all others, a thread collects
//! entries and writes them in batches: a read must not wait for the disk. Entries that are not yet
//! written when the process is killed are lost; nothing else is. The same thread removes old entries
//! ([`pruner`](super::activity_pruner)), so that no call waits for that either.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::activity_pruner::{ActivityPruner, EVERY, Retention};
use super::{Engine, Store};
use crate::records::activity::{self, Entry};

/// Entries that may be queued; more are dropped with a warning.
const QUEUE_LIMIT: usize = 4_096;
/// Entries per transaction.
const BATCH: usize = 256;
/// How long the thread waits for more entries before it writes.
const BATCH_DELAY: Duration = Duration::from_millis(200);

enum Message {
    Write(Box<Entry>),
    /// Calls that wrote have added this many entries themselves.
    Added(usize),
    /// Write everything queued before, then reply.
    Flush(SyncSender<()>),
}

/// The writer's thread and the channel to it.
pub(super) struct ActivityWriter {
    store: Arc<Store>,
    retention: Retention,
    /// Entries that calls added themselves.
    added: AtomicUsize,
    thread: Mutex<Option<(SyncSender<Message>, JoinHandle<()>)>>,
}

impl ActivityWriter {
    pub(super) fn new(store: Arc<Store>, retention: Retention) -> Self {
        Self { store, retention, added: AtomicUsize::new(0), thread: Mutex::default() }
    }

    /// A call has added its entry in its own transaction.
    pub(super) fn note_added(&self) {
        // The first one of a process and then every so often: the thread need not hear of each.
        if self.added.fetch_add(1, Ordering::Relaxed).is_multiple_of(EVERY) {
            self.send(Message::Added(EVERY));
        }
    }

    fn send(&self, message: Message) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (messages, received) = sync_channel(QUEUE_LIMIT);
            let (store, retention) = (Arc::clone(&self.store), self.retention);
            let spawned = std::thread::Builder::new()
                .name("yarnnn-diary".to_owned())
                .spawn(move || write_all(&store, retention, &received));
            match spawned {
                Ok(handle) => *thread = Some((messages, handle)),
                Err(error) => {
                    tracing::warn!(event = "yarnnn.diary", "cannot start the thread: {error}")
                }
            }
        }
        let Some((messages, _)) = &*thread else { return };
        match message {
            Message::Write(_) => {
                if let Err(TrySendError::Full(_)) = messages.try_send(message) {
                    tracing::warn!(
                        event = "yarnnn.diary",
                        "the queue is full: one call is not recorded"
                    );
                }
            }
            Message::Flush(_) => {
                let _ = messages.send(message);
            }
            // With a full queue the thread has enough to do, and hears of the next ones.
            Message::Added(_) => drop(messages.try_send(message)),
        }
    }

    /// Waits until everything queued so far is written.
    pub(super) fn flush(&self) {
        if self.thread.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            return;
        }
        let (done, written) = sync_channel(1);
        self.send(Message::Flush(done));
        let _ = written.recv_timeout(Duration::from_secs(10));
    }
}

impl Drop for ActivityWriter {
    fn drop(&mut self) {
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((messages, handle)) = thread {
            drop(messages);
            let _ = handle.join();
        }
    }
}

fn write_all(store: &Store, retention: Retention, messages: &Receiver<Message>) {
    let mut pruner = ActivityPruner::new(retention);
    loop {
        let first = match pruner.pause() {
            None => messages.recv().map(Some).map_err(|_| RecvTimeoutError::Disconnected),
            Some(pause) => messages.recv_timeout(pause).map(Some),
        };
        match first {
            Ok(first) => pruner.added(write_batch(store, first, messages)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        pruner.step(store);
    }
}

/// Writes the entries of this message and of those that follow soon; the number of entries that were
/// added.
fn write_batch(store: &Store, first: Option<Message>, messages: &Receiver<Message>) -> usize {
    let (mut entries, mut waiting, mut added) = (Vec::new(), Vec::new(), 0);
    let mut next = first;
    while let Some(message) = next.take() {
        match message {
            Message::Write(entry) => entries.push(*entry),
            Message::Added(count) => added += count,
            Message::Flush(done) => waiting.push(done),
        }
        if entries.len() < BATCH && waiting.is_empty() {
            next = messages.recv_timeout(BATCH_DELAY).ok();
        }
    }
    let written = store.write(|tx| {
        for entry in &entries {
            activity::add(tx, entry)?;
        }
        Ok(())
    });
    if let Err(error) = written {
        tracing::warn!(event = "yarnnn.diary", calls = entries.len(), "not recorded: {error}");
    }
    for done in waiting {
        let _ = done.send(());
    }
    added + entries.len()
}

impl Engine {
    /// Records a call that wrote nothing else.
    pub fn log_call(&self, entry: Entry) {
        self.activity_writer.send(Message::Write(Box::new(entry)));
    }
}
