//! Records calls that wrote nothing else, in batches and on a thread of its own.
//!
//! A call that writes adds its entry to its own transaction. For all others, a thread collects
//! entries and writes them in batches: a read must not wait for the disk. Entries that are not yet
//! written when the process is killed are lost; nothing else is.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

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
    /// Write everything queued before, then reply.
    Flush(SyncSender<()>),
}

/// The writer's thread and the channel to it.
pub(super) struct ActivityWriter {
    store: Arc<Store>,
    thread: Mutex<Option<(SyncSender<Message>, JoinHandle<()>)>>,
}

impl ActivityWriter {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store, thread: Mutex::default() }
    }

    fn send(&self, message: Message) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (messages, received) = sync_channel(QUEUE_LIMIT);
            let store = Arc::clone(&self.store);
            let spawned = std::thread::Builder::new()
                .name("yarnnn-diary".to_owned())
                .spawn(move || write_all(&store, &received));
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

fn write_all(store: &Store, messages: &Receiver<Message>) {
    while let Ok(first) = messages.recv() {
        let mut entries = Vec::new();
        let mut waiting = Vec::new();
        let mut next = Some(first);
        while let Some(message) = next.take() {
            match message {
                Message::Write(entry) => entries.push(*entry),
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
    }
}

impl Engine {
    /// Records a call that wrote nothing else.
    pub fn log_call(&self, entry: Entry) {
        self.activity_writer.send(Message::Write(Box::new(entry)));
    }
}
