//! Lines that a terminal wrapped: one that reaches the screen's edge continues in the next.
//!
//! Captured text does not show whether the terminal or the program broke a line. Lines as long as the
//! screen is wide count as wrapped; if the width is unknown, lines as long as the longest one do. If
//! that is wrong, one word too many is redacted.

/// Shorter lines are no terminal's width.
const MIN_WIDTH: usize = 20;

/// A text with broken lines put together again.
pub(super) struct Joined {
    pub(super) text: String,
    /// Bytes of `text` at which line ends were taken out, and how many bytes so far.
    cuts: Vec<(usize, usize)>,
}

impl Joined {
    /// For a screen as wide as the longest line.
    pub(super) fn guessed(text: &str) -> Option<Self> {
        let width = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if width < MIN_WIDTH { None } else { Self::of(text, width) }
    }

    /// For a screen of this width. `None` when no line reaches its edge.
    pub(super) fn of(text: &str, width: usize) -> Option<Self> {
        let mut joined = Self { text: String::with_capacity(text.len()), cuts: Vec::new() };
        let mut taken = 0;
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end_matches(['\n', '\r']);
            if line.ends_with('\n') && fills(bare, width) {
                joined.text.push_str(bare);
                taken += line.len() - bare.len();
                joined.cuts.push((joined.text.len(), taken));
            } else {
                joined.text.push_str(line);
            }
        }
        (!joined.cuts.is_empty()).then_some(joined)
    }

    /// Where secrets of the joined text are in the text that it was made of.
    pub(super) fn original(
        &self,
        secrets: Vec<(usize, usize)>,
    ) -> impl Iterator<Item = (usize, usize)> {
        secrets.into_iter().map(|(start, end)| (self.start(start), self.end(end)))
    }

    /// A place where something begins: at a cut it begins in the next line.
    pub(super) fn start(&self, place: usize) -> usize {
        place + self.taken(self.cuts.partition_point(|(at, _)| *at <= place))
    }

    /// A place where something ends: at a cut it ends in the line.
    fn end(&self, place: usize) -> usize {
        place + self.taken(self.cuts.partition_point(|(at, _)| *at < place))
    }

    fn taken(&self, cuts: usize) -> usize {
        cuts.checked_sub(1).map_or(0, |cut| self.cuts[cut].1)
    }
}

/// Whether a line may reach the edge: letters of other scripts can be two columns wide.
fn fills(line: &str, width: usize) -> bool {
    if line.len() < width {
        return false;
    }
    let (letters, wide) = line.chars().fold((0, 0), |(letters, wide), letter| {
        (letters + 1, wide + usize::from(!letter.is_ascii()))
    });
    (letters..=letters + wide).contains(&width)
}
