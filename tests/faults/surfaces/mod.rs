//! The columns: each surface on each kind of store, as something that numbered writes go into.

mod agentpack;
mod sqlite;
mod wa;
mod wink;
mod worldforge;
mod yarnnn;

use std::any::Any;
use std::path::PathBuf;
use std::process::Command;

use toolwright_runtime::contract::SurfaceInfo;

use crate::machine::{Machine, MachineKind};
use crate::session::{Call, Refusal, Session};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    Wink,
    Agentpack,
    Wa,
    YarnnnSqlite,
    YarnnnPostgres,
    WorldforgeSqlite,
    WorldforgeMongodb,
}

impl Column {
    pub(crate) const ALL: [Self; 7] = [
        Self::Wink,
        Self::Agentpack,
        Self::Wa,
        Self::YarnnnSqlite,
        Self::YarnnnPostgres,
        Self::WorldforgeSqlite,
        Self::WorldforgeMongodb,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wink => "wink",
            Self::Agentpack => "agentpack",
            Self::Wa => "wa",
            Self::YarnnnSqlite => "yarnnn, SQLite",
            Self::YarnnnPostgres => "yarnnn, PostgreSQL",
            Self::WorldforgeSqlite => "worldforge, SQLite",
            Self::WorldforgeMongodb => "worldforge, MongoDB",
        }
    }

    /// An empty store on this ground. None, with loud words, where it cannot be had.
    pub(crate) fn open(self, kind: MachineKind) -> Option<Box<dyn Surface>> {
        Some(match self {
            Self::Wink => Box::new(wink::Wink::open(kind)?),
            Self::Agentpack => Box::new(agentpack::Agentpack::open(kind)?),
            Self::Wa => Box::new(wa::Wa::open(kind)?),
            Self::YarnnnSqlite => Box::new(yarnnn::Yarnnn::on_sqlite(kind)?),
            Self::YarnnnPostgres => Box::new(yarnnn::Yarnnn::on_postgres(kind)?),
            Self::WorldforgeSqlite => Box::new(worldforge::Worldforge::on_sqlite(kind)?),
            Self::WorldforgeMongodb => Box::new(worldforge::Worldforge::on_mongodb(kind)?),
        })
    }
}

/// A surface and its store.
pub(crate) trait Surface {
    fn contract(&self) -> &'static SurfaceInfo;

    /// What server and store stand on.
    fn machine(&self) -> &Machine;

    /// The server, before anything of the ground.
    fn command(&self) -> Command;

    /// A server has started; `next` is the number of its first write.
    fn started(&mut self, _next: usize) {}

    /// The call that writes this number. What has to be asked before is asked here.
    fn write(&mut self, session: &mut Session, number: usize) -> Result<Call, Refusal>;

    /// A call that reads the store.
    fn read(&self) -> Call;

    /// The numbers in the store, each as often as it is there. Panics when one is there in part, or
    /// the store is damaged.
    fn stored(&self) -> Vec<usize>;

    /// What the server does by itself, it does again.
    fn recovered(&self) {}

    /// What does not belong into the store after a whole write.
    fn strays(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// How many writes are surely more than fit where there is no room.
    fn room(&self) -> usize {
        20
    }

    /// What it stores into.
    fn store(&mut self) -> Store<'_>;
}

/// A store, as faults see it.
pub(crate) enum Store<'a> {
    Files(Box<dyn Files + 'a>),
    Database(&'a mut dyn Database),
}

/// A store of files.
pub(crate) trait Files {
    /// The folders that it writes into.
    fn folders(&self) -> Vec<PathBuf>;

    /// Holds it as another process that writes does, until it is dropped.
    fn lock(&self) -> Box<dyn Any>;
}

/// A store behind a server of its own.
pub(crate) trait Database {
    /// Ends it at once.
    fn crash(&mut self);

    /// Starts it again.
    fn start(&mut self);

    /// Starts it again when it has ended by itself, which it may still be about.
    fn revive(&mut self) {
        self.start();
    }

    /// Takes the surface's user the right to write.
    fn forbid(&mut self);

    /// Gives it back.
    fn allow(&mut self);
}
