//! Which tools of a contract a server offers: what its user chose, and what leaves a tool out.
//!
//! What is left out is neither listed nor callable. Knows neither a transport nor where the choice
//! was made.

use std::fmt;

use crate::contract::{Effects, SurfaceInfo, ToolInfo};
use crate::suggest::nearest;

/// A user's choice of tools; the default chooses all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolChoice {
    /// Names of toolsets, each perhaps several, separated by commas.
    pub toolset: Vec<String>,
    /// Names of tools, in the same form. Added to those of the toolsets.
    pub tools: Vec<String>,
    /// Names of tools to leave out, in the same form.
    pub exclude_tools: Vec<String>,
    /// Leave out every tool that changes something.
    pub read_only: bool,
}

/// A name that the contract does not have, or a choice of no tool at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceError {
    /// Key of the setting.
    pub key: &'static str,
    /// What is wrong, and what was probably meant.
    pub message: String,
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for ChoiceError {}

/// The tools that a server offers. The default offers all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSelection {
    /// By the tool's index, the flags that leave it out. Shorter than the tools: the rest is offered.
    left_out: Vec<Option<&'static str>>,
}

impl ToolSelection {
    /// Applies a choice to the tools of a surface.
    ///
    /// # Errors
    /// For every name that the surface does not have, and where no tool is left.
    pub fn new(info: &SurfaceInfo, choice: &ToolChoice) -> Result<Self, Vec<ChoiceError>> {
        let mut errors = Vec::new();
        let mut chosen = vec![false; info.tools.len()];
        for name in names(&choice.toolset) {
            match info.toolsets.iter().find(|set| set.name == name) {
                Some(set) => {
                    for (tool, chosen) in info.tools.iter().zip(&mut chosen) {
                        *chosen |= set.tools.contains(&tool.name);
                    }
                }
                None => errors.push(unknown_toolset(info, name)),
            }
        }
        mark("tools", info, &choice.tools, &mut chosen, &mut errors);
        let mut excluded = vec![false; info.tools.len()];
        mark("exclude_tools", info, &choice.exclude_tools, &mut excluded, &mut errors);
        let choosing = match (choice.toolset.is_empty(), choice.tools.is_empty()) {
            (true, true) => None,
            (false, true) => Some("`--toolset`"),
            (true, false) => Some("`--tools`"),
            (false, false) => Some("`--toolset` and `--tools`"),
        };
        let left_out: Vec<Option<&'static str>> = (info.tools.iter().zip(chosen).zip(excluded))
            .map(|((tool, chosen), excluded)| match () {
                () if excluded => Some("`--exclude-tools`"),
                () if choice.read_only && tool.effects != Effects::Read => Some("`--read-only`"),
                () => choosing.filter(|_| !chosen),
            })
            .collect();
        if errors.is_empty() && left_out.iter().all(Option::is_some) {
            errors.push(nothing_left(choice));
        }
        if errors.is_empty() { Ok(Self { left_out }) } else { Err(errors) }
    }

    /// Whether the tool at this index of [`SurfaceInfo::tools`] is offered.
    pub fn has(&self, tool: usize) -> bool {
        self.left_out_by(tool).is_none()
    }

    /// The flags that leave the tool out, for messages.
    pub fn left_out_by(&self, tool: usize) -> Option<&'static str> {
        self.left_out.get(tool).copied().flatten()
    }
}

/// The single names of a list whose items may hold several.
fn names(items: &[String]) -> impl Iterator<Item = &str> {
    items.iter().flat_map(|item| item.split(',')).map(str::trim).filter(|name| !name.is_empty())
}

fn mark(
    key: &'static str,
    info: &SurfaceInfo,
    items: &[String],
    marked: &mut [bool],
    errors: &mut Vec<ChoiceError>,
) {
    for name in names(items) {
        let is_it = |tool: &&ToolInfo| [tool.name, tool.canonical, tool.portable].contains(&name);
        match info.tools.iter().position(is_it) {
            Some(index) => marked[index] = true,
            None => errors.push(unknown_tool(key, info, name)),
        }
    }
}

fn unknown_tool(key: &'static str, info: &SurfaceInfo, name: &str) -> ChoiceError {
    let known = info.tools.iter().flat_map(|tool| [tool.name, tool.canonical, tool.portable]);
    let message = match nearest(name, known) {
        Some(near) => format!("`{name}` is no tool of {}; did you mean `{near}`?", info.name),
        None => {
            let all: Vec<&str> = info.tools.iter().map(|tool| tool.name).collect();
            format!("`{name}` is no tool of {}; its tools: {}", info.name, all.join(", "))
        }
    };
    ChoiceError { key, message }
}

fn unknown_toolset(info: &SurfaceInfo, name: &str) -> ChoiceError {
    let all: Vec<&str> = info.toolsets.iter().map(|set| set.name).collect();
    let message = match (nearest(name, all.iter().copied()), all.as_slice()) {
        (Some(near), _) => {
            format!("`{name}` is no toolset of {}; did you mean `{near}`?", info.name)
        }
        (None, []) => format!("`{name}` is no toolset: {} has none; name tools instead", info.name),
        (None, all) => {
            format!("`{name}` is no toolset of {}; its toolsets: {}", info.name, all.join(", "))
        }
    };
    ChoiceError { key: "toolset", message }
}

fn nothing_left(choice: &ToolChoice) -> ChoiceError {
    let key = match () {
        () if !choice.exclude_tools.is_empty() => "exclude_tools",
        () if !choice.tools.is_empty() => "tools",
        () if !choice.toolset.is_empty() => "toolset",
        () => "read_only",
    };
    ChoiceError { key, message: "leaves no tool to offer; choose at least one".to_owned() }
}
