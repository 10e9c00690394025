//! Prompts and icons of the static description of the surface.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::errors::option;
use super::{json, literal, names};
use crate::model::{
    Content, Contract, Icon, IconOwner, Piece, Prompt, PromptArgument, PromptMessage,
    PromptValueKind,
};

/// The tables of all prompts.
pub(super) fn tables(contract: &Contract) -> Result<Vec<TokenStream>, String> {
    contract.prompts.iter().map(|prompt| table(contract, prompt)).collect()
}

/// The icons of the surface, its tools and its resources.
pub(super) fn icons(contract: &Contract) -> Result<Vec<TokenStream>, String> {
    let of = |(owner, icon): &(IconOwner, Icon)| {
        let owner = match owner {
            IconOwner::Surface => quote! { Surface },
            IconOwner::Tool(name) => {
                let index = index(contract, name)?;
                quote! { Tool(#index) }
            }
            IconOwner::Resource(uri) => {
                let index = contract.resources.iter().position(|resource| resource.uri == *uri);
                let index = index.map(Literal::usize_unsuffixed);
                let index =
                    index.ok_or_else(|| format!("an icon is of `{uri}`, which is no resource"))?;
                quote! { Resource(#index) }
            }
        };
        let icon = one_icon(icon);
        Ok(quote! { (contract::IconOwner::#owner, #icon) })
    };
    contract.icons.iter().map(of).collect()
}

fn table(contract: &Contract, prompt: &Prompt) -> Result<TokenStream, String> {
    let (name, title) = (&prompt.name, literal::text(&prompt.title));
    let description = literal::text(&prompt.description);
    let offered_by = option(prompt.offered_by.as_deref());
    let arguments: Result<Vec<TokenStream>, String> =
        prompt.arguments.iter().map(|one| argument(contract, one)).collect();
    let arguments = arguments?;
    let messages: Result<Vec<TokenStream>, String> =
        prompt.messages.iter().map(|one| message(contract, one)).collect();
    let messages = messages?;
    let tools = prompt.tools(&contract.resources);
    let tools: Result<Vec<Literal>, String> =
        tools.iter().map(|tool| index(contract, tool)).collect();
    let tools = tools?;
    let icons = prompt.icons.iter().map(one_icon);
    let example = prompt.example.iter().map(|(name, value)| {
        let value = literal::text(value);
        quote! { (#name, #value) }
    });
    Ok(quote! {
        contract::PromptInfo {
            name: #name,
            title: #title,
            description: #description,
            offered_by: #offered_by,
            arguments: &[#(#arguments),*],
            messages: &[#(#messages),*],
            tools: &[#(#tools),*],
            icons: &[#(#icons),*],
            example: &[#(#example),*],
        }
    })
}

fn argument(contract: &Contract, argument: &PromptArgument) -> Result<TokenStream, String> {
    let PromptArgument { name, required, .. } = argument;
    let (title, default) = (option(argument.title.as_deref()), option(argument.default.as_deref()));
    let description = literal::text(&argument.description);
    let number = |number: Option<i64>| match number.map(Literal::i64_unsuffixed) {
        Some(number) => quote! { Some(#number) },
        None => quote! { None },
    };
    let kind = match &argument.kind {
        PromptValueKind::Text { max_length } => {
            let limit = number(max_length.map(i64::from));
            quote! { Text { max_length: #limit } }
        }
        PromptValueKind::Choice { words } => quote! { Choice(&[#(#words),*]) },
        PromptValueKind::Integer { minimum, maximum } => {
            let (minimum, maximum) = (number(*minimum), number(*maximum));
            quote! { Integer { minimum: #minimum, maximum: #maximum } }
        }
        PromptValueKind::Boolean => quote! { Boolean },
    };
    let complete = match &argument.complete {
        Some((tool, of)) => {
            let tool = index(contract, tool)?;
            quote! { Some((#tool, #of)) }
        }
        None => quote! { None },
    };
    Ok(quote! {
        contract::PromptArgument {
            name: #name,
            title: #title,
            description: #description,
            required: #required,
            default: #default,
            kind: contract::PromptValueKind::#kind,
            complete: #complete,
        }
    })
}

fn message(contract: &Contract, message: &PromptMessage) -> Result<TokenStream, String> {
    let role = if message.assistant {
        quote! { Assistant }
    } else {
        quote! { User }
    };
    let when = option(message.when.as_deref());
    let content = match &message.content {
        Content::Text(text) => {
            let text = pieces(contract, text)?;
            quote! { Text(#text) }
        }
        Content::Resource(uri) => {
            let uri = pieces(contract, uri)?;
            quote! { Resource(#uri) }
        }
        Content::Result { tool, input } => {
            let tool = index(contract, tool)?;
            let input = input.iter().map(|(name, value)| {
                let value = match argument_of(value) {
                    Some(argument) => quote! { Argument(#argument) },
                    None => {
                        let value = json::expression(value);
                        quote! { Json(#value) }
                    }
                };
                quote! { (#name, contract::PromptInput::#value) }
            });
            quote! { Result { tool: #tool, input: &[#(#input),*] } }
        }
        Content::Image { mime_type, data, .. } => {
            let data = literal::concat(literal::pieces(data));
            quote! { Image { data: #data, mime_type: #mime_type } }
        }
    };
    Ok(quote! {
        contract::PromptMessage {
            role: contract::PromptRole::#role,
            when: #when,
            content: contract::PromptContent::#content,
        }
    })
}

/// The argument of the prompt that a value of a tool's input stands for.
pub fn argument_of(value: &Value) -> Option<&str> {
    value.as_str().and_then(|text| text.strip_prefix('$'))
}

fn pieces(contract: &Contract, pieces: &[Piece]) -> Result<TokenStream, String> {
    let mut all = Vec::new();
    for piece in pieces {
        let piece = match piece {
            Piece::Text(text) => {
                let text = literal::text(text);
                quote! { Text(#text) }
            }
            Piece::Argument(name) => quote! { Argument(#name) },
            Piece::Tool(name) => {
                let index = index(contract, name)?;
                quote! { Tool(#index) }
            }
        };
        all.push(quote! { contract::PromptPiece::#piece });
    }
    Ok(quote! { &[#(#all),*] })
}

fn one_icon(icon: &Icon) -> TokenStream {
    let src = literal::concat(literal::pieces(&icon.src));
    let Icon { mime_type, sizes, .. } = icon;
    let theme = match icon.theme {
        Some(theme) => {
            let theme = names::variant(theme);
            quote! { Some(contract::IconTheme::#theme) }
        }
        None => quote! { None },
    };
    quote! {
        contract::IconInfo {
            src: #src,
            mime_type: #mime_type,
            sizes: &[#(#sizes),*],
            theme: #theme,
        }
    }
}

fn index(contract: &Contract, tool: &str) -> Result<Literal, String> {
    let index = contract.tools.iter().position(|other| other.name == tool);
    let index = index.map(Literal::usize_unsuffixed);
    index.ok_or_else(|| format!("a prompt or an icon is of `{tool}`, which is no tool"))
}
