//! A workspace with many blocks, made through the records themselves.

use std::sync::Arc;

use toolwright_runtime::clock::{SystemClock, SystemIds};
use yarnnn::embed::{Embedder, host_model};
use yarnnn::engine::{Engine, Retention, Setup};
use yarnnn::llm::Extractor;
use yarnnn::model::{Block, BlockState, Fingerprint, SemanticType};
use yarnnn::records::{Source, baskets, blocks, dumps, substrate, substrate_vectors};
use yarnnn::sql::{self, Database, Options};

use toolwright_embedding::MODEL;

use crate::Result;
use crate::folder::Folder;
use crate::program::Program;

/// Blocks that are written in one transaction.
const TOGETHER: usize = 5_000;
/// Baskets of a large workspace.
const BASKETS: usize = 100;
/// Length of the vectors.
pub(super) const DIMS: usize = 64;

/// A database in a folder of its own, with one workspace and a token for it.
pub(crate) struct Workspace {
    folder: Folder,
    pub(crate) token: String,
    /// What the words of the workspace begin with in the index.
    pub(super) number: i64,
    /// A database elsewhere.
    url: Option<String>,
}

impl Workspace {
    /// Without any basket.
    pub(super) fn empty(name: &str) -> Result<Self> {
        Self::made(name, None)
    }

    /// In the database at this URL, with so many baskets.
    pub(super) fn on(url: &str, name: &str, count: usize) -> Result<Self> {
        let made = Self::made(name, Some(url.to_owned()))?;
        let workspace = made.engine()?.workspace(None)?;
        let source = Source { user_id: "ada".to_owned(), host: "web".to_owned(), session: None };
        written(&made.database()?, |tx| {
            for basket in 0..count {
                let id = basket_id(basket);
                baskets::create(tx, &workspace.id, &id, &format!("Basket {basket}"), &source, 1)?;
            }
            Ok(())
        })?;
        Ok(made)
    }

    fn made(name: &str, url: Option<String>) -> Result<Self> {
        let folder = Folder::new(name)?;
        let mut made = Self { folder, token: String::new(), number: 0, url };
        let engine = made.engine()?;
        let workspace = engine.create_workspace("bench", "ada")?;
        made.token = engine.mint_token(&workspace, "ada", "bench")?.token;
        made.number = workspace.number;
        Ok(made)
    }

    /// With so many approved blocks.
    pub(crate) fn with_blocks(name: &str, count: usize) -> Result<Self> {
        let made = Self::empty(name)?;
        let engine = made.engine()?;
        let workspace = engine.workspace(None)?;
        drop(engine);
        let database = made.database()?;
        let source = Source { user_id: "ada".to_owned(), host: "web".to_owned(), session: None };
        let place = (workspace.id.as_str(), workspace.number);
        written(&database, |tx| {
            for basket in 0..BASKETS {
                let id = basket_id(basket);
                baskets::create(tx, &workspace.id, &id, &format!("Basket {basket}"), &source, 1)?;
                dumps::add(tx, &workspace.id, &dump(basket, &source))?;
            }
            Ok(())
        })?;
        for start in (0..count).step_by(TOGETHER) {
            written(&database, |tx| {
                for number in start..count.min(start + TOGETHER) {
                    let record = block(number);
                    blocks::add(tx, &workspace.id, &record)?;
                    let (id, text) = (&record.block.id, &record.block.content);
                    let kind = substrate::Kind::Block;
                    let at = record.created_at;
                    substrate::add(tx, place, &record.basket_id, kind, id, None, text, at)?;
                }
                Ok(())
            })?;
        }
        written(&database, |tx| {
            for basket in 0..BASKETS {
                let blocks = i64::try_from(count / BASKETS).unwrap_or(0);
                let count = baskets::Count { blocks, ..baskets::Count::default() };
                baskets::count(tx, &basket_id(basket), count)?;
            }
            Ok(())
        })?;
        Ok(made)
    }

    /// The same, and each block has a vector of the built-in model's length.
    pub(super) fn with_vectors(name: &str, count: usize) -> Result<Self> {
        let made = Self::with_blocks(name, count)?;
        let workspace = made.engine()?.workspace(None)?;
        let database = made.database()?;
        let mut seed = 1_u64;
        for start in (0..count).step_by(TOGETHER) {
            let vectors: Vec<Vec<u8>> = (0..TOGETHER).map(|_| noise(&mut seed)).collect();
            written(&database, |tx| {
                for (number, vector) in (start..count).zip(&vectors) {
                    let (basket, id) = (basket_id(number % BASKETS), block_id(number));
                    substrate_vectors::add(tx, &workspace.id, &basket, &id, MODEL, vector)?;
                }
                Ok(())
            })?;
        }
        Ok(made)
    }

