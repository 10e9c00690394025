//! Finding and reading snapshots.

use std::path::Path;

use jiff::Timestamp;
use toolwright_runtime::{ErrorKind, Failure};

use super::{Snapshot, file, folder};
use crate::failure::{self, Result};
use crate::generated::Error;

/// More digits than any time in nanoseconds has.
const MAX_ID: usize = 39;

/// An id for an event at `now` that no other one has.
pub(crate) fn fresh_id(home: &Path, now: Timestamp) -> String {
    let mut number = now.as_nanosecond().max(1);
    loop {
        let id = number.to_string();
        if !file(home, &id).exists() && !folder(home).join(&id).exists() {
            return id;
        }
        number += 1;
    }
}

/// The snapshot of that id. The id names a file, so it is checked before it is used.
pub(crate) fn load(home: &Path, id: &str) -> Result<Snapshot> {
    if id.is_empty() || id.len() > MAX_ID || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(not_found(home, id, "snapshot ids are decimal numbers"));
    }
    let path = file(home, id);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(not_found(home, id, &format!("there is no `{}`", path.display())));
        }
        Err(error) => return Err(failure::io("read", &path, &error)),
    };
    let snapshot: Snapshot = serde_json::from_slice(&bytes)
        .map_err(|error| invalid(id, &path, &format!("it cannot be read: {error}")))?;
    if snapshot.id != id {
        return Err(invalid(id, &path, &format!("its id is `{}`", snapshot.id)));
    }
    Ok(snapshot)
}

/// All snapshots that can be read, oldest first.
pub(crate) fn list(home: &Path) -> Result<Vec<Snapshot>> {
    let path = folder(home);
    let entries = match std::fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failure::io("list", &path, &error)),
    };
    let mut found: Vec<(u128, Snapshot)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let id = name.strip_suffix(".json")?;
            Some((id.parse().ok()?, load(home, id).ok()?))
        })
        .collect();
    found.sort_by_key(|(number, _)| *number);
    Ok(found.into_iter().map(|(_, snapshot)| snapshot).collect())
}

fn not_found(home: &Path, id: &str, why: &str) -> Failure<Error> {
    let known = list(home).unwrap_or_default();
    let goals = known.iter().rev().filter(|snapshot| snapshot.kind != super::ROLLBACK);
    let recent: Vec<&str> = goals.map(|snapshot| snapshot.id.as_str()).take(10).collect();
    let hint = match recent.first() {
        Some(newest) => format!("Use the `snapshot_id` of a deploy; the newest one is {newest}"),
        None => "Nothing has been deployed from this agentpack home yet.".to_owned(),
    };
    Error::SnapshotNotFound
        .because(format!("There is no snapshot `{id}`: {why}."))
        .hint(&hint)
        .with("snapshot_id", id)
        .with("known", recent)
        .with("hint", hint)
}

/// A snapshot that cannot be restored. `why` completes "… cannot be used: ".
pub(crate) fn invalid(id: &str, path: &Path, why: &str) -> Failure<Error> {
    Error::SnapshotInvalid
        .because(format!("Snapshot `{id}` (`{}`) cannot be used: {why}.", path.display()))
        .with("snapshot_id", id)
        .with("path", path)
        .with("error", why)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"id":"ID","created_at":"","targets":[],"changes":[],"backup_root":"",
        "lockfile_sha256":null}"#;

    fn home(ids: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder(dir.path())).unwrap();
        for id in ids {
            std::fs::write(file(dir.path(), id), TEXT.replace("ID", id)).unwrap();
        }
        dir
    }

    #[test]
    fn an_id_cannot_lead_out_of_the_folder() {
        let home = home(&["5"]);
        std::fs::write(home.path().join("state/x.json"), TEXT.replace("ID", "../x")).unwrap();
        for id in ["../x", "", "5/../5", "/etc/passwd", "-5", "6", &"9".repeat(40)] {
            let failure = load(home.path(), id).unwrap_err();
            assert_eq!(failure.kind(), Error::SnapshotNotFound, "{id}");
            assert_eq!(failure.erase().details["known"][0], "5");
        }
        assert_eq!(load(home.path(), "5").unwrap().id, "5");
    }

    #[test]
    fn broken_and_misnamed_snapshots_differ_from_missing_ones() {
        let home = home(&["5"]);
        std::fs::write(file(home.path(), "6"), "{").unwrap();
        std::fs::write(file(home.path(), "7"), TEXT.replace("ID", "8")).unwrap();
        for id in ["6", "7"] {
            assert_eq!(load(home.path(), id).unwrap_err().kind(), Error::SnapshotInvalid, "{id}");
        }
        assert_eq!(list(home.path()).unwrap().len(), 1);
    }

    #[test]
    fn the_list_is_by_number_and_fresh_ids_are_fresh() {
        let home = home(&["10", "9", "1000000000"]);
        let ids: Vec<String> = list(home.path()).unwrap().into_iter().map(|s| s.id).collect();
        assert_eq!(ids, ["9", "10", "1000000000"]);
        std::fs::create_dir(folder(home.path()).join("1000000001")).unwrap();
        let now = Timestamp::from_second(1).unwrap();
        assert_eq!(fresh_id(home.path(), now), "1000000002");
    }
}
