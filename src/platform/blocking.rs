//! Work that waits for a disk, a lock, a database or another program, off the threads that serve.

use tokio::task::JoinHandle;

/// Runs `work` on a thread where it may wait. As [`tokio::task::spawn_blocking`], but `work` stays
/// within the caller's span, so that its log lines name the call.
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work))
}

/// Like [`spawn_blocking`], and waits for the result. The error is a message for the log: the work
/// panicked or was cancelled.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    spawn_blocking(work).await.map_err(|error| error.to_string())
}
