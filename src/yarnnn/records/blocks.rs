//! Blocks: the statements of memory. Only approved ones are stored here; proposed ones are in
//! their proposal.

use std::collections::{BTreeMap, BTreeSet};

use super::{Tx, json, unjson, unknown_word};
use crate::index;
use crate::model::{Block, BlockState, ByteSpan, Millis, SemanticType};
use crate::sql::{Result, Row, Value};

/// Blocks with the same key that are read; more are repetitions of the same text.
const SAME_KEY: i64 = 50;
/// Blocks that can be nearly the same as one text.
const NEAREST: usize = 16;

/// Blocks that are reindexed at a time.
const BATCH: i64 = 200;

/// A block with its provenance.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The block itself.
    pub block: Block,
    /// Its basket.
    pub basket_id: String,
    /// The previous version.
    pub parent_id: Option<String>,
    /// 1, 2, …
    pub version: i64,
    /// The dump it was extracted from.
    pub dump_id: String,
    /// Where in the dump.
    pub spans: Vec<ByteSpan>,
    /// The proposal that added it.
    pub proposal_id: String,
    /// Owner, number and unit, speaker.
    pub metadata: BTreeMap<String, String>,
    /// Who approved it.
    pub approved_by: String,
    /// When.
    pub created_at: Millis,
    /// The host it came through.
    pub host: String,
}

/// Adds a block.
pub fn add(tx: &mut Tx<'_>, workspace: &str, record: &Record) -> Result<()> {
    let block = &record.block;
    tx.execute(
        "INSERT INTO blocks
           (id, basket_id, workspace_id, parent_block_id, semantic_type, title, content, version,
            state, scope, confidence_score, text_key, anchor_role, raw_dump_id, proposal_id, spans,
            metadata, approved_at, approved_by, created_at, updated_at, source_host)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'LOCAL', $10, $11, $12, $13, $14, $15, $16,
            $17, $18, $17, $17, $19)",
        &[
            (&block.id).into(),
            (&record.basket_id).into(),
            workspace.into(),
            record.parent_id.as_deref().into(),
            block.semantic_type.as_str().into(),
            (&block.title).into(),
            (&block.content).into(),
            record.version.into(),
            block.state.as_str().into(),
            block.confidence.into(),
            index::text_key(&block.content).into(),
            block.anchor.as_deref().into(),
            (&record.dump_id).into(),
            (&record.proposal_id).into(),
            json(&record.spans)?,
            json(&record.metadata)?,
            record.created_at.into(),
            (&record.approved_by).into(),
            (&record.host).into(),
        ],
    )?;
    add_keys(tx, record)
}

fn add_keys(tx: &mut Tx<'_>, record: &Record) -> Result<()> {
    for band in BTreeSet::from(index::bands(&record.block.content)) {
        tx.execute(
            "INSERT INTO block_bands (basket_id, band, block_id) VALUES ($1, $2, $3)",
            &[(&record.basket_id).into(), band.into(), (&record.block.id).into()],
        )?;
    }
    Ok(())
}

