//! The handler of a new tool, with the imports of an existing handler.

use std::path::{Path, PathBuf};

use toolwright_codegen::model::{Contract, GuardUse, Tool};
use toolwright_codegen::names;
use toolwright_commands::USAGE;

use super::{Refusal, uses};

/// Width of a line, as rustfmt has it.
const WIDTH: usize = 100;

/// What an existing handler shows about all handlers of the folder.
pub(super) struct SiblingTool {
    /// `crate::generated`
    generated: String,
    /// `Wink`, as it is written in an `impl`.
    server: String,
    /// `wink::Wink`, where it is imported.
    server_path: Option<String>,
    /// Value that its guards pass to it.
    passed: Option<Passed>,
}

/// Value that guards pass to a handler.
struct Passed {
    /// As it is written in an `impl`.
    text: String,
    /// What of it is imported.
    paths: Vec<String>,
}

impl SiblingTool {
    /// Finds a handler of any tool of the contract, preferably one with these guards of the surface.
    pub(super) fn find(
        folder: &Path,
        contract: &Contract,
        guards: &[String],
    ) -> Result<Self, Refusal> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        let sources: Vec<String> =
            files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
        let first = |suits: &dyn Fn(&Tool) -> bool| {
            sources.iter().find_map(|source| {
                let mut tools = contract.tools.iter().filter(|tool| suits(tool));
                tools.find_map(|tool| Self::read(source, &names::rust_type(&tool.name)))
            })
        };
        let alike = first(&|tool| telling(tool).eq(guards.iter().map(String::as_str)));
        let any = || first(&|_| true).map(|any| Self { passed: None, ..any });
        alike.or_else(any).ok_or_else(|| {
            let problem = format!(
                "`{}` has no handler to copy the imports from; write the first one manually",
                folder.display()
            );
            (USAGE, problem)
        })
    }

    fn read(source: &str, marker: &str) -> Option<Self> {
        let plain = source.split_once(&format!("impl Handle<{marker}> for "));
        let (text, rest) = match plain {
            Some((_, rest)) => (None, rest),
            None => {
                let (_, guarded) = source.split_once(&format!("impl HandleGuarded<{marker}, "))?;
                let (text, rest) = guarded.split_once("> for ")?;
                (Some(text), rest)
            }
        };
        let server = rest.split(['{', ' ', '\n']).next()?.to_owned();
        let paths = uses::paths(source);
        let passed = text.map(|text| {
            let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let words: Vec<&str> = words.collect();
            let last = |path: &&String| words.contains(&path.rsplit("::").next().unwrap_or(path));
            Passed { text: text.to_owned(), paths: paths.iter().filter(last).cloned().collect() }
        });
        let ends = |path: &&String, name: &str| path.rsplit("::").next() == Some(name);
        let request = format!("{marker}Request");
        let generated = paths.iter().find(|path| ends(path, &request))?;
        let generated = generated.strip_suffix(&format!("::{request}"))?.to_owned();
        let server_path = paths.iter().find(|path| ends(path, &server)).cloned();
        Some(Self { generated, server, server_path, passed })
    }

    /// A handler that returns its argument.
    pub(super) fn handler(&self, tool: &str, canonical: &str) -> String {
        let marker = names::rust_type(tool);
        let (request, response) = (format!("{marker}Request"), format!("{marker}Response"));
        let mut imported = ["Result", &marker, &request, &response];
        imported.sort_unstable();
        let mut uses = vec![import(&self.generated, &imported)];
        uses.extend(self.server_path.as_ref().map(|path| format!("use {path};\n")));
        let passed = self.passed.as_ref();
        let of_guards = passed.into_iter().flat_map(|passed| &passed.paths);
        uses.extend(of_guards.map(|path| format!("use {path};\n")));
        uses.sort_by_key(|line| (!line.starts_with("use super"), line.clone()));
        let passed = passed.map(|passed| passed.text.as_str());
        let signature = signature(&request, &response, passed);
        let (form, given) = match passed {
            Some(passed) => ("HandleGuarded", format!(", {passed}")),
            None => ("Handle", String::new()),
        };
        format!(
            "//! `{canonical}`\n\nuse toolwright_runtime::{{Call, {form}}};\n\n{}\n\
             impl {form}<{marker}{given}> for {} {{\n{signature}        \
             Ok({response} {{ text: request.text }})\n    }}\n}}\n",
            uses.concat(),
            self.server,
        )
    }
}

