//! `entity.search`

use toolwright_runtime::page::{budget_bytes, fitting};
use toolwright_runtime::{Call, Handle, Tool as _};

use super::super::Worldforge;
use super::super::model::EntityType as Kind;
use super::super::store::{Scope, Search};
use super::raw;
use crate::generated::{
    EntitySearch, EntitySearchRequest, EntitySearchResponse, EntityType, Result,
};

/// What an answer needs beside its items, in bytes.
const AROUND: usize = 100;

impl Handle<EntitySearch> for Worldforge {
    async fn handle(&self, _: &Call, request: EntitySearchRequest) -> Result<EntitySearchResponse> {
        let scope = Scope::new(&request.tenant_id, &request.project_id);
        let search = Search {
            query: request.query,
            kind: request.type_.map(kind),
            limit: u32::try_from(request.limit).unwrap_or(u32::MAX),
            offset: request.offset,
        };
        let page = self.run(move |engine| engine.search(&scope, &search)).await?;
        // As many as the tool's budget takes; the rest is behind the next offset.
        let room = budget_bytes(EntitySearch::INFO.budget.result_tokens).saturating_sub(AROUND);
        let fit = fitting(page.items.iter().map(|item| item.len() + 1), room);
        let total = page.total;
        if fit == page.items.len() {
            return raw(Ok(format!("{{\"items\":{},\"total\":{total}}}", page.items.as_array())));
        }
        let items: Vec<&str> = page.items.iter().take(fit).collect();
        raw(Ok(format!("{{\"items\":[{}],\"total\":{total}}}", items.join(","))))
    }
}

fn kind(kind: EntityType) -> Kind {
    match kind {
        EntityType::Character => Kind::Character,
        EntityType::Location => Kind::Location,
        EntityType::Faction => Kind::Faction,
        EntityType::Item => Kind::Item,
        EntityType::Rule => Kind::Rule,
        EntityType::Lore => Kind::Lore,
    }
}
