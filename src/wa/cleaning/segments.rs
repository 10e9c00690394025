//! Cleans captured output pane by pane in order, so that a secret split between segments is found.

use rusqlite::{OptionalExtension as _, Transaction, params};

use super::rows::widest;
use crate::error::Result;
use crate::history::schema::INDEX;
use crate::history::{expanded_length, moved_runs};
use crate::redact::{Cut, Settled, settle};

/// Text of one step, and of one whose end is not settled.
const STEP: usize = 256 << 10;
const MOST: usize = 4 << 20;
/// So much of the text before is checked.
const CONTEXT: i64 = 1024;

struct Segment {
    id: i64,
    seq: i64,
    text: String,
    runs: Option<Vec<u8>>,
}

/// Recreates the full-text index; it is filled as segments are cleaned.
pub(super) fn empty_index(transaction: &Transaction<'_>) -> Result<()> {
    transaction.execute_batch("DROP TABLE IF EXISTS segments_fts")?;
    transaction.execute_batch(INDEX)?;
    Ok(())
}

/// Cleans some segments after this one; returns the last of them, or `None` when all are clean.
pub(super) fn clean(
    transaction: &Transaction<'_>,
    pane: i64,
    seq: i64,
) -> Result<Option<(i64, i64)>> {
    let sql = "SELECT pane, min(seq) FROM segments WHERE (pane, seq) > (?1, ?2)
        GROUP BY pane ORDER BY pane LIMIT 1";
    let next: Option<i64> =
        transaction.prepare_cached(sql)?.query_row([pane, seq], |row| row.get(0)).optional()?;
    let Some(next) = next else { return Ok(None) };
    let seq = if next == pane { seq } else { -1 };
    let before = before(transaction, next, seq)?;
    let mut size = STEP;
    loop {
        let (segments, all) = read(transaction, next, seq, size)?;
        let raw: String = segments.iter().map(|segment| segment.text.as_str()).collect();
        let cut = if all || size >= MOST { Cut::End } else { Cut::Anywhere };
        let settled = settle(&before, &raw, widest(&raw), cut);
        match write(transaction, &segments, &settled)? {
            Some(last) => return Ok(Some((next, last))),
            // A secret that began in the first segment has not ended in the last one.
            None => size *= 2,
        }
    }
}

/// The end of the clean text before a segment.
fn before(transaction: &Transaction<'_>, pane: i64, seq: i64) -> Result<String> {
    let sql = "SELECT text FROM segments WHERE pane = ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT ?3";
    let mut statement = transaction.prepare_cached(sql)?;
    let mut rows = statement.query([pane, seq, CONTEXT])?;
    let (mut texts, mut length) = (Vec::new(), 0);
    while length < CONTEXT.unsigned_abs() as usize
        && let Some(row) = rows.next()?
    {
        let text: String = row.get(0)?;
        length += text.len();
        texts.push(text);
    }
    texts.reverse();
    Ok(texts.concat())
}

/// Segments after this one, about so many bytes; and whether these are all.
fn read(
    transaction: &Transaction<'_>,
    pane: i64,
    seq: i64,
    most: usize,
) -> Result<(Vec<Segment>, bool)> {
    let sql = "SELECT id, seq, text, runs FROM segments WHERE pane = ?1 AND seq > ?2 ORDER BY seq";
    let mut statement = transaction.prepare_cached(sql)?;
    let mut rows = statement.query([pane, seq])?;
    let (mut segments, mut size) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if size >= most {
            return Ok((segments, false));
        }
        let segment =
            Segment { id: row.get(0)?, seq: row.get(1)?, text: row.get(2)?, runs: row.get(3)? };
        // Rows cost something, too.
        size += segment.text.len() + 64;
        segments.push(segment);
    }
    Ok((segments, true))
}

/// Writes those that are settled; returns the number of the last one.
fn write(
    transaction: &Transaction<'_>,
    segments: &[Segment],
    settled: &Settled,
) -> Result<Option<i64>> {
    let mut change = transaction.prepare_cached(
        "UPDATE segments SET text = ?2, stored = ?3, bytes = ?4, runs = ?5 WHERE id = ?1",
    )?;
    let mut index = transaction
        .prepare_cached("INSERT INTO segments_fts (rowid, captured_text) VALUES (?1, ?2)")?;
    let (mut start, mut last) = (0, None);
    for segment in segments {
        let end = start + segment.text.len();
        if end > settled.taken {
            break;
        }
        let clean = &settled.text[settled.clean(start)..settled.clean(end)];
        index.execute(params![segment.id, clean])?;
        if clean != segment.text {
            let place = |at: usize| settled.clean(start + at) - settled.clean(start);
            let runs = segment.runs.as_deref().map(|runs| moved_runs(runs, place));
            let bytes = expanded_length(clean, runs.as_deref().unwrap_or_default());
            let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
            change.execute(params![segment.id, clean, number(clean.len()), number(bytes), runs])?;
        }
        (start, last) = (end, Some(segment.seq));
    }
    Ok(last)
}
