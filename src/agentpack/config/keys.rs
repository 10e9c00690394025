//! Unknown keys of `agentpack.yaml`: accepted, as upstream does, but reported.

use serde_yaml::Value;

const TOP: &[&str] = &["version", "profiles", "targets", "modules"];
const PROFILE: &[&str] = &["include_tags", "include_modules", "exclude_modules"];
const TARGET: &[&str] = &["mode", "scope", "options"];
const MODULE: &[&str] = &["id", "type", "enabled", "tags", "targets", "source", "metadata"];
const SOURCE: &[&str] = &["local_path", "git"];
const LOCAL: &[&str] = &["path"];
const GIT: &[&str] = &["url", "ref", "subdir", "shallow"];
const OPTIONS: &[&str] = &[
    "codex_home",
    "skills_dir",
    "write_agents_global",
    "write_agents_repo_root",
    "write_instructions",
    "write_prompts",
    "write_repo_commands",
    "write_repo_skills",
    "write_rules",
    "write_user_commands",
    "write_user_prompts",
    "write_user_skills",
];

/// One line per unknown key, in the order of the file.
pub(super) fn unknown(config: &Value) -> Vec<String> {
    let mut found = Vec::new();
    look(config, "", TOP, &mut found);
    for (name, profile) in entries(config.get("profiles")) {
        look(profile, &format!("profiles.{name}."), PROFILE, &mut found);
    }
    for (name, target) in entries(config.get("targets")) {
        look(target, &format!("targets.{name}."), TARGET, &mut found);
        if let Some(options) = target.get("options") {
            look(options, &format!("targets.{name}.options."), OPTIONS, &mut found);
        }
    }
    let modules = config.get("modules").and_then(Value::as_sequence);
    for (index, module) in modules.into_iter().flatten().enumerate() {
        let at = format!("modules[{index}].");
        look(module, &at, MODULE, &mut found);
        if let Some(source) = module.get("source") {
            look(source, &format!("{at}source."), SOURCE, &mut found);
            for (name, known) in [("local_path", LOCAL), ("git", GIT)] {
                if let Some(inner) = source.get(name) {
                    look(inner, &format!("{at}source.{name}."), known, &mut found);
                }
            }
        }
    }
    found
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    let mapping = value.and_then(Value::as_mapping);
    mapping.into_iter().flatten().filter_map(|(key, value)| Some((key.as_str()?, value)))
}

fn look(value: &Value, at: &str, known: &[&str], found: &mut Vec<String>) {
    for (key, _) in entries(Some(value)) {
        if !known.contains(&key) {
            found.push(format!("agentpack.yaml: `{at}{key}` is not a known key and has no effect"));
        }
    }
}
