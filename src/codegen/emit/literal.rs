//! Strings as Rust literals that a reviewer can read: raw where quotes would be escaped, and a
//! `concat!` of short pieces where one literal would be too long for a line.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Columns that a literal may fill before it is broken up, indentation aside.
pub(crate) const WIDTH: usize = 100;

/// Any text: broken after its line ends, and within a long line after a word.
pub(crate) fn text(text: &str) -> TokenStream {
    concat(text.split_inclusive('\n').flat_map(pieces))
}

/// One literal, or a `concat!` of several.
pub(crate) fn concat<'a>(pieces: impl IntoIterator<Item = &'a str>) -> TokenStream {
    let pieces: Vec<_> = pieces.into_iter().map(tokens).collect();
    match pieces.as_slice() {
        [] => quote! { "" },
        [piece] => quote! { #piece },
        pieces => quote! { concat!(#(#pieces),*) },
    }
}

/// A line in pieces of at most [`WIDTH`] characters, which end after a space or a comma where
/// there is one. Joined they are the line.
pub(crate) fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some((limit, _)) = rest.char_indices().nth(WIDTH) {
        let (head, _) = rest.split_at(limit);
        let end = head.rfind([' ', ',']).map_or(limit, |at| at + 1);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// One literal.
pub(crate) fn tokens(text: &str) -> TokenStream {
    literal(text).parse().unwrap_or_else(|_| {
        let literal = Literal::string(text);
        quote! { #literal }
    })
}

/// One literal, as text.
pub(crate) fn literal(text: &str) -> String {
    let raw_is_exact = !text.contains(|c: char| c.is_control());
    if !raw_is_exact || !text.contains(['"', '\\']) {
        return Literal::string(text).to_string();
    }
    let mut hashes = "#".to_owned();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What a literal or a `concat!` of literals is at run time.
    pub(crate) fn evaluated(tokens: TokenStream) -> String {
        let parsed: syn::Expr = syn::parse2(tokens).unwrap();
        let literals = match parsed {
            syn::Expr::Lit(literal) => vec![literal],
            syn::Expr::Macro(call) => call
                .mac
                .parse_body_with(
                    syn::punctuated::Punctuated::<syn::ExprLit, syn::Token![,]>::parse_terminated,
                )
                .unwrap()
                .into_iter()
                .collect(),
            other => panic!("{}", quote!(#other)),
        };
        literals
            .into_iter()
            .map(|literal| match literal.lit {
                syn::Lit::Str(text) => text.value(),
                _ => panic!("not a string"),
            })
            .collect()
    }

    #[test]
    fn a_text_is_the_same_in_pieces() {
        let (words, word) = ("many \"words\" ".repeat(30), "é".repeat(350));
        for long in ["", "\n", "one", "<a b=\"c\">\n\n  \\ {}\t\n</a>", "é\nend\n", &words, &word]
        {
            assert_eq!(evaluated(text(long)), long);
        }
    }

    #[test]
    fn pieces_are_short_and_end_after_words() {
        let words = "word ".repeat(50);
        let found = pieces(&words);
        assert!(
            found.iter().all(|piece| piece.len() <= WIDTH && piece.ends_with(' ')),
            "{found:?}"
        );
        assert!(pieces(&"x".repeat(250)).iter().all(|piece| piece.len() <= WIDTH));
    }
}
