//! A sample world: *O Relógio das Marés*, a branching story of a port whose tides obey a clock.
//!
//! It has chapters, a choice, a branch that depends on it, a flashback, a time jump, a death, travel,
//! items that change hands, an injury, knowledge, promises, rules and two endings, and no
//! contradiction. [`planted`] adds one contradiction for every continuity code. Ids are always the
//! same. Knows no store.

mod build;
mod entities;
mod planted;
mod story;
#[cfg(test)]
mod tests;

use serde_json::json;

pub use planted::{Planted, planted};

use crate::model::{Entity, Id, Millis, Project, StoryEdge, StoryNode};
use build::WorldBuilder;

/// A world that can be created in any tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct Demo {
    /// The world.
    pub project: Project,
    /// Who and what is in it.
    pub entities: Vec<Entity>,
    /// Its story.
    pub nodes: Vec<StoryNode>,
    /// The ways through it.
    pub edges: Vec<StoryEdge>,
}

/// The sample world for a tenant, by a user, at a time. Everything is a draft.
pub fn sample(tenant_id: &str, user_id: &str, at: Millis) -> Demo {
    let builder = WorldBuilder::new(tenant_id, user_id, at);
    Demo {
        project: project(&builder),
        entities: entities::entities(&builder),
        nodes: story::nodes(&builder),
        edges: story::edges(&builder),
    }
}

fn project(builder: &WorldBuilder) -> Project {
    let style = json!({
        "visualStyle": "realismo poético, textura de sal e névoa",
        "palette": ["verde-garrafa", "cobre oxidado", "branco de sal"],
        "lighting": "luz rasante do amanhecer, lampiões a óleo",
        "cameraDefaults": {
            "lenses": ["24mm", "35mm", "50mm"],
            "movement": ["dolly lento", "câmera na mão contida"],
            "framing": ["plano aberto", "plano médio"],
        },
        "filmGrain": "grão fino",
        "aspectRatio": "2.39:1",
        "fps": 24,
        "negative": ["navios modernos"],
    });
    Project {
        id: builder.project_id.clone(),
        tenant_id: builder.tenant_id.clone(),
        title: "O Relógio das Marés".to_owned(),
        logline: "Quando o relógio que governa as marés para, uma cartógrafa precisa escolher \
                  entre dar corda ao mundo e deixar o mar decidir."
            .to_owned(),
        style_bible: style.as_object().cloned().unwrap_or_default(),
        created_at: builder.at,
    }
}

/// The id of a node of the sample world by its number; chapters have 101 to 104.
pub fn node_id(number: u32) -> Id {
    build::id(build::NODE, number)
}
