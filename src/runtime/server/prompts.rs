//! Prompts: their list, and their messages with arguments, resources and answers of read tools in them.
//!
//! A read runs through the pipeline like any call, with its guards and for the caller of the prompt.

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::RoleServer;
use rmcp::model::{
    ContentBlock, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResult, Prompt,
    PromptArgument, PromptMessage, ResourceContents, Role,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::handler::Handler;
use super::host::Host;
use super::prompt_values::{self, Values};
use super::view::View;
use super::{content, icons, methods, resources};
use crate::call::{Call, Client};
use crate::contract::{
    PromptContent, PromptInfo, PromptInput, PromptPiece, PromptRole, ResourceSource,
};
use crate::dispatch::Outcome;

impl Host {
    /// Whether the prompt is offered: its setting is on, and so are all of its tools, for a caller who may
    /// call these only.
    pub(super) fn has_prompt(&self, prompt: &PromptInfo, callable: Option<&[usize]>) -> bool {
        let offer = self.offer();
        let may_call = |tool| callable.is_none_or(|callable| callable.contains(tool));
        self.has_switched_on(prompt)
            && prompt.tools.iter().all(|tool| offer.has(*tool) && may_call(tool))
    }

    /// Whether the setting that the prompt needs is on.
    pub(super) fn has_switched_on(&self, prompt: &PromptInfo) -> bool {
        prompt.offered_by.is_none_or(|setting| self.switches.contains(&setting))
    }

    /// The offered prompt of this name.
    pub(super) fn prompt(
        &self,
        name: &str,
        callable: Option<&[usize]>,
    ) -> Result<&'static PromptInfo, ErrorData> {
        let found = self.info.prompt(name);
        match found.filter(|prompt| self.has_prompt(prompt, callable)) {
            Some(prompt) => Ok(prompt),
            None => Err(self.no_prompt(name, found, callable)),
        }
    }

    fn no_prompt(
        &self,
        name: &str,
        found: Option<&PromptInfo>,
        callable: Option<&[usize]>,
    ) -> ErrorData {
        let why = match found {
            None => {
                let offered =
                    self.info.prompts.iter().filter(|prompt| self.has_prompt(prompt, callable));
                let near = crate::suggest::nearest(name, offered.map(|prompt| prompt.name));
                near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
            }
            Some(prompt) if !self.has_switched_on(prompt) => {
                let key = prompt.offered_by.unwrap_or_default();
                let flag = self.info.setting(key).and_then(|setting| setting.flag);
                format!("; it is offered with `{}` only", flag.unwrap_or(key))
            }
            Some(prompt) => {
                let left_out = prompt.tools.iter().find_map(|tool| self.offer().left_out_by(*tool));
                match left_out {
                    Some(flags) => format!("; a tool that it needs is left out by {flags}"),
                    None => "; you may not call all of its tools".to_owned(),
                }
            }
        };
        ErrorData::invalid_params(
            format!("unknown prompt `{name}`{why}"),
            Some(json!({ "prompt": name })),
        )
    }
}

/// The definitions of the prompts that are offered.
pub(super) fn list(
    host: &Host,
    view: View,
    with_icons: bool,
    callable: Option<&[usize]>,
) -> Vec<Prompt> {
    let offered = host.info.prompts.iter().filter(|prompt| host.has_prompt(prompt, callable));
    offered.map(|prompt| definition(host, prompt, view, with_icons)).collect()
}

fn definition(host: &Host, prompt: &PromptInfo, view: View, with_icons: bool) -> Prompt {
    let spelled = |text: &str| {
        if view.dots { text.to_owned() } else { host.info.portable_text(text).into_owned() }
    };
    let arguments = prompt.arguments.iter().map(|argument| {
        let mut served = PromptArgument::new(argument.name)
            .with_description(spelled(argument.description))
            .with_required(argument.required);
        served.title = argument.title.map(str::to_owned);
        served
    });
    let arguments: Vec<PromptArgument> = arguments.collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    let mut served = Prompt::new(prompt.name, Some(spelled(prompt.description)), arguments)
        .with_title(prompt.title);
    served.icons = icons::served(prompt.icons, with_icons);
    served
}

fn internal(message: impl Into<String>) -> ErrorData {
    ErrorData::internal_error(message.into(), None)
}

/// Writes a prompt for one caller.
struct Writer<'a> {
    host: &'a Host,
    prompt: &'static PromptInfo,
    values: Values,
    view: View,
    client: Arc<Client>,
    id: String,
    meta: Map<String, Value>,
    cancelled: CancellationToken,
}

