//! What a module of each type must look like to be deployed.

use std::path::Path;

use toolwright_runtime::Failure;

use super::compose::{Composed, ComposedFile};
use super::config::Module;
use super::content::read;
use super::failure::{self, Result};
use super::frontmatter;
use super::model::{Content, ModuleType};
use crate::generated::Error;

/// The file of an instructions module; only this one is used.
pub(crate) const INSTRUCTIONS: &str = "AGENTS.md";
/// A folder with this file is a skill.
pub(crate) const SKILL: &str = "SKILL.md";

/// Checks a composed module.
pub(crate) fn validate(module: &Module, composed: &Composed) -> Result<()> {
    match module.module_type {
        ModuleType::Instructions => required(module, composed, INSTRUCTIONS).map(drop),
        ModuleType::Skill => skill(module, composed),
        ModuleType::Prompt => single_markdown(module, composed).map(drop),
        ModuleType::Command => command(module, composed),
    }
}

fn required<'a>(module: &Module, composed: &'a Composed, name: &str) -> Result<&'a ComposedFile> {
    composed.files.get(name).ok_or_else(|| {
        let found: Vec<&String> = composed.files.keys().take(10).collect();
        refuse(module, name, format!("the module has no `{name}`"))
            .with("missing", [name])
            .with("found", found)
    })
}

fn refuse(module: &Module, name: &str, what: impl std::fmt::Display) -> Failure<Error> {
    failure::module(&module.id, Path::new(name), what)
}

fn skill(module: &Module, composed: &Composed) -> Result<()> {
    let piece = required(module, composed, SKILL)?;
    let text = text(module, SKILL, piece)?;
    let refuse = |what: String| refuse(module, &shown(SKILL, piece), what);
    let mapping = frontmatter::parse(&text).map_err(refuse)?;
    for field in ["name", "description"] {
        if frontmatter::text(&mapping, field).is_none() {
            let what = format!("`{field}` in its front matter must be a text that is not empty");
            return Err(refuse(what).with("field", field));
        }
    }
    Ok(())
}

/// The one file of a prompt or command.
pub(crate) fn single_markdown<'a>(
    module: &Module,
    composed: &'a Composed,
) -> Result<(&'a str, &'a ComposedFile)> {
    let mut files = composed.files.iter();
    match (files.next(), files.next()) {
        (Some((name, piece)), None) => {
            if Path::new(name).extension().is_some_and(|extension| extension == "md") {
                Ok((name, piece))
            } else {
                Err(refuse(module, &shown(name, piece), "it must be a .md file"))
            }
        }
        (None, _) => Err(refuse(module, "", "the module has no file; it must have one .md file")),
        (Some((name, _)), Some(_)) => {
            let names: Vec<&String> = composed.files.keys().take(10).collect();
            let count = composed.files.len();
            let kind = module.module_type.as_str();
            let what = format!("a {kind} is one .md file, and the module has {count}: {names:?}");
            Err(refuse(module, name, what).with("found", &names))
        }
    }
}

fn command(module: &Module, composed: &Composed) -> Result<()> {
    let (name, piece) = single_markdown(module, composed)?;
    let text = text(module, name, piece)?;
    let refuse = |what: String| refuse(module, &shown(name, piece), what);
    let mapping = frontmatter::parse(&text).map_err(refuse)?;
    if frontmatter::text(&mapping, "description").is_none() {
        let what = "`description` in its front matter must be a text that is not empty".to_owned();
        return Err(refuse(what).with("field", "description"));
    }
    let runs_bash = text.contains("!bash") || text.contains("!`bash`");
    if runs_bash && !allows_bash(mapping.get("allowed-tools")) {
        let what = "it runs bash, so `allowed-tools` in its front matter must have `Bash(…)`";
        return Err(refuse(what.to_owned()).with("field", "allowed-tools"));
    }
    Ok(())
}

