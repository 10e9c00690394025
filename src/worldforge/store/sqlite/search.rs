//! Entity search.
//!
//! The full-text index finds the rows, a small key table orders them, and only the texts of one page
//! are read.

use std::collections::BinaryHeap;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::ProjectRow;
use super::read::{is_plain, value};
use crate::model::EntityType;
use crate::store::error::Result;
use crate::store::reader::Reader;
use crate::store::search_terms::{Page, Rank, Search, Sought};
use crate::store::{Collection, Documents};

pub(super) fn search(
    reader: &Connection,
    project_row: ProjectRow,
    search: &Search,
) -> Result<Page> {
    match Sought::new(&search.query) {
        Sought::Nothing => Ok(Page { items: Default::default(), total: 0 }),
        Sought::Everything => everything(reader, project_row, search),
        Sought::Words(words) => matching(reader, project_row, search, &words),
    }
}

/// The latest changes first.
fn everything(reader: &Connection, project_row: ProjectRow, search: &Search) -> Result<Page> {
    let filter = filter(search.kind);
    let mut values: Vec<Value> = vec![project_row.number.into()];
    values.extend(search.kind.map(|kind| Value::from(kind.name().to_owned())));
    let total = reader
        .prepare_cached(&format!("SELECT count(*) FROM entity_keys WHERE project = ? {filter}"))?
        .query_row(params_from_iter(&values), |row| row.get(0))?;
    let sql = format!(
        "SELECT number FROM entity_keys WHERE project = ? {filter}
         ORDER BY updated DESC, id LIMIT ? OFFSET ?"
    );
    values.push(search.limit.into());
    values.push(i64::try_from(search.offset).unwrap_or(i64::MAX).into());
    let numbers = reader
        .prepare_cached(&sql)?
        .query_map(params_from_iter(values), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Page { items: texts(reader, numbers)?, total })
}

/// The best matches first: all are ranked in one pass, and the best of them kept.
fn matching(
    reader: &Connection,
    project_row: ProjectRow,
    search: &Search,
    sought: &[String],
) -> Result<Page> {
    let (from, to) = project_row.rows();
    // Words have no quotes and are quoted, so nothing in them is read as an operator.
    let query: Vec<String> = sought.iter().map(|word| format!("\"{word}\"*")).collect();
    let mut values: Vec<Value> = vec![query.join(" AND ").into(), from.into(), to.into()];
    values.extend(search.kind.map(|kind| Value::from(kind.name().to_owned())));
    let mut statement = reader.prepare_cached(&format!(
        "SELECT name, id, number FROM entity_words CROSS JOIN entity_keys
             ON number = entity_words.rowid
         WHERE entity_words MATCH ? AND entity_words.rowid BETWEEN ? AND ? {}",
        filter(search.kind)
    ))?;
    let mut rows = statement.query(params_from_iter(values))?;
    let rank = Rank::new(sought);
    let mut best = Best::new(search);
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        let id = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        best.see((rank.of(name), name, id), row.get(2)?);
    }
    let (total, numbers) = best.page();
    Ok(Page { items: texts(reader, numbers)?, total })
}

/// The best matches of those seen so far, as many as reach to the end of the page.
struct Best {
    keep: usize,
    skip: usize,
    seen: u64,
    heap: BinaryHeap<((u8, String, String), i64)>,
}

impl Best {
    fn new(search: &Search) -> Self {
        let skip = usize::try_from(search.offset).unwrap_or(usize::MAX);
        let limit = usize::try_from(search.limit).unwrap_or(usize::MAX);
        let keep = if limit == 0 { 0 } else { skip.saturating_add(limit) };
        Self { keep, skip, seen: 0, heap: BinaryHeap::new() }
    }

    fn see(&mut self, (rank, name, id): (u8, &str, &str), number: i64) {
        self.seen += 1;
        if self.heap.len() >= self.keep {
            match self.heap.peek() {
                Some(((worst, last, last_id), _)) if (rank, name, id) < (*worst, last, last_id) => {
                    self.heap.pop();
                }
                _ => return,
            }
        }
        self.heap.push(((rank, name.to_owned(), id.to_owned()), number));
    }

    /// How many were seen, and the page.
    fn page(self) -> (u64, Vec<i64>) {
        let sorted = self.heap.into_sorted_vec();
        (self.seen, sorted.into_iter().skip(self.skip).map(|(_, number)| number).collect())
    }
}

fn filter(kind: Option<EntityType>) -> &'static str {
    if kind.is_some() { "AND type = ?" } else { "" }
}

/// Texts of rows, in this order.
fn texts(reader: &Connection, numbers: Vec<i64>) -> Result<Documents> {
    let mut row = reader.prepare_cached("SELECT json, plain FROM entities WHERE number = ?1")?;
    let mut texts: Vec<String> = Vec::with_capacity(numbers.len());
    let mut taken = Reader::default();
    for number in numbers {
        let (text, plain): (String, Option<i64>) =
            row.query_row([number], |row| Ok((row.get(0)?, row.get(1)?)))?;
        match is_plain(&text, plain) {
            true => texts.push(text),
            false => {
                texts.extend(taken.take(Collection::Entities, value(Collection::Entities, &text)?))
            }
        }
    }
    Ok(texts.iter().map(String::as_str).collect())
}
