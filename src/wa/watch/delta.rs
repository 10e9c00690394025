//! Computes what is new between two readings of a pane's text.
//!
//! Works on plain lines. A text whose last line ends with `\n` has only complete lines; without it
//! the last line may still grow. Knows nothing of panes, and stores nothing.
//!
//! First it finds where the two texts overlap: the end of the earlier one is at the beginning of the
//! later one (lines scrolled away), or all of it is somewhere in the later one (more lines were read).
//! What follows the overlap is new. Programs that repaint the lower part of the screen change lines
//! after the overlap began; then the lines that were not there before are new. Without an overlap
//! output may have been lost, and the caller must record a gap.

use std::collections::HashMap;

use crate::redact::lines;

/// Lines with something on them that make an overlap believable although it does not cover all of
/// one text.
const ENOUGH_LINES: usize = 3;

/// How the later text came from the earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The same.
    Same,
    /// This was added; it may go on with the earlier text's last line.
    Appended(String),
    /// Lines were repainted where they stood; these were not there before.
    Repainted(Vec<String>),
    /// The two have no overlap: output may have been lost between them.
    Replaced {
        /// Lines of the later text that the earlier one does not have.
        lines: Vec<String>,
        /// The two have lines in common: the screen was cleared or repainted, rather than
        /// scrolled away.
        shared: bool,
    },
}

/// Compares an earlier text with a later one.
pub fn delta(before: &str, now: &str) -> Change {
    if before == now {
        return Change::Same;
    }
    if let Some(rest) = now.strip_prefix(before) {
        return Change::Appended(rest.to_owned());
    }
    let earlier = Lines::of(before);
    let later = Lines::of(now);
    let Some(overlap) = earlier.overlap(&later) else {
        let lines = new_lines(&earlier.lines, &later.lines);
        let shared = later.lines.iter().any(|line| !blank(line) && earlier.lines.contains(line));
        return Change::Replaced { lines, shared };
    };
    let (old, new) = (&earlier.lines[overlap.earlier_end..], &later.lines[overlap.later_end..]);
    match (old, new) {
        ([], []) => Change::Same,
        ([], _) => Change::Appended(later.from(overlap.later_end, !earlier.open)),
        ([grown], [line, ..]) if earlier.open && line.starts_with(grown) => {
            let rest = later.from(overlap.later_end, true);
            Change::Appended(rest[grown.len()..].to_owned())
        }
        _ => match new_lines(old, new) {
            lines if lines.is_empty() => Change::Same,
            lines => Change::Repainted(lines),
        },
    }
}

/// The same for an earlier text that was kept without its secrets: the later one is compared without
/// its own. New text is returned unchanged.
pub fn delta_of_clean(before: &str, now: &str, width: Option<usize>) -> Change {
    let clean = lines(now, width);
    let shown = |lines: Vec<String>| {
        let all: HashMap<&str, &str> = clean.text.split('\n').zip(now.split('\n')).collect();
        let found =
            |line: String| all.get(line.as_str()).map_or(line.clone(), |line| (*line).into());
        lines.into_iter().map(found).collect()
    };
    match delta(before, &clean.text) {
        Change::Same => Change::Same,
        Change::Appended(text) => {
            let start = clean.original(clean.text.len() - text.len());
            Change::Appended(now[start..].to_owned())
        }
        Change::Repainted(lines) => Change::Repainted(shown(lines)),
        Change::Replaced { lines, shared } => Change::Replaced { lines: shown(lines), shared },
    }
}

/// Lines of `now` that `before` does not have as often, in their order. Blank ones are never new.
pub fn new_lines(before: &[&str], now: &[&str]) -> Vec<String> {
    let mut there: HashMap<&str, usize> = HashMap::new();
    for line in before {
        *there.entry(line).or_default() += 1;
    }
    let is_new = |line: &&&str| match there.get_mut(**line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => !blank(line),
    };
    now.iter().filter(is_new).map(|line| (*line).to_owned()).collect()
}

fn blank(line: &str) -> bool {
    line.trim().is_empty()
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    /// The last line has no newline: it may grow.
    open: bool,
}