fn allows_bash(allowed: Option<&serde_yaml::Value>) -> bool {
    match allowed {
        Some(serde_yaml::Value::String(text)) => text.contains("Bash("),
        Some(serde_yaml::Value::Sequence(items)) => {
            items.iter().any(|item| item.as_str().is_some_and(|item| item.contains("Bash(")))
        }
        _ => false,
    }
}

fn text(module: &Module, name: &str, piece: &ComposedFile) -> Result<String> {
    let path = shown(name, piece);
    let bytes =
        read(&piece.content).map_err(|error| failure::io("read", Path::new(&path), &error))?;
    String::from_utf8(bytes).map_err(|_| refuse(module, &path, "it is not UTF-8"))
}

/// The file on disk where there is one, so that the user finds it.
fn shown(name: &str, piece: &ComposedFile) -> String {
    match &piece.content {
        Content::File(path) => path.display().to_string(),
        Content::Bytes(_) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::generated::Error;
    use crate::testing::Sandbox;

    /// The message that a module of that type and these files is refused with.
    fn verdict(kind: &str, files: &[(&str, &str)]) -> Option<String> {
        let sandbox = Sandbox::new();
        sandbox.config(&[("codex", "project")], &[("m:x", kind, "m")]);
        sandbox.dir("home/.agentpack/repo/m");
        for (name, text) in files {
            sandbox.repo(&format!("m/{name}"), text);
        }
        let failure = sandbox.open(None).unwrap().render().err()?;
        assert_eq!(failure.kind(), Error::ConfigInvalid);
        assert!(failure.message().contains("Module `m:x`"), "{failure}");
        let message = failure.message().to_owned();
        let details = failure.erase().details;
        assert_eq!(details["module_id"], "m:x");
        assert!(details["error"].is_string());
        Some(message)
    }

    #[test]
    fn each_type_has_its_rules_and_each_refusal_its_cause() {
        let good = "---\nname: a\ndescription: b\n---\n";
        let bash = "---\ndescription: b\n---\n!`bash` and more\n";
        for (kind, files, why) in [
            ("instructions", &[("README.md", "x")][..], "no `AGENTS.md`"),
            ("instructions", &[("sub/AGENTS.md", "x")], "no `AGENTS.md`"),
            ("skill", &[("x.md", good)], "no `SKILL.md`"),
            ("skill", &[("SKILL.md", "# no front matter")], "does not start with"),
            ("skill", &[("SKILL.md", "---\nname: a\n---\n")], "`description` in its front matter"),
            ("skill", &[("SKILL.md", "---\nname: 7\ndescription: b\n---\n")], "`name`"),
            ("prompt", &[], "has no file"),
            ("prompt", &[("a.md", "x"), ("b.md", "x")], "the module has 2"),
            ("prompt", &[("a.txt", "x")], "must be a .md file"),
            ("command", &[("a.md", "x")], "does not start with"),
            ("command", &[("a.md", "---\nx: y\n---\n")], "`description`"),
            ("command", &[("a.md", bash)], "it runs bash"),
        ] {
            let message = verdict(kind, files).unwrap_or_default();
            assert!(message.contains(why), "{kind}: {message:?}");
        }
    }

    #[test]
    fn what_keeps_the_rules_is_accepted() {
        let allowed = "---\ndescription: b\nallowed-tools: [Read, 'Bash(ls:*)']\n---\n!bash ls\n";
        for (kind, files) in [
            ("instructions", &[("AGENTS.md", ""), ("unused.txt", "x")][..]),
            ("skill", &[("SKILL.md", "---\nname: a\ndescription: b\n---\n"), ("x/y", "z")]),
            ("prompt", &[("deep/a.md", "x")]),
            ("command", &[("a.md", allowed)]),
            ("command", &[("a.md", &allowed.replace("[Read, 'Bash(ls:*)']", "Bash(ls:*)"))]),
        ] {
            assert_eq!(verdict(kind, files), None, "{kind}");
        }
    }
}
