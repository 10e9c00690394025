//! `version.publish`

use toolwright_runtime::ask::{Consent, Question, excerpt};
use toolwright_runtime::{Call, ErrorKind as _, Handle};

use super::super::Worldforge;
use super::super::engine::Doubts;
use super::super::model::ObjectType;
use super::super::store::Scope;
use super::{actor, answer};
use crate::generated::{
    Error, Result, VersionPublish, VersionPublishRequest, VersionPublishRequestObjectType,
    VersionPublishResponse,
};

/// How many findings are shown, the others are counted.
const MOST: usize = 8;
/// How much of a finding is shown, in characters.
const SHOWN: usize = 300;

impl Handle<VersionPublish> for Worldforge {
    async fn handle(
        &self,
        call: &Call,
        request: VersionPublishRequest,
    ) -> Result<VersionPublishResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let actor = actor(call, request.tenant_id, request.user_id);
        let object = match request.object_type {
            VersionPublishRequestObjectType::Entity => ObjectType::Entity,
            VersionPublishRequestObjectType::StoryNode => ObjectType::StoryNode,
        };
        let (id, mut expected) = (request.object_id, request.expected_revision);
        if call.may_ask() {
            let agreed = self.ask(call, &scope, object, &id, expected).await?;
            expected = agreed.or(expected);
        }
        let published =
            self.run(move |engine| engine.publish(&actor, &scope, object, &id, expected)).await?;
        answer("object", &published)
    }
}

impl Worldforge {
    /// Asks the user about the findings. Returns the revision that they agreed to.
    async fn ask(
        &self,
        call: &Call,
        scope: &Scope,
        object: ObjectType,
        id: &str,
        expected: Option<u64>,
    ) -> Result<Option<u64>> {
        let doubts = || {
            let (scope, id) = (scope.clone(), id.to_owned());
            self.run(move |engine| engine.doubts(&scope, object, &id, expected))
        };
        let Some(first) = doubts().await? else { return Ok(None) };
        let question = question(id, &first);
        if call.consent(&question, Error::Forbidden).await? == Consent::Unasked {
            return Ok(None);
        }
        // Other objects count too: what was found must still be what is found.
        let now = doubts().await?;
        if now.as_ref().is_none_or(|now| now.findings != first.findings) {
            let message = "the findings changed while the user was asked; nothing was published";
            return Err(Error::Conflict.because(message));
        }
        Ok(Some(first.revision))
    }
}

fn question(id: &str, doubts: &Doubts) -> Question {
    let Doubts { revision, findings } = doubts;
    let mut message = format!("Publish node {id} over {} findings?", findings.len());
    for issue in findings.iter().take(MOST) {
        message += &format!("\n{}: {}", issue.code, excerpt(&issue.message, SHOWN));
    }
    if findings.len() > MOST {
        message += &format!("\nand {} more", findings.len() - MOST);
    }
    let all = serde_json::to_string(findings).unwrap_or_default();
    Question::new(message).about(format!("{revision} {all}"))
}
