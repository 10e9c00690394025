//! Shell completion values: tenants, users and projects.

use toolwright_commands::Candidate;
use toolwright_runtime::contract::ToolInfo;
use toolwright_runtime::settings::Loaded;

use super::engine::{Engine, Result};
use super::model::Tenant;
use super::setup;
use crate::generated::Settings;

/// Ids with names; nothing if the store cannot be reached. Creates no store.
pub(super) fn values(loaded: &Loaded, _: &'static ToolInfo, argument: &str) -> Vec<Candidate> {
    let Ok(settings) = loaded.typed::<Settings>() else { return Vec::new() };
    if settings.database_url.is_none() && !setup::database_file(&settings).exists() {
        return Vec::new();
    }
    let Ok(setup) = setup::from_settings(&settings) else { return Vec::new() };
    let engine = Engine::new(setup);
    found(&engine, argument).unwrap_or_default()
}

fn found(engine: &Engine, argument: &str) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    for Tenant { id, name, .. } in engine.tenants()? {
        match argument {
            "tenantId" => candidates.push(candidate(id, name)),
            "userId" => {
                let users = engine.users(&id)?.into_iter();
                candidates.extend(users.map(|user| candidate(user.id, user.email)));
            }
            "projectId" => {
                let projects = engine.projects(&id)?.into_iter();
                candidates.extend(projects.map(|project| candidate(project.id, project.title)));
            }
            _ => {}
        }
    }
    Ok(candidates)
}

fn candidate(value: String, help: String) -> Candidate {
    Candidate { value, help }
}
