//! The search index of recall: every current block, name and dump, by words, anchor and age.
//!
//! Proposed, superseded and withdrawn entries are not in it.

use std::collections::BTreeSet;

use super::{Tx, substrate_vectors, unjson, unknown_word};
use crate::index;
use crate::model::{Block, Millis};
use crate::sql::{Dialect, Result, Row, Value};

/// Entries that are reindexed at a time.
const BATCH: i64 = 200;
/// Entries that a statement names.
const TOGETHER: usize = 500;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A statement.
    Block,
    /// A name.
    Item,
    /// A raw dump.
    Dump,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Block, Self::Item, Self::Dump];

    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Item => "item",
            Self::Dump => "raw_dump",
        }
    }
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its kind.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    /// Its basket.
    pub basket_id: String,
}

/// A search filter.
#[derive(Debug, Clone, Default)]
pub struct Filter<'a> {
    /// Only this basket.
    pub basket: Option<&'a str>,
    /// With any of these words; see `index::words`. Empty means all.
    pub words: &'a [String],
    /// With any of these anchors. Empty means all.
    pub anchors: &'a [String],
    /// Only this kind.
    pub kind: Option<Kind>,
}

/// Adds an entry. `text` is what it is searched by.
#[expect(clippy::too_many_arguments, reason = "the columns of a row")]
pub fn add(
    tx: &mut Tx<'_>,
    workspace: (&str, i64),
    basket: &str,
    kind: Kind,
    id: &str,
    anchor: Option<&str>,
    text: &str,
    at: Millis,
) -> Result<()> {
    let (workspace, number) = workspace;
    let words = index::tokens(number, text);
    let mut values: Vec<Value> = vec![
        workspace.into(),
        basket.into(),
        kind.as_str().into(),
        id.into(),
        anchor.into(),
        at.into(),
    ];
    match tx.dialect() {
        Dialect::Postgres => {
            values.push(words.into());
            tx.execute(
                "INSERT INTO substrate (workspace_id, basket_id, kind, ref_id, anchor, at, words)
                 VALUES ($1, $2, $3, $4, $5, $6,
                   array_to_tsvector(array_remove(string_to_array(CAST($7 AS TEXT), ' '), '')))",
                &values,
            )?;
        }
        Dialect::Sqlite => {
            tx.execute(
                "INSERT INTO substrate (workspace_id, basket_id, kind, ref_id, anchor, at)
                 VALUES ($1, $2, $3, $4, $5, $6)",
                &values,
            )?;
            tx.execute(
                "INSERT INTO substrate_words (rowid, words)
                 SELECT number, $2 FROM substrate WHERE ref_id = $1",
                &[id.into(), words.into()],
            )?;
        }
    }
    Ok(())
}

/// Recomputes the words of all entries, see [`index::VERSION`].
pub(super) fn reindex(tx: &mut Tx<'_>) -> Result<()> {
    let mut done = 0_i64;
    loop {
        let rows = tx.query(
            "SELECT s.number, w.number AS workspace, b.title, b.content, d.body_md,
               i.title AS label, i.synonyms
             FROM substrate s JOIN workspaces w ON w.id = s.workspace_id
               LEFT JOIN blocks b ON b.id = s.ref_id
               LEFT JOIN raw_dumps d ON d.id = s.ref_id
               LEFT JOIN context_items i ON i.id = s.ref_id
             WHERE s.number > $1 ORDER BY s.number LIMIT $2",
            &[done.into(), BATCH.into()],
        )?;
        for row in &rows {
            done = row.get("number")?;
            let words = index::tokens(row.get("workspace")?, &text(row)?);
            set_words(tx, done, words)?;
        }
        if rows.is_empty() {
            return Ok(());
        }
    }
}

/// The text that an entry is searched by, as passed to [`add`].
fn text(row: &Row) -> Result<String> {
    if let Some(content) = row.get::<Option<&str>>("content")? {
        return Ok(format!("{} {content}", row.get::<&str>("title")?));
    }
    if let Some(label) = row.get::<Option<&str>>("label")? {
        let synonyms: Vec<String> = unjson(row.get("synonyms")?)?;
        return Ok(format!("{label} {}", synonyms.join(" ")));
    }
    Ok(row.get::<Option<String>>("body_md")?.unwrap_or_default())
}

