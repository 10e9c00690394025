//! VS Code: instructions and prompts for Copilot, in projects only.

use super::{Places, Renders, Sink};
use crate::config::TargetConfig;

/// The file name suffix that VS Code expects of prompts.
const PROMPT_SUFFIX: &str = ".prompt.md";

pub(super) fn sinks(config: &TargetConfig, places: Places<'_>) -> Vec<Sink> {
    let mut sinks = Vec::new();
    if !config.scope.has_project() {
        return sinks;
    }
    let github = places.project.join(".github");
    if config.options.flag("write_instructions", true) {
        sinks.push(Sink {
            root: github.clone(),
            scan_extras: false,
            in_project: true,
            renders: Renders::Instructions("copilot-instructions.md"),
        });
    }
    if config.options.flag("write_prompts", true) {
        sinks.push(Sink {
            root: github.join("prompts"),
            scan_extras: true,
            in_project: true,
            renders: Renders::PromptFiles,
        });
    }
    sinks
}

/// `x.md` becomes `x.prompt.md`; what already ends so stays.
pub(crate) fn prompt_name(file_name: &str) -> String {
    if file_name.ends_with(PROMPT_SUFFIX) {
        return file_name.to_owned();
    }
    format!("{}{PROMPT_SUFFIX}", file_name.strip_suffix(".md").unwrap_or(file_name))
}
