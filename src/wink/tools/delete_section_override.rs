//! `wink.delete_section_override`

use toolwright_runtime::ask::{Consent, Question};
use toolwright_runtime::{Call, Handle};

use super::{answer, ask_user};
use crate::Wink;
use crate::engine::{Engine, Guards, Mode, Target};
use crate::generated::{
    DeleteSectionOverride, DeleteSectionOverrideRequest, DeleteSectionOverrideResponse, Error,
    Result,
};

impl Handle<DeleteSectionOverride> for Wink {
    async fn handle(
        &self,
        call: &Call,
        request: DeleteSectionOverrideRequest,
    ) -> Result<DeleteSectionOverrideResponse> {
        let mode = answer::mode(call);
        let target = Target { ns: request.ns, prompt: request.prompt, tag: Some(request.tag) };
        let mut guards = Guards {
            expected_hash: None,
            descriptor_version: request.descriptor_version,
            descriptor_hash: request.descriptor_hash,
            if_content_hash: request.if_content_hash,
        };
        let path = request.section_path;
        if mode == Mode::Commit && call.may_ask() {
            let (wanted, named, checked) = (target.clone(), path.clone(), guards.clone());
            let doomed =
                self.write(move |engine| doomed(engine, &wanted, &named, &checked)).await?;
            if let Some((question, seen)) = doomed
                && call.consent(&question, Error::Declined).await? == Consent::Given
            {
                guards.if_content_hash = seen;
            }
        }
        let report =
            self.write(move |engine| engine.delete_section(&target, &path, &guards, mode)).await?;
        Ok(answer::section_change(report))
    }
}

/// What to ask before the delete, and the content hash of the file that is asked about. None where
/// nothing would be deleted.
fn doomed(
    engine: &Engine,
    target: &Target,
    path: &str,
    guards: &Guards,
) -> Result<Option<(Question, Option<String>)>> {
    let rehearsed = engine.delete_section(target, path, guards, Mode::DryRun)?;
    let Some(outcome) = rehearsed.outcome.filter(|outcome| outcome.changed) else {
        return Ok(None);
    };
    let seen = engine.get_section(target, path)?;
    let entry = format!("section `{}`", seen.section_path);
    let text = seen.override_body.as_deref().unwrap_or_default();
    let question = ask_user::question(&entry, &seen.file, text, outcome.file_deleted);
    Ok(Some((question, seen.file.content_hash)))
}