fn set_words(tx: &mut Tx<'_>, number: i64, words: String) -> Result<()> {
    if tx.dialect() == Dialect::Sqlite {
        tx.execute("DELETE FROM substrate_words WHERE rowid = $1", &[number.into()])?;
    }
    let statement = match tx.dialect() {
        Dialect::Sqlite => "INSERT INTO substrate_words (rowid, words) VALUES ($1, $2)",
        Dialect::Postgres => {
            "UPDATE substrate SET words =
               array_to_tsvector(array_remove(string_to_array(CAST($2 AS TEXT), ' '), ''))
             WHERE number = $1"
        }
    };
    tx.execute(statement, &[number.into(), words.into()]).map(drop)
}

/// Merges the index, so that it has no words of removed entries any more.
pub fn optimize(tx: &mut Tx<'_>) -> Result<()> {
    match tx.dialect() {
        Dialect::Sqlite => tx
            .execute(
                "INSERT INTO substrate_words (substrate_words) VALUES ($1)",
                &["optimize".into()],
            )
            .map(drop),
        // Vacuuming does it.
        Dialect::Postgres => Ok(()),
    }
}

/// Removes an entry, if it exists, and its vectors.
pub fn remove(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    if tx.dialect() == Dialect::Sqlite {
        tx.execute(
            "DELETE FROM substrate_words
             WHERE rowid = (SELECT number FROM substrate WHERE ref_id = $1)",
            &[id.into()],
        )?;
    }
    substrate_vectors::remove(tx, id)?;
    tx.execute("DELETE FROM substrate WHERE ref_id = $1", &[id.into()]).map(drop)
}

/// Sets an entry's anchor.
pub fn set_anchor(tx: &mut Tx<'_>, id: &str, anchor: &str) -> Result<()> {
    tx.execute("UPDATE substrate SET anchor = $2 WHERE ref_id = $1", &[id.into(), anchor.into()])
        .map(drop)
}

/// The matching entries: best match first if there are words, else the newest first.
pub fn find(
    tx: &mut Tx<'_>,
    workspace: (&str, i64),
    filter: &Filter<'_>,
    limit: i64,
    offset: i64,
) -> Result<Vec<Entry>> {
    find_others(tx, workspace, filter, &[], limit, offset)
}

/// The same without the entries that have these ids.
pub fn find_others(
    tx: &mut Tx<'_>,
    workspace: (&str, i64),
    filter: &Filter<'_>,
    without: &[&str],
    limit: i64,
    offset: i64,
) -> Result<Vec<Entry>> {
    let mut query = Query::new(tx.dialect(), workspace, filter);
    query.leave_out(without);
    let (limit, offset) = (query.value(limit), query.value(offset));
    let order = query.order;
    let sql = format!(
        "SELECT s.kind, s.ref_id, s.basket_id FROM {} WHERE {}
         ORDER BY {order} LIMIT {limit} OFFSET {offset}",
        query.from,
        query.wheres.join(" AND "),
    );
    tx.query(&sql, &query.values)?.iter().map(entry).collect()
}

/// One entry of the workspace.
pub(crate) fn entry_of(
    tx: &mut Tx<'_>,
    workspace: &str,
    kind: Kind,
    id: &str,
) -> Result<Option<Entry>> {
    let found = tx.first(
        "SELECT kind, ref_id, basket_id FROM substrate
         WHERE ref_id = $3 AND workspace_id = $1 AND kind = $2",
        &[workspace.into(), kind.as_str().into(), id.into()],
    )?;
    found.as_ref().map(entry).transpose()
}

/// What a block is searched by, for [`add`].
pub fn block_text(block: &Block) -> String {
    format!("{} {}", block.title, block.content)
}

/// Those of these entries that have any of the words.
pub(crate) fn with_words(
    tx: &mut Tx<'_>,
    workspace: (&str, i64),
    words: &[String],
    ids: &[&str],
) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for some in ids.chunks(TOGETHER) {
        let filter = Filter { words, ..Filter::default() };
        let mut query = Query::new(tx.dialect(), workspace, &filter);
        if query.from == MATCHED {
            // Each is looked up by its number, rather than every match.
            query.from = "substrate s CROSS JOIN substrate_words f ON f.rowid = s.number";
        }
        let places: Vec<String> = some.iter().map(|id| query.value(*id)).collect();
        let sql = format!(
            "SELECT s.ref_id FROM {} WHERE {} AND s.ref_id IN ({})",
            query.from,
            query.wheres.join(" AND "),
            places.join(", ")
        );
        for row in &tx.query(&sql, &query.values)? {
            found.insert(row.get("ref_id")?);
        }
    }
    Ok(found)
}

