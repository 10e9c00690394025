//! Writers that died in the middle of a transaction.
//!
//! The server holds on to what such a transaction has touched for a minute, and nobody could write
//! to the project meanwhile. So each writer says in the project's document which session it is,
//! before its transaction begins. Who then has to wait for long ends the sessions that are named
//! there: a dead writer's transaction is gone with it, a living writer's is done again.

use std::time::Duration;

use mongodb::bson::{Bson, Document, doc};
use mongodb::error::{Error, ErrorKind};
use mongodb::options::WriteConcern;

use super::Ready;
use super::error::{fault, is_interrupted};
use crate::store::error::Result;

/// How long a writer waits for others before it ends them.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often a writer waits: when all were stalled for a moment, they end each other at once.
const TRIES: u32 = 20;
/// Writers that died before their transactions began are of no interest for ever.
const REMEMBERED: i32 = 64;
/// The server's number for a wait that was too long.
const TOO_LONG: i32 = 50;

/// Names the session in the project's document, ending those that are in the way.
pub(super) fn enlist(ready: &Ready, project: &Document, session: &Document) -> Result<()> {
    for _ in 1..TRIES {
        let ended = match name(ready, project, session) {
            Err(error) if is_too_long(&error) => end(ready, project),
            // The driver uses sessions again, so who ends a writer may end what is done here.
            Err(error) if is_interrupted(&error) => Ok(()),
            named => return named.map_err(fault),
        };
        if let Err(error) = ended
            && !is_interrupted(&error)
        {
            return Err(fault(error));
        }
    }
    name(ready, project, session).map_err(fault)
}

fn name(ready: &Ready, project: &Document, session: &Document) -> mongodb::error::Result<()> {
    let one_more = doc! {"$each": [session.clone()], "$slice": -REMEMBERED};
    let named = ready
        .projects()
        .find_one_and_update(project.clone(), doc! {"$push": {"_writers": one_more}})
        .projection(doc! {"_id": 1})
        // With the server, all transactions are gone: this need not survive.
        .write_concern(WriteConcern::nodes(1))
        .max_time(PATIENCE)
        .run();
    named.map(drop)
}

fn is_too_long(error: &Error) -> bool {
    matches!(&*error.kind, ErrorKind::Command(command) if command.code == TOO_LONG)
}

fn end(ready: &Ready, project: &Document) -> mongodb::error::Result<()> {
    let found = ready.projects().find_one(project.clone()).run()?;
    let Some(found) = found else { return Ok(()) };
    let sessions: Vec<Bson> = match found.get_array("_writers") {
        Ok(writers) => {
            writers.into_iter().flatten().filter_map(|one| Bson::try_from(one).ok()).collect()
        }
        Err(_) => Vec::new(),
    };
    if !sessions.is_empty() {
        ready.database.run_command(doc! {"killSessions": sessions}).run()?;
    }
    Ok(())
}
