//! Secrets that a terminal broke in two: a line that reaches the screen's edge goes on in the next.
//!
//! Captured text does not say where lines were broken by the terminal and where by the program. No
//! line is longer than the screen is wide, so lines as long as the longest one count as broken by
//! the terminal. Where that is wrong, a word too much is taken out.

/// Shorter lines are no terminal's width.
const MIN_WIDTH: usize = 20;

/// Where secrets are once broken lines are joined, as `find` tells; in order.
pub(super) fn secrets(
    text: &str,
    find: impl Fn(&str) -> Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let width = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if width < MIN_WIDTH {
        return Vec::new();
    }
    let mut joined = String::with_capacity(text.len());
    // Bytes of the joined text at which line ends were taken out, and how many bytes in all.
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut taken = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        if line.ends_with('\n') && bare.chars().count() == width {
            joined.push_str(bare);
            taken += line.len() - bare.len();
            cuts.push((joined.len(), taken));
        } else {
            joined.push_str(line);
        }
    }
    if cuts.is_empty() {
        return Vec::new();
    }
    let before = |place: usize, past: &dyn Fn(usize) -> bool| {
        let cut = cuts.partition_point(|(at, _)| past(*at)).checked_sub(1);
        place + cut.map_or(0, |cut| cuts[cut].1)
    };
    // A secret that begins at a cut begins in the next line; one that ends there ends in the line.
    let original = |(start, end): (usize, usize)| {
        (before(start, &|at| at <= start), before(end, &|at| at < end))
    };
    find(&joined).into_iter().map(original).collect()
}
