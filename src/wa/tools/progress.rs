//! Progress of calls that wait: reported by the engine's thread, forwarded to the client.

use std::time::Duration;

use toolwright_runtime::Call;

use crate::generated::Result;

/// Called with the elapsed time.
pub(super) type OnProgress = Box<dyn FnMut(Duration) + Send>;

/// Runs `work` and reports to the client how much of `timeout` has passed.
pub(super) async fn with_progress<T, F: Future<Output = Result<T>>>(
    call: &Call,
    timeout: Duration,
    work: impl FnOnce(OnProgress) -> F,
) -> Result<T> {
    let (waited, mut progress) = tokio::sync::watch::channel(Duration::ZERO);
    let work = work(Box::new(move |elapsed| {
        waited.send_replace(elapsed);
    }));
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            Ok(()) = progress.changed() => {
                let elapsed = progress.borrow_and_update().as_secs_f64();
                call.progress(elapsed, Some(timeout.as_secs_f64()), Some("waiting for output"));
            }
        }
    }
}
