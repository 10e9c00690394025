//! `config_settings`: reads or changes how the workspace reviews changes. The user is asked before
//! review is lowered, where the client can.

use toolwright_runtime::ask::{Question, excerpt};
use toolwright_runtime::{Call, HandleGuarded};

use super::super::Yarnnn;
use super::super::engine::Caller;
use super::super::governance::Change;
use crate::generated::{
    ConfigSettings, ConfigSettingsRequest, ConfigSettingsResponse, Error, Result,
};

/// How much of the workspace's name is shown, in characters.
const SHOWN: usize = 100;

impl HandleGuarded<ConfigSettings, Caller> for Yarnnn {
    async fn handle(
        &self,
        call: &Call,
        request: ConfigSettingsRequest,
        caller: Caller,
    ) -> Result<ConfigSettingsResponse> {
        let wanted =
            Change { auto_approve: request.auto_approve, manual_review: request.manual_review };
        let (can_change, workspace) =
            (caller.role.may_change_settings(), caller.workspace.name.clone());
        if call.may_ask() && !wanted.is_read() {
            let asker = caller.clone();
            let would = self.run(move |engine| engine.rehearse_flags(&asker, wanted)).await?;
            if would.changed && would.flags.auto_approve() {
                let question = Question::new(format!(
                    "Lower the review of the workspace “{}”? Small, high-confidence changes would be \
                     applied without a reviewer.",
                    excerpt(&workspace, SHOWN)
                ));
                call.consent(&question, Error::SettingsForbidden).await?;
            }
        }
        let changed = self.run(move |engine| engine.flags(&caller, wanted)).await?;
        Ok(ConfigSettingsResponse {
            auto_approve: changed.flags.auto_approve(),
            manual_review: changed.flags.manual_review(),
            changed: changed.changed,
            can_change,
            workspace,
        })
    }
}
