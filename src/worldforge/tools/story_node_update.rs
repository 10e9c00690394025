//! `storyNode.update`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::{actor, answer, object};
use crate::generated::{Result, StoryNodeUpdate, StoryNodeUpdateRequest, StoryNodeUpdateResponse};

impl Handle<StoryNodeUpdate> for Worldforge {
    async fn handle(
        &self,
        call: &Call,
        request: StoryNodeUpdateRequest,
    ) -> Result<StoryNodeUpdateResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let actor = actor(call, request.tenant_id, request.user_id);
        let (id, patch, expected) =
            (request.node_id, object(request.patch), request.expected_revision);
        let node = self
            .run(move |engine| engine.update_node(&actor, &scope, &id, &patch, expected))
            .await?;
        answer("node", &node)
    }
}
