//! Where each change and each drifted file comes from: modules, their files, the deciding layer.

use std::path::PathBuf;

use super::config::Config;
use super::drift::{Drift, Status};
use super::model::{Change, ModuleType, Op, Plan, Target};

/// A module behind a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Its id.
    pub module_id: String,
    /// None: the config no longer has it.
    pub module_type: Option<ModuleType>,
    /// `project`, `machine`, `global`, `upstream`; `missing` when the module no longer has the
    /// file; none when there is no such module.
    pub layer: Option<&'static str>,
    /// The file in the module, with `/`.
    pub module_path: Option<String>,
}

/// A planned change with its origins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExplainedChange {
    /// What happens.
    pub op: Op,
    /// The target.
    pub target: Target,
    /// Absolute.
    pub path: PathBuf,
    /// Sorted by module id.
    pub modules: Vec<Origin>,
}

/// Explains every change of a plan.
pub(crate) fn plan(config: &Config, plan: &Plan) -> Vec<ExplainedChange> {
    plan.changes
        .iter()
        .map(|change| ExplainedChange {
            op: change.op,
            target: change.target,
            path: change.path.clone(),
            modules: origins(config, plan, change),
        })
        .collect()
}

fn origins(config: &Config, plan: &Plan, change: &Change) -> Vec<Origin> {
    let key = (change.target, change.path.clone());
    if let Some(output) = plan.desired.outputs.get(&key) {
        let sources = output.sources.iter();
        return sources
            .map(|source| Origin {
                module_id: source.module_id.clone(),
                module_type: Some(source.module_type),
                layer: Some(source.layer.as_str()),
                module_path: Some(source.module_path.clone()),
            })
            .collect();
    }
    let ids = change.module_ids.iter();
    ids.map(|id| {
        let module = config.modules.iter().find(|module| module.id == *id);
        Origin {
            module_id: id.clone(),
            module_type: module.map(|module| module.module_type),
            layer: module.map(|_| "missing"),
            module_path: None,
        }
    })
    .collect()
}

/// The drift of managed files; unmanaged files in a root have no origin.
pub(crate) fn status(status: &Status) -> Vec<&Drift> {
    status.drift.iter().filter(|drift| drift.managed).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::Sandbox;

    use super::*;

    #[test]
    fn layers_are_right_for_single_files_and_patches() {
        let sandbox = Sandbox::new();
        sandbox.config(
            &[("vscode", "project"), ("claude_code", "project")],
            &[
                ("instructions:base", "instructions", "modules/base"),
                ("prompt:ask", "prompt", "modules/ask.md"),
                ("command:go", "command", "modules/go.md"),
            ],
        );
        sandbox.repo("modules/base/AGENTS.md", "one\n");
        sandbox.repo("modules/ask.md", "ask\n");
        sandbox.repo("modules/go.md", "---\ndescription: d\n---\n");
        let key = crate::identity::module_fs_key;
        let overlay = format!("overlays/machines/test-box/{}", key("instructions:base"));
        sandbox.repo(&format!("{overlay}/.agentpack/overlay.json"), r#"{"overlay_kind":"patch"}"#);
        sandbox.repo(
            &format!("{overlay}/.agentpack/patches/AGENTS.md.patch"),
            "--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1 @@\n-one\n+two\n",
        );
        sandbox.repo(&format!("overlays/{}/ask.md", key("prompt:ask")), "mine\n");
        let workspace = sandbox.open(None).unwrap();
        let found = plan(&workspace.config, &workspace.plan().unwrap());
        let origins: Vec<_> = found
            .iter()
            .map(|change| {
                let origin = &change.modules[0];
                (
                    origin.module_id.as_str(),
                    origin.module_type.unwrap().title(),
                    origin.layer.unwrap(),
                    origin.module_path.as_deref().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            origins,
            [
                ("command:go", "Command", "upstream", "go.md"),
                ("instructions:base", "Instructions", "machine", "AGENTS.md"),
                ("prompt:ask", "Prompt", "global", "ask.md"),
            ]
        );
    }

    #[test]
    fn deletes_name_the_modules_of_the_manifest() {
        let sandbox = Sandbox::new();
        sandbox.config(&[("cursor", "project")], &[("instructions:a", "instructions", "a")]);
        sandbox.repo("a/AGENTS.md", "a\n");
        let module_ids = ["instructions:a", "instructions:gone"].map(str::to_owned).into();
        let entry = crate::manifest::Entry {
            path: "old.mdc".to_owned(),
            sha256: "0".repeat(64),
            module_ids,
        };
        let bytes =
            crate::manifest::bytes(Target::Cursor, &[entry], None, jiff::Timestamp::UNIX_EPOCH);
        sandbox.write("project/.cursor/rules/old.mdc", "x");
        std::fs::write(
            sandbox.path("project/.cursor/rules/.agentpack.manifest.cursor.json"),
            bytes,
        )
        .unwrap();
        let workspace = sandbox.open(None).unwrap();
        let found = plan(&workspace.config, &workspace.plan().unwrap());
        let delete = found.iter().find(|change| change.op == Op::Delete).unwrap();
        assert_eq!(delete.modules[0].layer, Some("missing"));
        assert_eq!(delete.modules[0].module_type, Some(ModuleType::Instructions));
        assert_eq!((delete.modules[1].layer, delete.modules[1].module_type), (None, None));
    }
}