    /// The file of the database.
    pub(super) fn file(&self) -> String {
        self.folder.path.join("yarnnn.db").display().to_string()
    }

    pub(super) fn database(&self) -> Result<Database> {
        let file = format!("sqlite:{}", self.file());
        Ok(Database::open(self.url.as_deref().unwrap_or(&file), Options::default())?)
    }

    pub(crate) fn engine(&self) -> Result<Engine> {
        Ok(Engine::new(Setup {
            database: self.database()?,
            extractor: Extractor::Rules,
            embedder: Embedder::host(),
            jwt: None,
            use_pgvector: false,
            activity: Retention { max_age: None, max_rows: None },
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(SystemIds),
        }))
    }

    /// A server over it that makes no vectors: a million texts have none here.
    pub(crate) fn program(&self, path: &std::path::Path) -> Program {
        self.embedding(path).with("YARNNN_EMBEDDER", "host")
    }

    /// A server over it that does.
    pub(super) fn embedding(&self, path: &std::path::Path) -> Program {
        Program::yarnnn(path, &self.file(), &self.token)
    }
}

/// A vector that points at topic number `topic`.
pub(super) fn vector(topic: usize) -> Vec<f32> {
    // Rows of a Hadamard matrix have nothing in common, and look like a model's vectors.
    let row = topic % 12 / 3 * 4 + topic % 3 + 1;
    let number = |place: usize| if (row & place).count_ones() % 2 == 0 { 0.125 } else { -0.125 };
    (0..DIMS).map(number).collect()
}

/// A stored vector of random numbers, near to nothing.
fn noise(seed: &mut u64) -> Vec<u8> {
    let mut number = || {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed >> 56) as u8
    };
    (0..toolwright_embedding::DIMS).map(|_| number()).collect()
}

fn block_id(number: usize) -> String {
    format!("20000000-0000-4000-8000-{number:012}")
}

pub(super) fn basket_id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// A statement of words and numbers that differ.
pub(super) fn statement(number: usize) -> String {
    const WORDS: [&str; 16] = [
        "billing", "refund", "invoice", "customer", "garden", "server", "deploy", "budget",
        "meeting", "contract", "harbour", "library", "payment", "release", "sensor", "window",
    ];
    let word = |shift: usize| WORDS[(number >> shift) % 16];
    format!(
        "The {} of {} number {number} needs the {} before the {} in week {}.",
        word(0),
        word(4),
        word(8),
        word(12),
        number % 52
    )
}

fn written(
    database: &Database,
    work: impl FnMut(&mut dyn sql::Transaction) -> sql::Result<()>,
) -> Result<()> {
    Ok(database.write(work)?)
}

fn dump(basket: usize, source: &Source) -> dumps::Dump {
    dumps::Dump {
        id: format!("10000000-0000-4000-8000-{basket:012}"),
        basket_id: basket_id(basket),
        body: "made for measuring".to_owned(),
        content_hash: "0".repeat(64),
        request: "bench".to_owned(),
        metadata: serde_json::Map::new(),
        fingerprint: Fingerprint {
            embedding: vector(basket),
            model: host_model(DIMS),
            ..Fingerprint::default()
        },
        source: source.clone(),
        created_at: 1,
    }
}

fn block(number: usize) -> blocks::Record {
    let content = statement(number);
    blocks::Record {
        block: Block {
            id: block_id(number),
            semantic_type: SemanticType::Fact,
            title: content.clone(),
            content,
            confidence: 0.8,
            state: BlockState::Accepted,
            anchor: None,
        },
        basket_id: basket_id(number % BASKETS),
        parent_id: None,
        version: 1,
        dump_id: format!("10000000-0000-4000-8000-{:012}", number % BASKETS),
        spans: Vec::new(),
        proposal_id: "bench".to_owned(),
        metadata: std::collections::BTreeMap::new(),
        approved_by: "ada".to_owned(),
        created_at: i64::try_from(number).unwrap_or(0),
        host: "web".to_owned(),
    }
}
