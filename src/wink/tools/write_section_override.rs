//! `wink.write_section_override`

use toolwright_runtime::{Call, Handle};

use super::answer;
use crate::Wink;
use crate::engine::{Guards, SectionWrite, Target};
use crate::generated::{
    Result, WriteSectionOverride, WriteSectionOverrideRequest, WriteSectionOverrideResponse,
};

impl Handle<WriteSectionOverride> for Wink {
    async fn handle(
        &self,
        call: &Call,
        request: WriteSectionOverrideRequest,
    ) -> Result<WriteSectionOverrideResponse> {
        let mode = answer::mode(call);
        let write = SectionWrite {
            target: Target { ns: request.ns, prompt: request.prompt, tag: Some(request.tag) },
            section_path: request.section_path,
            body: request.body,
            guards: Guards {
                expected_hash: request.expected_hash,
                descriptor_version: request.descriptor_version,
                descriptor_hash: request.descriptor_hash,
                if_content_hash: request.if_content_hash,
            },
        };
        let report = self.write(move |engine| engine.write_section(&write, mode)).await?;
        Ok(answer::section_change(report))
    }
}
