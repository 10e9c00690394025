//! Writers that died during a transaction.
//!
//! The server holds the documents of such a transaction locked for a minute, which would block all
//! writers of the project. So each writer records its session in the project's document before its
//! transaction begins. A writer that has to wait for long ends the recorded sessions: a dead writer's
//! transaction is gone with it, a living writer's is repeated.

use std::time::Duration;

use mongodb::bson::{Bson, Document, doc};
use mongodb::error::{Error, ErrorKind};
use mongodb::options::WriteConcern;

use super::Connected;
use super::error::{is_interrupted, store_error};
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
pub(super) fn enlist(connected: &Connected, project: &Document, session: &Document) -> Result<()> {
    for _ in 1..TRIES {
        let ended = match name(connected, project, session) {
            Err(error) if is_too_long(&error) => end(connected, project),
            // The driver uses sessions again, so who ends a writer may end what is done here.
            Err(error) if is_interrupted(&error) => Ok(()),
            named => return named.map_err(store_error),
        };
        if let Err(error) = ended
            && !is_interrupted(&error)
        {
            return Err(store_error(error));
        }
    }
    name(connected, project, session).map_err(store_error)
}

fn name(
    connected: &Connected,
    project: &Document,
    session: &Document,
) -> mongodb::error::Result<()> {
    let one_more = doc! {"$each": [session.clone()], "$slice": -REMEMBERED};
    let named = connected
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

fn end(connected: &Connected, project: &Document) -> mongodb::error::Result<()> {
    let found = connected.projects().find_one(project.clone()).run()?;
    let Some(found) = found else { return Ok(()) };
    let sessions: Vec<Bson> = match found.get_array("_writers") {
        Ok(writers) => {
            writers.into_iter().flatten().filter_map(|one| Bson::try_from(one).ok()).collect()
        }
        Err(_) => Vec::new(),
    };
    if !sessions.is_empty() {
        connected.database.run_command(doc! {"killSessions": sessions}).run()?;
    }
    Ok(())
}
