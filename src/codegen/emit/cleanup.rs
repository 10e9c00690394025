//! Simplifies the items that typify generates.

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};
use syn::{Attribute, Fields, ItemEnum, ItemStruct, Meta};

use super::docs;

/// Derives in conventional order.
const DERIVES: [&str; 11] = [
    "Debug",
    "Clone",
    "Copy",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Hash",
    "Default",
    "Serialize",
    "Deserialize",
];

/// Paths that typify writes in front of names that a generated module knows anyway.
const PATHS: [&str; 6] = [
    "::std::string::",
    "::std::option::",
    "::std::vec::",
    "::std::boxed::",
    "::std::default::",
    "::std::collections::",
];

/// Shortens the paths of the prelude and of `BTreeMap`.
pub(crate) fn short_paths(stream: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut short = Vec::with_capacity(tokens.len());
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        if let Some(skipped) = prelude_path(rest) {
            rest = &rest[skipped..];
            continue;
        }
        short.push(match first {
            TokenTree::Group(group) => TokenTree::Group(shortened(group)),
            TokenTree::Literal(literal) => short_literal(literal),
            other => other.clone(),
        });
        rest = after;
    }
    short.into_iter().collect()
}

fn shortened(group: &Group) -> Group {
    let delimiter: Delimiter = group.delimiter();
    Group::new(delimiter, short_paths(group.stream()))
}

/// The length of `::std::string::` and its like at the front of the tokens: `:: std :: string ::`.
fn prelude_path(tokens: &[TokenTree]) -> Option<usize> {
    const LENGTH: usize = 8;
    if !matches!(tokens.first(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':') {
        return None;
    }
    let text: String = tokens.get(..LENGTH)?.iter().map(ToString::to_string).collect();
    PATHS.contains(&text.as_str()).then_some(LENGTH)
}

/// serde names functions by path in strings: `"::std::option::Option::is_none"`.
fn short_literal(literal: &Literal) -> TokenTree {
    // Of a path that it was given as a type, typify prints the tokens with spaces between them.
    let text = literal.to_string().replace(":: std :: collections :: ", "::std::collections::");
    let path = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default();
    let short = PATHS.iter().find_map(|long| path.strip_prefix(long));
    TokenTree::Literal(short.map_or_else(|| literal.clone(), Literal::string))
}

/// Attributes of a struct and its fields.
pub(crate) fn structure(item: &mut ItemStruct) {
    let name = item.ident.to_string();
    item.attrs = attributes(std::mem::take(&mut item.attrs), &name);
    fields(&mut item.fields);
}

/// Attributes of an enum, its variants and their fields.
pub(crate) fn enumeration(item: &mut ItemEnum) {
    let name = item.ident.to_string();
    item.attrs = attributes(std::mem::take(&mut item.attrs), &name);
    for variant in &mut item.variants {
        variant.attrs = attributes(std::mem::take(&mut variant.attrs), "");
        fields(&mut variant.fields);
    }
}

fn fields(fields: &mut Fields) {
    for field in fields.iter_mut() {
        field.attrs = attributes(std::mem::take(&mut field.attrs), "");
    }
}

fn attributes(attributes: Vec<Attribute>, name: &str) -> Vec<Attribute> {
    let mut kept: Vec<Attribute> = Vec::new();
    for attribute in attributes {
        if let Some(text) = doc_text(&attribute) {
            // Without a description typify repeats the name.
            if text != format!("`{name}`") {
                kept.extend(
                    docs::wrapped(&text).into_iter().map(|line| syn::parse_quote!(#[doc = #line])),
                );
            }
        } else if attribute.path().is_ident("derive") {
            kept.extend(derives(&attribute));
        } else {
            kept.push(attribute);
        }
    }
    kept
}

fn doc_text(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Sorted, with serde's traits on a line of their own where one line would be too long.
fn derives(attribute: &Attribute) -> Vec<Attribute> {
    const MAX: usize = 8;
    let mut found: Vec<(usize, syn::PathSegment)> = Vec::new();
    let _ = attribute.parse_nested_meta(|meta| {
        // Both traits of serde are imported, so the last segment is enough.
        if let Some(segment) = meta.path.segments.last() {
            let place = DERIVES.iter().position(|name| segment.ident == name);
            found.push((place.unwrap_or(DERIVES.len()), segment.clone()));
        }
        Ok(())
    });
    found.sort_by_key(|(place, _)| *place);
    let names: Vec<_> = found.into_iter().map(|(_, segment)| segment).collect();
    let split = if names.len() > MAX { names.len() - 2 } else { names.len() };
    let (first, second) = names.split_at(split);
    [first, second]
        .into_iter()
        .filter(|names| !names.is_empty())
        .map(|names| syn::parse_quote!(#[derive(#(#names),*)]))
        .collect()
}
