//! Static analysis of a regex: which literals every match contains, and whether repetitions are nested.
//!
//! `regex-syntax` parses the pattern; only the distinctions that matter here are retained. What is not
//! distinguished counts as "anything", so the analysis is conservative. Whitespace counts as one
//! space: text gets wrapped, and a rule with several anchors is found all the same. Knows nothing of
//! rules.

use regex_syntax::ast::{
    Ast, ClassAsciiKind, ClassBracketed, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem,
    RepetitionKind, RepetitionRange,
};

use super::expression::syntax_tree;

/// More alternatives than these are not multiplied out.
const MAX_STRINGS: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// Matches without taking a character.
    Nothing,
    Literal(char),
    /// One character of several.
    Any,
    /// `.`, whatever it means for line breaks.
    Dot,
    Concat(Vec<Self>),
    Alternatives(Vec<Self>),
    Repeat {
        node: Box<Self>,
        min: u32,
        max: Option<u32>,
    },
}

/// The tree of a regex that compiles.
pub(super) fn parse(pattern: &str) -> Node {
    syntax_tree(pattern).map_or(Node::Any, |ast| node(&ast))
}

/// Every match contains one of the anchors, letter case of ASCII aside.
pub(super) fn implies(node: &Node, anchors: &[String]) -> bool {
    let folded = |anchor: &String| anchor.chars().map(folded).collect();
    let anchors: Vec<String> = anchors.iter().map(folded).collect();
    contains(node, &anchors)
}

/// Literals of which every match contains one, or nothing when there are none worth it.
pub(super) fn literals(node: &Node) -> Option<Vec<String>> {
    let found = needed(node)?;
    let shortest = found.iter().map(String::len).min()?;
    (shortest >= 3).then_some(found)
}

/// A repetition without end of something that itself repeats without end.
pub(super) fn nested_repetition(node: &Node) -> bool {
    fn inside(node: &Node, repeated: bool) -> bool {
        match node {
            Node::Repeat { node, max, .. } => {
                let endless = max.is_none();
                (endless && repeated) || inside(node, repeated || endless)
            }
            // `(?:a+ b)+` goes on only past its fixed parts: each round is bounded by them.
            Node::Concat(nodes) => {
                let fixed = nodes.iter().any(|node| matches!(node, Node::Literal(_)));
                nodes.iter().any(|node| inside(node, repeated && !fixed))
            }
            Node::Alternatives(nodes) => nodes.iter().any(|node| inside(node, repeated)),
            Node::Nothing | Node::Literal(_) | Node::Any | Node::Dot => false,
        }
    }
    inside(node, false)
}

/// `.*` or `.+` so many times in a row, with nothing fixed between.
pub(super) fn wildcards_in_a_row(node: &Node) -> usize {
    match node {
        Node::Concat(nodes) => {
            let (mut best, mut run) = (0, 0);
            for node in nodes {
                run = if is_wildcard(node) { run + 1 } else { 0 };
                best = best.max(run).max(wildcards_in_a_row(node));
            }
            best
        }
        Node::Alternatives(nodes) => nodes.iter().map(wildcards_in_a_row).max().unwrap_or(0),
        Node::Repeat { .. } if is_wildcard(node) => 1,
        Node::Repeat { node, .. } => wildcards_in_a_row(node),
        Node::Nothing | Node::Literal(_) | Node::Any | Node::Dot => 0,
    }
}

fn is_wildcard(node: &Node) -> bool {
    matches!(node, Node::Repeat { node, max: None, .. } if **node == Node::Dot)
}

/// All strings that the node matches, where they are few.
fn exact(node: &Node) -> Option<Vec<String>> {
    match node {
        Node::Nothing => Some(vec![String::new()]),
        Node::Literal(c) => Some(vec![c.to_string()]),
        Node::Any | Node::Dot => None,
        Node::Concat(nodes) => {
            let mut all = vec![String::new()];
            for node in nodes {
                all = product(&all, &exact(node)?)?;
            }
            Some(all)
        }
        Node::Alternatives(nodes) => {
            let mut all = Vec::new();
            for node in nodes {
                all.extend(exact(node)?);
            }
            (all.len() <= MAX_STRINGS).then_some(all)
        }
        Node::Repeat { node, min: 0, max: Some(1) } => {
            let mut all = exact(node)?;
            all.push(String::new());
            Some(all)
        }
        Node::Repeat { node, min, max } if *max == Some(*min) && *min <= 8 => {
            let one = exact(node)?;
            (0..*min).try_fold(vec![String::new()], |all, _| product(&all, &one))
        }
        Node::Repeat { node, min: 1.., .. } if **node == Node::Literal(' ') => {
            Some(vec![" ".to_owned()])
        }
        Node::Repeat { .. } => None,
    }
}

fn product(left: &[String], right: &[String]) -> Option<Vec<String>> {
    if left.len() * right.len() > MAX_STRINGS {
        return None;
    }
    Some(left.iter().flat_map(|a| right.iter().map(move |b| format!("{a}{b}"))).collect())
}

