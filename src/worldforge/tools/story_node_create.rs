//! `storyNode.create`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::{actor, answer, object};
use crate::generated::{Result, StoryNodeCreate, StoryNodeCreateRequest, StoryNodeCreateResponse};

impl Handle<StoryNodeCreate> for Worldforge {
    async fn handle(
        &self,
        call: &Call,
        request: StoryNodeCreateRequest,
    ) -> Result<StoryNodeCreateResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let actor = actor(call, request.tenant_id, request.user_id);
        let fields = object(request.node);
        answer("node", &self.run(move |engine| engine.create_node(&actor, &scope, &fields)).await?)
    }
}
