//! MongoDB: the collections of the original program, ids as ObjectIds, and a few internal fields.
//!
//! A commit takes effect at one point: when the write count in the project's document increases. On
//! servers with transactions, that and the changes are one transaction (`commit`). On others, the same
//! step stores the changes in the project's document; they are applied afterwards, and the next reader
//! or writer finishes what a writer left (`pending`). So nobody sees half a commit.
//!
//! The driver connects on first use, retries reads and writes once where the server allows it, and
//! reconnects when the server is back.

mod backfill;
mod bson;
mod commit;
mod error;
mod import;
mod indexes;
mod merge;
mod ops;
mod pending;
mod read;
mod search;
mod show;
mod state;
#[cfg(test)]
mod tests;
mod users;
mod writers;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::options::{Acknowledgment, ClientOptions, WriteConcern};
use mongodb::sync::{Client, Collection as Raw, Database};
use serde_json::Value;

use self::error::store_error;
use super::error::{Kind, Result};
use super::search_terms::{Page, Search};
use super::{
    AuditEvent, Collection, Commit, Documents, Edition, ProjectLocks, Reading, Scope, Store, World,
};
use crate::model::{Id, ObjectType, Project, PromptPack, Snapshot, Tenant, User};

/// How often at most and at least the driver asks the server how it is.
const HEARTBEAT: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// A store in a MongoDB database.
pub(crate) struct Mongo {
    url: String,
    name: String,
    wait: Duration,
    connected: Mutex<Option<Arc<Connected>>>,
    locks: ProjectLocks,
    /// Commits of one project, one after the other: transactions that collide are done again.
    commits: ProjectLocks,
}

/// A database that has been reached before.
struct Connected {
    client: Client,
    database: Database,
    /// Whether the server has transactions.
    transactions: bool,
}

impl Mongo {
    /// Opens the database that the URL names, else `name`. Connects when first needed, so that a
    /// server that is down now may come later. `wait` is for finding a server.
    pub(crate) fn open(url: &str, name: &str, wait: Duration) -> Result<Self> {
        let mongo = Self {
            url: url.to_owned(),
            name: name.to_owned(),
            wait,
            connected: Mutex::default(),
            locks: ProjectLocks::default(),
            commits: ProjectLocks::default(),
        };
        // Asking the name service is connecting, too.
        if !url.starts_with("mongodb+srv:") {
            mongo.options()?;
        }
        Ok(mongo)
    }

    fn options(&self) -> Result<ClientOptions> {
        let mut options = ClientOptions::parse(&self.url).run().map_err(store_error)?;
        options.app_name.get_or_insert("worldforge".to_owned());
        options.server_selection_timeout.get_or_insert(self.wait);
        options.connect_timeout.get_or_insert(self.wait);
        // A server that has stopped answering is noticed by this.
        options.heartbeat_freq.get_or_insert(self.wait.clamp(HEARTBEAT.0, HEARTBEAT.1));
        options.write_concern.get_or_insert(durable());
        options.default_database.get_or_insert(self.name.clone());
        Ok(options)
    }

    /// Whether the server answers.
    pub(super) fn reach(&self) -> Result<()> {
        let options = self.options()?;
        let name = options.default_database.clone().unwrap_or_default();
        let client = Client::with_options(options).map_err(store_error)?;
        client.database(&name).run_command(doc! {"ping": 1}).run().map_err(store_error)?;
        Ok(())
    }

    /// The database, with its indexes.
    fn connected(&self) -> Result<Arc<Connected>> {
        let known = || self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connected) = &*known() {
            return Ok(Arc::clone(connected));
        }
        // Not under the lock: while there is no server, everybody waits for as long as they must.
        let options = self.options()?;
        let name = options.default_database.clone().unwrap_or_default();
        let client = Client::with_options(options).map_err(store_error)?;
        let database = client.database(&name);
        let hello = database.run_command(doc! {"hello": 1}).run().map_err(store_error)?;
        let transactions = hello.contains_key("setName")
            || hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid");
        if hello.get_i32("maxWireVersion").unwrap_or_default() < 13 {
            return Err(Kind::Broken.because("The MongoDB server is too old: 5.0 is required."));
        }
        indexes::create(&database)?;
        let reached = Arc::new(Connected { client, database, transactions });
        backfill::run(&reached)?;
        Ok(Arc::clone(known().get_or_insert(reached)))
    }
}

/// Acknowledged means: on the disks of most servers.
fn durable() -> WriteConcern {
    WriteConcern::builder().w(Acknowledgment::Majority).journal(true).build()
}

impl Connected {
    fn documents(&self, name: &str) -> Raw<RawDocumentBuf> {
        self.database.collection(name)
    }

    fn of(&self, collection: Collection) -> Raw<RawDocumentBuf> {
        self.documents(name(collection))
    }

