//! What can be said about a regex without running it: which literals every match contains, and
//! whether repetitions are nested.
//!
//! Reads the syntax of the `regex` crate; what it does not understand it takes for "anything", so
//! that an answer is never too bold. Whitespace counts as one space: texts get wrapped, and a rule
//! with several anchors is found all the same.

/// More alternatives than these are not multiplied out.
const MAX_STRINGS: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// Matches without taking a character.
    Nothing,
    Literal(char),
    /// One character of several.
    Any,
    /// Everything but a line break.
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
    let mut parser = Parser { chars: pattern.chars().collect(), at: 0, verbose: false };
    parser.alternatives(0)
}

/// Every match contains one of the anchors, letter case of ASCII aside.
pub(super) fn implies(node: &Node, anchors: &[String]) -> bool {
    let anchors: Vec<String> = anchors.iter().map(|anchor| anchor.to_ascii_lowercase()).collect();
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
                let wild = matches!(node, Node::Repeat { node, max: None, .. }
                    if matches!(**node, Node::Dot));
                run = if wild { run + 1 } else { 0 };
                best = best.max(run).max(wildcards_in_a_row(node));
            }
            best
        }
        Node::Alternatives(nodes) => nodes.iter().map(wildcards_in_a_row).max().unwrap_or(0),
        Node::Repeat { node, .. } => wildcards_in_a_row(node),
        Node::Nothing | Node::Literal(_) | Node::Any | Node::Dot => 0,
    }
}

/// All strings that the node matches, where they are few.
fn exact(node: &Node) -> Option<Vec<String>> {
    match node {
        Node::Nothing => Some(vec![String::new()]),
        Node::Literal(c) => Some(vec![c.to_ascii_lowercase().to_string()]),
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

struct Parser {
    chars: Vec<char>,
    at: usize,
    verbose: bool,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn take(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        self.at += usize::from(there);
        there
    }

    /// Up to the closing parenthesis. Deeper than the compiler allows is not read.
    fn alternatives(&mut self, depth: usize) -> Node {
        let verbose = self.verbose;
        let mut branches = vec![Vec::new()];
        while let Some(c) = self.peek() {
            match c {
                ')' => break,
                '|' => {
                    self.at += 1;
                    branches.push(Vec::new());
                }
                _ => {
                    if let Some(node) = self.piece(depth)
                        && let Some(branch) = branches.last_mut()
                    {
                        match node {
                            Node::Concat(nodes) => branch.extend(nodes),
                            other => branch.push(other),
                        }
                    }
                }
            }
        }
        self.verbose = verbose;
        let mut branches: Vec<Node> = branches.into_iter().map(Node::Concat).collect();
        if branches.len() == 1 { branches.remove(0) } else { Node::Alternatives(branches) }
    }

    /// One atom and what repeats it; `None` for what is not there, such as a comment.
    fn piece(&mut self, depth: usize) -> Option<Node> {
        let mut node = match self.next()? {
            '(' => self.group(depth)?,
            '[' => self.class(),
            '.' => Node::Dot,
            '^' | '$' => Node::Nothing,
            '\\' => self.escape(),
            '#' if self.verbose => {
                while self.next().is_some_and(|c| c != '\n') {}
                return None;
            }
            c if self.verbose && c.is_whitespace() => return None,
            c => Node::Literal(c),
        };
        while let Some((min, max)) = self.repetition() {
            node = Node::Repeat { node: Box::new(node), min, max };
        }
        Some(node)
    }

    fn repetition(&mut self) -> Option<(u32, Option<u32>)> {
        let bounds = match self.peek()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            '{' => {
                let close = self.chars[self.at..].iter().position(|c| *c == '}')?;
                let inside: String = self.chars[self.at + 1..self.at + close].iter().collect();
                self.at += close;
                match inside.split_once(',') {
                    None => (number(&inside), Some(number(&inside))),
                    Some((min, "")) => (number(min), None),
                    Some((min, max)) => (number(min), Some(number(max))),
                }
            }
            _ => return None,
        };
        self.at += 1;
        self.take('?');
        Some(bounds)
    }

    /// After `(`. Flags without a group give nothing.
    fn group(&mut self, depth: usize) -> Option<Node> {
        let verbose = self.verbose;
        if self.take('?') {
            if matches!(self.peek(), Some('P' | '<')) {
                while self.next().is_some_and(|c| c != '>') {}
            } else {
                let mut on = true;
                loop {
                    match self.next()? {
                        ':' => break,
                        ')' => return None,
                        '-' => on = false,
                        'x' => self.verbose = on,
                        _ => {}
                    }
                }
            }
        }
        // The compiler's own limit is lower; this only keeps us from trusting that.
        let inside = if depth < 200 { self.alternatives(depth + 1) } else { Node::Any };
        self.take(')');
        self.verbose = verbose;
        Some(inside)
    }

    /// After `[`, past the matching `]`.
    fn class(&mut self) -> Node {
        let negated = self.take('^');
        let mut open = 1;
        let mut first = true;
        let mut members = Vec::new();
        while open > 0 {
            match self.next() {
                None => break,
                Some(']') if !first => open -= 1,
                Some('[') => open += 1,
                Some('\\') => members.push(self.escape()),
                Some(c) => members.push(Node::Literal(c)),
            }
            first = false;
        }
        // `[Yy]` is one letter, since case does not count; so is `[\s]`.
        let folded = |node: &Node| match node {
            Node::Literal(c) => Node::Literal(c.to_ascii_lowercase()),
            other => other.clone(),
        };
        match members.split_first() {
            Some((first, rest)) if !negated && rest.iter().all(|m| folded(m) == folded(first)) => {
                folded(first)
            }
            _ => Node::Any,
        }
    }

    /// After `\`.
    fn escape(&mut self) -> Node {
        match self.next() {
            Some('s') => Node::Literal(' '),
            Some('d' | 'D' | 'w' | 'W' | 'S') => Node::Any,
            Some('p' | 'P') => {
                self.braced_or(1);
                Node::Any
            }
            Some('x') => self.code(2),
            Some('u') => self.code(4),
            Some('U') => self.code(8),
            Some('n' | 't' | 'r' | 'f' | 'v') => Node::Literal(' '),
            Some('b' | 'B') => {
                if self.peek() == Some('{') {
                    self.braced_or(0);
                }
                Node::Nothing
            }
            Some('A' | 'z' | '<' | '>') | None => Node::Nothing,
            Some(c) if c.is_alphanumeric() => Node::Any,
            Some(c) => Node::Literal(c),
        }
    }

    fn code(&mut self, digits: usize) -> Node {
        let text = self.braced_or(digits);
        let code = u32::from_str_radix(&text, 16).ok().and_then(char::from_u32);
        code.map_or(Node::Any, Node::Literal)
    }

    /// `{…}` or so many characters.
    fn braced_or(&mut self, count: usize) -> String {
        if self.take('{') {
            let mut inside = String::new();
            while let Some(c) = self.next().filter(|c| *c != '}') {
                inside.push(c);
            }
            return inside;
        }
        (0..count).filter_map(|_| self.next()).collect()
    }
}

fn number(text: &str) -> u32 {
    text.trim().parse().unwrap_or(u32::MAX)
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
        assert_eq!(wildcards_in_a_row(&parse(".*a.*b.*")), 1);
    }
}
