//! The database goes away under a running server and comes back. A store of files has none: there
//! another process holds it for a while.

use crate::stream::Stream;
use crate::surfaces::Store;

crate::table::fault!("the database restarts; files are held by another process" on Ordinary);

fn make(stream: &mut Stream) -> String {
    stream.writes(3);
    let held = match stream.surface.store() {
        Store::Files(files) => Some(files.lock()),
        Store::Database(database) => {
            database.crash();
            None
        }
    };
    let refusal = stream.write().expect_err("a write is refused");
    let reads = stream.read().is_ok();
    match (held, stream.surface.store()) {
        (None, Store::Database(database)) => database.start(),
        (held, _) => drop(held),
    }
    stream.recovers();
    format!("`{}`{}, goes on when it is back", refusal.code, if reads { ", reads on" } else { "" })
}
