//! Baskets, their anchors and their counters.

use super::{Source, Tx, unknown_word};
use crate::model::Millis;
use crate::sql::{Dialect, Result, Row};

/// The status of a basket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// New.
    Init,
    /// In use.
    Active,
    /// Archived.
    Archived,
    /// Replaced.
    Deprecated,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Init, Self::Active, Self::Archived, Self::Deprecated];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Init => "INIT",
            Self::Active => "ACTIVE",
            Self::Archived => "ARCHIVED",
            Self::Deprecated => "DEPRECATED",
        }
    }

    /// Whether it accepts writes.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Init | Self::Active)
    }
}

/// A basket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basket {
    /// Its id.
    pub id: String,
    /// For display; need not be unique.
    pub name: String,
    /// Its status.
    pub status: Status,
    /// Increases with every write to it.
    pub revision: i64,
    /// Current blocks.
    pub blocks: i64,
    /// Active context items.
    pub items: i64,
    /// Raw dumps.
    pub dumps: i64,
    /// Blocks and items awaiting approval.
    pub proposed: i64,
    /// When it was created.
    pub created_at: Millis,
}

/// Changes of a basket's counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Current blocks.
    pub blocks: i64,
    /// Active context items.
    pub items: i64,
    /// Raw dumps.
    pub dumps: i64,
    /// Blocks and items awaiting approval.
    pub proposed: i64,
}

/// Totals of all baskets of a workspace, or of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Changes with every write.
    pub revision: (i64, i64),
    /// Sums of the counters.
    pub count: Count,
}

const BASKET: &str = "SELECT id, name, status, revision, blocks, items, dumps, proposed, created_at
    FROM baskets";

fn basket(row: &Row) -> Result<Basket> {
    let word: &str = row.get("status")?;
    Ok(Basket {
        id: row.get("id")?,
        name: row.get("name")?,
        status: Status::ALL
            .into_iter()
            .find(|status| status.as_str() == word)
            .ok_or_else(|| unknown_word("status"))?,
        revision: row.get("revision")?,
        blocks: row.get("blocks")?,
        items: row.get("items")?,
        dumps: row.get("dumps")?,
        proposed: row.get("proposed")?,
        created_at: row.get("created_at")?,
    })
}

/// Creates a basket.
pub fn create(
    tx: &mut Tx<'_>,
    workspace: &str,
    id: &str,
    name: &str,
    source: &Source,
    at: Millis,
) -> Result<()> {
    tx.execute(
        "INSERT INTO baskets
           (id, workspace_id, name, status, mode, user_id, created_at, revision, blocks, items,
            dumps, proposed, source_host, source_session)
         VALUES ($1, $2, $3, 'ACTIVE', 'default', $4, $5, 0, 0, 0, 0, 0, $6, $7)",
        &[
            id.into(),
            workspace.into(),
            name.into(),
            (&source.user_id).into(),
            at.into(),
            (&source.host).into(),
            source.session.as_deref().into(),
        ],
    )
    .map(drop)
}

/// A basket of the workspace.
pub fn find(tx: &mut Tx<'_>, workspace: &str, id: &str) -> Result<Option<Basket>> {
    let found = tx.first(
        &format!("{BASKET} WHERE workspace_id = $1 AND id = $2"),
        &[workspace.into(), id.into()],
    )?;
    found.as_ref().map(basket).transpose()
}

/// All baskets of the workspace, the oldest first.
pub fn list(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<Basket>> {
    tx.query(
        &format!("{BASKET} WHERE workspace_id = $1 ORDER BY created_at, id"),
        &[workspace.into()],
    )?
    .iter()
    .map(basket)
    .collect()
}

/// Changes a basket's name or status.
pub fn change(
    tx: &mut Tx<'_>,
    workspace: &str,
    id: &str,
    name: Option<&str>,
    status: Option<Status>,
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE baskets SET name = coalesce($3, name), status = coalesce($4, status),
           revision = revision + 1 WHERE workspace_id = $1 AND id = $2",
        &[workspace.into(), id.into(), name.into(), status.map(Status::as_str).into()],
    )?;
    Ok(changed == 1)
}

/// Updates the counters and the revision; every write must call it, since readers rely on the
/// revision.
pub fn count(tx: &mut Tx<'_>, id: &str, count: Count) -> Result<()> {
    tx.execute(
        "UPDATE baskets SET revision = revision + 1, blocks = blocks + $2, items = items + $3,
           dumps = dumps + $4, proposed = proposed + $5 WHERE id = $1",
        &[
            id.into(),
            count.blocks.into(),
            count.items.into(),
            count.dumps.into(),
            count.proposed.into(),
        ],
    )
    .map(drop)
}

/// Makes others who change the basket wait until this transaction ends.
pub(crate) fn lock(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    match tx.dialect() {
        // It has one writer at a time.
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => {
            tx.query("SELECT id FROM baskets WHERE id = $1 FOR UPDATE", &[id.into()]).map(drop)
        }
    }
}

/// The totals of the workspace, or of one basket.
pub fn totals(tx: &mut Tx<'_>, workspace: &str, id: Option<&str>) -> Result<Totals> {
    // Sums of whole numbers are NUMERIC in PostgreSQL.
    const SUMS: &str = "SELECT CAST(count(*) AS BIGINT) AS baskets,
        CAST(coalesce(sum(revision), 0) AS BIGINT) AS revision,
        CAST(coalesce(sum(blocks), 0) AS BIGINT) AS blocks,
        CAST(coalesce(sum(items), 0) AS BIGINT) AS items,
        CAST(coalesce(sum(dumps), 0) AS BIGINT) AS dumps,
        CAST(coalesce(sum(proposed), 0) AS BIGINT) AS proposed
        FROM baskets WHERE workspace_id = $1";
    let found = match id {
        None => tx.first(SUMS, &[workspace.into()])?,
        Some(id) => tx.first(&format!("{SUMS} AND id = $2"), &[workspace.into(), id.into()])?,
    };
    let Some(row) = found else { return Ok(Totals::default()) };
    Ok(Totals {
        revision: (row.get("baskets")?, row.get("revision")?),
        count: Count {
            blocks: row.get("blocks")?,
            items: row.get("items")?,
            dumps: row.get("dumps")?,
            proposed: row.get("proposed")?,
        },
    })
}

/// Sets an anchor of a basket and its label.
pub fn set_anchor(
    tx: &mut Tx<'_>,
    basket: &str,
    key: &str,
    label: &str,
    scope: &str,
) -> Result<()> {
    tx.execute(
        "INSERT INTO basket_anchors (basket_id, anchor_key, label, scope) VALUES ($1, $2, $3, $4)
         ON CONFLICT (basket_id, anchor_key) DO UPDATE SET label = excluded.label",
        &[basket.into(), key.into(), label.into(), scope.into()],
    )
    .map(drop)
}

/// The anchors of a basket: key and label.
pub fn anchors(tx: &mut Tx<'_>, basket: &str) -> Result<Vec<(String, String)>> {
    tx.query(
        "SELECT anchor_key, label FROM basket_anchors WHERE basket_id = $1 ORDER BY anchor_key",
        &[basket.into()],
    )?
    .iter()
    .map(|row| Ok((row.get("anchor_key")?, row.get("label")?)))
    .collect()
}