/// Recomputes the keys of all blocks, see [`index::VERSION`].
pub(super) fn reindex(tx: &mut Tx<'_>) -> Result<()> {
    tx.execute("DELETE FROM block_bands", &[])?;
    let mut done = String::new();
    loop {
        let rows = tx.query(
            "SELECT * FROM blocks WHERE id > $1 ORDER BY id LIMIT $2",
            &[(&done).into(), BATCH.into()],
        )?;
        for row in &rows {
            let record = record(row)?;
            done.clone_from(&record.block.id);
            tx.execute(
                "UPDATE blocks SET text_key = $2 WHERE id = $1",
                &[(&done).into(), index::text_key(&record.block.content).into()],
            )?;
            if record.block.state.is_current() {
                add_keys(tx, &record)?;
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
    }
}

/// A block of the workspace.
pub fn find(tx: &mut Tx<'_>, workspace: &str, id: &str) -> Result<Option<Record>> {
    let found = tx.first(
        "SELECT * FROM blocks WHERE workspace_id = $1 AND id = $2",
        &[workspace.into(), id.into()],
    )?;
    found.as_ref().map(record).transpose()
}

/// The dumps that blocks were extracted from.
pub(crate) fn dumps_of(
    tx: &mut Tx<'_>,
    workspace: &str,
    ids: &[&str],
) -> Result<BTreeMap<String, String>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let places: Vec<String> = (2..ids.len() + 2).map(|place| format!("${place}")).collect();
    let mut values: Vec<Value> = vec![workspace.into()];
    values.extend(ids.iter().map(|id| Value::from(*id)));
    tx.query(
        &format!(
            "SELECT id, raw_dump_id FROM blocks WHERE workspace_id = $1 AND id IN ({})",
            places.join(", ")
        ),
        &values,
    )?
    .iter()
    .map(|row| Ok((row.get("id")?, row.get("raw_dump_id")?)))
    .collect()
}

/// The newest current blocks of a basket.
pub fn latest(tx: &mut Tx<'_>, basket: &str, most: i64) -> Result<Vec<Block>> {
    tx.query(
        "SELECT * FROM blocks WHERE basket_id = $1 AND state IN ('ACCEPTED', 'LOCKED', 'CONSTANT')
         ORDER BY created_at DESC, id LIMIT $2",
        &[basket.into(), most.into()],
    )?
    .iter()
    .map(block)
    .collect()
}

/// Near duplicates among the basket's current blocks: those that share most keys. The cost does not
/// depend on the number of blocks.
pub fn near(tx: &mut Tx<'_>, basket: &str, text: &str) -> Result<Vec<Block>> {
    let mut shared: BTreeMap<String, usize> = BTreeMap::new();
    for band in BTreeSet::from(index::bands(text)) {
        let rows = tx.query(
            "SELECT block_id FROM block_bands WHERE basket_id = $1 AND band = $2
             ORDER BY block_id LIMIT $3",
            &[basket.into(), band.into(), SAME_KEY.into()],
        )?;
        for row in &rows {
            *shared.entry(row.get("block_id")?).or_default() += 1;
        }
    }
    let mut nearest: Vec<(String, usize)> = shared.into_iter().collect();
    // Stable: of blocks that share as many keys, the smaller id comes first.
    nearest.sort_by_key(|(_, keys)| std::cmp::Reverse(*keys));
    let mut found = Vec::new();
    for (id, _) in nearest.into_iter().take(NEAREST) {
        let row = tx.first("SELECT * FROM blocks WHERE id = $1", &[id.into()])?;
        found.extend(row.as_ref().map(block).transpose()?);
    }
    Ok(found)
}

/// The current block of the basket with exactly this text.
pub fn find_same(tx: &mut Tx<'_>, basket: &str, text: &str) -> Result<Option<String>> {
    let found = tx.first(
        "SELECT id FROM blocks WHERE basket_id = $1 AND text_key = $2
           AND state IN ('ACCEPTED', 'LOCKED', 'CONSTANT') ORDER BY id LIMIT 1",
        &[basket.into(), index::text_key(text).into()],
    )?;
    found.map(|row| row.get("id")).transpose()
}

/// Changes a block's state; one that is no longer current loses its keys.
pub fn set_state(tx: &mut Tx<'_>, record: &Record, state: BlockState, at: Millis) -> Result<()> {
    tx.execute(
        "UPDATE blocks SET state = $2, updated_at = $3 WHERE id = $1",
        &[(&record.block.id).into(), state.as_str().into(), at.into()],
    )?;
    if !state.is_current() {
        for band in BTreeSet::from(index::bands(&record.block.content)) {
            tx.execute(
                "DELETE FROM block_bands WHERE basket_id = $1 AND band = $2 AND block_id = $3",
                &[(&record.basket_id).into(), band.into(), (&record.block.id).into()],
            )?;
        }
    }
    Ok(())
}

/// Makes a block current again.
pub fn revive(tx: &mut Tx<'_>, record: &Record, state: BlockState, at: Millis) -> Result<()> {
    set_state(tx, record, state, at)?;
    add_keys(tx, record)
}

/// The current blocks that were extracted from a dump.
pub fn of_dump(tx: &mut Tx<'_>, workspace: &str, dump: &str) -> Result<Vec<Record>> {
    tx.query(
        "SELECT * FROM blocks WHERE raw_dump_id = $2 AND workspace_id = $1
           AND state IN ('ACCEPTED', 'LOCKED', 'CONSTANT') ORDER BY id",
        &[workspace.into(), dump.into()],
    )?
    .iter()
    .map(record)
    .collect()
}

fn block(row: &Row) -> Result<Block> {
    Ok(Block {
        id: row.get("id")?,
        semantic_type: SemanticType::parse(row.get("semantic_type")?)
            .ok_or_else(|| unknown_word("semantic_type"))?,
        title: row.get("title")?,
        content: row.get("content")?,
        confidence: row.get("confidence_score")?,
        state: BlockState::parse(row.get("state")?).ok_or_else(|| unknown_word("state"))?,
        anchor: row.get("anchor_role")?,
    })
}

fn record(row: &Row) -> Result<Record> {
    Ok(Record {
        block: block(row)?,
        basket_id: row.get("basket_id")?,
        parent_id: row.get("parent_block_id")?,
        version: row.get("version")?,
        dump_id: row.get("raw_dump_id")?,
        spans: unjson(row.get("spans")?)?,
        proposal_id: row.get("proposal_id")?,
        metadata: unjson(row.get("metadata")?)?,
        approved_by: row.get("approved_by")?,
        created_at: row.get("created_at")?,
        host: row.get("source_host")?,
    })
}
