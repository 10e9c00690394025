//! `wink.delete_tool_override`

use toolwright_runtime::ask::{Consent, Question};
use toolwright_runtime::{Call, Handle};

use super::{answer, ask_user};
use crate::Wink;
use crate::engine::{Engine, Guards, Mode, Target, ToolReport};
use crate::generated::{
    DeleteToolOverride, DeleteToolOverrideRequest, DeleteToolOverrideResponse, Error, Result,
};

impl Handle<DeleteToolOverride> for Wink {
    async fn handle(
        &self,
        call: &Call,
        request: DeleteToolOverrideRequest,
    ) -> Result<DeleteToolOverrideResponse> {
        let mode = answer::mode(call);
        let target = Target { ns: request.ns, prompt: request.prompt, tag: Some(request.tag) };
        let mut guards = Guards {
            expected_hash: None,
            descriptor_version: request.descriptor_version,
            descriptor_hash: request.descriptor_hash,
            if_content_hash: request.if_content_hash,
        };
        let name = request.tool_name;
        if mode == Mode::Commit && call.may_ask() {
            let (wanted, named, checked) = (target.clone(), name.clone(), guards.clone());
            let doomed =
                self.write(move |engine| doomed(engine, &wanted, &named, &checked)).await?;
            if let Some((question, seen)) = doomed
                && call.consent(&question, Error::Declined).await? == Consent::Given
            {
                guards.if_content_hash = seen;
            }
        }
        let report =
            self.write(move |engine| engine.delete_tool(&target, &name, &guards, mode)).await?;
        Ok(answer::tool_change(report))
    }
}

/// What to ask before the delete, and the content hash of the file that is asked about. None where
/// nothing would be deleted.
fn doomed(
    engine: &Engine,
    target: &Target,
    name: &str,
    guards: &Guards,
) -> Result<Option<(Question, Option<String>)>> {
    let rehearsed = engine.delete_tool(target, name, guards, Mode::DryRun)?;
    let Some(outcome) = rehearsed.outcome.filter(|outcome| outcome.changed) else {
        return Ok(None);
    };
    let seen = engine.get_tool(target, name)?;
    let entry = format!("tool `{}`", seen.tool_name);
    let question = ask_user::question(&entry, &seen.file, &texts(&seen), outcome.file_deleted);
    Ok(Some((question, seen.file.content_hash)))
}

/// The texts of the override, one a line.
fn texts(seen: &ToolReport) -> String {
    let description = seen.override_description.iter().map(|text| format!("description: {text}\n"));
    let params = &seen.override_param_descriptions;
    let params = params.iter().map(|(name, text)| format!("{name}: {text}\n"));
    description.chain(params).collect()
}
