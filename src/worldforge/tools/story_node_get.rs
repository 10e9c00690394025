//! `storyNode.get`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::stored;
use crate::generated::{Result, StoryNodeGet, StoryNodeGetRequest, StoryNodeGetResponse};

impl Handle<StoryNodeGet> for Worldforge {
    async fn handle(&self, _: &Call, request: StoryNodeGetRequest) -> Result<StoryNodeGetResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        stored("node", &self.run(move |engine| engine.node(&scope, &request.node_id)).await?)
    }
}
