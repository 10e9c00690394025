//! The handler of a new tool, with the imports of a handler beside it.

use std::path::{Path, PathBuf};

use toolwright_codegen::model::Contract;
use toolwright_codegen::names;
use toolwright_commands::USAGE;

use super::{Refusal, uses};

/// Width of a line, as rustfmt has it.
const WIDTH: usize = 100;

/// What a handler of the folder tells about all of them.
pub(super) struct Neighbour {
    /// `wink::generated`
    generated: String,
    /// `Wink`, as it is written in an `impl`.
    server: String,
    /// `wink::Wink`, where it is imported.
    server_path: Option<String>,
}

impl Neighbour {
    /// Looks for a handler of any tool of the contract.
    pub(super) fn find(folder: &Path, contract: &Contract) -> Result<Self, Refusal> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        let found = files.iter().find_map(|file| {
            let source = std::fs::read_to_string(file).ok()?;
            let mut markers = contract.tools.iter().map(|tool| names::rust_type(&tool.name));
            markers.find_map(|marker| Self::read(&source, &marker))
        });
        found.ok_or_else(|| {
            let problem = format!(
                "`{}` has no handler to take the imports from; write the first one by hand",
                folder.display()
            );
            (USAGE, problem)
        })
    }

    fn read(source: &str, marker: &str) -> Option<Self> {
        let (_, rest) = source.split_once(&format!("impl Handle<{marker}> for "))?;
        let server = rest.split(['{', ' ', '\n']).next()?.to_owned();
        let paths = uses::paths(source);
        let ends = |path: &&String, name: &str| path.rsplit("::").next() == Some(name);
        let request = format!("{marker}Request");
        let generated = paths.iter().find(|path| ends(path, &request))?;
        let generated = generated.strip_suffix(&format!("::{request}"))?.to_owned();
        let server_path = paths.iter().find(|path| ends(path, &server)).cloned();
        Some(Self { generated, server, server_path })
    }

    /// A handler that answers with the text it was given.
    pub(super) fn handler(&self, tool: &str, canonical: &str) -> String {
        let marker = names::rust_type(tool);
        let (request, response) = (format!("{marker}Request"), format!("{marker}Response"));
        let mut imported = ["Result", &marker, &request, &response];
        imported.sort_unstable();
        let mut uses = vec![import(&self.generated, &imported)];
        uses.extend(self.server_path.as_ref().map(|path| format!("use {path};\n")));
        uses.sort_by_key(|line| (!line.starts_with("use super"), line.clone()));
        let signature = signature(&request, &response);
        format!(
            "//! `{canonical}`\n\nuse toolwright_runtime::{{Call, Handle}};\n\n{}\n\
             impl Handle<{marker}> for {} {{\n{signature}        \
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

fn signature(request: &str, response: &str) -> String {
    let line = format!(
        "    async fn handle(&self, _: &Call, request: {request}) -> Result<{response}> {{"
    );
    if line.len() <= WIDTH {
        return line + "\n";
    }
    format!(
        "    async fn handle(\n        &self,\n        _: &Call,\n        request: {request},\n    \
         ) -> Result<{response}> {{\n"
    )
}

#[cfg(test)]
mod tests {
    use super::Neighbour;

    const HANDLER: &str = "\
use toolwright_runtime::{Call, Handle};

use super::super::Worldforge;
use worldforge::generated::{EntityGet, EntityGetRequest, EntityGetResponse, Result};

impl Handle<EntityGet> for Worldforge {
";

    #[test]
    fn imports_are_those_of_the_neighbour() {
        let neighbour = Neighbour::read(HANDLER, "EntityGet").expect("a handler");
        let text = neighbour.handler("entity.drop", "entity.drop");
        assert!(text.contains(
            "\nuse super::super::Worldforge;\nuse worldforge::generated::{EntityDrop, \
             EntityDropRequest, EntityDropResponse, Result};\n"
        ));
        assert!(text.contains("impl Handle<EntityDrop> for Worldforge {"), "{text}");
    }

    #[test]
    fn long_names_are_broken_as_rustfmt_does() {
        let neighbour = Neighbour::read(HANDLER, "EntityGet").expect("a handler");
        let text = neighbour.handler("a_tool_with_quite_a_long_name_of_its_own", "x");
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    }
}
