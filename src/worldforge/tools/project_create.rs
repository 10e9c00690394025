//! `project.create`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::{actor, answer};
use crate::generated::{ProjectCreate, ProjectCreateRequest, ProjectCreateResponse, Result};

impl Handle<ProjectCreate> for Worldforge {
    async fn handle(
        &self,
        call: &Call,
        request: ProjectCreateRequest,
    ) -> Result<ProjectCreateResponse> {
        let actor = actor(call, request.tenant_id, request.user_id);
        let (title, logline, style) = (request.title, request.logline, request.style_bible);
        let project =
            self.run(move |engine| engine.create_project(&actor, &title, &logline, style)).await?;
        answer("project", &project)
    }
}