/// The number of matching entries.
pub fn count(tx: &mut Tx<'_>, workspace: (&str, i64), filter: &Filter<'_>) -> Result<i64> {
    let query = Query::new(tx.dialect(), workspace, filter);
    let bare = tx.dialect() == Dialect::Sqlite && query.by_words_alone;
    let sql = match bare {
        // Every entry with the workspace's words is the workspace's.
        true => "SELECT count(*) AS entries FROM substrate_words WHERE words MATCH $1".to_owned(),
        false => format!(
            "SELECT count(*) AS entries FROM {} WHERE {}",
            query.from,
            query.wheres.join(" AND ")
        ),
    };
    let values = if bare { &query.values[..1] } else { &query.values[..] };
    tx.first(&sql, values)?.map_or(Ok(0), |row| row.get("entries"))
}

/// Where SQLite finds words.
const MATCHED: &str = "substrate_words f JOIN substrate s ON s.number = f.rowid";

/// A statement under construction.
struct Query {
    from: &'static str,
    wheres: Vec<String>,
    order: &'static str,
    values: Vec<Value>,
    /// The filter has only words.
    by_words_alone: bool,
}

impl Query {
    fn new(dialect: Dialect, workspace: (&str, i64), filter: &Filter<'_>) -> Self {
        let (workspace, number) = workspace;
        let mut query = Self {
            from: "substrate s",
            wheres: Vec::new(),
            order: "s.at DESC, s.number DESC",
            values: Vec::new(),
            by_words_alone: !filter.words.is_empty()
                && filter.basket.is_none()
                && filter.anchors.is_empty()
                && filter.kind.is_none(),
        };
        if !filter.words.is_empty() {
            query.match_words(dialect, number, filter.words);
        }
        if !query.by_words_alone || dialect == Dialect::Postgres {
            let place = query.value(workspace);
            query.wheres.push(format!("s.workspace_id = {place}"));
        }
        if let Some(basket) = filter.basket {
            let place = query.value(basket);
            query.wheres.push(format!("s.basket_id = {place}"));
        }
        if let Some(kind) = filter.kind {
            let place = query.value(kind.as_str());
            query.wheres.push(format!("s.kind = {place}"));
        }
        if !filter.anchors.is_empty() {
            let places: Vec<String> =
                filter.anchors.iter().map(|anchor| query.value(anchor)).collect();
            query.wheres.push(format!("s.anchor IN ({})", places.join(", ")));
        }
        query
    }

    /// Matches any of the words. Words are letters and digits, so they cannot contain an
    /// operator.
    fn match_words(&mut self, dialect: Dialect, number: i64, words: &[String]) {
        let tokens = words.iter().map(|word| index::token(number, word));
        match dialect {
            Dialect::Sqlite => {
                let tokens: Vec<String> = tokens.map(|token| format!("\"{token}\"")).collect();
                let place = self.value(tokens.join(" OR "));
                self.from = MATCHED;
                self.wheres.push(format!("f.words MATCH {place}"));
                self.order = "f.rank";
            }
            Dialect::Postgres => {
                let tokens: Vec<String> = tokens.map(|token| format!("'{token}'")).collect();
                let place = self.value(tokens.join(" | "));
                self.wheres.push(format!("s.words @@ CAST(CAST({place} AS TEXT) AS tsquery)"));
                // `$1`: the words come first.
                self.order =
                    "ts_rank(s.words, CAST(CAST($1 AS TEXT) AS tsquery), 1) DESC, s.number";
            }
        }
    }

    fn leave_out(&mut self, ids: &[&str]) {
        if !ids.is_empty() {
            let places: Vec<String> = ids.iter().map(|id| self.value(*id)).collect();
            self.wheres.push(format!("s.ref_id NOT IN ({})", places.join(", ")));
        }
    }

    fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }
}

pub(super) fn entry(row: &Row) -> Result<Entry> {
    let word: &str = row.get("kind")?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.as_str() == word);
    Ok(Entry {
        kind: kind.ok_or_else(|| unknown_word("kind"))?,
        id: row.get("ref_id")?,
        basket_id: row.get("basket_id")?,
    })
}
