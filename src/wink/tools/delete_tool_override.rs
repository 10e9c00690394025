//! `wink.delete_tool_override`

use toolwright_runtime::{Call, Handle};

use super::answer;
use crate::Wink;
use crate::engine::{Guards, Target};
use crate::generated::{
    DeleteToolOverride, DeleteToolOverrideRequest, DeleteToolOverrideResponse, Result,
};

impl Handle<DeleteToolOverride> for Wink {
    async fn handle(
        &self,
        call: &Call,
        request: DeleteToolOverrideRequest,
    ) -> Result<DeleteToolOverrideResponse> {
        let mode = answer::mode(call);
        let target = Target { ns: request.ns, prompt: request.prompt, tag: Some(request.tag) };
        let guards = Guards {
            expected_hash: None,
            descriptor_version: request.descriptor_version,
            descriptor_hash: request.descriptor_hash,
            if_content_hash: request.if_content_hash,
        };
        let name = request.tool_name;
        let report =
            self.write(move |engine| engine.delete_tool(&target, &name, &guards, mode)).await?;
        Ok(answer::tool_change(report))
    }
}