    fn projects(&self) -> Raw<RawDocumentBuf> {
        self.documents("projects")
    }
}

fn name(collection: Collection) -> &'static str {
    match collection {
        Collection::Entities => "entities",
        Collection::Nodes => "storyNodes",
        Collection::Edges => "storyEdges",
        Collection::Packs => "promptPacks",
        Collection::Versions => "versions",
    }
}

impl Store for Mongo {
    fn ping(&self) -> Result<()> {
        let connected = self.connected()?;
        connected.database.run_command(doc! {"ping": 1}).run().map_err(store_error)?;
        Ok(())
    }

    fn create_tenant(&self, tenant: &Tenant) -> Result<()> {
        users::create_tenant(&*self.connected()?, tenant)
    }

    fn tenants(&self) -> Result<Vec<Tenant>> {
        users::tenants(&*self.connected()?)
    }

    fn tenant(&self, id: &str) -> Result<Tenant> {
        users::tenant(&*self.connected()?, id)
    }

    fn add_user(&self, user: &User) -> Result<()> {
        users::add_user(&*self.connected()?, user)
    }

    fn users(&self, tenant: &str) -> Result<Vec<User>> {
        users::users(&*self.connected()?, tenant)
    }

    fn user(&self, tenant: &str, id: &str) -> Result<User> {
        users::user(&*self.connected()?, tenant, id)
    }

    fn user_by_email(&self, tenant: &str, email: &str) -> Result<User> {
        users::user_by_email(&*self.connected()?, tenant, email)
    }

    fn create_project(&self, world: &World, event: &AuditEvent) -> Result<()> {
        world.check(event)?;
        import::create_project(&*self.connected()?, world, event)
    }

    fn projects(&self, tenant: &str) -> Result<Vec<Project>> {
        read::projects(&*self.connected()?, tenant)
    }

    fn project(&self, scope: &Scope) -> Result<Project> {
        read::project(&*self.connected()?, scope)
    }

    fn whole_project(&self, scope: &Scope) -> Result<Value> {
        read::whole_project(&*self.connected()?, scope)
    }

    fn project_revision(&self, scope: &Scope) -> Result<u64> {
        Ok(state::current(&*self.connected()?, scope)?.revision)
    }

    fn document(&self, scope: &Scope, collection: Collection, id: &str) -> Result<String> {
        read::document(&*self.connected()?, scope, collection, id)
    }

    fn documents(&self, scope: &Scope, collection: Collection, ids: &[Id]) -> Result<Documents> {
        read::documents(&*self.connected()?, scope, collection, ids)
    }

    fn whole(&self, scope: &Scope, collection: Collection, id: &str) -> Result<Value> {
        read::whole_document(&*self.connected()?, scope, collection, id)
    }

    fn read(&self, scope: &Scope, collections: &[Collection]) -> Result<Reading> {
        read::collections(&*self.connected()?, scope, collections, false)
    }

    fn read_whole(&self, scope: &Scope, collections: &[Collection]) -> Result<Reading> {
        read::collections(&*self.connected()?, scope, collections, true)
    }

    fn search(&self, scope: &Scope, search: &Search) -> Result<Page> {
        search::search(&*self.connected()?, scope, search)
    }

    fn pack_by_input(
        &self,
        scope: &Scope,
        node: &str,
        input_hash: &str,
    ) -> Result<Option<PromptPack>> {
        read::pack(&*self.connected()?, scope, node, Some(input_hash))
    }

    fn latest_pack(&self, scope: &Scope, node: &str) -> Result<Option<PromptPack>> {
        read::pack(&*self.connected()?, scope, node, None)
    }

    fn history(&self, scope: &Scope, object: ObjectType, id: &str) -> Result<Vec<Edition>> {
        read::history(&*self.connected()?, scope, object, id)
    }

    fn version(
        &self,
        scope: &Scope,
        object: ObjectType,
        id: &str,
        number: u64,
    ) -> Result<Snapshot> {
        read::version(&*self.connected()?, scope, object, id, number)
    }

    fn events(&self, scope: &Scope, object: Option<&str>, limit: u32) -> Result<Vec<AuditEvent>> {
        read::events(&*self.connected()?, scope, object, limit)
    }

    fn commit(&self, scope: &Scope, commit: &Commit) -> Result<u64> {
        commit.check(scope)?;
        let connected = self.connected()?;
        let _lock = self.commits.lock(scope);
        commit::commit(&connected, scope, commit)
    }

    fn locks(&self) -> &ProjectLocks {
        &self.locks
    }
}

/// Owner of a document, as a filter. None where an id is none: nothing is found then.
fn owned(scope: &Scope) -> Option<Document> {
    let (tenant, project) = (bson::id(&scope.tenant)?, bson::id(&scope.project)?);
    Some(doc! {"tenantId": bson::either(tenant), "projectId": bson::either(project)})
}