/// Where the overlap ends in both.
#[derive(Clone, Copy)]
struct Overlap {
    earlier_end: usize,
    later_end: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        if text.is_empty() {
            return Self { lines: Vec::new(), open: false };
        }
        let open = !text.ends_with('\n');
        Self { lines: text.strip_suffix('\n').unwrap_or(text).split('\n').collect(), open }
    }

    /// The lines from `start` on as text. With `own_line`, they begin on a line of their own.
    fn from(&self, start: usize, own_line: bool) -> String {
        let mut text = if own_line { String::new() } else { "\n".to_owned() };
        text.push_str(&self.lines[start..].join("\n"));
        if !self.open {
            text.push('\n');
        }
        text
    }

    /// Where `self`, the earlier text, continues in the later one.
    fn overlap(&self, later: &Self) -> Option<Overlap> {
        let (p, c) = (&self.lines[..], &later.lines[..]);
        if p.is_empty() || c.is_empty() {
            return None;
        }
        // All places where a run of equal lines may begin: at the top of the later text, for every
        // line of the earlier one, or at the top of the earlier one, for every line of the later.
        let scrolled = common_runs(c, p).into_iter().enumerate().map(|(o, run)| (o, 0, run));
        let read_more =
            common_runs(p, c).into_iter().enumerate().skip(1).map(|(j, run)| (0, j, run));
        // How many lines with something on them precede each line.
        let written: Vec<usize> = std::iter::once(0)
            .chain(c.iter().scan(0, |sum, line| {
                *sum += usize::from(!blank(line));
                Some(*sum)
            }))
            .collect();
        let mut best: Option<(usize, Overlap)> = None;
        for (o, j, run) in scrolled.chain(read_more) {
            let end = Overlap { earlier_end: o + run, later_end: j + run };
            let grows = self.open && end.earlier_end + 1 == p.len() && {
                c.get(end.later_end).is_some_and(|line| line.starts_with(p[end.earlier_end]))
            };
            let whole = end.earlier_end == p.len() || grows;
            let weight = written[end.later_end] - written[j];
            let all_of_one = (whole && o == 0) || end.later_end == c.len() && j == 0;
            if weight + usize::from(grows) > 0 && whole && (all_of_one || weight >= ENOUGH_LINES) {
                return Some(end);
            }
            let believable = weight >= ENOUGH_LINES || (weight > 0 && o == 0 && j == 0);
            if believable && best.is_none_or(|(most, _)| weight > most) {
                best = Some((weight, end));
            }
        }
        best.map(|(_, end)| end).or_else(|| in_place(p, c))
    }
}

/// A screen that was repainted in place, with nothing unchanged above it: a third of its lines
/// are unchanged in place.
fn in_place(p: &[&str], c: &[&str]) -> Option<Overlap> {
    let written = |lines: &[&str]| lines.iter().filter(|line| !blank(line)).count();
    let same = p.iter().zip(c).filter(|(old, new)| old == new && !blank(old)).count();
    let enough = same >= ENOUGH_LINES && same * 3 >= written(p).min(written(c));
    enough.then_some(Overlap { earlier_end: 0, later_end: 0 })
}

/// For every line of `text`: how many lines from there on equal the beginning of `pattern`. Linear,
/// by keeping the run that reaches furthest.
fn common_runs(pattern: &[&str], text: &[&str]) -> Vec<usize> {
    let own = own_runs(pattern);
    let mut runs = vec![0; text.len()];
    let (mut start, mut end) = (0, 0);
    for at in 0..text.len() {
        let mut run = if at < end { own[at - start].min(end - at) } else { 0 };
        while run < pattern.len() && at + run < text.len() && pattern[run] == text[at + run] {
            run += 1;
        }
        if at + run > end {
            (start, end) = (at, at + run);
        }
        runs[at] = run;
    }
    runs
}

