//! `Handlers`, `Surface` and the way of a call: admission, decode, guards in order, handler.

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
    let methods = contract.tools.iter().map(|tool| way(contract, tool));
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

fn way(contract: &Contract, tool: &Tool) -> TokenStream {
    let method = method(tool);
    let marker = names::ident(&names::type_name(&tool.name));
    let (admission, guards): (Vec<_>, Vec<_>) =
        tool.guards.iter().partition(|guard| guard.is_admission(contract));
    let (arrive, decoded, admit) = arrival(tool, &marker, &admission);
    let head = quote! {
        async fn #method(
            &self,
            call: &::toolwright_runtime::Call,
            arguments: &::serde_json::value::RawValue,
        ) -> ::toolwright_runtime::Outcome
    };
    let Some(guards_body) = in_order(guards.into_iter().map(guards::step).collect()) else {
        return quote! {
            #head {
                #arrive
                match #decoded {
                    Ok(run) => run.handle(&self.handlers).await,
                    Err(outcome) => outcome,
                }
            }

            #admit
        };
    };
    let guards = names::ident(&format!("guard_{}", names::field_name(&tool.name)));
    quote! {
        #head {
            #arrive
            let mut run = match #decoded {
                Ok(run) => run,
                Err(outcome) => return outcome,
            };
            match self.#guards(&mut run).await {
                Ok(()) => run.handle(&self.handlers).await,
                Err(refusal) => run.refused(refusal),
            }
        }

        #admit

        async fn #guards(
            &self,
            run: &mut pipeline::Run<'_, #marker>,
        ) -> ::std::result::Result<(), guard::Refusal> { #guards_body }
    }
}

/// The statements before decoding, the expression that decodes, and the method that admits.
fn arrival(
    tool: &Tool,
    marker: &Ident,
    admission: &[&GuardUse],
) -> (TokenStream, TokenStream, TokenStream) {
    let steps = admission.iter().filter_map(|guard| match guard {
        GuardUse::Own { name, bind } => Some(guards::admission(name, bind)),
        _ => None,
    });
    let Some(body) = in_order(steps.collect()) else {
        return (
            quote! { type Run<'a> = pipeline::Run<'a, #marker>; },
            quote! { Run::decode(&SURFACE, call, arguments) },
            TokenStream::new(),
        );
    };
    let admit = names::ident(&format!("admit_{}", names::field_name(&tool.name)));
    let arrive = quote! {
        let arrival = pipeline::Arrival::new(&SURFACE, call);
        if let Err(refusal) = self.#admit(&arrival).await {
            return arrival.refused(refusal);
        }
    };
    let method = quote! {
        async fn #admit(
            &self,
            arrival: &pipeline::Arrival<'_, #marker>,
        ) -> ::std::result::Result<(), guard::Refusal> { #body }
    };
    (arrive, quote! { arrival.decode(arguments) }, method)
}

/// Guards one after the other; the last one's answer is the answer. `None` where there are none.
fn in_order(mut steps: Vec<(TokenStream, TokenStream)>) -> Option<TokenStream> {
    let (last_params, last) = steps.pop()?;
    let (params, calls): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
    Some(quote! {
        #(#params #calls?;)*
        #last_params
        #last
    })
}
