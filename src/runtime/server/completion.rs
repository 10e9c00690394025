//! Completion of arguments: of prompts, and of the variables of resource templates.
//!
//! The values are those of the contract, or those that the surface also completes in a shell. The
//! latter are the operator's view of the stores; where a surface tells its callers apart, they are not
//! offered here.

use std::fmt;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CompleteRequestParams, CompletionInfo, ErrorData, PromptReference, Reference,
    ResourceTemplateReference,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::handler::Handler;
use super::host::Host;
use crate::contract::{
    PromptArgument, PromptContent, PromptInfo, PromptInput, PromptValueKind, ResourceInfo,
    ResourceSource, ToolInfo,
};

/// The current values of an argument of a tool.
type Find = dyn Fn(&'static ToolInfo, &str) -> Vec<String> + Send + Sync;

/// Where the current values of arguments come from; the default knows none. May block.
#[derive(Clone, Default)]
pub struct Completions(Option<Arc<Find>>);

impl Completions {
    /// Asks this function.
    pub fn from_fn<F>(find: F) -> Self
    where
        F: Fn(&'static ToolInfo, &str) -> Vec<String> + Send + Sync + 'static,
    {
        Self(Some(Arc::new(find)))
    }
}

impl fmt::Debug for Completions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Completions").field(&self.0.is_some()).finish()
    }
}

/// Where the values of an argument come from.
enum Source {
    /// The contract.
    Words(Vec<String>),
    /// The argument of a tool: its schema, or the surface.
    Tool(usize, String),
    /// Nothing is known of them.
    Unknown,
}

impl Host {
    /// Whether there is anything to complete.
    pub(super) fn completes(&self) -> bool {
        let prompts = self.info.prompts.iter().filter(|prompt| self.has_switched_on(prompt));
        let arguments =
            prompts.flat_map(|prompt| prompt.arguments.iter().map(|one| source_of(prompt, one)));
        let of_prompts = arguments.into_iter().any(|source| !matches!(source, Source::Unknown));
        let is_mirror = |source| matches!(source, ResourceSource::Tool(_));
        of_prompts || self.info.resources.iter().any(|resource| is_mirror(resource.source))
    }

    /// The values of an argument of a tool: those of its schema, else those that there are now.
    ///
    /// This is the one place where live values come in, for prompts and templates alike.
    async fn values_of(&self, tool: usize, argument: &str, is_bound: bool) -> Vec<String> {
        let Some(info) = self.info.tools.get(tool).copied() else { return Vec::new() };
        let words = words_of(info, argument);
        if !words.is_empty() {
            return words;
        }
        // What the operator may see, not every caller may.
        let tells_apart = is_bound || !self.info.roles.is_empty() || self.info.identity.is_some();
        let Some(find) = self.completions.0.clone().filter(|_| !tells_apart) else {
            return Vec::new();
        };
        let argument = argument.to_owned();
        let found = crate::spawn_blocking(move || find(info, &argument)).await;
        found.unwrap_or_default()
    }
}

impl Handler {
    /// The values that an argument may have and that fit what is typed so far.
    pub(super) async fn candidates(
        &self,
        request: CompleteRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CompletionInfo, ErrorData> {
        let callable = self.callable(context).await;
        let name = &request.argument.name;
        let source = match &request.r#ref {
            Reference::Prompt(PromptReference { name: prompt, .. }) => {
                let prompt = self.host.prompt(prompt, callable.as_deref())?;
                let argument = prompt.argument(name).ok_or_else(|| {
                    unknown_argument(name, &format!("the prompt `{}`", prompt.name))
                })?;
                source_of(prompt, argument)
            }
            Reference::Resource(ResourceTemplateReference { uri, .. }) => {
                self.template_source(uri, name, callable.as_deref())?
            }
            _ => return Err(ErrorData::invalid_params("unknown kind of reference", None)),
        };
        let values = match source {
            Source::Words(words) => words,
            Source::Tool(tool, argument) => {
                let is_bound = self.client(context).surface.is_some();
                self.host.values_of(tool, &argument, is_bound).await
            }
            Source::Unknown => Vec::new(),
        };
        Ok(fitting(values, &request.argument.value))
    }