/// The same for a pattern and itself.
fn own_runs(pattern: &[&str]) -> Vec<usize> {
    let mut runs = vec![0; pattern.len()];
    if let Some(first) = runs.first_mut() {
        *first = pattern.len();
    }
    let (mut start, mut end) = (0, 0);
    for at in 1..pattern.len() {
        let mut run = if at < end { runs[at - start].min(end - at) } else { 0 };
        while at + run < pattern.len() && pattern[run] == pattern[at + run] {
            run += 1;
        }
        if at + run > end {
            (start, end) = (at, at + run);
        }
        runs[at] = run;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(text: &str) -> Change {
        Change::Appended(text.to_owned())
    }

    fn repainted(lines: &[&str]) -> Change {
        Change::Repainted(lines.iter().map(|line| (*line).to_owned()).collect())
    }

    fn replaced(lines: &[&str], shared: bool) -> Change {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        Change::Replaced { lines, shared }
    }

    #[test]
    fn each_case() {
        let cases = [
            ("nothing", "a\nb", "a\nb", Change::Same),
            ("first", "", "a\nb", appended("a\nb")),
            ("append to an open line", "$", "$ ls\nx\n$", appended(" ls\nx\n$")),
            ("append to complete lines", "a\n", "a\nb\n", appended("b\n")),
            ("scrolled by one", "a\nb\nc\nd\n", "b\nc\nd\ne\n", appended("e\n")),
            ("scrolled, open", "a\nb\nc\nd", "b\nc\nd\ne", appended("\ne")),
            ("scrolled, line grew", "a\nb\nc\nd\n$", "b\nc\nd\n$ x\ny", appended(" x\ny")),
            ("more lines read", "c\nd\ne\n", "a\nb\nc\nd\ne\nf\n", appended("f\n")),
            ("cleared", "a\nb\nc\nd\n", "x\n", replaced(&["x"], false)),
            ("cleared to a prompt", "a\nb\n$ c\n$", "$", Change::Same),
            ("cleared, output", "a\nb\n$", "$ x\nb2", replaced(&["$ x", "b2"], false)),
            ("emptied", "a\nb\n", "", replaced(&[], false)),
            ("line erased", "a\nb\nc\nd", "a\nb\nc", Change::Same),
            ("unrelated", "a\nb\nc\n", "d\ne\n", replaced(&["d", "e"], false)),
            ("one line in common", "a\nb\nc\n", "d\nb\ne\n", replaced(&["d", "e"], true)),
            ("spinner", "a\nb\n| 1s", "a\nb\n/ 2s", repainted(&["/ 2s"])),
            (
                "text above a box",
                "a\nb\nc\n+--+\n|> |\n+--+",
                "a\nb\nc\nd\ne\n+--+\n|> |\n+--+",
                repainted(&["d", "e"]),
            ),
            (
                "scrolled above a box",
                "a\nb\nc\nd\n+--+\n|> |\n+==+",
                "b\nc\nd\ne\n+--+\n|> x|\n+==+",
                repainted(&["e", "|> x|"]),
            ),
            (
                "painted in place with a new header",
                "top 1\nx 1\ny 1\nz 1\nw 1",
                "top 2\nx 1\ny 1\nz 1\nw 2",
                repainted(&["top 2", "w 2"]),
            ),
            ("wide characters", "日本\n語", "日本\n語彙", appended("彙")),
        ];
        for (name, before, now, expected) in cases {
            assert_eq!(delta(before, now), expected, "{name}");
        }
    }

    #[test]
    fn a_single_common_line_is_no_overlap() {
        let before = (0..40).map(|n| format!("line {n}\n")).collect::<String>() + "}\n";
        let now = "}\nfn other() {\n    more\n";
        assert!(matches!(delta(&before, now), Change::Replaced { shared: true, .. }));
    }

    #[test]
    fn repeated_lines_take_the_largest_overlap() {
        assert_eq!(delta("y\ny\ny\ny\n", "y\ny\ny\ny\nx\n"), appended("x\n"));
        assert_eq!(delta("a\ny\ny\ny\n", "y\ny\ny\nx\n"), appended("x\n"));
    }

    /// A terminal that only ever appends: whatever is read of it in between, nothing is lost and
    /// nothing doubled while the readings overlap.
    #[test]
    fn readings_of_a_log_add_up_to_the_log() {
        let line = |n: usize| format!("{} of {}\n", n, (n * 7919) % 13);
        let log: Vec<String> = (0..400).map(line).collect();
        let mut collected = String::new();
        let mut before = String::new();
        let mut at = 0;
        for step in (0..).map(|n| 1 + (n * 31) % 23) {
            at = (at + step).min(log.len());
            let window = 24 + (at * 17) % 40;
            let now = log[at.saturating_sub(window)..at].concat();
            match delta(&before, &now) {
                Change::Appended(text) => collected.push_str(&text),
                other => assert_eq!(other, Change::Same),
            }
            before = now;
            if at == log.len() {
                break;
            }
        }
        assert_eq!(collected, log.concat());
    }

    #[test]
    fn long_texts_of_equal_lines_are_quick() {
        let before = "y\n".repeat(50_000) + "$";
        let now = "y\n".repeat(60_000) + "z";
        assert!(matches!(delta(&before, &now), Change::Appended(_) | Change::Repainted(_)));
    }
}