impl Handler {
    /// The messages of a prompt.
    pub(super) async fn write_prompt(
        &self,
        request: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResult, ErrorData> {
        let callable = self.callable(context).await;
        let prompt = self.host.prompt(&request.name, callable.as_deref())?;
        let given = request.arguments.unwrap_or_default();
        let values = prompt_values::read(prompt, &given)?;
        let view = self.view(context);
        let writer = Writer {
            host: &self.host,
            prompt,
            values,
            view,
            client: Arc::new(self.client(context)),
            id: context.id.to_string(),
            meta: methods::own_meta(context.meta.0.0.clone()),
            cancelled: context.ct.clone(),
        };
        let mut result = GetPromptResult::new(writer.messages().await?);
        result.description = Some(writer.spelled(prompt.description));
        Ok(result)
    }
}

impl Writer<'_> {
    async fn messages(&self) -> Result<Vec<PromptMessage>, ErrorData> {
        let mut messages = Vec::new();
        for message in self.prompt.messages {
            if message.when.is_some_and(|argument| !self.values.has(argument)) {
                continue;
            }
            let role = match message.role {
                PromptRole::User => Role::User,
                PromptRole::Assistant => Role::Assistant,
            };
            let content = match &message.content {
                PromptContent::Text(pieces) => {
                    ContentBlock::text(self.text(pieces, |value| value.to_owned()))
                }
                PromptContent::Resource(uri) => self.resource(uri).await?,
                PromptContent::Result { tool, input } => {
                    let named = |(name, input): &(&'static str, PromptInput)| {
                        let value = match input {
                            PromptInput::Json(text) => serde_json::from_str(text).ok(),
                            PromptInput::Argument(argument) => self.values.value(argument),
                        };
                        Some(((*name).to_owned(), value?))
                    };
                    let arguments = input.iter().filter_map(named).collect();
                    let from_user =
                        input.iter().any(|(_, input)| matches!(input, PromptInput::Argument(_)));
                    ContentBlock::text(self.run(*tool, Value::Object(arguments), from_user).await?)
                }
                PromptContent::Image { data, mime_type } => ContentBlock::image(*data, *mime_type),
            };
            messages.push(PromptMessage::new(role, content));
        }
        Ok(messages)
    }

    /// A template with its values in it.
    fn text(&self, pieces: &[PromptPiece], quote: impl Fn(&str) -> String) -> String {
        let each = pieces.iter().map(|piece| match piece {
            PromptPiece::Text(text) => (*text).to_owned(),
            PromptPiece::Argument(name) => quote(self.values.text(name)),
            PromptPiece::Tool(index) => {
                let tool = self.host.info.tools.get(*index);
                let name = |tool: &&crate::contract::ToolInfo| {
                    if self.view.dots { tool.canonical } else { tool.portable }
                };
                tool.map_or("", name).to_owned()
            }
        });
        each.collect()
    }

    async fn resource(&self, uri: &[PromptPiece]) -> Result<ContentBlock, ErrorData> {
        let from_user = uri.iter().any(|piece| matches!(piece, PromptPiece::Argument(_)));
        let uri = self.text(uri, |value| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string());
        Ok(ContentBlock::resource(match resources::find(self.host.info, &uri) {
            Some(found) => self.contents(&found, uri, from_user).await?,
            None => return Err(internal(format!("resource not found: `{uri}`"))),
        }))
    }

    async fn contents(
        &self,
        found: &resources::Found,
        uri: String,
        from_user: bool,
    ) -> Result<ResourceContents, ErrorData> {
        let (info, resource) = (self.host.info, found.resource);
        let index = match resource.source {
            ResourceSource::File { mime_type, text } => {
                return Ok(ResourceContents::text(text, uri).with_mime_type(mime_type));
            }
            ResourceSource::Blob { mime_type, base64 } => {
                return Ok(ResourceContents::blob(base64, uri).with_mime_type(mime_type));
            }
            ResourceSource::Tool(index) => index,
        };
        let tool = info.tools.get(index).ok_or_else(|| internal("no such tool"))?;
        let arguments =
            found.arguments(tool, &uri).map_err(|why| ErrorData::invalid_params(why, None))?;
        let text = self.run(index, arguments, from_user).await?;
        content::of(resource, &uri, text, info)
            .map(|contents| contents.with_mime_type(resources::mime_type(resource)))
            .ok_or_else(|| internal(format!("reading `{uri}` failed: the answer has no content")))
    }

    /// The answer of a read tool. Where the user's arguments went into the call, a refusal is about them.
    async fn run(
        &self,
        tool: usize,
        arguments: Value,
        from_user: bool,
    ) -> Result<String, ErrorData> {
        let (host, bug) = (self.host, self.host.info.builtin.internal.kind);
        let Some(info) = host.info.tools.get(tool) else {
            return Err(internal("no such tool"));
        };
        let call = Call::new(info, self.id.clone(), host.services.clone())
            .from_client(self.client.clone())
            .with_request_meta(self.meta.clone())
            .with_portable_names((!self.view.dots).then_some(host.info))
            .validating_output(host.validate_output)
            .cancelled_by(self.cancelled.clone());
        let arguments = serde_json::value::to_raw_value(&arguments)
            .map_err(|error| internal(error.to_string()))?;
        let (kind, answer) = match host.run(tool, &call, &arguments).await {
            Outcome::Answer(answer) if !answer.is_error => return Ok(answer.body),
            Outcome::Answer(answer) => {
                let body = serde_json::from_str(&answer.body).unwrap_or_default();
                (answer.kind.unwrap_or(bug), body)
            }
            Outcome::Protocol(error) => {
                return Err(ErrorData::new(ErrorCode(error.code), error.message, error.data));
            }
            // The compiler lets no prompt run a tool that asks.
            Outcome::NeedsInput(_) => (bug, Value::Null),
        };
        let code = match from_user && kind != bug {
            true => ErrorCode::INVALID_PARAMS,
            false => ErrorCode::INTERNAL_ERROR,
        };
        let name = if self.view.dots { info.canonical } else { info.portable };
        let message = format!(
            "the prompt `{}` cannot be written: `{name}` answers {kind}; see `data.answer`",
            self.prompt.name
        );
        Err(ErrorData::new(code, message, Some(json!({ "tool": name, "answer": answer }))))
    }

    fn spelled(&self, text: &str) -> String {
        if self.view.dots {
            text.to_owned()
        } else {
            self.host.info.portable_text(text).into_owned()
        }
    }
}
