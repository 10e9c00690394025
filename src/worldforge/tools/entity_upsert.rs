//! `entity.upsert`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::{actor, answer, object};
use crate::generated::{EntityUpsert, EntityUpsertRequest, EntityUpsertResponse, Result};

impl Handle<EntityUpsert> for Worldforge {
    async fn handle(
        &self,
        call: &Call,
        request: EntityUpsertRequest,
    ) -> Result<EntityUpsertResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let actor = actor(call, request.tenant_id, request.user_id);
        let (fields, expected) = (object(request.entity), request.expected_revision);
        let entity =
            self.run(move |engine| engine.upsert_entity(&actor, &scope, &fields, expected)).await?;
        answer("entity", &entity)
    }
}
