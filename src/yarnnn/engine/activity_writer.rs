//! Writes calls down that wrote nothing else, a few at a time and off the caller's way.
//!
//! A call that writes puts its entry into its own transaction. For all others, a thread collects
//! entries and writes them together: a read must not wait for the disk. What the thread has not yet
//! written when the process is killed is lost; nothing else is.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::{Engine, Store};
use crate::records::activity::{self, Entry};

/// Entries that may wait; more are dropped and counted.
const WAITING: usize = 4_096;
/// Entries that are written together.
const TOGETHER: usize = 256;
/// Longest that an entry waits for company.
const PAUSE: Duration = Duration::from_millis(200);

enum Order {
    Write(Box<Entry>),
    /// Write everything that came before, then answer.
    Flush(SyncSender<()>),
}

/// The thread and the way to it.
pub(super) struct Diary {
    store: Arc<Store>,
    thread: Mutex<Option<(SyncSender<Order>, JoinHandle<()>)>>,
}

impl Diary {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store, thread: Mutex::default() }
    }

    fn order(&self, order: Order) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (orders, received) = sync_channel(WAITING);
            let store = Arc::clone(&self.store);
            let spawned = std::thread::Builder::new()
                .name("yarnnn-diary".to_owned())
                .spawn(move || write_all(&store, &received));
            match spawned {
                Ok(handle) => *thread = Some((orders, handle)),
                Err(error) => tracing::warn!(event = "yarnnn.diary", "no thread: {error}"),
            }
        }
        let Some((orders, _)) = &*thread else { return };
        match order {
            Order::Write(_) => {
                if let Err(TrySendError::Full(_)) = orders.try_send(order) {
                    tracing::warn!(event = "yarnnn.diary", "too many calls: one is not noted");
                }
            }
            Order::Flush(_) => {
                let _ = orders.send(order);
            }
        }
    }

    /// Waits until everything so far is written.
    pub(super) fn flush(&self) {
        if self.thread.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            return;
        }
        let (done, written) = sync_channel(1);
        self.order(Order::Flush(done));
        let _ = written.recv_timeout(Duration::from_secs(10));
    }
}

impl Drop for Diary {
    fn drop(&mut self) {
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((orders, handle)) = thread {
            drop(orders);
            let _ = handle.join();
        }
    }
}

fn write_all(store: &Store, orders: &Receiver<Order>) {
    while let Ok(first) = orders.recv() {
        let mut entries = Vec::new();
        let mut waiting = Vec::new();
        let mut next = Some(first);
        while let Some(order) = next.take() {
            match order {
                Order::Write(entry) => entries.push(*entry),
                Order::Flush(done) => waiting.push(done),
            }
            if entries.len() < TOGETHER && waiting.is_empty() {
                next = orders.recv_timeout(PAUSE).ok();
            }
        }
        let written = store.write(|tx| {
            for entry in &entries {
                activity::add(tx, entry)?;
            }
            Ok(())
        });
        if let Err(fault) = written {
            tracing::warn!(event = "yarnnn.diary", calls = entries.len(), "not noted: {fault}");
        }
        for done in waiting {
            let _ = done.send(());
        }
    }
}

impl Engine {
    /// Writes a call down that wrote nothing else.
    pub fn note(&self, entry: Entry) {
        self.diary.order(Order::Write(Box::new(entry)));
    }
}
