//! `version.publish`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::model::ObjectType;
use super::super::store::Scope;
use super::{actor, answer};
use crate::generated::{
    Result, VersionPublish, VersionPublishRequest, VersionPublishRequestObjectType,
    VersionPublishResponse,
};

impl Handle<VersionPublish> for Worldforge {
    async fn handle(
        &self,
        call: &Call,
        request: VersionPublishRequest,
    ) -> Result<VersionPublishResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let actor = actor(call, request.tenant_id, request.user_id);
        let object = match request.object_type {
            VersionPublishRequestObjectType::Entity => ObjectType::Entity,
            VersionPublishRequestObjectType::StoryNode => ObjectType::StoryNode,
        };
        let (id, expected) = (request.object_id, request.expected_revision);
        let published =
            self.run(move |engine| engine.publish(&actor, &scope, object, &id, expected)).await?;
        answer("object", &published)
    }
}
