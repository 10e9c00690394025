//! Queue of input for a program. Only the writer thread waits for a program that does not read.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More bytes do not wait for one program.
const FULL: usize = 128 << 20;
const STACK: usize = 128 << 10;

#[derive(Clone)]
pub(super) struct Input {
    queue: Arc<Mutex<Queue>>,
}

struct Queue {
    waiting: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Gone while a thread writes.
    writer: Option<Box<dyn Write + Send>>,
    broken: bool,
}

impl Input {
    pub(super) fn new(writer: Box<dyn Write + Send>) -> Self {
        let queue =
            Queue { waiting: VecDeque::new(), bytes: 0, writer: Some(writer), broken: false };
        Self { queue: Arc::new(Mutex::new(queue)) }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says how many bytes wait when these do not fit any more.
    pub(super) fn put(&self, bytes: Vec<u8>) -> Result<(), usize> {
        if bytes.is_empty() {
            return Ok(());
        }
        let mut queue = self.queue();
        if queue.bytes + bytes.len() > FULL {
            return Err(queue.bytes);
        }
        if queue.broken {
            return Ok(());
        }
        queue.bytes += bytes.len();
        queue.waiting.push_back(bytes);
        let Some(writer) = queue.writer.take() else { return Ok(()) };
        drop(queue);
        let input = self.clone();
        let started =
            std::thread::Builder::new().stack_size(STACK).spawn(move || input.write(writer));
        if let Err(error) = started {
            tracing::error!(%error, "input could not be written");
            self.queue().broken = true;
        }
        Ok(())
    }

    fn write(&self, mut writer: Box<dyn Write + Send>) {
        loop {
            let next = {
                let mut queue = self.queue();
                match queue.waiting.pop_front() {
                    Some(next) => next,
                    None => {
                        queue.writer = Some(writer);
                        return;
                    }
                }
            };
            let written = writer.write_all(&next).and_then(|()| writer.flush());
            let mut queue = self.queue();
            queue.bytes -= next.len();
            if let Err(error) = written {
                tracing::debug!(%error, "a program has ended before it read everything");
                queue.broken = true;
                queue.waiting.clear();
                queue.bytes = 0;
                return;
            }
        }
    }
}
