//! Full-text search over captured output.
//!
//! The query language is that of FTS5; any other text is searched for word by word. Results are cut
//! from the stored text, which holds no secrets.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rusqlite::{Connection, ErrorCode};

use super::History;
use super::panes::{PaneKey, latest};
use crate::error::{Error, Kind, Result};
use crate::model::Millis;

mod snippet;
mod stem;
mod terms;
mod words;

use snippet::Finder;

/// Longer queries are refused; in characters, as the contract counts.
const QUERY: usize = 4096;
/// What to look for.
#[derive(Clone, Copy)]
pub struct SearchQuery<'a> {
    /// FTS5 query or plain words.
    pub query: &'a str,
    /// Maximum number of hits.
    pub limit: usize,
    /// Only the latest life of this pane id, dead or alive. One that was never seen has no hits.
    pub pane_id: Option<u64>,
    /// Only what was captured at or after this time.
    pub since: Option<Millis>,
    /// Snippets of 30 words around the match with `>>` and `<<`; otherwise the beginning of the
    /// first matching line.
    pub highlight: bool,
}

/// A segment that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The segment.
    pub segment_id: i64,
    /// Its pane.
    pub pane_id: u64,
    /// The pane's uuid.
    pub pane_uuid: String,
    /// The segment's number in its pane.
    pub seq: u64,
    /// When it was captured.
    pub captured_at: Millis,
    /// What matches.
    pub snippet: String,
    /// BM25; lower is better.
    pub score: f64,
}

/// The best hits.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPage {
    /// Best first, then newest first.
    pub hits: Vec<SearchHit>,
    /// How many segments match, limit or not.
    pub total: u64,
    /// The query was no FTS5 query: its words were searched for as they are.
    pub rewritten: bool,
    /// The FTS5 query that was run.
    pub searched: String,
}

/// A match, before its text is read. Better ones are less.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    score: f64,
    segment: i64,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        // Later segments have greater ids, and newer is better.
        self.score.total_cmp(&other.score).then(other.segment.cmp(&self.segment))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl History {
    /// Searches. A query without a word is refused; one that is no FTS5 query is searched for word
    /// by word. Hits with equal scores are newest first.
    pub fn search(&self, query: &SearchQuery<'_>) -> Result<SearchPage> {
        let asked = query.query.replace('\0', " ");
        let plain = checked(&asked)?;
        // The matches and their texts are of one state.
        self.read_at_once(|reader| {
            let pane = match query.pane_id {
                Some(pane_id) => match latest(reader, pane_id)? {
                    Some(key) => Some(key),
                    None => return Ok(SearchPage::nothing(asked)),
                },
                None => None,
            };
            let (searched, rewritten, found) = match best(reader, &asked, pane, query) {
                Ok(found) => (asked, false, found),
                Err(error) if is_syntax(&error) => {
                    let found =
                        best(reader, &plain, pane, query).map_err(|error| refused(&error))?;
                    (plain, true, found)
                }
                Err(error) => return Err(error.into()),
            };
            let (total, candidates) = found;
            let finder = Finder::new(&searched);
            let mut hits = Vec::with_capacity(candidates.len());
            for candidate in candidates {
                hits.extend(hit(reader, candidate, &finder, query)?);
            }
            hits.sort_by(|one, other| {
                let newest = other.captured_at.cmp(&one.captured_at);
                let later = other.segment_id.cmp(&one.segment_id);
                one.score.total_cmp(&other.score).then(newest).then(later)
            });
            Ok(SearchPage { hits, total, rewritten, searched })
        })
    }
}

impl SearchPage {
    fn nothing(searched: String) -> Self {
        Self { hits: Vec::new(), total: 0, rewritten: false, searched }
    }
}

/// Refuses queries that cannot be searched for; returns the query that looks for the plain words.
fn checked(query: &str) -> Result<String> {
    let bad = |message: &str, hint: &str| {
        Kind::InvalidArguments.because(message).reason("robot.fts_query_error").hint(hint)
    };
    let words = "Use words, a \"phrase\", a prefix*, or words joined by AND, OR, NOT or NEAR.";
    if query.trim().is_empty() {
        return Err(bad("`query` is blank.", words));
    }
    let length = query.chars().count();
    if length > QUERY {
        return Err(bad(
            &format!("`query` has {length} characters; the maximum is {QUERY}."),
            "Search for a few words of the text.",
        ));
    }
    let plain = terms::plain(query);
    plain.ok_or_else(|| bad("`query` has no letter or digit; only words are indexed.", words))
}

/// FTS5 does not understand the query; other failures are the database's.
fn is_syntax(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::Unknown)
}

fn refused(error: &rusqlite::Error) -> Error {
    if !is_syntax(error) {
        return Kind::Storage.because("The search failed.").internal(error);
    }
    Kind::InvalidArguments
        .because("`query` cannot be searched for.")
        .reason("robot.fts_query_error")
        .hint("Search for a few plain words.")
        .internal(error)
}

/// How many segments match, and the best of them. One pass does both.
fn best(
    reader: &Connection,
    fts: &str,
    pane: Option<PaneKey>,
    query: &SearchQuery<'_>,
) -> rusqlite::Result<(u64, Vec<Candidate>)> {
    let sql = if pane.is_none() && query.since.is_none() {
        "SELECT rowid, rank FROM segments_fts WHERE segments_fts MATCH ?1"
    } else {
        "SELECT segments_fts.rowid, segments_fts.rank
         FROM segments_fts CROSS JOIN segments ON segments.id = segments_fts.rowid
         WHERE segments_fts MATCH ?1 AND (?2 IS NULL OR segments.pane = ?2)
           AND (?3 IS NULL OR segments.captured_at >= ?3)"
    };
    let mut statement = reader.prepare_cached(sql)?;
    statement.raw_bind_parameter(1, fts)?;
    if statement.parameter_count() > 1 {
        statement.raw_bind_parameter(2, pane.map(|key| key.0))?;
        statement.raw_bind_parameter(3, query.since)?;
    }
    let mut rows = statement.raw_query();
    let mut total = 0;
    let mut kept: BinaryHeap<Candidate> = BinaryHeap::new();
    while let Some(row) = rows.next()? {
        total += 1;
        let candidate = Candidate { segment: row.get(0)?, score: row.get(1)? };
        if kept.len() < query.limit {
            kept.push(candidate);
        } else if let Some(mut worst) = kept.peek_mut()
            && candidate < *worst
        {
            *worst = candidate;
        }
    }
    Ok((total, kept.into_sorted_vec()))
}

/// Reads what a candidate is about.
fn hit(
    reader: &Connection,
    candidate: Candidate,
    finder: &Finder,
    query: &SearchQuery<'_>,
) -> Result<Option<SearchHit>> {
    let sql = "SELECT p.pane_id, p.uuid, s.seq, s.captured_at, s.text
        FROM segments s JOIN panes p ON p.key = s.pane WHERE s.id = ?1";
    let mut statement = reader.prepare_cached(sql)?;
    let mut rows = statement.query([candidate.segment])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let text = row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?;
    Ok(Some(SearchHit {
        segment_id: candidate.segment,
        pane_id: row.get::<_, i64>(0)?.cast_unsigned(),
        pane_uuid: row.get(1)?,
        seq: row.get::<_, i64>(2)?.cast_unsigned(),
        captured_at: row.get(3)?,
        snippet: finder.show(text, finder.spot(text, query.highlight)),
        score: candidate.score,
    }))
}

#[cfg(test)]
mod tests;
