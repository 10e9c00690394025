//! `project.get`

use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use super::super::store::Scope;
use super::answer;
use crate::generated::{ProjectGet, ProjectGetRequest, ProjectGetResponse, Result};

impl Handle<ProjectGet> for Worldforge {
    async fn handle(&self, _: &Call, request: ProjectGetRequest) -> Result<ProjectGetResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        answer("project", &self.run(move |engine| engine.project(&scope)).await?)
    }
}
