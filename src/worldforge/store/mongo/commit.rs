//! Commits: all changes of a writer, or none.

use std::time::Duration;

use mongodb::bson::{Document, doc};
use mongodb::error::{Error, TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT};
use mongodb::sync::ClientSession;

use super::error::{is_interrupted, store_error};
use super::ops::{self, Op};
use super::state::{self, State};
use super::{Connected, Scope, durable, pending, writers};
use crate::store::change::Commit;
use crate::store::error::{Kind, Result, StoreError};

/// How often a commit that collides with other processes' is tried.
const ATTEMPTS: u64 = 200;
/// How often the server is asked to finish a transaction that it may have finished already.
const COMMITS: u32 = 3;

pub(super) fn commit(connected: &Connected, scope: &Scope, commit: &Commit) -> Result<u64> {
    for attempt in 1..=ATTEMPTS {
        let state = state::current(connected, scope)?;
        if let Some(at) = commit.at
            && at != state.revision
        {
            return Err(StoreError::moved(at, state.revision));
        }
        let mut ops = match ops::prepare(connected, scope, &commit.changes) {
            Ok(ops) => ops,
            Err(error) => {
                // The checks may have seen half of another writer's commit.
                if state::current(connected, scope)?.writes() == state.writes() {
                    return Err(error);
                }
                continue;
            }
        };
        let revision = state.revision + u64::from(commit.changes_the_story());
        ops.push(Op::record(&commit.event, revision)?);
        let number = i64::try_from(revision).unwrap_or(i64::MAX);
        let project = state::filter(scope).ok_or_else(|| StoreError::missing("project"))?;
        let done = match connected.transactions {
            true => transaction(connected, project, &state, number, &ops)?,
            false => pending::commit(connected, project, &state, number, &ops)?,
        };
        if done {
            return Ok(revision);
        }
        std::thread::sleep(Duration::from_millis(attempt.min(20)));
    }
    Err(Kind::Unavailable.because("The project is being written to constantly. Try again later."))
}

/// Makes the writes happen, if the project stands where `state` says. False where it does not, or
/// where another transaction was in the way.
fn transaction(
    connected: &Connected,
    project: Document,
    state: &State,
    revision: i64,
    ops: &[Op],
) -> Result<bool> {
    let mut session = connected.client.start_session().run().map_err(store_error)?;
    writers::enlist(connected, &project, session.id())?;
    session.start_transaction().write_concern(durable()).run().map_err(store_error)?;
    match write(connected, &mut session, project, state, revision, ops) {
        Ok(true) => finish(&mut session),
        Ok(false) => {
            // The server forgets it soon in any case.
            let _ = session.abort_transaction().run();
            Ok(false)
        }
        Err(error) => {
            let _ = session.abort_transaction().run();
            // Who had to wait for long may have ended it in the middle of a write.
            match error.contains_label(TRANSIENT_TRANSACTION_ERROR) || is_interrupted(&error) {
                true => Ok(false),
                false => Err(store_error(error)),
            }
        }
    }
}

fn write(
    connected: &Connected,
    session: &mut ClientSession,
    mut project: Document,
    state: &State,
    revision: i64,
    ops: &[Op],
) -> mongodb::error::Result<bool> {
    project.insert("_writes", state.writes());
    project.insert("_pending", doc! {"$exists": false});
    let next = doc! {
        "$set": {"_revision": revision, "_writes": state.next_writes()},
        "$pull": {"_writers": session.id().clone()},
    };
    let moved = connected.projects().update_one(project, next).session(&mut *session).run()?;
    if moved.matched_count == 0 {
        return Ok(false);
    }
    for op in ops {
        if !op.run(connected, session)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn finish(session: &mut ClientSession) -> Result<bool> {
    // What became of one that was interrupted is learnt by asking once more.
    let unknown = |error: &Error| {
        error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT) || is_interrupted(error)
    };
    let mut tries = 0;
    loop {
        tries += 1;
        match session.commit_transaction().run() {
            Ok(()) => return Ok(true),
            Err(error) if unknown(&error) && tries < COMMITS => {}
            Err(error) if unknown(&error) => {
                return Err(StoreError { in_doubt: true, ..store_error(error) });
            }
            Err(error) if error.contains_label(TRANSIENT_TRANSACTION_ERROR) => return Ok(false),
            Err(error) => return Err(store_error(error)),
        }
    }
}
