//! The paths that a Rust file imports. Parses only as much Rust as that needs.

/// Every path of every `use`, braces expanded: `use a::{B, c::D};` gives `a::B` and `a::c::D`.
pub(super) fn paths(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = find_use(rest) {
        let (tree, after) = rest[at..].split_once(';').unwrap_or((&rest[at..], ""));
        let tree: String = tree.split_whitespace().collect::<Vec<_>>().join(" ");
        expand("", &tree, &mut found);
        rest = after;
    }
    found
}

/// Where the tree of the next `use` at the start of a line begins.
fn find_use(text: &str) -> Option<usize> {
    let start = match text.strip_prefix("use ") {
        Some(_) => 0,
        None => text.find("\nuse ")? + 1,
    };
    Some(start + "use ".len())
}

fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((path, inner)) = tree.split_once('{') else {
        if !tree.is_empty() {
            found.push(format!("{prefix}{tree}"));
        }
        return;
    };
    let prefix = format!("{prefix}{}", path.trim());
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let (mut depth, mut from) = (0_usize, 0);
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                expand(&prefix, &inner[from..at], found);
                from = at + 1;
            }
            _ => {}
        }
    }
    expand(&prefix, &inner[from..], found);
}

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn braces_are_expanded() {
        let source = "//! x\n\nuse a::B;\nuse crate::{\n    Server,\n    generated::{C, D},\n};\n";
        assert_eq!(
            paths(source),
            ["a::B", "crate::Server", "crate::generated::C", "crate::generated::D"]
        );
    }
}
