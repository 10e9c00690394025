//! wa's rows for `toolwright doctor`: those of `wa doctor`, but without opening the database, which
//! would create it.

use toolwright_commands::Private;
use toolwright_platform::health::{self, Verdict};
use toolwright_runtime::settings::Loaded;

use super::admin::doctor::{self, Row};
use super::engine::Engine;
use super::model::ActorKind;
use super::store::FILE;
use super::{setup, workflow};

/// Runs the checks; changes nothing.
pub(super) fn run(loaded: &Loaded) -> Vec<health::Row> {
    let Ok(settings) = loaded.typed() else { return Vec::new() };
    let engine = Engine::new(setup::from_settings(&settings, ActorKind::Human));
    let mut rows = toolwright_platform::sqlite::doctor_rows(&engine.folder().join(FILE));
    let backends = match engine.backends() {
        Ok(set) => doctor::backends(&set),
        Err(error) => vec![doctor::failed("backends", &error)],
    };
    let options = &engine.setup.workflows;
    let workflows = workflow::listed(engine.folder(), engine.patterns(), options);
    rows.extend(backends.into_iter().chain(doctor::files(&engine, Ok(workflows))).map(row));
    rows
}

/// Everything in the workspace's folder: recorded panes, approvals, rules.
pub(super) fn private(loaded: &Loaded) -> Vec<Private> {
    let Ok(settings) = loaded.typed() else { return Vec::new() };
    vec![Private::Below(setup::from_settings(&settings, ActorKind::Human).folder)]
}

fn row(row: Row) -> health::Row {
    let verdict = if row.ok { Verdict::Good } else { Verdict::Bad };
    health::Row { verdict, remedy: row.remedy, ..health::Row::good(row.what, row.found) }
}
