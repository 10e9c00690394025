//! `wa.accounts`

use toolwright_runtime::{Call, Handle};

use super::convert;
use crate::engine::Engine;
use crate::generated::{
    Account, AccountList, AccountService, AccountStatus, Accounts, AccountsRequest,
    AccountsResponse, Result, Usage,
};
use crate::{Wa, accounts, error, unsigned};

impl Handle<Accounts> for Wa {
    async fn handle(&self, _: &Call, request: AccountsRequest) -> Result<AccountsResponse> {
        self.run(move |engine| list(engine, request.service.as_deref())).await
    }
}

fn list(engine: &Engine, service: Option<&str>) -> error::Result<AccountList> {
    let service = convert::service_argument(service)?;
    let listing = engine.records()?.accounts.list(service, engine.now())?;
    Ok(AccountList {
        accounts: listing.accounts.into_iter().map(account).collect(),
        last_refresh: listing.last_refresh.map(unsigned),
        selected_account: listing.selected,
        selection_reason: listing.reason,
    })
}

fn account(account: accounts::Account) -> Account {
    let usage = Usage {
        percent_remaining: account.percent_remaining,
        limit_type: account.limit_type,
        resets_at: account.resets_at.map(unsigned),
        current_usage: account.current_usage,
    };
    Account {
        id: account.id,
        service: match account.service {
            accounts::Service::Openai => AccountService::Openai,
            accounts::Service::Anthropic => AccountService::Anthropic,
            accounts::Service::Google => AccountService::Google,
        },
        label: account.label,
        status: convert::convert_enum(account.status.as_str()).unwrap_or(AccountStatus::Unknown),
        usage: (usage != Usage::default()).then_some(usage),
        last_used_at: account.last_used_at.map(unsigned),
        auth_expires_at: account.auth_expires_at.map(unsigned),
    }
}
