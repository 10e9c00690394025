//! `Handlers`, `Surface` and the way of a call: decode, guards in order, handler.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::format::Text;
use super::{guards, names};
use crate::model::{Contract, GuardUse, Tool};

/// Writes the sum of all handlers and the door to the runtime.
pub(crate) fn emit(contract: &Contract, text: &mut Text) -> Result<(), String> {
    let bounds = bounds(contract);
    text.section("dispatch");
    text.tokens(quote! {
        /// Everything that a surface must implement; see [`Surface::new`].
        pub trait Handlers where #(Self: #bounds,)* {}

        impl<H> Handlers for H where #(H: #bounds,)* {}
    })?;
    let lives = guards::lives(contract);
    text.tokens(match lives.is_empty() {
        true => plain(&bounds),
        false => with_confirmations(&bounds, &lives),
    })?;
    let arms = contract.tools.iter().enumerate().map(|(index, tool)| {
        let (index, method) = (Literal::usize_unsuffixed(index), method(tool));
        quote! { #index => Box::pin(self.#method(call, arguments)), }
    });
    let methods = contract.tools.iter().map(way);
    text.tokens(quote! {
        impl<H: Handlers> ::toolwright_runtime::Dispatch for Surface<H> {
            fn info(&self) -> &'static contract::SurfaceInfo {
                &SURFACE
            }

            fn dispatch<'a>(
                &'a self,
                tool: usize,
                call: &'a ::toolwright_runtime::Call,
                arguments: &'a ::serde_json::value::RawValue,
            ) -> dispatch::OutcomeFuture<'a> {
                match tool {
                    #(#arms)*
                    _ => Box::pin(pipeline::no_such_tool(&SURFACE, call)),
                }
            }
        }

        impl<H: Handlers> Surface<H> { #(#methods)* }
    })
}

/// One bound for each thing that handwritten code must give.
fn bounds(contract: &Contract) -> Vec<TokenStream> {
    let mut bounds = Vec::new();
    for tool in &contract.tools {
        let marker = names::ident(&names::type_name(&tool.name));
        bounds.push(quote! { tool::Handle<#marker> });
        if tool.guards.iter().any(|guard| matches!(guard, GuardUse::TwoStage { .. })) {
            bounds.push(quote! { tool::Stage<#marker> });
        }
    }
    for guard in contract.guards.keys() {
        let params = names::ident(&guards::params_name(guard));
        bounds.push(quote! { tool::Guard<#params> });
    }
    let mut guards = contract.tools.iter().flat_map(|tool| &tool.guards);
    if guards.any(|guard| matches!(guard, GuardUse::Role { .. })) {
        bounds.push(quote! { tool::Roles<Error> });
    }
    bounds
}

// `new` repeats the bounds of `Handlers`: a bound on the trait would be reported as `Handlers` not
// being implemented, the bounds themselves name the tool that has no handler.

fn plain(bounds: &[TokenStream]) -> TokenStream {
    quote! {
        /// Connects handlers to the runtime.
        #[derive(Debug)]
        pub struct Surface<H> {
            handlers: H,
        }

        impl<H> Surface<H> {
            /// A surface of these handlers.
            pub fn new(handlers: H) -> Self where #(H: #bounds,)* {
                Self { handlers }
            }

            /// The handlers.
            pub fn handlers(&self) -> &H {
                &self.handlers
            }
        }
    }
}

fn with_confirmations(bounds: &[TokenStream], lives: &[TokenStream]) -> TokenStream {
    quote! {
        /// An empty table of confirmations, for [`Surface::with_confirmations`] and the handlers
        /// of the tools that mint them.
        pub fn confirmations() -> ::std::sync::Arc<guard::Confirmations> {
            ::std::sync::Arc::new(guard::Confirmations::new(&SURFACE, &[#(#lives),*]))
        }

        /// Connects handlers to the runtime.
        pub struct Surface<H> {
            handlers: H,
            confirmations: ::std::sync::Arc<guard::Confirmations>,
        }

        impl<H> Surface<H> {
            /// A surface of these handlers, with a table of confirmations of its own.
            pub fn new(handlers: H) -> Self where #(H: #bounds,)* {
                Self { handlers, confirmations: confirmations() }
            }

            /// A surface whose handlers mint confirmations in the same table.
            pub fn with_confirmations(
                handlers: H,
                confirmations: ::std::sync::Arc<guard::Confirmations>,
            ) -> Self where #(H: #bounds,)* {
                Self { handlers, confirmations }
            }

            /// The handlers.
            pub fn handlers(&self) -> &H {
                &self.handlers
            }

            /// The table of confirmations.
            pub fn confirmations(&self) -> &::std::sync::Arc<guard::Confirmations> {
                &self.confirmations
            }
        }
    }
}

fn method(tool: &Tool) -> Ident {
    names::ident(&format!("call_{}", names::field_name(&tool.name)))
}

fn way(tool: &Tool) -> TokenStream {
    let method = method(tool);
    let marker = names::ident(&names::type_name(&tool.name));
    let head = quote! {
        async fn #method(
            &self,
            call: &::toolwright_runtime::Call,
            arguments: &::serde_json::value::RawValue,
        ) -> ::toolwright_runtime::Outcome
    };
    let mut steps: Vec<_> = tool.guards.iter().map(guards::step).collect();
    let Some((last_params, last)) = steps.pop() else {
        return quote! {
            #head {
                type Run<'a> = pipeline::Run<'a, #marker>;
                match Run::decode(&SURFACE, call, arguments) {
                    Ok(run) => run.handle(&self.handlers).await,
                    Err(outcome) => outcome,
                }
            }
        };
    };
    let (params, calls): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
    let guards = names::ident(&format!("guard_{}", names::field_name(&tool.name)));
    quote! {
        #head {
            type Run<'a> = pipeline::Run<'a, #marker>;
            let mut run = match Run::decode(&SURFACE, call, arguments) {
                Ok(run) => run,
                Err(outcome) => return outcome,
            };
            match self.#guards(&mut run).await {
                Ok(()) => run.handle(&self.handlers).await,
                Err(refusal) => run.refused(refusal),
            }
        }

        async fn #guards(
            &self,
            run: &mut pipeline::Run<'_, #marker>,
        ) -> ::std::result::Result<(), guard::Refusal> {
            #(#params #calls?;)*
            #last_params
            #last
        }
    }
}
