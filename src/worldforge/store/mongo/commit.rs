//! Commits: the changes of one writer, all of them or none.

use std::time::Duration;

use mongodb::bson::{Document, doc};
use mongodb::error::{Error, TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT};
use mongodb::sync::ClientSession;

use super::error::{fault, is_interrupted};
use super::ops::{self, Op};
use super::state::{self, State};
use super::{Ready, Scope, durable, pending, writers};
use crate::store::change::Commit;
use crate::store::error::{Fault, Kind, Result};

/// How often a commit that collides with other processes' is tried.
const ATTEMPTS: u64 = 200;
/// How often the server is asked to finish a transaction that it may have finished already.
const COMMITS: u32 = 3;

pub(super) fn commit(ready: &Ready, scope: &Scope, commit: &Commit) -> Result<u64> {
    for attempt in 1..=ATTEMPTS {
        let state = state::current(ready, scope)?;
        if let Some(at) = commit.at
            && at != state.revision
        {
            return Err(Fault::moved(at, state.revision));
        }
        let mut ops = match ops::prepare(ready, scope, &commit.changes) {
            Ok(ops) => ops,
            Err(fault) => {
                // What was looked at may have been the half of another writer's commit.
                if state::current(ready, scope)?.writes() == state.writes() {
                    return Err(fault);
                }
                continue;
            }
        };
        let revision = state.revision + u64::from(commit.changes_the_story());
        ops.push(Op::record(&commit.event, revision)?);
        let number = i64::try_from(revision).unwrap_or(i64::MAX);
        let project = state::filter(scope).ok_or_else(|| Fault::missing("project"))?;
        let done = match ready.transactions {
            true => transaction(ready, project, &state, number, &ops)?,
            false => pending::commit(ready, project, &state, number, &ops)?,
        };
        if done {
            return Ok(revision);
        }
        std::thread::sleep(Duration::from_millis(attempt.min(20)));
    }
    Err(Kind::Unavailable.because("The project is written to all the time. Try again later."))
}

/// Makes the writes happen, if the project stands where `state` says. False where it does not, or
/// where another transaction was in the way.
fn transaction(
    ready: &Ready,
    project: Document,
    state: &State,
    revision: i64,
    ops: &[Op],
) -> Result<bool> {
    let mut session = ready.client.start_session().run().map_err(fault)?;
    writers::enlist(ready, &project, session.id())?;
    session.start_transaction().write_concern(durable()).run().map_err(fault)?;
    match write(ready, &mut session, project, state, revision, ops) {
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
                false => Err(fault(error)),
            }
        }
    }
}

fn write(
    ready: &Ready,
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
    let moved = ready.projects().update_one(project, next).session(&mut *session).run()?;
    if moved.matched_count == 0 {
        return Ok(false);
    }
    for op in ops {
        if !op.run(ready, session)? {
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
                return Err(Fault { in_doubt: true, ..fault(error) });
            }
            Err(error) if error.contains_label(TRANSIENT_TRANSACTION_ERROR) => return Ok(false),
            Err(error) => return Err(fault(error)),
        }
    }
}
