//! The `Role` enum of surfaces with a role matrix.

use quote::quote;

use super::format::Text;
use super::names;
use crate::model::Contract;

/// Writes the enum where the surface has roles.
pub(crate) fn emit(contract: &Contract, text: &mut Text) -> Result<(), String> {
    if contract.roles.is_empty() {
        return Ok(());
    }
    let roles: Vec<&String> = contract.roles.keys().collect();
    let variants: Vec<_> = roles.iter().map(|role| names::ident(&names::type_name(role))).collect();
    if let Some(twice) = variants.iter().enumerate().find(|(at, one)| variants[..*at].contains(one))
    {
        return Err(format!("two roles would be the Rust variant `{}`", twice.1));
    }
    let docs = contract.roles.iter().map(|(role, tools)| {
        format!(" `{role}` may call {} of {} tools.", tools.len(), contract.tools.len())
    });
    text.section("roles");
    text.tokens(quote! {
        /// Who may call what; the matrix is in [`SURFACE`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role { #(#[doc = #docs] #variants,)* }

        impl Role {
            /// Every role, sorted.
            pub const ALL: &'static [Role] = &[#(Self::#variants),*];

            /// The role of a name, as in the spec.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    #(#roles => Some(Self::#variants),)*
                    _ => None,
                }
            }

            /// Its name, as in the spec.
            pub fn as_str(self) -> &'static str {
                match self { #(Self::#variants => #roles,)* }
            }
        }
    })
}
