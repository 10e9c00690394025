//! `entity.get` in a world of some entities.

use serde_json::Value;

use super::Subject;
use crate::Result;
use crate::program::Program;
use crate::programs::Programs;
use crate::worldforge::world::{Studied, crowd};

const ENTITIES: usize = 1_000;

/// A world, and the entity that is read.
pub(super) struct Entity {
    studied: Studied,
    id: String,
    expected: String,
}

impl Entity {
    pub(super) fn new() -> Result<Self> {
        let studied = Studied::new("overhead-entity", crowd(ENTITIES))?;
        let entity = studied.world.entities.get(ENTITIES / 2).ok_or("the world is empty")?;
        let (id, expected) = (entity.id.clone(), format!("\"name\":\"{}\"", entity.name));
        Ok(Self { studied, id, expected })
    }
}

impl Subject for Entity {
    fn tool(&self) -> &'static str {
        "entity.get"
    }

    fn program(&self, programs: &Programs) -> Program {
        self.studied.program(&programs.worldforge)
    }

    fn arguments(&self) -> Value {
        self.studied.arguments(serde_json::json!({"entityId": self.id}))
    }

    fn expected(&self) -> &str {
        &self.expected
    }

    fn in_engine(&self) -> Result<()> {
        let text = self.studied.entity(&self.id)?;
        if text.contains(&self.id) { Ok(()) } else { Err("another entity".into()) }
    }
}
