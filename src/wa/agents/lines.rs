//! The end of a screen, line by line, without decoration.

/// Lines that matter: further up is the past.
const TAIL: usize = 12;

/// The last lines that say something, last one first: boxes around them taken away, rules, empty
/// lines and items of lists of tasks left out.
pub(super) fn tail(screen: &str) -> Vec<&str> {
    screen.lines().rev().map(bare).filter(|line| has_content(line)).take(TAIL).collect()
}

/// Without the sides of a box.
fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '│' | '┃' | '|' | '▐' | '▌'))
}

fn has_content(line: &str) -> bool {
    let rule = |c: char| matches!(c, '\u{2500}'..='\u{259f}' | '-' | '_' | '=' | ' ');
    if line.chars().all(rule) {
        return false;
    }
    // Tasks are between a spinner and the input; a running one has an ellipsis.
    let task = line.trim_start_matches("⎿").trim_start();
    let listed = task.starts_with(['☐', '☒', '◻', '◼', '✔', '□', '✓']);
    !listed || line.contains('…')
}

/// What follows a sign such as `❯` at the beginning of a line.
pub(super) fn after_sign<'a>(line: &'a str, signs: &[char]) -> Option<&'a str> {
    let rest = line.strip_prefix(signs)?;
    (rest.is_empty() || rest.starts_with([' ', '\u{a0}'])).then(|| rest.trim())
}

/// `2` of `2. No`.
pub(super) fn choice(line: &str) -> Option<u32> {
    let (number, rest) = line.split_once(['.', ')'])?;
    rest.starts_with([' ', '\u{a0}']).then(|| number.parse().ok())?
}
