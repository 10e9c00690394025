//! Claude Code: commands, and skills where the config asks for them.

use super::{Places, Renders, Sink};
use crate::config::TargetConfig;
use crate::failure::Result;
use crate::model::Target;

pub(super) fn sinks(config: &TargetConfig, places: Places<'_>) -> Result<Vec<Sink>> {
    let mut sinks = Vec::new();
    let mut add = |name, default, root, in_project, renders| {
        if config.options.flag(name, default) {
            sinks.push(Sink { root, scan_extras: true, in_project, renders });
        }
    };
    if config.scope.has_user() {
        let claude = places.home(Target::ClaudeCode)?.join(".claude");
        add("write_user_commands", true, claude.join("commands"), false, Renders::Commands);
        add("write_user_skills", false, claude.join("skills"), false, Renders::Skills);
    }
    if config.scope.has_project() {
        let claude = places.project.join(".claude");
        add("write_repo_commands", true, claude.join("commands"), true, Renders::Commands);
        add("write_repo_skills", false, claude.join("skills"), true, Renders::Skills);
    }
    Ok(sinks)
}
