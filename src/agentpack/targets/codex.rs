//! Codex: instructions, prompts and skills below its own home; instructions and skills in projects.

use std::path::PathBuf;

use super::{Places, Renders, Sink};
use crate::config::TargetConfig;
use crate::failure::Result;
use crate::model::Target;
use crate::paths::{expand_home, normal};

pub(super) fn sinks(config: &TargetConfig, places: Places<'_>) -> Result<Vec<Sink>> {
    let on = |name| config.options.flag(name, true);
    // The place where newer versions look; without it, the one that upstream writes.
    let skills_dir = config.options.text("skills_dir");
    let mut sinks = Vec::new();
    if config.scope.has_user() {
        let home = codex_home(config, places)?;
        let mut add = |name, root, scan_extras, renders| {
            if on(name) {
                sinks.push(Sink { root, scan_extras, in_project: false, renders });
            }
        };
        add("write_agents_global", home.clone(), false, Renders::Instructions("AGENTS.md"));
        add("write_user_prompts", home.join("prompts"), true, Renders::Prompts);
        let skills = match skills_dir {
            Some(dir) => places.home(Target::Codex)?.join(dir),
            None => home.join("skills"),
        };
        add("write_user_skills", skills, true, Renders::Skills);
    }
    if config.scope.has_project() {
        let mut add = |name, root, scan_extras, renders| {
            if on(name) {
                sinks.push(Sink { root, scan_extras, in_project: true, renders });
            }
        };
        let project = places.project;
        let agents = Renders::Instructions("AGENTS.md");
        add("write_agents_repo_root", project.to_owned(), false, agents);
        let skills = project.join(skills_dir.unwrap_or(".codex/skills"));
        add("write_repo_skills", skills, true, Renders::Skills);
    }
    Ok(sinks)
}

/// The option, else `CODEX_HOME`, else `~/.codex`. Relative ones start at the current directory.
fn codex_home(config: &TargetConfig, places: Places<'_>) -> Result<PathBuf> {
    let environment = places.environment;
    let given = config.options.text("codex_home").or_else(|| environment.var("CODEX_HOME"));
    match given {
        Some(given) => {
            let path = expand_home(given, environment.home.as_deref());
            Ok(normal(&environment.cwd.join(path)))
        }
        None => Ok(places.home(Target::Codex)?.join(".codex")),
    }
}
