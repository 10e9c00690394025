//! `wink.delete_section_override`

use toolwright_runtime::{Call, Handle};

use super::answer;
use crate::Wink;
use crate::engine::{Guards, Target};
use crate::generated::{
    DeleteSectionOverride, DeleteSectionOverrideRequest, DeleteSectionOverrideResponse, Result,
};

impl Handle<DeleteSectionOverride> for Wink {
    async fn handle(
        &self,
        call: &Call,
        request: DeleteSectionOverrideRequest,
    ) -> Result<DeleteSectionOverrideResponse> {
        let mode = answer::mode(call);
        let target = Target { ns: request.ns, prompt: request.prompt, tag: Some(request.tag) };
        let guards = Guards {
            expected_hash: None,
            descriptor_version: request.descriptor_version,
            descriptor_hash: request.descriptor_hash,
            if_content_hash: request.if_content_hash,
        };
        let path = request.section_path;
        let report =
            self.write(move |engine| engine.delete_section(&target, &path, &guards, mode)).await?;
        Ok(answer::section_change(report))
    }
}
