//! `wink.get_tool_override`

use toolwright_runtime::{Call, Handle};

use super::answer;
use crate::Wink;
use crate::engine::Target;
use crate::generated::{GetToolOverride, GetToolOverrideRequest, GetToolOverrideResponse, Result};

impl Handle<GetToolOverride> for Wink {
    async fn handle(
        &self,
        _: &Call,
        request: GetToolOverrideRequest,
    ) -> Result<GetToolOverrideResponse> {
        let target = Target { ns: request.ns, prompt: request.prompt, tag: Some(request.tag) };
        let name = request.tool_name;
        let report = self.read(move |engine| engine.get_tool(&target, &name)).await?;
        Ok(answer::tool(report))
    }
}
