//! `entity.get`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::stored;
use crate::generated::{EntityGet, EntityGetRequest, EntityGetResponse, Result};

impl Handle<EntityGet> for Worldforge {
    async fn handle(&self, _: &Call, request: EntityGetRequest) -> Result<EntityGetResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let entity = self.run(move |engine| engine.entity(&scope, &request.entity_id)).await?;
        stored("entity", &entity)
    }
}
