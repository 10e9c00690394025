//! The engine: everything that tools and operators do with worlds, on top of the store and the
//! story, continuity, compose and export modules.
//!
//! Checks and the write that depends on them are atomic: references exist, nothing breaks the graph,
//! and no concurrent edit is lost. Stories are cached in memory between calls and follow the store by
//! its revisions. Knows no protocol and no role; the caller comes in as an [`Actor`].

mod check;
mod compose;
mod edges;
mod entities;
mod error;
mod exports;
mod graph;
mod nodes;
mod patch;
mod publish;
mod references;
mod storable;
mod stories;
mod tenants;

use std::sync::Arc;

use toolwright_runtime::clock::{Clock, Ids};

pub use check::{Checked, States};
pub use edges::NewEdge;
pub use error::{EngineError, Problem, Result};
pub use graph::{GraphPage, Outline, Projection};
pub use publish::Doubts;
pub(super) use tenants::address;

use super::messages::Language;
use super::model::{Audit, Id, Millis, Project, Version, VersionStatus};
use super::store::{self, AuditEvent, Change, Scope, Store, World, fresh_id};
use stories::Stories;

/// How the studio is set up.
pub struct Setup {
    /// Where the worlds are.
    pub store: Arc<dyn Store>,
    /// Of messages and suggestions.
    pub language: Language,
    /// A node with a contradiction can be published.
    pub publishes_contradictions: bool,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
}

/// The studio of all tenants of a store.
pub struct Engine {
    setup: Setup,
    stories: Stories,
}

/// Who does what.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Whose world.
    pub tenant: Id,
    /// Who.
    pub user: Id,
    /// The tool, for the record.
    pub action: String,
}

impl Engine {
    /// Opens the studio; reads nothing yet.
    pub fn new(setup: Setup) -> Self {
        Self { setup, stories: Stories::default() }
    }

    /// Of messages and suggestions.
    pub fn language(&self) -> Language {
        self.setup.language
    }

    /// Where the worlds are.
    pub fn store(&self) -> &dyn Store {
        &*self.setup.store
    }

    /// Creates an empty world.
    pub fn create_project(
        &self,
        actor: &Actor,
        title: &str,
        logline: &str,
        style_bible: serde_json::Map<String, serde_json::Value>,
    ) -> Result<Project> {
        let title = self.named("/title", title)?;
        self.storable(&style_bible, "/styleBible")?;
        let project = Project {
            id: self.id(),
            tenant_id: actor.tenant.clone(),
            title,
            logline: logline.to_owned(),
            style_bible,
            created_at: self.now(),
        };
        let scope = Scope::new(&actor.tenant, &project.id);
        let event = self.event(actor, &scope, Some(&project.id));
        self.store().create_project(&World::empty(project.clone()), &event)?;
        Ok(project)
    }

    /// A project.
    pub fn project(&self, scope: &Scope) -> Result<Project> {
        Ok(self.store().project(scope)?)
    }

    fn now(&self) -> Millis {
        self.setup.clock.now().as_millisecond()
    }

    fn id(&self) -> Id {
        fresh_id(self.now(), &*self.setup.ids)
    }

    fn event(&self, actor: &Actor, scope: &Scope, object: Option<&str>) -> AuditEvent {
        AuditEvent {
            id: self.id(),
            tenant_id: scope.tenant.clone(),
            project_id: scope.project.clone(),
            user_id: actor.user.clone(),
            action: actor.action.clone(),
            object_id: object.map(str::to_owned),
            at: self.now(),
            revision: 0,
        }
    }

    /// A name without blanks around it, which must have something between them.
    fn named(&self, pointer: &str, name: &str) -> Result<String> {
        match name.trim() {
            "" => {
                let message = self.language().pick("must not be blank", "não pode ficar em branco");
                Err(EngineError::invalid(pointer, message))
            }
            name => Ok(name.to_owned()),
        }
    }

    /// Checks and writes as one; `work` may run several times. Nothing to change writes nothing.
    fn edit<T>(
        &self,
        actor: &Actor,
        scope: &Scope,
        mut work: impl FnMut(u64) -> Result<Edit<T>>,
    ) -> Result<T> {
        let mut error = None;
        let mut written = None;
        let done = self.store().edit(scope, |revision| {
            error = None;
            match work(revision) {
                Ok(Edit { done, changes, object }) => {
                    written = Some((revision, changes.clone()));
                    Ok((done, changes, self.event(actor, scope, Some(&object))))
                }
                Err(found) => {
                    error = Some(found);
                    Err(store::Kind::Refused.because("The edit was refused."))
                }
            }
        });
        match (done, error) {
            (_, Some(error)) => Err(error),
            (Err(error), None) => Err(error.into()),
            (Ok(done), None) => {
                if let Some((revision, changes)) = written {
                    self.stories.follow(scope, revision, &changes);
                }
                Ok(done)
            }
        }
    }
}

/// What an edit writes.
struct Edit<T> {
    done: T,
    changes: Vec<Change>,
    object: Id,
}

/// Version and audit of something new.
fn begun(actor: &Actor, at: Millis) -> (Version, Audit) {
    let user = actor.user.clone();
    let audit = Audit { created_by: user.clone(), updated_by: user, updated_at: at, revision: 1 };
    (Version { status: VersionStatus::Draft, number: 1 }, audit)
}

/// Version and audit of something that was edited: canon becomes a draft of the same number.
fn edited(version: &mut Version, audit: &mut Audit, actor: &Actor, at: Millis) {
    version.status = VersionStatus::Draft;
    audit.updated_by.clone_from(&actor.user);
    audit.updated_at = at;
    audit.revision += 1;
}
