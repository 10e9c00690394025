//! The error registry: an enum of kinds and a static entry for each.

use proc_macro2::TokenStream;
use quote::quote;

use super::format::Text;
use super::{docs, json, literal, names};
use crate::model::Contract;

/// Writes the enum, its table and the result type of handlers.
pub(crate) fn emit(contract: &Contract, text: &mut Text) -> Result<(), String> {
    let mut variants: Vec<proc_macro2::Ident> = Vec::new();
    for kind in contract.errors.keys() {
        let variant = names::ident(&names::type_name(kind));
        if variants.contains(&variant) {
            return Err(format!("two kinds of errors would be the Rust variant `{variant}`"));
        }
        variants.push(variant);
    }
    let entries: Vec<TokenStream> = contract.errors.keys().map(|kind| entry(kind)).collect();
    let docs = contract.errors.values().map(|error| docs::doc(&error.when));
    let statics = contract.errors.iter().map(|(kind, error)| {
        let entry = names::ident(&names::const_name(kind));
        let (code, when, retryable) = (&error.code, literal::text(&error.when), error.retryable);
        let (next, aliases) = (option(error.next.as_deref()), &error.aliases);
        let exit = proc_macro2::Literal::u8_unsuffixed(error.exit);
        let details = json::expression(&serde_json::Value::Object(error.details.clone()));
        let jsonrpc = match error.jsonrpc {
            Some(code) => {
                let code = proc_macro2::Literal::i32_unsuffixed(code);
                quote! { Some(#code) }
            }
            None => quote! { None },
        };
        quote! {
            pub(super) static #entry: ErrorInfo = ErrorInfo {
                kind: #kind,
                code: #code,
                when: #when,
                retryable: #retryable,
                next: #next,
                aliases: &[#(#aliases),*],
                jsonrpc: #jsonrpc,
                exit: #exit,
                details: #details,
            };
        }
    });
    text.section("errors");
    text.tokens(quote! {
        /// The error registry: the only kinds of failure that can leave this surface.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Error { #(#docs #variants,)* }

        impl Error {
            /// Every kind, sorted.
            pub const ALL: &'static [Error] = &[#(Self::#variants),*];
        }

        impl ::toolwright_runtime::ErrorKind for Error {
            fn info(self) -> &'static contract::ErrorInfo {
                match self { #(Self::#variants => &#entries,)* }
            }
        }

        /// What handlers return.
        pub type Result<T> = ::std::result::Result<T, ::toolwright_runtime::Failure<Error>>;

        mod errors {
            use super::contract::ErrorInfo;
            #(#statics)*
        }
    })
}

/// The path of a kind's entry, `errors::PANE_NOT_FOUND`.
pub(crate) fn entry(kind: &str) -> TokenStream {
    let name = names::ident(&names::const_name(kind));
    quote! { errors::#name }
}

/// `Some("…")` or `None`.
pub(crate) fn option(text: Option<&str>) -> TokenStream {
    match text {
        Some(text) => {
            let text = literal::text(text);
            quote! { Some(#text) }
        }
        None => quote! { None },
    }
}
