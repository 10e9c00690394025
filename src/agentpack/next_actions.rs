//! Commands that a user could run next, as whole command lines that can be pasted.

use std::path::Path;

use super::drift::{DriftKind, Status};
use super::workspace::Selection;

/// One suggestion.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NextAction {
    /// A stable word: `preview_diff`, `deploy_apply`, …
    pub action: &'static str,
    /// The command line.
    pub command: String,
}

/// Words of `action` in the order in which suggestions are listed.
const PRIORITY: [&str; 5] =
    ["doctor", "preview_diff", "deploy_apply", "evolve_propose", "evolve_restore"];

/// The beginning of a command line that repeats what this call was about.
pub(crate) fn command(selection: &Selection, words: &str) -> String {
    let mut line = "agentpack".to_owned();
    let mut add = |flag: &str, value: &str| {
        line.push_str(&format!(" {flag} {}", quoted(value)));
    };
    if let Some(repo) = &selection.repo {
        add("--repo", &repo.to_string_lossy());
    }
    if selection.profile != "default" {
        add("--profile", &selection.profile);
    }
    if let Some(target) = selection.target {
        add("--target", target.as_str());
    }
    if let Some(machine) = &selection.machine {
        add("--machine", machine);
    }
    format!("{line} {words}")
}

/// What to do about a status. Computed from all of it, before anything is filtered.
pub(crate) fn after_status(selection: &Selection, status: &Status) -> Vec<NextAction> {
    let preview = ("preview_diff", "preview --diff --json");
    let deploy = ("deploy_apply", "deploy --apply --yes --json");
    let propose = ("evolve_propose", "evolve propose --yes --json");
    let changed = status.drift.iter().any(|drift| drift.kind != DriftKind::Extra);
    let mut wanted = Vec::new();
    if changed {
        wanted.extend([preview, deploy]);
        if status.any_manifest {
            wanted.push(propose);
        }
    } else if !status.drift.is_empty() {
        wanted.push(preview);
    }
    if !status.any_manifest {
        wanted.push(deploy);
    }
    let actions = wanted
        .into_iter()
        .map(|(action, words)| NextAction { action, command: command(selection, words) });
    ordered(actions.collect())
}

/// Each once, the most useful first.
pub(crate) fn ordered(mut actions: Vec<NextAction>) -> Vec<NextAction> {
    let rank = |action: &NextAction| {
        PRIORITY.iter().position(|word| *word == action.action).unwrap_or(PRIORITY.len())
    };
    actions.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.command.cmp(&b.command)));
    actions.dedup();
    actions
}

/// `mkdir -p …` for a folder that is not there.
pub(crate) fn make_folder(path: &Path) -> String {
    format!("mkdir -p {}", quoted(&path.to_string_lossy()))
}

/// A word of a shell command.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('~') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Target;

    #[test]
    fn a_command_repeats_what_was_asked_for_and_can_be_pasted() {
        assert_eq!(command(&Selection::default(), "plan --json"), "agentpack plan --json");
        let selection = Selection {
            repo: Some("/my repo".into()),
            profile: "it's".to_owned(),
            target: Some(Target::Vscode),
            machine: Some("m1".to_owned()),
        };
        assert_eq!(
            command(&selection, "plan --json"),
            r"agentpack --repo '/my repo' --profile 'it'\''s' --target vscode --machine m1 plan --json"
        );
        assert_eq!(make_folder(Path::new("/a b")), "mkdir -p '/a b'");
    }

    #[test]
    fn actions_are_ordered_and_listed_once() {
        let action = |action, command: &str| NextAction { action, command: command.to_owned() };
        let ordered = ordered(vec![
            action("deploy_apply", "d"),
            action("preview_diff", "p"),
            action("deploy_apply", "d"),
        ]);
        assert_eq!(ordered, [action("preview_diff", "p"), action("deploy_apply", "d")]);
    }
}
