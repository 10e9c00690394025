//! `prompt.compose`: the prompt pack of a node, composed once per input.

use super::{Actor, Edit, Engine, EngineError, Result};
use crate::compose::{Target, compose};
use crate::continuity;
use crate::model::PromptPack;
use crate::store::{Change, Scope};

impl Engine {
    /// The pack of a node; the stored one if its input was the same.
    pub fn compose(
        &self,
        actor: &Actor,
        scope: &Scope,
        node: &str,
        max_chars: Option<usize>,
    ) -> Result<PromptPack> {
        let project = self.project(scope)?;
        let target = match max_chars {
            Some(most) => Target::HIGGSFIELD.with_max_chars(most),
            None => Target::HIGGSFIELD,
        };
        self.edit(actor, scope, |_| {
            let composition = self.stories.with(self.store(), scope, |_, story| {
                // Prompts do not depend on the reader's language.
                let issues = continuity::check(story, node, Default::default());
                compose(&project, story, node, &issues, target)
                    .ok_or_else(|| EngineError::missing("story node"))
            })?;
            let known = self.store().pack_by_input(scope, node, &composition.input_hash)?;
            if let Some(pack) = known {
                let object = pack.id.clone();
                return Ok(Edit { done: pack, changes: Vec::new(), object });
            }
            let (id, at, by) = (self.id(), self.now(), actor.user.clone());
            let pack = composition.into_pack(&project, node, id, at, by);
            let object = pack.id.clone();
            Ok(Edit { done: pack.clone(), changes: vec![Change::Pack(pack)], object })
        })
    }
}
