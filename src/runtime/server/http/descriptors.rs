//! File descriptors: raises the limit of the process to what the connections need.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors for everything but connections: stores, logs, child processes.
const FOR_OTHERS: u64 = 512;

/// How many connections there are descriptors for, at most as many as wanted.
///
/// Raises the soft limit where the hard one allows it. When descriptors run out all the same, nothing
/// is accepted until some are free.
pub(super) fn for_connections(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let needed = u64::try_from(wanted).unwrap_or(u64::MAX).saturating_add(FOR_OTHERS);
    let Some(soft) = limit.current.filter(|soft| *soft < needed) else { return wanted };
    let raised = limit.maximum.map_or(needed, |hard| hard.min(needed));
    let new = Rlimit { current: Some(raised), ..limit };
    let available = if setrlimit(Resource::Nofile, new).is_ok() { raised } else { soft };
    let connections = connections(available, wanted);
    if connections < wanted {
        tracing::warn!(
            event = "http.descriptors",
            descriptors = available,
            connections,
            "too few file descriptors for as many connections as set; raise the hard limit (ulimit -Hn)"
        );
    }
    connections
}

/// With few descriptors, half of them are for connections.
fn connections(available: u64, wanted: usize) -> usize {
    let left = available.saturating_sub(FOR_OTHERS).max(available / 2);
    usize::try_from(left).unwrap_or(usize::MAX).min(wanted)
}

#[cfg(test)]
mod tests {
    use super::connections;

    #[test]
    fn others_need_descriptors_too() {
        for (available, expected) in [(64, 32), (1_024, 512), (4_096, 3_584), (1 << 20, 4_096)] {
            assert_eq!(connections(available, 4_096), expected, "{available}");
        }
    }
}
