//! Work on its own stack, on as many cores as there are.

use std::thread::{Builder, available_parallelism, scope};

/// Stack for nesting up to the parser's limit, also in unoptimised builds.
const STACK: usize = 32 * 1024 * 1024;

/// Runs `work` on a stack of its own; an error says that it panicked or could not start.
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    scope(|scope| {
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map_err(|error| error.to_string())?.join().map_err(|_| "a panic".to_owned())
    })
}

/// Maps in parallel; results in the order of the items.
pub(crate) fn map<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let cores = available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(cores.max(1)).max(1);
    let (work, mut results) = (&work, Vec::with_capacity(items.len()));
    scope(|scope| {
        let shares: Vec<_> = items
            .chunks(share)
            .map(|share| {
                let job = move || share.iter().map(work).collect::<Vec<T>>();
                (share, Builder::new().stack_size(STACK).spawn_scoped(scope, job))
            })
            .collect();
        for (share, thread) in shares {
            match thread.map(|thread| thread.join()) {
                Ok(Ok(part)) => results.extend(part),
                // A panic is propagated to the guard of the whole run.
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => results.extend(share.iter().map(work)),
            }
        }
    });
    results
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order() {
        let items: Vec<u32> = (0..100).collect();
        let doubled = super::map(&items, |item| item * 2);
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(super::map(&[] as &[u32], |item| *item).is_empty());
    }

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(super::run(|| 7), Ok(7));
        assert!(super::run(|| std::panic::resume_unwind(Box::new(()))).is_err());
    }
}
