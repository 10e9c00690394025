//! Cuts long texts into windows that the model can read. Knows nothing of what tokens mean.

use std::ops::Range;

/// Tokens of a window, without the two special ones: the model reads 256.
pub(crate) const WINDOW: usize = 254;
/// Tokens that a window shares with the next one, so that no statement is only seen in halves.
const OVERLAP: usize = 32;
/// Most windows of a text: bounds the time for one of any length.
const MOST: usize = 16;
/// Bytes of a text that are read: more than `MOST` windows need, whatever the language.
const READ: usize = 1 << 20;

/// The part of a text that is read.
pub(crate) fn readable(text: &str) -> &str {
    text.get(..text.floor_char_boundary(READ)).unwrap_or(text)
}

/// The windows of a text, in order.
pub(crate) fn of(ids: &[u32]) -> impl Iterator<Item = &[u32]> {
    ranges(ids.len()).into_iter().filter_map(|range| ids.get(range))
}

fn ranges(length: usize) -> Vec<Range<usize>> {
    if length == 0 {
        return Vec::new();
    }
    if length <= WINDOW {
        return std::iter::once(0..length).collect();
    }
    // Evenly spread, the first at the beginning and the last at the end.
    let last = length - WINDOW;
    let steps = last.div_ceil(WINDOW - OVERLAP).min(MOST - 1);
    (0..=steps).map(|step| last * step / steps).map(|start| start..start + WINDOW).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_one_window() {
        assert!(ranges(0).is_empty());
        assert_eq!(ranges(1), std::slice::from_ref(&(0..1)));
        assert_eq!(ranges(254), std::slice::from_ref(&(0..254)));
    }

    #[test]
    fn longer_ones_overlap_by_at_least_32_and_reach_both_ends() {
        assert_eq!(ranges(255), [0..254, 1..255]);
        for length in [300, 477, 1_000, 3_000] {
            let all = ranges(length);
            assert_eq!((all[0].start, all[all.len() - 1].end), (0, length));
            for pair in all.windows(2) {
                assert!(pair[0].end >= pair[1].start + OVERLAP, "{length}: {pair:?}");
            }
        }
    }

    #[test]
    fn the_longest_are_sampled_evenly() {
        let all = ranges(250_000);
        assert_eq!(all.len(), MOST);
        assert_eq!((all[0].start, all[15].end), (0, 250_000));
        let gaps: Vec<usize> = all.windows(2).map(|pair| pair[1].start - pair[0].start).collect();
        assert!(gaps.iter().max() <= gaps.iter().min().map(|gap| gap + 1).as_ref(), "{gaps:?}");
    }

    #[test]
    fn a_huge_text_is_cut_between_characters() {
        let text = "é".repeat(READ);
        assert_eq!(readable(&text).len(), READ);
        let text = format!("a{text}");
        assert_eq!(readable(&text).len(), READ - 1);
    }
}
