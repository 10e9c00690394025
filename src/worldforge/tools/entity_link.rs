//! `entity.link`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::model::Relationship;
use super::super::store::Scope;
use super::{actor, answer};
use crate::generated::{EntityLink, EntityLinkRequest, EntityLinkResponse, Result};

impl Handle<EntityLink> for Worldforge {
    async fn handle(&self, call: &Call, request: EntityLinkRequest) -> Result<EntityLinkResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let actor = actor(call, request.tenant_id, request.user_id);
        let (from, expected) = (request.from_entity_id, request.expected_revision);
        let link = Relationship {
            to_entity_id: request.to_entity_id,
            rel_type: request.rel_type,
            note: request.note,
        };
        let entity = self
            .run(move |engine| engine.link_entities(&actor, &scope, &from, &link, expected))
            .await?;
        answer("entity", &entity)
    }
}
