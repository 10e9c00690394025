//! Composes the shot prompts of a story node from the template `CINEMATIC_V1`.
//!
//! The same world gives the same text: no clock, no randomness, no map order. All input goes through
//! one `Scene`, whose hash is the input hash. Knows no store and no tool.

mod camera;
mod facts;
mod prompt;
mod scene;
mod shots;
mod text;
mod visual_style;

#[cfg(test)]
pub(crate) mod random_worlds;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use serde::Serialize;

use self::scene::Scene;
use self::text::distinct;
use crate::canonical;
use crate::model::{Id, Issue, Millis, Project, PromptPack, Shot};
use crate::story::Story;

/// Name of the template.
pub const TEMPLATE: &str = "CINEMATIC_V1";
/// Increases when the same input would give different text.
pub const TEMPLATE_REVISION: u32 = 1;

/// The video model that prompts are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Longest prompt that it is given, in characters.
    pub max_chars: usize,
}

impl Target {
    /// The one that the template is written for.
    pub const HIGGSFIELD: Self = Self { name: "HIGGSFIELD", max_chars: 2000 };
    /// Limits every prompt to so many characters.
    pub const LEAST_CHARS: usize = 600;

    /// The same for a model that takes other lengths; never below [`Self::LEAST_CHARS`].
    #[must_use]
    pub fn with_max_chars(self, max_chars: usize) -> Self {
        Self { max_chars: max_chars.max(Self::LEAST_CHARS), ..self }
    }
}

/// Shots of a node, before they have an id and an author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composition {
    /// What they are for.
    pub target: Target,
    /// SHA-256 of all input.
    pub input_hash: String,
    /// In order, A before B.
    pub shots: Vec<Shot>,
    /// What to keep from shot to shot, and what the continuity check found.
    pub continuity_notes: Vec<String>,
}

impl Composition {
    /// The pack of a node of this project.
    pub fn into_pack(
        self,
        project: &Project,
        node_id: &str,
        id: Id,
        created_at: Millis,
        created_by: Id,
    ) -> PromptPack {
        PromptPack {
            id,
            tenant_id: project.tenant_id.clone(),
            project_id: project.id.clone(),
            node_id: node_id.to_owned(),
            target: self.target.name.to_owned(),
            template: TEMPLATE.to_owned(),
            template_revision: TEMPLATE_REVISION,
            input_hash: self.input_hash,
            shots: self.shots,
            continuity_notes: self.continuity_notes,
            created_at,
            created_by,
        }
    }
}

/// Composes the shots of a node; `None` where the story has no such node. `issues` is what the
/// continuity check says about it.
pub fn compose(
    project: &Project,
    story: &Story,
    node_id: &str,
    issues: &[Issue],
    target: Target,
) -> Option<Composition> {
    let node = story.node(node_id)?;
    let scene = Scene::of(project, story, node, issues, target);
    let plans = shots::plan(&scene);
    let shots =
        plans.iter().zip(1..).flat_map(|(plan, number)| prompt::shots(&scene, plan, number));
    Some(Composition {
        target,
        input_hash: canonical::hash(&scene),
        shots: shots.collect(),
        continuity_notes: notes(&scene),
    })
}

/// One line for each lock, then what the check found.
fn notes(scene: &Scene) -> Vec<String> {
    let mut notes = Vec::new();
    for subject in &scene.cast {
        if !subject.identity.is_empty() {
            notes.push(format!("Keep {}: {}", subject.name, subject.identity));
        }
        let facts = prompt::subject_facts(scene, subject);
        notes.extend(facts.into_iter().map(|fact| format!("Keep: {fact}")));
    }
    for place in scene.places.iter().filter(|place| !place.facts.is_empty()) {
        notes.push(format!("Keep {}: {}", place.name, place.facts.join(", ")));
    }
    notes.extend(scene.items.iter().filter_map(prompt::gone).map(|fact| format!("Keep: {fact}")));
    notes.extend(scene.warnings.iter().cloned());
    distinct(notes)
}
