//! Recent frames of an alternate screen.
//!
//! A program clears a screen and paints it line by line, and a reading may come in between. Lines
//! missing in one reading and back in the next are not new, so a screen is compared with all recent
//! frames. Knows nothing of panes.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// Lines that disappeared longer ago than this are new when they come back.
const LATELY: Duration = Duration::from_secs(2);
/// Screens that are remembered for that.
const MOST: usize = 64;

/// The screens of the last moments.
pub(super) struct Frames {
    began: Instant,
    current: String,
    /// Earlier ones, and when each was painted over.
    earlier: VecDeque<(Instant, String)>,
}

impl Frames {
    /// Nothing was seen yet.
    pub(super) fn new(now: Instant) -> Self {
        Self { began: now, current: String::new(), earlier: VecDeque::new() }
    }

    /// The lines may have been there before the first reading.
    pub(super) fn is_young(&self, now: Instant) -> bool {
        now.duration_since(self.began) < LATELY
    }

    /// The lines of the last moments, each as often as any one screen had it.
    pub(super) fn lines(&self, now: Instant) -> Vec<&str> {
        let lately = self.earlier.iter().filter(|(over, _)| now.duration_since(*over) < LATELY);
        let mut most: BTreeMap<&str, usize> = BTreeMap::new();
        for screen in lately.map(|(_, screen)| screen).chain([&self.current]) {
            let mut here: BTreeMap<&str, usize> = BTreeMap::new();
            for line in screen.lines() {
                *here.entry(line).or_default() += 1;
            }
            for (line, count) in here {
                let before = most.entry(line).or_default();
                *before = count.max(*before);
            }
        }
        most.into_iter().flat_map(|(line, count)| std::iter::repeat_n(line, count)).collect()
    }

    /// Adds the current screen.
    pub(super) fn push(&mut self, screen: String, now: Instant) {
        self.earlier.retain(|(over, _)| now.duration_since(*over) < LATELY);
        if self.earlier.len() == MOST {
            self.earlier.pop_front();
        }
        self.earlier.push_back((now, std::mem::replace(&mut self.current, screen)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(looks: &[(u64, &str)], at: u64) -> Vec<String> {
        let start = Instant::now();
        let time = |millis| start + Duration::from_millis(millis);
        let mut frames = Frames::new(start);
        for (millis, screen) in looks {
            frames.push((*screen).to_owned(), time(*millis));
        }
        frames.lines(time(at)).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_half_painted_screen_forgets_nothing() {
        let looks = [(0, "words\nlimit\nWorking (1s)"), (9000, ""), (9050, "words")];
        assert_eq!(seen(&looks, 9100), ["Working (1s)", "limit", "words"]);
    }

    #[test]
    fn what_went_away_is_forgotten_in_time() {
        let looks = [(0, "old\nstays"), (1000, "new\nstays")];
        assert_eq!(seen(&looks, 2999), ["new", "old", "stays"]);
        assert_eq!(seen(&looks, 3000), ["new", "stays"]);
    }

    #[test]
    fn a_line_counts_as_often_as_one_screen_had_it() {
        assert_eq!(seen(&[(0, "a\na\nb"), (10, "a\nb")], 20), ["a", "a", "b"]);
    }

    #[test]
    fn only_so_many_are_kept() {
        let start = Instant::now();
        let mut frames = Frames::new(start);
        for n in 0..1000 {
            frames.push(format!("{n}"), start);
        }
        assert_eq!(frames.lines(start).len(), MOST + 1);
        assert!(frames.is_young(start) && !frames.is_young(start + LATELY));
    }
}
