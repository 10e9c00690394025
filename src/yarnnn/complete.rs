//! Values for shells that complete words: the baskets there are.

use toolwright_commands::Candidate;
use toolwright_runtime::contract::ToolInfo;
use toolwright_runtime::settings::Loaded;

use super::engine::Engine;
use super::setup;
use crate::generated::Settings;

/// Basket ids with their names, of the only workspace; nothing where the database cannot be asked,
/// and no database is made for asking.
pub(super) fn values(loaded: &Loaded, _: &'static ToolInfo, argument: &str) -> Vec<Candidate> {
    if argument != "basket_id" {
        return Vec::new();
    }
    let Ok(settings) = loaded.typed::<Settings>() else { return Vec::new() };
    if settings.database_url.is_none() && !settings.database_file.exists() {
        return Vec::new();
    }
    let Ok(setup) = setup::from_settings(&settings) else { return Vec::new() };
    let engine = Engine::new(setup);
    let baskets = engine.workspace(None).and_then(|workspace| {
        let reader = engine.reader(workspace);
        engine.baskets(&reader)
    });
    let baskets = baskets.unwrap_or_default().into_iter();
    baskets.map(|basket| Candidate { value: basket.id, help: basket.name }).collect()
}
