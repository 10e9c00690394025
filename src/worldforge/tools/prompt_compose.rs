//! `prompt.compose`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::{actor, answer};
use crate::generated::{PromptCompose, PromptComposeRequest, PromptComposeResponse, Result};

impl Handle<PromptCompose> for Worldforge {
    async fn handle(
        &self,
        call: &Call,
        request: PromptComposeRequest,
    ) -> Result<PromptComposeResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let actor = actor(call, request.tenant_id, request.user_id);
        let most = request.max_chars.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        let pack =
            self.run(move |engine| engine.compose(&actor, &scope, &request.node_id, most)).await?;
        answer("promptPack", &pack)
    }
}
