//! `Handlers`, `Surface` and the dispatch of a call: admission, decoding, guards in order, handler.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::format::Text;
use super::guards::{self, Step};
use super::names;
use crate::model::{Contract, GuardUse, Tool};

/// Writes the sum of all handlers and the entry point of the runtime.
pub(crate) fn emit(contract: &Contract, text: &mut Text) -> Result<(), String> {
    let (of_self, bounds) = (bounds(contract, "Self"), bounds(contract, "H"));
    text.section("dispatch");
    text.tokens(quote! {
        /// Everything that a surface must implement; see [`Surface::new`].
        pub trait Handlers where #(Self: #of_self,)* {}

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
    let callable = has_roles(contract).then(|| {
        quote! {
            fn callable<'a>(
                &'a self,
                caller: Option<&'a ::toolwright_runtime::Caller>,
            ) -> dispatch::CallableFuture<'a> {
                Box::pin(guard::callable::<Error, _>(&SURFACE, &self.handlers, caller))
            }
        }
    });
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

            #callable
        }

        impl<H: Handlers> Surface<H> { #(#methods)* }
    })
}

/// The types of what the guards of a tool find out for its handler, in the order in which they run.
fn given(contract: &Contract, tool: &Tool, handlers: &Ident) -> Vec<TokenStream> {
    let marker = names::ident(&names::type_name(&tool.name));
    let (admission, guards): (Vec<_>, Vec<_>) =
        tool.guards.iter().partition(|guard| guard.is_admission(contract));
    let all = admission.into_iter().chain(guards);
    all.filter_map(|guard| guards::given(guard, &marker, handlers)).collect()
}

/// Some tool has the `role` guard.
fn has_roles(contract: &Contract) -> bool {
    let mut guards = contract.tools.iter().flat_map(|tool| &tool.guards);
    guards.any(|guard| matches!(guard, GuardUse::Role { .. }))
}

