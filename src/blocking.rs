//! Work that waits for a disk or a database, off the threads that serve.

/// Runs on a thread of its own. The error says that it broke off, for the log.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    toolwright_runtime::spawn_blocking(work).await.map_err(|error| error.to_string())
}
