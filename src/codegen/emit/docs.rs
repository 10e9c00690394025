//! Doc comments from descriptions, wrapped.

use proc_macro2::TokenStream;
use quote::quote;

/// Columns of a wrapped doc comment.
const WIDTH: usize = 92;

/// `#[doc]` attributes for a text of several lines or paragraphs.
pub(crate) fn doc(text: &str) -> TokenStream {
    let lines = wrapped(text);
    quote! { #(#[doc = #lines])* }
}

/// The lines of a doc comment, each led by a space unless empty.
pub(crate) fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for source in text.trim().lines() {
        let mut line = String::new();
        for word in source.split_whitespace() {
            if !line.is_empty() && line.chars().count() + word.chars().count() >= WIDTH {
                lines.push(std::mem::take(&mut line));
            }
            line.push(' ');
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_and_paragraphs_kept() {
        let lines = wrapped(&format!("{} end\n\nsecond", "word ".repeat(18).trim()));
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.len() <= WIDTH + 1));
        assert_eq!(&lines[1..], [" end", "", " second"]);
    }
}
