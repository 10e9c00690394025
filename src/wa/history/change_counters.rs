//! Change counters per topic, and small key-value notes.

use std::collections::BTreeMap;

use rusqlite::OptionalExtension as _;

use super::History;
use crate::error::Result;

impl History {
    /// One counter per topic, incremented with each change. Cheap enough to poll.
    pub fn change_counters(&self) -> Result<BTreeMap<String, i64>> {
        self.store.read(|reader| {
            let mut statement = reader.prepare_cached("SELECT topic, count FROM news")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A small note.
    pub fn meta(&self, key: &str) -> Result<Option<String>> {
        self.store.read(|reader| {
            let mut statement = reader.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
            Ok(statement.query_row([key], |row| row.get(0)).optional()?)
        })
    }

    /// Sets a note unless it is set; returns the stored value.
    pub fn meta_once(&self, key: &str, value: &str) -> Result<String> {
        self.store.write(|writer| {
            let sql = "INSERT OR IGNORE INTO meta (key, value) VALUES (?1, ?2)";
            writer.prepare_cached(sql)?.execute([key, value])?;
            let sql = "SELECT value FROM meta WHERE key = ?1";
            Ok(writer.prepare_cached(sql)?.query_row([key], |row| row.get(0))?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{history, open};

    #[test]
    fn the_first_note_holds_for_all_processes() {
        let (folder, history) = history();
        assert_eq!(history.meta("primary").unwrap(), None);
        assert_eq!(history.meta_once("primary", "tmux").unwrap(), "tmux");
        let another = open(folder.path());
        assert_eq!(another.meta_once("primary", "embedded").unwrap(), "tmux");
        assert_eq!(another.meta("primary").unwrap().as_deref(), Some("tmux"));
    }

    #[test]
    fn other_modules_can_add_topics() {
        let (_folder, history) = history();
        let topics: Vec<String> = history.change_counters().unwrap().into_keys().collect();
        assert_eq!(topics, ["events", "panes"]);
        let sql = "CREATE TABLE things (id INTEGER PRIMARY KEY);
            CREATE TRIGGER things_new AFTER INSERT ON things BEGIN
                INSERT INTO news (topic, count) VALUES ('things', 1)
                ON CONFLICT (topic) DO UPDATE SET count = count + 1;
            END;
            INSERT INTO things VALUES (1), (2);";
        history
            .store
            .maintain(|writer| {
                for statement in ["BEGIN", sql, "COMMIT"] {
                    writer.execute_batch(statement)?;
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(history.change_counters().unwrap()["things"], 2);
    }
}
