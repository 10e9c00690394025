//! What the tables of a SQLite database hold. With the feature `sqlite`.

use std::path::Path;

/// Each table's name and its rows as text, and the definitions of all. What others have open is read too.
#[cfg(feature = "sqlite")]
pub(super) fn tables(path: &Path) -> Vec<(String, String)> {
    read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[cfg(not(feature = "sqlite"))]
pub(super) fn tables(path: &Path) -> Vec<(String, String)> {
    panic!(
        "{} is a SQLite database; enable the feature `sqlite` of toolwright-testing to compare what it holds",
        path.display()
    );
}

#[cfg(feature = "sqlite")]
fn read(path: &Path) -> rusqlite::Result<Vec<(String, String)>> {
    use rusqlite::{Connection, OpenFlags};

    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(crate::PATIENCE)?;
    let definitions = rows(&connection, "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2")?;
    let mut names = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )?;
    let names = names.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    let mut tables = vec![("sqlite_schema".to_owned(), definitions)];
    for name in names {
        let query = format!("SELECT * FROM \"{}\"", name.replace('"', "\"\""));
        let text = rows(&connection, &query)?;
        tables.push((name, text));
    }
    Ok(tables)
}

#[cfg(feature = "sqlite")]
fn rows(connection: &rusqlite::Connection, query: &str) -> rusqlite::Result<String> {
    let mut statement = connection.prepare(query)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut text = String::new();
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            text += &format!("{:?} ", row.get_ref(column)?);
        }
        text.push('\n');
    }
    Ok(text)
}
