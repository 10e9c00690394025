//! No room is left on the store's disk, and later there is again.

use crate::stream::Stream;
use crate::surfaces::Store;

crate::table::fault!("the disk is full" on SmallDisk);

fn make(stream: &mut Stream) -> String {
    stream.writes(3);
    stream.surface.machine().disk().fill();
    let refusal = stream.until_refused();
    let reads = stream.read().is_ok();
    if reads {
        // A second try is no worse.
        let again = stream.until_refused();
        assert_eq!(again.code, refusal.code, "{again:?}");
        let said = refusal.body.to_string();
        assert!(said.contains("full") || said.contains("space"), "{said}");
        stream.check();
    }
    stream.surface.machine().disk().free();
    let mut revived = "";
    if !reads && let Store::Database(database) = stream.surface.store() {
        database.revive();
        revived = " and the database, which has ended, is started";
    }
    stream.recovers();
    let reads = if reads { ", reads on" } else { "" };
    format!("`{}`{reads}, goes on when there is room{revived}", refusal.code)
}