/// Parts of a concatenation: runs whose strings are known, and the nodes between.
fn runs(nodes: &[Node], mut each: impl FnMut(Option<&[String]>, Option<&Node>)) {
    let mut run = vec![String::new()];
    for node in nodes {
        match exact(node).and_then(|strings| product(&run, &strings)) {
            Some(longer) => run = longer,
            None => {
                each(Some(&run), None);
                match exact(node) {
                    Some(strings) => run = strings,
                    None => {
                        each(None, Some(node));
                        run = vec![String::new()];
                    }
                }
            }
        }
    }
    each(Some(&run), None);
}

fn contains(node: &Node, anchors: &[String]) -> bool {
    let all = |strings: &[String]| {
        strings.iter().all(|string| anchors.iter().any(|anchor| string.contains(anchor.as_str())))
    };
    if exact(node).is_some_and(|strings| all(&strings)) {
        return true;
    }
    match node {
        Node::Concat(nodes) => {
            let mut found = false;
            runs(nodes, |strings, node| {
                found |= strings.is_some_and(all) || node.is_some_and(|n| contains(n, anchors));
            });
            found
        }
        Node::Alternatives(nodes) => nodes.iter().all(|node| contains(node, anchors)),
        Node::Repeat { node, min: 1.., .. } => contains(node, anchors),
        _ => false,
    }
}

fn needed(node: &Node) -> Option<Vec<String>> {
    if let Some(strings) = exact(node) {
        let trimmed: Vec<String> = strings.iter().map(|s| longest_word_run(s)).collect();
        return trimmed.iter().all(|string| !string.is_empty()).then_some(trimmed);
    }
    match node {
        Node::Concat(nodes) => {
            let mut best: Option<Vec<String>> = None;
            let mut offer = |strings: Vec<String>| {
                let size = |set: &[String]| set.iter().map(String::len).min().unwrap_or(0);
                if size(&strings) > best.as_deref().map_or(0, size) {
                    best = Some(strings);
                }
            };
            runs(nodes, |strings, node| {
                if let Some(strings) = strings {
                    offer(strings.iter().map(|s| longest_word_run(s)).collect());
                }
                if let Some(strings) = node.and_then(needed) {
                    offer(strings);
                }
            });
            best
        }
        Node::Alternatives(nodes) => {
            let mut all = Vec::new();
            for node in nodes {
                all.extend(needed(node)?);
            }
            (all.len() <= MAX_STRINGS).then_some(all)
        }
        Node::Repeat { node, min: 1.., .. } => needed(node),
        _ => None,
    }
}

/// A space may stand for any whitespace, and letter case is known for ASCII only: what has to be
/// there as it is lies between.
fn longest_word_run(string: &str) -> String {
    let between = |c: char| c == ' ' || !c.is_ascii();
    string.split(between).max_by_key(|word| word.len()).unwrap_or_default().to_owned()
}

/// The tree as far as it matters here. Its depth is bounded by that of the pattern.
fn node(ast: &Ast) -> Node {
    match ast {
        Ast::Empty(_) | Ast::Flags(_) | Ast::Assertion(_) => Node::Nothing,
        Ast::Literal(literal) => Node::Literal(folded(literal.c)),
        Ast::Dot(_) => Node::Dot,
        Ast::ClassUnicode(_) => Node::Any,
        Ast::ClassPerl(class) => perl(class).map_or(Node::Any, Node::Literal),
        Ast::ClassBracketed(class) => bracketed(class).map_or(Node::Any, Node::Literal),
        Ast::Repetition(repetition) => {
            let (min, max) = bounds(&repetition.op.kind);
            Node::Repeat { node: Box::new(node(&repetition.ast)), min, max }
        }
        Ast::Group(group) => node(&group.ast),
        Ast::Alternation(branches) => Node::Alternatives(branches.asts.iter().map(node).collect()),
        Ast::Concat(parts) => {
            let parts = parts.asts.iter().filter(|part| !matches!(part, Ast::Flags(_)));
            let flattened = parts.flat_map(|part| match node(part) {
                Node::Concat(nodes) => nodes,
                other => vec![other],
            });
            Node::Concat(flattened.collect())
        }
    }
}

fn bounds(kind: &RepetitionKind) -> (u32, Option<u32>) {
    match *kind {
        RepetitionKind::ZeroOrOne => (0, Some(1)),
        RepetitionKind::ZeroOrMore => (0, None),
        RepetitionKind::OneOrMore => (1, None),
        RepetitionKind::Range(RepetitionRange::Exactly(count)) => (count, Some(count)),
        RepetitionKind::Range(RepetitionRange::AtLeast(min)) => (min, None),
        RepetitionKind::Range(RepetitionRange::Bounded(min, max)) => (min, Some(max)),
    }
}

/// Characters that are equal here: those of ASCII in either case, and all whitespace.
fn folded(c: char) -> char {
    if c.is_whitespace() { ' ' } else { c.to_ascii_lowercase() }
}

