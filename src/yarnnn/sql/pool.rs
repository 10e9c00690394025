//! A bounded connection pool.
//!
//! When all connections are in use, callers queue in order, so that a thread that returns at once
//! cannot starve the others. Waiting has a limit, so a nested transaction that waits for itself
//! fails. Knows nothing of the connections.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use super::error::{Kind, Result};

/// Connections of one sort.
pub(super) struct Pool<C> {
    max: usize,
    wait: Duration,
    state: Mutex<State<C>>,
}

struct State<C> {
    idle: Vec<C>,
    /// Idle connections and those in use.
    open: usize,
    /// Tickets of waiting callers, in order.
    line: VecDeque<(u64, Thread)>,
    places: u64,
}

/// A connection in use. It is closed when dropped; [`PooledConnection::keep`] returns it to the
/// pool.
pub(super) struct PooledConnection<'pool, C> {
    pool: &'pool Pool<C>,
    connection: Option<C>,
    /// The pool whose slot is freed on drop.
    last: bool,
    /// It was used before, so the other side may have gone away meanwhile.
    pub(super) used: bool,
}

impl<C> Pool<C> {
    pub(super) fn new(max: usize, wait: Duration) -> Self {
        let state = State { idle: Vec::new(), open: 0, line: VecDeque::new(), places: 0 };
        Self { max: max.max(1), wait, state: Mutex::new(state) }
    }

    /// The most recently returned connection, or a new one if the limit allows it.
    pub(super) fn acquire(
        &self,
        connect: impl FnOnce() -> Result<C>,
    ) -> Result<PooledConnection<'_, C>> {
        let connection = self.wait_for_slot()?;
        let used = connection.is_some();
        // From here on the lease counts the place, also when connecting fails.
        let mut lease = PooledConnection { pool: self, connection, last: true, used };
        if !used {
            lease.connection = Some(connect()?);
        }
        Ok(lease)
    }

    /// An idle connection, or `None` and the right to open one.
    fn wait_for_slot(&self) -> Result<Option<C>> {
        let mut state = self.lock();
        if !state.line.is_empty() || !self.has_capacity(&state) {
            let (since, place) = (Instant::now(), state.places);
            state.places += 1;
            state.line.push_back((place, std::thread::current()));
            let is_next = |state: &State<C>| state.line.front().is_some_and(|(at, _)| *at == place);
            while !(is_next(&state) && self.has_capacity(&state)) {
                let left = self.wait.saturating_sub(since.elapsed());
                drop(state);
                std::thread::park_timeout(left);
                state = self.lock();
                if left.is_zero() {
                    break;
                }
            }
            let served = is_next(&state) && self.has_capacity(&state);
            state.line.retain(|(at, _)| *at != place);
            if !served {
                self.wake_next(&state);
                return Err(Kind::Unavailable.because(format!(
                    "The database is busy: no connection became free within {} ms. Try again later.",
                    self.wait.as_millis()
                )));
            }
        }
        let connection = state.idle.pop();
        state.open += usize::from(connection.is_none());
        self.wake_next(&state);
        Ok(connection)
    }

    fn has_capacity(&self, state: &State<C>) -> bool {
        !state.idle.is_empty() || state.open < self.max
    }

    /// Wakes the first waiting caller if there is capacity.
    fn wake_next(&self, state: &State<C>) {
        if let Some((_, thread)) = state.line.front().filter(|_| self.has_capacity(state)) {
            thread.unpark();
        }
    }

    /// Removes the idle connections, for closing them.
    pub(super) fn drain(&self) -> Vec<C> {
        let mut state = self.lock();
        let idle = std::mem::take(&mut state.idle);
        state.open -= idle.len();
        self.wake_next(&state);
        idle
    }

    /// Idle connections and open ones.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.lock();
        (state.idle.len(), state.open)
    }

    fn lock(&self) -> MutexGuard<'_, State<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C> PooledConnection<'_, C> {
    /// The connection; missing only while it is being opened.
    pub(super) fn get(&mut self) -> Result<&mut C> {
        self.connection.as_mut().ok_or_else(|| Kind::Broken.because("The connection is gone."))
    }

    /// Returns the connection to the pool.
    pub(super) fn keep(mut self) {
        if let Some(connection) = self.connection.take() {
            self.last = false;
            let mut state = self.pool.lock();
            state.idle.push(connection);
            self.pool.wake_next(&state);
        }
    }
}

impl<C> Drop for PooledConnection<'_, C> {
    fn drop(&mut self) {
        if !self.last {
            return;
        }
        // Closing may take a moment: not under the lock.
        self.connection = None;
        let mut state = self.pool.lock();
        state.open -= 1;
        self.pool.wake_next(&state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Error;

    fn pool(max: usize) -> Pool<u32> {
        Pool::new(max, Duration::from_millis(50))
    }

    #[test]
    fn a_returned_connection_is_reused_and_a_dropped_one_frees_its_slot() {
        let pool = pool(1);
        pool.acquire(|| Ok(1)).unwrap().keep();
        assert_eq!(pool.counts(), (1, 1));
        let mut retry = pool.acquire(|| Ok(2)).unwrap();
        assert_eq!((*retry.get().unwrap(), retry.used), (1, true));
        drop(retry);
        assert_eq!(pool.counts(), (0, 0));
        let mut fresh = pool.acquire(|| Ok(2)).unwrap();
        assert_eq!((*fresh.get().unwrap(), fresh.used), (2, false));
    }

    #[test]
    fn a_failure_to_connect_frees_its_slot() {
        let pool = pool(1);
        let refused = || Err::<u32, Error>(Kind::Unavailable.because("no"));
        assert!((0..5).all(|_| pool.acquire(refused).is_err()));
        assert_eq!(pool.counts(), (0, 0));
        pool.acquire(|| Ok(1)).unwrap().keep();
        assert_eq!(pool.drain(), [1]);
        assert_eq!(pool.counts(), (0, 0));
    }

    #[test]
    fn a_wait_times_out_or_ends_with_a_returned_connection() {
        let pool = pool(1);
        let lease = pool.acquire(|| Ok(1)).unwrap();
        let refused = pool.acquire(|| Ok(2)).err().unwrap();
        assert_eq!(refused.kind, Kind::Unavailable);
        let patient = Pool::<u32>::new(1, Duration::from_secs(30));
        let first = patient.acquire(|| Ok(1)).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| *patient.acquire(|| Ok(2)).unwrap().get().unwrap());
            first.keep();
            assert_eq!(second.join().unwrap(), 1);
        });
        drop(lease);
    }

    #[test]
    fn a_thread_that_returns_at_once_queues_behind_waiting_ones() {
        let pool = Pool::<u32>::new(1, Duration::from_secs(30));
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            let held = pool.acquire(|| Ok(1)).unwrap();
            for number in 0..8 {
                let (pool, order) = (&pool, &order);
                scope.spawn(move || {
                    let lease = pool.acquire(|| Ok(1)).unwrap();
                    order.lock().unwrap().push(number);
                    lease.keep();
                });
                while pool.lock().line.len() <= number {
                    std::thread::yield_now();
                }
            }
            held.keep();
            let lease = pool.acquire(|| Ok(1)).unwrap();
            order.lock().unwrap().push(8);
            lease.keep();
        });
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
