//! Searches for many short texts at once, ignoring ASCII case.
//!
//! Three bytes at every second position are looked up in a small table; most are in no anchor. The
//! look-ups do not depend on each other, unlike the steps of an automaton, which makes this faster.
//! For very short or very many anchors an automaton is used instead.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// Shorter ones cannot be looked for, in bytes.
pub(super) const MIN_ANCHOR: usize = 2;
/// Bytes that are looked up together.
const GRAM: usize = 3;
/// Above this number too many look-ups would succeed.
const MANY: usize = 1000;
/// Bytes that are read together, and how far the next ones are: their last grams need the rest.
const READ: usize = 8;
const STEP: usize = 6;
/// Words of the table.
const WORDS: usize = 1024;

/// Finds anchors; they are known by their number.
#[derive(Debug)]
pub(super) enum Finder {
    Nothing,
    Grams(Box<Grams>),
    Automaton(AhoCorasick),
}

#[derive(Debug)]
pub(super) struct Grams {
    anchors: Vec<Vec<u8>>,
    /// Every place is checked, or every second one.
    stride: usize,
    /// One bit for each slot that an anchor's gram falls into.
    table: [u64; WORDS],
    /// For each slot a number in `owners`, where 0 is nobody.
    heads: Vec<u16>,
    /// Anchors of a slot, and how far into them the gram is.
    owners: Vec<Vec<(usize, usize)>>,
}

impl Finder {
    /// For anchors of at least [`MIN_ANCHOR`] bytes.
    pub(super) fn new(anchors: &[String]) -> Self {
        let Some(shortest) = anchors.iter().map(String::len).min() else { return Self::Nothing };
        let automaton = |kind| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .kind(kind)
                .build(anchors)
        };
        if shortest < GRAM || anchors.len() >= MANY {
            let kind = (anchors.len() < MANY).then_some(AhoCorasickKind::DFA);
            // It fails only on more anchors than reading lets through.
            return automaton(kind).map_or(Self::Nothing, Self::Automaton);
        }
        Self::Grams(Box::new(Grams::new(anchors, shortest)))
    }

    /// Reports every anchor in the text: its number and its place, each anchor's in order. Goes on as
    /// long as the callback returns true.
    pub(super) fn each(&self, text: &str, mut tell: impl FnMut(usize, usize, usize) -> bool) {
        match self {
            Self::Nothing => {}
            Self::Grams(grams) if grams.stride == 1 => grams.each::<1>(text.as_bytes(), tell),
            Self::Grams(grams) => grams.each::<2>(text.as_bytes(), tell),
            Self::Automaton(automaton) => {
                let mut hits = automaton.find_overlapping_iter(text);
                while let Some(hit) = hits.next()
                    && tell(hit.pattern().as_usize(), hit.start(), hit.end())
                {}
            }
        }
    }
}

impl Grams {
    fn new(anchors: &[String], shortest: usize) -> Self {
        // Whatever place an anchor begins at, one of its first grams is at a place that is checked.
        let stride = if shortest > GRAM { 2 } else { 1 };
        let anchors: Vec<Vec<u8>> =
            anchors.iter().map(|anchor| anchor.to_ascii_lowercase().into_bytes()).collect();
        let mut table = [0; WORDS];
        let mut heads = vec![0; 64 * WORDS];
        let mut owners = vec![Vec::new()];
        for (number, anchor) in anchors.iter().enumerate() {
            for (offset, gram) in anchor.windows(GRAM).take(stride).enumerate() {
                let mut bytes = [0; READ];
                bytes[..GRAM].copy_from_slice(gram);
                let slot = slot(u64::from_le_bytes(bytes), 0);
                table[slot / 64] |= 1 << (slot % 64);
                if heads[slot] == 0 {
                    // There are fewer than two grams for each of `MANY` anchors.
                    heads[slot] = u16::try_from(owners.len()).unwrap_or(0);
                    owners.push(Vec::new());
                }
                owners[usize::from(heads[slot])].push((number, offset));
            }
        }
        Self { anchors, stride, table, heads, owners }
    }

