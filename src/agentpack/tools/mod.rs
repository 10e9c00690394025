//! The tools, one file each: typed request in, engine call, typed answer out.

mod answer;
mod ask_user;
mod deploy;
mod deploy_apply;
mod diff;
mod doctor;
mod evolve_propose;
mod evolve_restore;
mod explain;
mod plan;
mod preview;
mod rollback;
mod snapshot;
mod status;

use std::path::PathBuf;

use crate::model::Target;
use crate::workspace::Selection;

/// What a call is about, from the arguments that most tools share. `all` is no target.
fn selection(
    repo: Option<String>,
    profile: String,
    target: &str,
    machine: Option<String>,
) -> Selection {
    Selection { repo: repo.map(PathBuf::from), profile, target: Target::from_name(target), machine }
}
