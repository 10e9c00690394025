//! The signals that end a server as if its client had disconnected.

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::ServeError;

/// Cancels `stop` on SIGTERM or SIGINT, and on SIGHUP unless the process was started to ignore it, as
/// `nohup` does.
pub(super) fn stop_on_signals(stop: CancellationToken) -> Result<JoinHandle<()>, ServeError> {
    let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Runtime)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::Runtime)?;
    let hangup = (!ignores_hangup()).then(|| signal(SignalKind::hangup()));
    let mut hangup = hangup.transpose().map_err(ServeError::Runtime)?;
    Ok(tokio::spawn(async move {
        let hung_up = async {
            match &mut hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hung_up => {}
        }
        tracing::info!("received a signal to stop");
        stop.cancel();
    }))
}

/// Whether SIGHUP is ignored, where the kernel tells; elsewhere it is not.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit is signal 1, SIGHUP.
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}
