//! `export.shotPromptPack`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::answer;
use crate::generated::{
    ExportShotPromptPack, ExportShotPromptPackRequest, ExportShotPromptPackResponse, Result,
};

impl Handle<ExportShotPromptPack> for Worldforge {
    async fn handle(
        &self,
        _: &Call,
        request: ExportShotPromptPackRequest,
    ) -> Result<ExportShotPromptPackResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let chapter = request.chapter_node_id;
        let packs =
            self.run(move |engine| engine.shot_prompt_pack(&scope, chapter.as_deref())).await?;
        answer("json", &packs)
    }
}
