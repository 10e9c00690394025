//! `config_settings`: reads or changes how the workspace reviews changes.

use toolwright_runtime::{Call, HandleGuarded};

use super::super::Yarnnn;
use super::super::engine::Caller;
use super::super::governance::Change;
use crate::generated::{ConfigSettings, ConfigSettingsRequest, ConfigSettingsResponse, Result};

impl HandleGuarded<ConfigSettings, Caller> for Yarnnn {
    async fn handle(
        &self,
        _: &Call,
        request: ConfigSettingsRequest,
        caller: Caller,
    ) -> Result<ConfigSettingsResponse> {
        let wanted =
            Change { auto_approve: request.auto_approve, manual_review: request.manual_review };
        let (can_change, workspace) =
            (caller.role.may_change_settings(), caller.workspace.name.clone());
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