/// The one character that a class stands for: `[Yy]` is a letter, `[\s\n]` a space.
fn bracketed(class: &ClassBracketed) -> Option<char> {
    match &class.kind {
        ClassSet::Item(item) if !class.negated => member(item),
        ClassSet::Item(_) | ClassSet::BinaryOp(_) => None,
    }
}

fn member(item: &ClassSetItem) -> Option<char> {
    match item {
        ClassSetItem::Literal(literal) => Some(folded(literal.c)),
        ClassSetItem::Perl(class) => perl(class),
        ClassSetItem::Ascii(class) => {
            (class.kind == ClassAsciiKind::Space && !class.negated).then_some(' ')
        }
        ClassSetItem::Bracketed(class) => bracketed(class),
        ClassSetItem::Union(union) => {
            let (first, rest) = union.items.split_first()?;
            let first = member(first)?;
            rest.iter().all(|item| member(item) == Some(first)).then_some(first)
        }
        ClassSetItem::Empty(_) | ClassSetItem::Range(_) | ClassSetItem::Unicode(_) => None,
    }
}

fn perl(class: &ClassPerl) -> Option<char> {
    (class.kind == ClassPerlKind::Space && !class.negated).then_some(' ')
}

#[cfg(test)]
mod tests {
    use super::{implies, literals, nested_repetition, parse, wildcards_in_a_row};

    fn anchors(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn an_anchor_that_every_match_has_is_implied() {
        let cases = [
            (r"usage limit", &["usage"][..], true),
            (r"usage\s+limit", &["usage limit"], true),
            (r"(?i)Usage limit", &["USAGE"], true),
            (r"(?:hit|reached) your (?:usage )?limit", &["hit your", "reached your"], true),
            (r"(?:hit|reached) your", &["hit your"], false),
            (r"(?:usage)? limit", &["usage"], false),
            (r"(?:usage)+ limit", &["usage"], true),
            (r"a{2}b", &["aab"], true),
            (r"[a]bc", &["abc"], true),
            (r"[ab]bc", &["abc"], false),
            (r"[^a]bc", &["abc"], false),
            (r"[Aa]bc (?<x>de\d)", &["abc de"], true),
            (r"caf\x{e9}|caf\u00e9", &["café"], true),
            (
                r"(?x) ab # comment ( [
               c",
                &["abc"],
                true,
            ),
            (r"(?P<n>\d+)% left|left: (?<m>\d+)", &["left"], true),
            (r"\bcodex\b resume", &["codex resume"], true),
            (r"a.c", &["abc"], false),
            (r"[[:alpha:]&&[^x]]bc", &["bc"], true),
            (r"[]a]bc", &["abc"], false),
            (r"\p{Greek}yz|\pLyz", &["yz"], true),
            (r"(?x:usage \s) limit", &["usage  limit"], true),
            (r"usage[[:space:]\n]limit", &["usage limit"], true),
            (r"usage(?:\s)+limit", &["usage limit"], true),
            (r"usage[^\s]limit", &["usage limit"], false),
            (r"(?:usage){2,}?", &["usage"], true),
            ("usage\tlimit", &["usage\tlimit"], true),
        ];
        for (pattern, words, expected) in cases {
            regex::Regex::new(pattern).unwrap();
            assert_eq!(implies(&parse(pattern), &anchors(words)), expected, "{pattern}");
        }
    }

    #[test]
    fn literals_are_found_where_every_match_has_one() {
        let cases = [
            (r"ERROR \d+ in (\w+)", Some(vec!["error"])),
            (r"build (?:failed|broken)", Some(vec!["failed", "broken"])),
            (r"\d+", None),
            (r"ab", None),
            (r"(?:fatal)?", None),
            (r"fatal|\d", None),
            (r"(?:panicked)+ at", Some(vec!["panicked"])),
        ];
        for (pattern, expected) in cases {
            let expected = expected.map(|words| anchors(&words));
            assert_eq!(literals(&parse(pattern)), expected, "{pattern}");
        }
    }

    #[test]
    fn repetitions_inside_repetitions_are_seen() {
        for pattern in [r"(a+)+", r"(?:\w*)*x", r"(?:(?:ab|\d+)*)+", r"(?:[a-z]+\s*)+", "(.*)*"] {
            assert!(nested_repetition(&parse(pattern)), "{pattern}");
        }
        for pattern in [r"a+b+", r"(?:a+,)+", r"(ab)+", r"(?:a{1,3})+", r"\w+(?:\.\w+)*"] {
            assert!(!nested_repetition(&parse(pattern)), "{pattern}");
        }
    }

    #[test]
    fn wildcards_in_a_row_are_counted() {
        assert_eq!(wildcards_in_a_row(&parse(".*.*.*")), 3);
        assert_eq!(wildcards_in_a_row(&parse("a(?:.+.*?.*)b")), 3);
        assert_eq!(wildcards_in_a_row(&parse(".*(?s).*.*")), 3);
        assert_eq!(wildcards_in_a_row(&parse(".*a.*b.*")), 1);
    }
}
