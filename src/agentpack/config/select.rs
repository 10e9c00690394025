//! Which modules and which targets a call is about.

use toolwright_runtime::ErrorKind;

use super::{Config, Module, target_unsupported};
use crate::failure::{self, Result};
use crate::generated::Error;
use crate::model::Target;

/// The modules of a profile, sorted by id.
pub fn selected_modules<'a>(config: &'a Config, profile: &str) -> Result<Vec<&'a Module>> {
    let Some(chosen) = config.profiles.get(profile) else {
        let known: Vec<&String> = config.profiles.keys().collect();
        let near = toolwright_runtime::suggest::nearest(profile, known.iter().map(|n| n.as_str()));
        let question = near.map_or_else(String::new, |name| format!(" Did you mean `{name}`?"));
        return Err(Error::ProfileUnknown
            .because(format!(
                "There is no profile `{profile}` in `{}`.{question}",
                config.path.display()
            ))
            .with("profile", profile)
            .with("allowed", known)
            .with("path", &config.path));
    };
    let mut modules: Vec<&Module> = config
        .modules
        .iter()
        .filter(|module| {
            let tagged = module.tags.iter().any(|tag| chosen.include_tags.contains(tag));
            module.enabled
                && !chosen.exclude_modules.contains(&module.id)
                && (tagged || chosen.include_modules.contains(&module.id))
        })
        .collect();
    modules.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(modules)
}

/// The targets of a call, sorted by name: the asked one, or all that are configured. Targets that
/// only upstream knows fail a call about all targets, and are a warning otherwise.
pub fn selected_targets(
    config: &Config,
    asked: Option<Target>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Target>> {
    let Some(target) = asked else {
        if let Some(name) = config.foreign_targets.first() {
            let configured: Vec<&str> = config.targets.keys().map(|t| t.as_str()).collect();
            return Err(target_unsupported(name, None)
                .hint(format!(
                    "Remove `targets.{name}` from `{}`, or choose one target: {}.",
                    config.path.display(),
                    configured.join(", ")
                ))
                .with("missing", &config.foreign_targets)
                .with("compiled", Target::ALL));
        }
        return Ok(config.targets.keys().copied().collect());
    };
    if !config.targets.contains_key(&target) {
        let name = target.as_str();
        let hint = "Add the target under `targets:` in agentpack.yaml.";
        let what = format!("targets: the target `{name}` is not configured");
        return Err(failure::config(&config.path, what)
            .hint(hint)
            .with("target", name)
            .with("hint", hint));
    }
    warnings.extend(config.foreign_targets.iter().map(|name| {
        format!("the target `{name}` of agentpack.yaml is not supported here and is left out")
    }));
    Ok(vec![target])
}
