//! Export and import of worlds as documents.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Actor, Engine, EngineError, Problem, Result};
use crate::demo::sample;
use crate::export::{
    Ids, Importer, NotAChapter, import, is_unchanged, shot_prompt_pack, story_bible,
};
use crate::model::{Project, PromptPack};
use crate::store::{Collection, Documents, Reading, Scope, Unreadable, World};
use crate::story::Story;

impl Engine {
    /// The whole world as one document.
    pub fn story_bible(&self, scope: &Scope) -> Result<Value> {
        let (world, unreadable) = self.world(scope)?;
        let story = Story::new(&world.nodes, &world.edges, &world.entities);
        let mut bible = story_bible(&world, &story, self.now());
        if let Some(members) = bible.as_object_mut().filter(|_| !unreadable.is_empty()) {
            members.insert("unreadable".to_owned(), json!(unreadable));
        }
        Ok(bible)
    }

    fn world(&self, scope: &Scope) -> Result<(World, Vec<Unreadable>)> {
        let project = self.project(scope)?;
        let wanted =
            [Collection::Entities, Collection::Nodes, Collection::Edges, Collection::Versions];
        let Reading { collections, mut wholes, unreadable, .. } =
            self.store().read_whole(scope, &wanted)?;
        let mut read = collections.into_iter();
        let whole = self.store().whole_project(scope)?;
        if whole != json!(project) {
            wholes.insert(project.id.clone(), whole);
        }
        let world = World {
            entities: parsed(read.next())?,
            nodes: parsed(read.next())?,
            edges: parsed(read.next())?,
            snapshots: parsed(read.next())?,
            wholes,
            ..World::empty(project)
        };
        Ok((world, unreadable))
    }

    /// The latest prompts by chapter, or of one chapter.
    pub fn shot_prompt_pack(&self, scope: &Scope, chapter: Option<&str>) -> Result<Value> {
        let project = self.project(scope)?;
        let mut read = self.store().read(scope, &[Collection::Packs])?.collections.into_iter();
        let packs: Vec<PromptPack> = parsed(read.next())?;
        self.stories.with(self.store(), scope, |_, story| {
            shot_prompt_pack(&project, story, &packs, chapter, self.now()).map_err(
                |not| match not {
                    NotAChapter::Unknown(_) => EngineError::missing("story node"),
                    NotAChapter::Other(..) => EngineError::invalid(
                        "/chapterNodeId",
                        self.language().pick("is not a CHAPTER", "não é um CHAPTER"),
                    ),
                },
            )
        })
    }

    /// Creates a project from the sample world, with its own ids.
    pub fn import_sample(&self, actor: &Actor) -> Result<Project> {
        let demo = sample(&actor.tenant, &actor.user, self.now());
        let world = World {
            entities: demo.entities,
            nodes: demo.nodes,
            edges: demo.edges,
            ..World::empty(demo.project)
        };
        let story = Story::new(&world.nodes, &world.edges, &world.entities);
        let (project, _) = self.import(actor, &story_bible(&world, &story, self.now()))?;
        Ok(project)
    }

    /// Creates a project from a story bible. Also returns whether it is unchanged since its export.
    pub fn import(&self, actor: &Actor, bible: &Value) -> Result<(Project, bool)> {
        let importer = Importer {
            tenant_id: actor.tenant.clone(),
            project_id: self.id(),
            user_id: actor.user.clone(),
            at: self.now(),
        };
        let mut fresh = || self.id();
        let world = import(bible, &importer, Ids::Fresh(&mut fresh)).map_err(|error| {
            let problems = error.problems.into_iter();
            EngineError::Invalid(
                problems
                    .map(|one| Problem { pointer: one.pointer, message: one.message })
                    .collect(),
            )
        })?;
        let scope = Scope::new(&actor.tenant, &importer.project_id);
        let event = self.event(actor, &scope, Some(&importer.project_id));
        self.store().create_project(&world, &event)?;
        let unchanged = is_unchanged(bible, &world);
        Ok((world.project, unchanged))
    }
}

fn parsed<T: DeserializeOwned>(documents: Option<Documents>) -> Result<Vec<T>> {
    Ok(documents.unwrap_or_default().parse()?)
}
