//! `storyGraph.get`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::engine::{GraphPage, Projection};
use super::super::store::Scope;
use super::raw;
use crate::generated::{
    Result, StoryGraphGet, StoryGraphGetRequest, StoryGraphGetRequestProjection,
    StoryGraphGetResponse,
};

impl Handle<StoryGraphGet> for Worldforge {
    async fn handle(
        &self,
        _: &Call,
        request: StoryGraphGetRequest,
    ) -> Result<StoryGraphGetResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let projection = match request.projection {
            StoryGraphGetRequestProjection::Full => Projection::Full,
            StoryGraphGetRequestProjection::Compact => Projection::Compact,
        };
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (limit, offset) = (request.limit.map(number), number(request.offset));
        let page = self.run(move |engine| engine.graph(&scope, projection, limit, offset)).await?;
        let GraphPage { nodes, edges, total, next } = page;
        let next = next.map_or_else(String::new, |next| format!("\"nextOffset\":{next},"));
        let head = format!(",{next}\"nodeTotal\":{total},\"nodes\":");
        // A large story has megabytes: room for all of it at once, so that it is copied once.
        let parts = ["{\"edges\":", &edges, &head, &nodes, "}"];
        raw(Ok(parts.concat()))
    }
}
