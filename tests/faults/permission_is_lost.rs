//! The server's user loses the right to its store while it runs, and gets it back.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::stream::Stream;
use crate::surfaces::Store;

crate::table::fault!("permission is lost" on FewRights);

fn make(stream: &mut Stream) -> String {
    stream.writes(3);
    let folders = match stream.surface.store() {
        Store::Files(files) => Some(files.folders()),
        Store::Database(_) => None,
    };
    let Some(folders) = folders else { return in_database(stream) };
    let mut outcomes = Vec::new();
    for folder in folders {
        let before = folder.metadata().expect("it is there").permissions();
        set(&folder, Permissions::from_mode(0o000));
        outcomes.push(stream.refused_or_open());
        set(&folder, before);
        stream.recovers();
    }
    outcomes.dedup();
    outcomes.join("; ")
}

/// The rights of the database's user.
fn in_database(stream: &mut Stream) -> String {
    if let Store::Database(database) = stream.surface.store() {
        database.forbid();
    }
    let outcome = stream.refused_or_open();
    if let Store::Database(database) = stream.surface.store() {
        database.allow();
    }
    stream.recovers();
    outcome
}

fn set(folder: &Path, permissions: Permissions) {
    std::fs::set_permissions(folder, permissions).expect("it is ours");
}
