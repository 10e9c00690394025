//! Finding entities by their words.
//!
//! The full-text index says which rows match; the small table of keys orders them; only a page's
//! texts are read.

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use super::Home;
use crate::worldforge::model::EntityType;
use crate::worldforge::store::fault::Result;
use crate::worldforge::store::words::{self, Page, Search, Sought};

pub(super) fn search(reader: &Connection, home: Home, search: &Search) -> Result<Page> {
    match Sought::new(&search.query) {
        Sought::Nothing => Ok(Page { items: Default::default(), total: 0 }),
        Sought::Everything => everything(reader, home, search),
        Sought::Words(words) => matching(reader, home, search, &words),
    }
}

/// The latest changes first.
fn everything(reader: &Connection, home: Home, search: &Search) -> Result<Page> {
    let filter = filter(search.kind);
    let mut values: Vec<Value> = vec![home.number.into()];
    values.extend(search.kind.map(|kind| Value::from(kind.name().to_owned())));
    let total = reader
        .prepare_cached(&format!("SELECT count(*) FROM entity_keys WHERE project = ? {filter}"))?
        .query_row(params_from_iter(&values), |row| row.get(0))?;
    let sql = format!(
        "SELECT number FROM entity_keys WHERE project = ? {filter}
         ORDER BY updated DESC, id LIMIT ? OFFSET ?"
    );
    page(reader, &sql, values, search, total)
}

/// The best matches first.
fn matching(reader: &Connection, home: Home, search: &Search, sought: &[String]) -> Result<Page> {
    let (from, to) = home.rows();
    // Words have no quotes and are quoted, so nothing in them is read as an operator.
    let query: Vec<String> = sought.iter().map(|word| format!("\"{word}\"*")).collect();
    let query = query.join(" AND ");
    let filter = filter(search.kind);
    let mut found: Vec<Value> = vec![query.into(), from.into(), to.into()];
    found.extend(search.kind.map(|kind| Value::from(kind.name().to_owned())));
    // Without a type to filter by, the index alone knows how many there are.
    let count = match search.kind {
        None => {
            "SELECT count(*) FROM entity_words WHERE entity_words MATCH ? AND rowid BETWEEN ? AND ?"
                .to_owned()
        }
        Some(_) => format!(
            "SELECT count(*) FROM entity_words JOIN entity_keys ON number = entity_words.rowid
             WHERE entity_words MATCH ? AND entity_words.rowid BETWEEN ? AND ? {filter}"
        ),
    };
    let total =
        reader.prepare_cached(&count)?.query_row(params_from_iter(&found), |row| row.get(0))?;
    let whole = words::key(sought);
    let begins: Vec<String> = sought.iter().map(|word| format!(" {word}")).collect();
    let in_name = vec!["instr(name, ?)"; begins.len()].join(" AND ");
    let sql = format!(
        "SELECT number FROM entity_words CROSS JOIN entity_keys ON number = entity_words.rowid
         WHERE entity_words MATCH ? AND entity_words.rowid BETWEEN ? AND ? {filter}
         ORDER BY CASE WHEN name = ? THEN 0 WHEN instr(name, ?) = 1 THEN 1
                       WHEN {in_name} THEN 2 ELSE 3 END, name, id LIMIT ? OFFSET ?"
    );
    let mut values = found;
    values.extend([whole.clone(), whole].map(Value::from));
    values.extend(begins.into_iter().map(Value::from));
    page(reader, &sql, values, search, total)
}

fn filter(kind: Option<EntityType>) -> &'static str {
    if kind.is_some() { "AND type = ?" } else { "" }
}

fn page(
    reader: &Connection,
    sql: &str,
    mut values: Vec<Value>,
    search: &Search,
    total: u64,
) -> Result<Page> {
    values.push(i64::from(search.limit).into());
    values.push(i64::try_from(search.offset).unwrap_or(i64::MAX).into());
    let mut numbers = reader.prepare_cached(sql)?;
    let mut rows = numbers.query(params_from_iter(values))?;
    let mut text = reader.prepare_cached("SELECT json FROM entities WHERE number = ?1")?;
    let mut items: Vec<String> = Vec::new();
    while let Some(row) = rows.next()? {
        items.push(text.query_row(params![row.get::<_, i64>(0)?], |row| row.get(0))?);
    }
    Ok(Page { items: items.iter().map(String::as_str).collect(), total })
}
