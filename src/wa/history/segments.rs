//! Captured output: segments of text, gaps between them, and capture positions.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::panes::{PaneKey, id_of};
use super::{History, number, runs};
use crate::error::{Kind, Result};
use crate::model::Millis;

/// Most that is kept of a mark's text.
const TAIL_BYTES: usize = 64 * 1024;

/// Why output is missing or may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GapReason {
    /// The new text does not continue the old one anywhere.
    OverlapNotFound,
    /// The text changed without anything being appended.
    ContentChanged,
    /// The alternate screen was entered.
    AltScreenEntered,
    /// The alternate screen was left.
    AltScreenExited,
    /// Output came faster than it could be stored.
    Backpressure,
    /// Nobody was watching for a while.
    Restart,
    /// The backend no longer had the lines.
    OutputLost,
}

/// A hole in the recorded output, before the text that is appended with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Why.
    pub reason: GapReason,
    /// More about it.
    pub detail: Option<String>,
}

/// A recorded hole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GapRow {
    /// Its row.
    pub id: i64,
    /// Why.
    pub reason: GapReason,
    /// More about it.
    pub detail: Option<String>,
    /// Number of the last segment before it; `None` when there was none.
    pub seq_before: Option<u64>,
    /// When it was found.
    pub at: Millis,
}

/// Where capture of a pane left off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaptureMark {
    /// End of the last text that was compared, for backends that are read by comparing. Kept up to
    /// 64 KiB.
    pub snapshot_tail: String,
    /// Mark to ask the backend with, for backends that keep every line.
    pub output_mark: u64,
}

/// A stored piece of an appended text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentSpan {
    /// Its row; search and events name it.
    pub id: i64,
    /// Its number, never used twice for a pane id.
    pub seq: u64,
    /// First byte in the appended text.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

/// What an append stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Appended {
    /// The pieces, in order.
    pub segments: Vec<SegmentSpan>,
    /// Row of the gap, where one was given.
    pub gap: Option<i64>,
}

impl Appended {
    /// The segment that holds byte `offset` of the appended text; the nearest one beyond its ends.
    pub fn segment_at(&self, offset: usize) -> Option<i64> {
        let holder = self.segments.iter().find(|span| offset < span.end);
        holder.or(self.segments.last()).map(|span| span.id)
    }
}

impl GapReason {
    /// Every reason there is.
    pub const ALL: [Self; 7] = [
        Self::OverlapNotFound,
        Self::ContentChanged,
        Self::AltScreenEntered,
        Self::AltScreenExited,
        Self::Backpressure,
        Self::Restart,
        Self::OutputLost,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OverlapNotFound => "overlap_not_found",
            Self::ContentChanged => "content_changed",
            Self::AltScreenEntered => "alt_screen_entered",
            Self::AltScreenExited => "alt_screen_exited",
            Self::Backpressure => "backpressure",
            Self::Restart => "restart",
            Self::OutputLost => "output_lost",
        }
    }

    /// Parses its name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}

impl History {
    /// Stores `gap` if any, then `text` as segments, then `mark`: all of it or nothing. Numbers go
    /// on where the pane id's numbers ended, in any life and process.
    pub fn append(
        &self,
        key: PaneKey,
        text: &str,
        gap: Option<&Gap>,
        mark: &CaptureMark,
        now: Millis,
    ) -> Result<Appended> {
        let pieces = runs::pieces(text);
        self.store.write(|writer| {
            let pane_id = id_of(writer, key)?;
            let mut appended = Appended::default();
            if let Some(gap) = gap {
                appended.gap = Some(insert_gap(writer, key, gap, now)?);
            }
            if !pieces.is_empty() {
                appended.segments = insert_pieces(writer, key, pane_id, &pieces, now)?;
                let sql = "UPDATE panes SET last_activity = ?2 WHERE key = ?1";
                writer.prepare_cached(sql)?.execute(params![key.0, now])?;
            }
            let start = mark.snapshot_tail.len().saturating_sub(TAIL_BYTES);
            let tail = &mark.snapshot_tail[mark.snapshot_tail.ceil_char_boundary(start)..];
            let sql = "INSERT INTO capture_marks (pane, output_mark, snapshot_tail)
                VALUES (?1, ?2, ?3) ON CONFLICT (pane) DO UPDATE
                SET output_mark = excluded.output_mark, snapshot_tail = excluded.snapshot_tail";
            let output = mark.output_mark.cast_signed();
            writer.prepare_cached(sql)?.execute(params![key.0, output, tail])?;
            Ok(appended)
        })
    }

    /// Where capture left off; `None` when nothing was captured yet.
    pub fn mark(&self, key: PaneKey) -> Result<Option<CaptureMark>> {
        let sql = "SELECT output_mark, snapshot_tail FROM capture_marks WHERE pane = ?1";
        self.store.read(|reader| {
            let mut statement = reader.prepare_cached(sql)?;
            let mark = statement.query_row([key.0], |row| {
                let output_mark = row.get::<_, i64>(0)?.cast_unsigned();
                Ok(CaptureMark { output_mark, snapshot_tail: row.get(1)? })
            });
            Ok(mark.optional()?)
        })
    }

