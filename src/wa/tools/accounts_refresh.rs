//! `wa.accounts_refresh`

use toolwright_runtime::{Call, HandleGuarded};

use super::convert;
use super::policy::Pass;
use crate::engine::Engine;
use crate::generated::{
    AccountChange, AccountError, AccountsRefresh, AccountsRefreshRequest, AccountsRefreshResponse,
    AccountsRefreshed, Result,
};
use crate::{Wa, error, unsigned};

impl HandleGuarded<AccountsRefresh, Pass> for Wa {
    async fn handle(
        &self,
        _: &Call,
        request: AccountsRefreshRequest,
        pass: Pass,
    ) -> Result<AccountsRefreshResponse> {
        self.run(move |engine| pass.settled(engine, refresh(engine, request.service.as_deref())))
            .await
    }
}

fn refresh(engine: &Engine, service: Option<&str>) -> error::Result<AccountsRefreshed> {
    let service = convert::service_argument(service)?;
    let done = engine.records()?.accounts.refresh(service, engine.now())?;
    let changes = done.changes.into_iter().map(|change| AccountChange {
        account_id: change.account_id,
        old_status: change.old_status.as_str().to_owned(),
        new_status: change.new_status.as_str().to_owned(),
        reason: change.reason,
    });
    let errors = done.errors.into_iter().map(|problem| AccountError {
        account_id: problem.account_id,
        error: problem.error,
        error_code: problem.error_code,
    });
    Ok(AccountsRefreshed {
        refreshed_at: unsigned(done.refreshed_at),
        accounts_updated: done.accounts_updated,
        changes: changes.collect(),
        caut_version: done.caut_version,
        errors: errors.collect(),
    })
}
