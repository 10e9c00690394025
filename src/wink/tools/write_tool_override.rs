//! `wink.write_tool_override`

use toolwright_runtime::{Call, Handle};

use super::answer;
use crate::Wink;
use crate::engine::{Guards, Target, ToolWrite};
use crate::generated::{
    Result, WriteToolOverride, WriteToolOverrideRequest, WriteToolOverrideResponse,
};

impl Handle<WriteToolOverride> for Wink {
    async fn handle(
        &self,
        call: &Call,
        request: WriteToolOverrideRequest,
    ) -> Result<WriteToolOverrideResponse> {
        let mode = answer::mode(call);
        let write = ToolWrite {
            target: Target { ns: request.ns, prompt: request.prompt, tag: Some(request.tag) },
            tool_name: request.tool_name,
            description: request.description,
            param_descriptions: request.param_descriptions,
            guards: Guards {
                expected_hash: request.expected_contract_hash,
                descriptor_version: request.descriptor_version,
                descriptor_hash: request.descriptor_hash,
                if_content_hash: request.if_content_hash,
            },
        };
        let report = self.write(move |engine| engine.write_tool(&write, mode)).await?;
        Ok(answer::tool_change(report))
    }
}
