//! The store's folder can only be read, and later it can be written to again.

use crate::stream::Stream;
use crate::surfaces::Store;

crate::table::fault!("the folder is read-only" on SmallDisk);

fn make(stream: &mut Stream) -> String {
    stream.writes(3);
    if let Store::Database(database) = stream.surface.store() {
        // What is open stays writable, and a database has everything open.
        database.crash();
    }
    stream.surface.machine().disk().forbid_writing();
    let outcome = stream.refused_or_open();
    stream.surface.machine().disk().allow_writing();
    if let Store::Database(database) = stream.surface.store() {
        database.start();
    }
    stream.recovers();
    outcome
}