/// One thing by itself, others as a tuple.
fn several(things: &[TokenStream]) -> TokenStream {
    match things {
        [thing] => thing.clone(),
        things => quote! { (#(#things),*) },
    }
}

/// One bound for each thing that handwritten code must give.
fn bounds(contract: &Contract, handlers: &str) -> Vec<TokenStream> {
    let handlers = &Ident::new(handlers, Span::call_site());
    let mut bounds = Vec::new();
    for tool in &contract.tools {
        let marker = names::ident(&names::type_name(&tool.name));
        if tool.guards.iter().any(|guard| matches!(guard, GuardUse::TwoStage { .. })) {
            bounds.push(quote! { tool::Stage<#marker> });
        }
        let given = given(contract, tool, handlers);
        bounds.push(match given.as_slice() {
            [] => quote! { tool::Handle<#marker> },
            given => {
                let given = several(given);
                quote! { tool::HandleGuarded<#marker, #given> }
            }
        });
    }
    for guard in contract.guards.keys() {
        let params = names::ident(&guards::params_name(guard));
        bounds.push(quote! { tool::Guard<#params> });
    }
    if has_roles(contract) {
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
    let (admission, guards): (Vec<_>, Vec<_>) =
        tool.guards.iter().partition(|guard| guard.is_admission(contract));
    let admission = admission.into_iter().filter_map(|guard| match guard {
        GuardUse::Own { name, bind } => Some(guards::admission(name, bind)),
        _ => None,
    });
    let (admission, guards) = (in_order(admission), in_order(guards.into_iter().map(guards::step)));
    let marker = names::ident(&names::type_name(&tool.name));
    let types = given(contract, tool, &Ident::new("H", Span::call_site()));
    let (of_admission, of_guards) = types.split_at(admission.gives);
    let (admitted, passed) =
        (numbered("admitted", admission.gives), numbered("passed", guards.gives));
    let all = several(&[admitted.as_slice(), passed.as_slice()].concat());

    let (arrive, admit) =
        undecoded(tool, &marker, &several(&admitted), &several(of_admission), admission.body);
    let method = method(tool);
    let head = quote! {
        async fn #method(
            &self,
            call: &::toolwright_runtime::Call,
            arguments: &::serde_json::value::RawValue,
        ) -> ::toolwright_runtime::Outcome
    };
    let Some(body) = guards.body else {
        return quote! {
            #head {
                #arrive
                match decoded {
                    Ok(decoded) => decoded.handle(&self.handlers, #all).await,
                    Err(outcome) => outcome,
                }
            }

            #admit
        };
    };
    let guards = names::ident(&format!("guard_{}", names::field_name(&tool.name)));
    let (passed, given) = (several(&passed), several(of_guards));
    quote! {
        #head {
            #arrive
            let mut decoded = match decoded {
                Ok(decoded) => decoded,
                Err(outcome) => return outcome,
            };
            match self.#guards(&mut decoded).await {
                Ok(#passed) => decoded.handle(&self.handlers, #all).await,
                Err(refusal) => decoded.refused(refusal),
            }
        }

        #admit

        async fn #guards(
            &self,
            decoded: &mut pipeline::DecodedCall<'_, #marker>,
        ) -> ::std::result::Result<#given, guard::Refusal> { #body }
    }
}

/// Names for so many things.
fn numbered(name: &str, count: usize) -> Vec<TokenStream> {
    let name = |number| match count {
        1 => names::ident(name),
        _ => names::ident(&format!("{name}_{number}")),
    };
    (0..count).map(name).map(|name| quote! { #name }).collect()
}

/// The statements that make `decoded`, a call that is decoded or already answered, and the method that
/// admits.
fn undecoded(
    tool: &Tool,
    marker: &Ident,
    admitted: &TokenStream,
    given: &TokenStream,
    body: Option<TokenStream>,
) -> (TokenStream, TokenStream) {
    let Some(body) = body else {
        let decoded = quote! {
            let decoded = pipeline::DecodedCall::<#marker>::decode(&SURFACE, call, arguments);
        };
        return (decoded, TokenStream::new());
    };
    let admit = names::ident(&format!("admit_{}", names::field_name(&tool.name)));
    let arrive = quote! {
        let undecoded = pipeline::UndecodedCall::new(&SURFACE, call);
        let #admitted = match self.#admit(&undecoded).await {
            Ok(admitted) => admitted,
            Err(refusal) => return undecoded.refused(refusal),
        };
        let decoded = undecoded.decode(arguments);
    };
    let method = quote! {
        async fn #admit(
            &self,
            undecoded: &pipeline::UndecodedCall<'_, #marker>,
        ) -> ::std::result::Result<#given, guard::Refusal> { #body }
    };
    (arrive, method)
}

/// Guards one after the other.
struct InOrder {
    /// A `Result` of what they find out; `None` where there are no guards.
    body: Option<TokenStream>,
    /// How many of them find something out.
    gives: usize,
}

fn in_order(steps: impl Iterator<Item = Step>) -> InOrder {
    let mut steps: Vec<Step> = steps.collect();
    let gives = steps.iter().filter(|step| step.gives).count();
    let last_only = steps.last().is_some_and(|last| gives == usize::from(last.gives));
    // What the last guard gives is all there is: its answer is the answer.
    let last = steps.pop_if(|_| last_only);
    let mut given = Vec::new();
    let mut body = TokenStream::new();
    for Step { params, call, gives } in steps {
        body.extend(match gives {
            true => {
                let name = names::ident(&format!("passed_{}", given.len()));
                let statement = quote! { #params let #name = #call?; };
                given.push(quote! { #name });
                statement
            }
            false => quote! { #params #call?; },
        });
    }
    if let Some(Step { params, call, .. }) = last {
        return InOrder { body: Some(quote! { #body #params #call }), gives };
    }
    let given = several(&given);
    InOrder { body: (gives > 0).then(|| quote! { #body Ok(#given) }), gives }
}
