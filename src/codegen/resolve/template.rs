//! Texts with placeholders: `{argument}`, `{tool:name}`, and `{{` `}}` for braces.

use crate::diagnostics::{Findings, Place, code};
use crate::model::Piece;

/// What a placeholder of a tool begins with.
const TOOL: &str = "tool:";

/// A placeholder, or a brace that is none, with its place in the file.
pub(crate) struct Found {
    pub(crate) piece: Piece,
    pub(crate) place: Place,
}

/// Where a text is written, for the places of what is inside it.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    /// The whole file.
    pub(crate) source: &'a str,
    /// The text in it.
    pub(crate) place: Place,
}

impl Written<'_> {
    /// The place of the `nth` occurrence of `word` from the start of the text on; the text's own place
    /// where it is written otherwise, such as with escapes.
    fn find(self, word: &str, nth: usize) -> Place {
        let start = self.place.start as usize;
        let offset = |at: usize| u32::try_from(start + at).ok();
        let found = self.source.get(start..).and_then(|rest| rest.match_indices(word).nth(nth));
        found
            .and_then(|(at, _)| Some((offset(at)?, offset(at + word.len())?)))
            .map_or(self.place, |(start, end)| Place { start, end, ..self.place })
    }
}

/// Reads a template; reports braces that belong to no placeholder.
pub(crate) fn read(text: &str, at: Written<'_>, out: &mut Findings) -> Vec<Found> {
    let mut found = Vec::new();
    let mut run = String::new();
    let mut rest = text;
    while let Some(brace) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(brace);
        run.push_str(before);
        let done = text.len() - from.len();
        // As far as here the same words come before this one.
        let nth = |word: &str| text.get(..done).map_or(0, |before| before.matches(word).count());
        if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
            run.push_str(&from[..1]);
            rest = after;
            continue;
        }
        let inside = from.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        match inside.filter(|(name, _)| is_name(name)) {
            Some((name, after)) => {
                let word = format!("{{{name}}}");
                if !run.is_empty() {
                    let piece = Piece::Text(std::mem::take(&mut run));
                    found.push(Found { piece, place: at.place });
                }
                let piece = match name.strip_prefix(TOOL) {
                    Some(tool) => Piece::Tool(tool.to_owned()),
                    None => Piece::Argument(name.to_owned()),
                };
                found.push(Found { piece, place: at.find(&word, nth(&word)) });
                rest = after;
            }
            None => {
                let (brace, after) = from.split_at(1);
                out.add(
                    code::BAD_PLACEHOLDER,
                    at.find(brace, nth(brace)),
                    "this is no placeholder",
                )
                .label("a brace alone")
                .help("write `{argument}` or `{tool:name}`, and `{{` or `}}` for the brace itself");
                run.push_str(brace);
                rest = after;
            }
        }
    }
    run.push_str(rest);
    if !run.is_empty() {
        found.push(Found { piece: Piece::Text(run), place: at.place });
    }
    found
}

fn is_name(text: &str) -> bool {
    let name = text.strip_prefix(TOOL).unwrap_or(text);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> (Vec<Piece>, usize) {
        let mut out = Findings::default();
        let at = Written { source: text, place: Place::default() };
        let found = read(text, at, &mut out);
        (found.into_iter().map(|found| found.piece).collect(), out.mark())
    }

    #[test]
    fn reads_placeholders_and_doubled_braces() {
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(pieces("plain"), (vec![text("plain")], 0));
        assert_eq!(
            pieces("a {b}{tool:c.d} {{e}}"),
            (
                vec![
                    text("a "),
                    Piece::Argument("b".to_owned()),
                    Piece::Tool("c.d".to_owned()),
                    text(" {e}"),
                ],
                0
            )
        );
    }

    #[test]
    fn a_brace_alone_is_reported_and_kept() {
        for broken in ["{", "}", "a { b }", "{}", "{a b}", "{tool:}"] {
            let (pieces, findings) = pieces(broken);
            assert_eq!(pieces, [Piece::Text(broken.to_owned())]);
            assert!(findings > 0, "{broken}");
        }
    }

    #[test]
    fn each_placeholder_has_its_own_place() {
        let source = "text: {a} and {a}";
        let at = Written { source, place: Place { start: 6, end: 17, ..Place::default() } };
        let found = read(&source[6..], at, &mut Findings::default());
        let places: Vec<u32> = found
            .iter()
            .filter(|found| matches!(found.piece, Piece::Argument(_)))
            .map(|found| found.place.start)
            .collect();
        assert_eq!(places, [6, 14]);
    }
}