    /// The variables of a template are the arguments of the mirrored tool.
    fn template_source(
        &self,
        uri: &str,
        argument: &str,
        callable: Option<&[usize]>,
    ) -> Result<Source, ErrorData> {
        let path = uri.split_once("{?").map_or(uri, |(path, _)| path);
        let served = |resource: &&ResourceInfo| {
            resource.uri == path && self.host.offer().has_resource(resource, callable)
        };
        let found = self.host.info.resources.iter().find(served);
        let Some((resource, ResourceSource::Tool(tool))) =
            found.map(|resource| (resource, resource.source))
        else {
            let data = json!({ "uri": uri });
            let message = format!("resource template not found: `{uri}`");
            return Err(ErrorData::invalid_params(message, Some(data)));
        };
        let variable = resource.variables.iter().find(|variable| variable.name == argument);
        let name = variable.map_or(argument, |variable| variable.argument);
        let info = self.host.info.tools.get(tool);
        if info.is_none_or(|info| property(info, name).is_none()) {
            return Err(unknown_argument(argument, &format!("the template `{}`", resource.uri)));
        }
        Ok(Source::Tool(tool, name.to_owned()))
    }
}

fn unknown_argument(name: &str, of: &str) -> ErrorData {
    let data = json!({ "argument": name });
    ErrorData::invalid_params(format!("`{name}` is no argument of {of}"), Some(data))
}

/// Where the values of a prompt's argument come from: its words, what the contract names, or the
/// argument of a tool that it is passed to.
fn source_of(prompt: &PromptInfo, argument: &PromptArgument) -> Source {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match argument.kind {
        PromptValueKind::Choice(words) => return Source::Words(owned(words)),
        PromptValueKind::Boolean => return Source::Words(owned(&["true", "false"])),
        _ => {}
    }
    if let Some((tool, name)) = argument.complete {
        return Source::Tool(tool, name.to_owned());
    }
    let passed = prompt.messages.iter().find_map(|message| {
        let PromptContent::Result { tool, input } = &message.content else { return None };
        let is_it = |input: &PromptInput| *input == PromptInput::Argument(argument.name);
        let (name, _) = input.iter().find(|(_, input)| is_it(input))?;
        Some(Source::Tool(*tool, (*name).to_owned()))
    });
    passed.unwrap_or(Source::Unknown)
}

fn property(tool: &ToolInfo, name: &str) -> Option<Value> {
    let input: Value = serde_json::from_str(tool.input).ok()?;
    input.get("properties")?.get(name).cloned()
}

/// The words of an argument's schema, or of its items.
fn words_of(tool: &ToolInfo, argument: &str) -> Vec<String> {
    let Some(schema) = property(tool, argument) else { return Vec::new() };
    let is_boolean = schema.get("type").is_some_and(|kind| kind == "boolean");
    if is_boolean {
        return vec!["true".to_owned(), "false".to_owned()];
    }
    let words = schema.get("enum").or_else(|| schema.pointer("/items/enum"));
    let words = words.and_then(Value::as_array).into_iter().flatten();
    words
        .filter_map(|word| match word {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        })
        .collect()
}

/// The values that begin with the typed text, then those that have it elsewhere, case aside; each
/// once, a hundred of them at most.
fn fitting(values: Vec<String>, typed: &str) -> CompletionInfo {
    let typed = typed.to_lowercase();
    let mut found: Vec<String> = Vec::new();
    let (begin, rest): (Vec<String>, Vec<String>) =
        values.into_iter().partition(|value| value.to_lowercase().starts_with(&typed));
    let inside = rest.into_iter().filter(|value| value.to_lowercase().contains(&typed));
    for value in begin.into_iter().chain(inside) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    found.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(found, Some(total), has_more).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_values_at_most_and_the_number_of_all() {
        let values: Vec<String> = (0..250).map(|number| format!("pane-{number}")).collect();
        let all = fitting(values.clone(), "");
        assert_eq!((all.values.len(), all.total, all.has_more), (100, Some(250), Some(true)));
        let some = fitting(values, "PANE-24");
        assert_eq!((some.values.len(), some.total, some.has_more), (11, Some(11), Some(false)));
    }

    #[test]
    fn what_begins_with_the_text_comes_first_and_nothing_twice() {
        let values = ["abba", "Bab", "baa", "Bab"].map(str::to_owned).to_vec();
        assert_eq!(fitting(values, "ba").values, ["Bab", "baa", "abba"]);
    }
}
