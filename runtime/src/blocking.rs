//! Work that waits for a disk, a lock or another program, off the threads that serve.

use tokio::task::JoinHandle;

/// Runs `work` on a thread where it may wait. As [`tokio::task::spawn_blocking`], but `work` stays
/// within the caller's span, so that its log lines name the call.
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work))
}
