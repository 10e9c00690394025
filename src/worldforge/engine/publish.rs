//! `version.publish`: makes an object canon unless it contradicts the story.

use serde_json::Value;

use super::entities::fresh;
use super::{Actor, Engine, EngineError, Result};
use crate::continuity;
use crate::model::{Issue, ObjectType, Severity};
use crate::store::{Change, Edition, Kind, Publication, Scope, publish, publish_state};

/// How often a publication is tried while others write.
const ATTEMPTS: u32 = 100;

/// What a person should know before a node becomes canon.
pub struct Doubts {
    /// Revision of the node.
    pub revision: u64,
    /// Findings that do not refuse the publication.
    pub findings: Vec<Issue>,
}

impl Engine {
    /// The findings over which [`Self::publish`] would publish now, after everything that would refuse
    /// it. None where it would publish nothing, or has none.
    pub fn doubts(
        &self,
        scope: &Scope,
        object: ObjectType,
        id: &str,
        expected: Option<u64>,
    ) -> Result<Option<Doubts>> {
        let state = publish_state(self.store(), scope, object, id)?;
        fresh(state.revision, expected)?;
        if object != ObjectType::StoryNode || !state.is_due {
            return Ok(None);
        }
        let mut findings = self.findings(scope, id)?;
        if !self.setup.publishes_contradictions {
            refuse_contradictions(&findings)?;
        }
        findings.retain(|issue| issue.severity != Severity::Info);
        let doubts = Doubts { revision: state.revision, findings };
        Ok((!doubts.findings.is_empty()).then_some(doubts))
    }

    /// Publishes the current state of an object.
    pub fn publish(
        &self,
        actor: &Actor,
        scope: &Scope,
        object: ObjectType,
        id: &str,
        expected: Option<u64>,
    ) -> Result<Value> {
        let _lock = self.store().locks().lock(scope);
        let mut tries = 0;
        loop {
            let project_revision = self.store().project_revision(scope)?;
            let publish_state = publish_state(self.store(), scope, object, id)?;
            fresh(publish_state.revision, expected)?;
            let gated = object == ObjectType::StoryNode
                && publish_state.is_due
                && !self.setup.publishes_contradictions;
            if gated {
                refuse_contradictions(&self.findings(scope, id)?)?;
            }
            let publication = Publication {
                object,
                id: id.to_owned(),
                by: actor.user.clone(),
                at: self.now(),
                project_revision: Some(project_revision),
                event: self.event(actor, scope, Some(id)),
            };
            match publish(self.store(), scope, &publication) {
                Err(error) if error.kind == Kind::Moved && tries < ATTEMPTS => tries += 1,
                done => {
                    let published = done?;
                    if publish_state.is_due {
                        self.follow_publication(scope, project_revision, object, &published);
                    }
                    return Ok(published);
                }
            }
        }
    }

    /// Puts a publication into the story that is kept, so that it need not be read again.
    fn follow_publication(
        &self,
        scope: &Scope,
        before: u64,
        object: ObjectType,
        published: &Value,
    ) {
        let change = match object {
            ObjectType::Entity => serde_json::from_value(published.clone())
                .map(|document| Change::Entity { document, replaces: None }),
            ObjectType::StoryNode => serde_json::from_value(published.clone())
                .map(|document| Change::Node { document, replaces: None }),
        };
        if let Ok(change) = change {
            self.stories.follow(scope, before, &[change]);
        }
    }

    fn findings(&self, scope: &Scope, node: &str) -> Result<Vec<Issue>> {
        self.stories.with(self.store(), scope, |_, story| {
            Ok(continuity::check(story, node, self.language()))
        })
    }

    /// The versions of an object, the first one first.
    pub fn history(&self, scope: &Scope, object: ObjectType, id: &str) -> Result<Vec<Edition>> {
        Ok(self.store().history(scope, object, id)?)
    }

    /// An object as it was published under a number.
    pub fn version(
        &self,
        scope: &Scope,
        object: ObjectType,
        id: &str,
        number: u64,
    ) -> Result<Value> {
        Ok(self.store().version(scope, object, id, number)?.snapshot)
    }
}

/// Refuses a node with an unwaived contradiction.
fn refuse_contradictions(findings: &[Issue]) -> Result<()> {
    let errors = findings.iter().filter(|issue| issue.severity == Severity::Error);
    let errors: Vec<Issue> = errors.cloned().collect();
    if errors.is_empty() { Ok(()) } else { Err(EngineError::Contradicts(errors)) }
}