    fn each<const STRIDE: usize>(
        &self,
        text: &[u8],
        mut tell: impl FnMut(usize, usize, usize) -> bool,
    ) {
        let mut from = 0;
        while from < text.len() {
            let bytes = match text.get(from..from + READ).and_then(|part| part.try_into().ok()) {
                Some(bytes) => bytes,
                None => {
                    let mut last = [0; READ];
                    for (byte, there) in last.iter_mut().zip(&text[from..]) {
                        *byte = *there;
                    }
                    last
                }
            };
            let bytes = u64::from_le_bytes(bytes);
            let mut seen = 0;
            for offset in (0..STEP).step_by(STRIDE) {
                let slot = slot(bytes, offset);
                seen |= self.table[slot / 64] >> (slot % 64);
            }
            if seen & 1 == 1 {
                for offset in (0..STEP).step_by(STRIDE) {
                    if !self.check(text, from + offset, slot(bytes, offset), &mut tell) {
                        return;
                    }
                }
            }
            from += STEP;
        }
    }

    /// Compares the anchors that may be there.
    fn check(
        &self,
        text: &[u8],
        at: usize,
        slot: usize,
        tell: &mut impl FnMut(usize, usize, usize) -> bool,
    ) -> bool {
        for &(number, offset) in &self.owners[usize::from(self.heads[slot])] {
            let anchor = &self.anchors[number];
            let Some(start) = at.checked_sub(offset) else { continue };
            let Some(there) = text.get(start..start + anchor.len()) else { continue };
            // Most differ, and most of those in their last letter.
            let near = there.last().map(u8::to_ascii_lowercase) == anchor.last().copied();
            if near
                && there.eq_ignore_ascii_case(anchor)
                && !tell(number, start, start + anchor.len())
            {
                return false;
            }
        }
        true
    }
}

/// Where in the table the three bytes at `offset` belong. Letter case is wiped out, and a few other
/// differences with it.
fn slot(bytes: u64, offset: usize) -> usize {
    let gram = (bytes >> (8 * offset)) as u32 & 0x00ff_ffff | 0x0020_2020;
    (gram.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

#[cfg(test)]
mod tests {
    use super::Finder;

    fn found(anchors: &[&str], text: &str) -> Vec<(usize, usize, usize)> {
        let anchors: Vec<String> = anchors.iter().map(|anchor| (*anchor).to_owned()).collect();
        let mut found = Vec::new();
        Finder::new(&anchors).each(text, |number, start, end| {
            found.push((number, start, end));
            true
        });
        found.sort_unstable();
        found
    }

    /// What is there, seen by looking everywhere.
    fn expected(anchors: &[&str], text: &str) -> Vec<(usize, usize, usize)> {
        let mut all = Vec::new();
        for (number, anchor) in anchors.iter().enumerate() {
            for start in 0..text.len() {
                let end = start + anchor.len();
                let there = text.as_bytes().get(start..end);
                if there.is_some_and(|there| there.eq_ignore_ascii_case(anchor.as_bytes())) {
                    all.push((number, start, end));
                }
            }
        }
        all
    }

    #[test]
    fn every_anchor_is_found_everywhere_whatever_the_anchors() {
        let sets: [&[&str]; 9] = [
            &["ab"],
            &["abab", "baba", "bab"],
            &["usage limit", "limit reached", "it"],
            &["● ", "⏺ ", "Tool"],
            &["aaaaaaaaaaaa", "aaa"],
            &["A.b", "zz"],
            &["A.b", "zzz"],
            &["usage limit", "limit reached", "hit your"],
            &["aaaaaaa", "aaaa", "baaa"],
        ];
        let texts = [
            "",
            "a",
            "AB",
            "abababab",
            "Usage LIMIT reached, usage limit",
            "x● Tool ⏺ tOOl●",
            "aaaaaaaaaaaaaaaaa",
            "a.B zz zzz A.",
            "limit reache",
            "itit",
        ];
        for set in sets {
            for text in texts {
                assert_eq!(found(set, text), expected(set, text), "{set:?} in {text:?}");
            }
        }
        assert_eq!(found(&[], "text"), []);
    }

    #[test]
    fn very_many_anchors_are_found_as_well() {
        let anchors: Vec<String> = (0..1500).map(|number| format!("word{number}x")).collect();
        let anchors: Vec<&str> = anchors.iter().map(String::as_str).collect();
        let text = "WORD7x word1499x word1499y word12xword13x";
        assert_eq!(found(&anchors, text), expected(&anchors, text));
    }

    #[test]
    fn it_stops_when_the_callback_returns_false() {
        let mut count = 0;
        Finder::new(&["ab".to_owned()]).each("ababab", |_, _, _| {
            count += 1;
            count < 2
        });
        assert_eq!(count, 2);
    }
}
