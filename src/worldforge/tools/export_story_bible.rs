//! `export.storyBible`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::answer;
use crate::generated::{
    ExportStoryBible, ExportStoryBibleRequest, ExportStoryBibleResponse, Result,
};

impl Handle<ExportStoryBible> for Worldforge {
    async fn handle(
        &self,
        _: &Call,
        request: ExportStoryBibleRequest,
    ) -> Result<ExportStoryBibleResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        answer("json", &self.run(move |engine| engine.story_bible(&scope)).await?)
    }
}