fn import(module: &str, names: &[&str]) -> String {
    let names = names.join(", ");
    let line = format!("use {module}::{{{names}}};");
    if line.len() <= WIDTH {
        return line + "\n";
    }
    let mut lines: Vec<String> = Vec::new();
    for name in names.split(", ") {
        match lines.last_mut() {
            Some(line) if line.len() + name.len() + " ,".len() <= WIDTH => {
                *line += &format!(" {name},");
            }
            _ => lines.push(format!("    {name},")),
        }
    }
    format!("use {module}::{{\n{}\n}};\n", lines.join("\n"))
}

/// The guards of a tool that can pass a value to its handler.
fn telling(tool: &Tool) -> impl Iterator<Item = &str> {
    let telling = tool
        .guards
        .iter()
        .filter(|guard| matches!(guard, GuardUse::Own { .. } | GuardUse::TwoStage { .. }));
    telling.map(GuardUse::name)
}

fn signature(request: &str, response: &str, passed: Option<&str>) -> String {
    let mut parameters =
        vec!["&self".to_owned(), "_: &Call".to_owned(), format!("request: {request}")];
    parameters.extend(passed.map(|passed| format!("_: {passed}")));
    let line = format!("    async fn handle({}) -> Result<{response}> {{", parameters.join(", "));
    if line.len() <= WIDTH {
        return line + "\n";
    }
    format!(
        "    async fn handle(\n        {},\n    ) -> Result<{response}> {{\n",
        parameters.join(",\n        ")
    )
}

#[cfg(test)]
mod tests {
    use super::SiblingTool;

    const HANDLER: &str = "\
use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use crate::generated::{EntityGet, EntityGetRequest, EntityGetResponse, Result};

impl Handle<EntityGet> for Worldforge {
";

    #[test]
    fn imports_are_those_of_the_neighbour() {
        let sibling = SiblingTool::read(HANDLER, "EntityGet").expect("a handler");
        let text = sibling.handler("entity.drop", "entity.drop");
        assert!(text.contains(
            "\nuse super::super::Worldforge;\nuse crate::generated::{EntityDrop, \
             EntityDropRequest, EntityDropResponse, Result};\n"
        ));
        assert!(text.contains("impl Handle<EntityDrop> for Worldforge {"), "{text}");
    }

    #[test]
    fn what_the_guards_tell_is_taken_as_the_neighbour_takes_it() {
        let source = "use toolwright_runtime::{Call, HandleGuarded};\n\nuse super::super::Yarnnn;\n\
                      use super::super::engine::{Caller, Found};\n\
                      use crate::generated::{Get, GetRequest, GetResponse, Result};\n\n\
                      impl HandleGuarded<Get, Caller> for Yarnnn {\n";
        let sibling = SiblingTool::read(source, "Get").expect("a handler");
        let text = sibling.handler("put", "put");
        assert!(text.contains("use toolwright_runtime::{Call, HandleGuarded};"), "{text}");
        let imported = "use super::super::Yarnnn;\nuse super::super::engine::Caller;\n";
        assert!(text.contains(imported), "{text}");
        assert!(text.contains("impl HandleGuarded<Put, Caller> for Yarnnn {"), "{text}");
        assert!(text.contains("request: PutRequest, _: Caller) -> Result<"), "{text}");
    }

    #[test]
    fn long_names_are_broken_as_rustfmt_does() {
        let sibling = SiblingTool::read(HANDLER, "EntityGet").expect("a handler");
        let text = sibling.handler("a_tool_with_quite_a_long_name_of_its_own", "x");
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    }
}