    /// The exact text of a segment; `None` when there is none (any more).
    pub fn segment_text(&self, id: i64) -> Result<Option<String>> {
        let sql = "SELECT text, runs FROM segments WHERE id = ?1";
        let found: Option<(String, Option<Vec<u8>>)> = self.store.read(|reader| {
            let mut statement = reader.prepare_cached(sql)?;
            let found = statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)));
            Ok(found.optional()?)
        })?;
        match found {
            Some((text, Some(repeated))) => match runs::expand(&text, &repeated) {
                Some(whole) => Ok(Some(whole)),
                None => Err(Kind::Storage.because(format!("Segment {id} is damaged."))),
            },
            Some((text, None)) => Ok(Some(text)),
            None => Ok(None),
        }
    }

    /// The segments of the pane's last append, in order. A watcher that was killed may have stored
    /// them and not checked them yet.
    pub fn last_appended(&self, key: PaneKey) -> Result<Vec<i64>> {
        let sql = "SELECT id FROM segments WHERE pane = ?1 AND captured_at =
            (SELECT captured_at FROM segments WHERE pane = ?1 ORDER BY seq DESC LIMIT 1)
            ORDER BY seq";
        self.store.read(|reader| {
            let mut statement = reader.prepare_cached(sql)?;
            let ids = statement.query_map([key.0], |row| row.get(0))?;
            Ok(ids.collect::<std::result::Result<_, _>>()?)
        })
    }

    /// The newest `limit` gaps of a pane, newest first.
    pub fn gaps(&self, key: PaneKey, limit: usize) -> Result<Vec<GapRow>> {
        let sql = "SELECT id, reason, detail, seq_before, at FROM gaps WHERE pane = ?1
            ORDER BY id DESC LIMIT ?2";
        self.store.read(|reader| {
            let mut statement = reader.prepare_cached(sql)?;
            let rows = statement.query_map([key.0, number(limit)], |row| {
                let reason: String = row.get(1)?;
                Ok(GapRow {
                    id: row.get(0)?,
                    reason: GapReason::parse(&reason).unwrap_or(GapReason::OutputLost),
                    detail: row.get(2)?,
                    seq_before: row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned),
                    at: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn insert_gap(writer: &Connection, key: PaneKey, gap: &Gap, now: Millis) -> Result<i64> {
    let sql = "INSERT INTO gaps (pane, reason, detail, seq_before, at)
        VALUES (?1, ?2, ?3, (SELECT max(seq) FROM segments WHERE pane = ?1), ?4)";
    let reason = gap.reason.as_str();
    writer.prepare_cached(sql)?.execute(params![key.0, reason, gap.detail, now])?;
    let id = writer.last_insert_rowid();
    let sql = "UPDATE panes SET recent_gap = 1 WHERE key = ?1 AND recent_gap = 0";
    writer.prepare_cached(sql)?.execute([key.0])?;
    Ok(id)
}

fn insert_pieces(
    writer: &Connection,
    key: PaneKey,
    pane_id: i64,
    pieces: &[runs::Piece],
    now: Millis,
) -> Result<Vec<SegmentSpan>> {
    // Taken at once, so that no other process can take the same ones.
    let sql = "INSERT INTO pane_numbers (pane_id, last_seq) VALUES (?1, ?2)
        ON CONFLICT (pane_id) DO UPDATE SET last_seq = last_seq + excluded.last_seq
        RETURNING last_seq";
    let count = number(pieces.len());
    let last: i64 = writer.prepare_cached(sql)?.query_row([pane_id, count], |row| row.get(0))?;
    let mut seq = last - count;
    let mut segment = writer.prepare_cached(
        "INSERT INTO segments (pane, pane_id, seq, captured_at, bytes, stored, runs, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut words =
        writer.prepare_cached("INSERT INTO segments_fts (rowid, captured_text) VALUES (?1, ?2)")?;
    let mut spans = Vec::with_capacity(pieces.len());
    for piece in pieces {
        seq += 1;
        let repeated = (!piece.runs.is_empty()).then_some(&piece.runs);
        segment.execute(params![
            key.0,
            pane_id,
            seq,
            now,
            number(piece.span.len()),
            number(piece.text.len()),
            repeated,
            piece.text
        ])?;
        let id = writer.last_insert_rowid();
        words.execute(params![id, piece.text])?;
        spans.push(SegmentSpan {
            id,
            seq: seq.cast_unsigned(),
            start: piece.span.start,
            end: piece.span.end,
        });
    }
    Ok(spans)
}

#[cfg(test)]
mod tests;
