//! `storyEdge.create`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::engine::NewEdge;
use super::super::model::EdgeType as Kind;
use super::super::store::Scope;
use super::{actor, answer};
use crate::generated::{
    EdgeType, Result, StoryEdgeCreate, StoryEdgeCreateRequest, StoryEdgeCreateResponse,
};

impl Handle<StoryEdgeCreate> for Worldforge {
    async fn handle(
        &self,
        call: &Call,
        request: StoryEdgeCreateRequest,
    ) -> Result<StoryEdgeCreateResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let actor = actor(call, request.tenant_id, request.user_id);
        let edge = NewEdge {
            from: request.edge.from_node_id,
            to: request.edge.to_node_id,
            kind: kind(request.edge.edge_type),
            conditions: request.edge.conditions,
            notes: request.edge.notes,
        };
        answer("edge", &self.run(move |engine| engine.create_edge(&actor, &scope, &edge)).await?)
    }
}

fn kind(kind: EdgeType) -> Kind {
    match kind {
        EdgeType::Linear => Kind::Linear,
        EdgeType::Branch => Kind::Branch,
        EdgeType::Choice => Kind::Choice,
        EdgeType::Flashback => Kind::Flashback,
        EdgeType::Timejump => Kind::Timejump,
    }
}
