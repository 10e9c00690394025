//! English word stems by Porter's algorithm, as the index's tokenizer forms them.
//!
//! Search finds `connected` for `connecting` because both have the stem `connect`. The index keeps
//! no positions that could be read back, so snippets find the words again, with the same stems.

/// Words of more bytes are kept as they are, like shorter ones than 3.
const LONGEST: usize = 64;

/// What must hold for the part before a suffix.
#[derive(Clone, Copy)]
enum Before {
    /// A vowel and then a consonant.
    Measure1,
    /// That twice.
    Measure2,
    /// That twice, and an `s` or `t` at the end.
    Measure2St,
}

/// Steps 2, 3 and 4: the first suffix that fits decides, whether its condition holds or not.
const STEP_2: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];
const STEP_3: &[(&str, &str)] = &[
    ("ical", "ic"),
    ("ness", ""),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ful", ""),
    ("ative", ""),
    ("alize", "al"),
];
const STEP_4: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

/// The stem of a word that is lower case already.
pub(super) fn stem(word: &str) -> Vec<u8> {
    let mut stem = word.as_bytes().to_vec();
    if (3..=LONGEST).contains(&stem.len()) {
        plural(&mut stem);
        past(&mut stem);
        if stem.last() == Some(&b'y') && has_vowel(&stem[..stem.len() - 1]) {
            stem.pop();
            stem.push(b'i');
        }
        suffix(&mut stem, STEP_2.iter().copied(), |_| Before::Measure1);
        suffix(&mut stem, STEP_3.iter().copied(), |_| Before::Measure1);
        suffix(&mut stem, STEP_4.iter().map(|end| (*end, "")), |end| match end {
            "ion" => Before::Measure2St,
            _ => Before::Measure2,
        });
        last_letter(&mut stem);
    }
    stem
}

/// Step 1a.
fn plural(word: &mut Vec<u8>) {
    let drop = match word.as_slice() {
        [_, .., b's', b's', b'e', b's'] | [_, .., b'i', b'e', b's'] => 2,
        [.., b's', b's'] => 0,
        [.., b's'] => 1,
        _ => 0,
    };
    word.truncate(word.len() - drop);
}

/// Step 1b.
fn past(word: &mut Vec<u8>) {
    if word.len() > 3 && word.ends_with(b"eed") {
        if measure(&word[..word.len() - 3]) > 0 {
            word.pop();
        }
        return;
    }
    let ending = [b"ed".as_slice(), b"ing"].into_iter().find(|end| word.ends_with(end));
    let Some(rest) = ending.map(|end| word.len() - end.len()) else { return };
    if !has_vowel(&word[..rest]) {
        return;
    }
    word.truncate(rest);
    if word.len() > 2 && [b"at", b"bl", b"iz"].iter().any(|end| word.ends_with(*end)) {
        word.push(b'e');
        return;
    }
    match word.as_slice() {
        [.., before, last]
            if before == last && !is_vowel(*last, false) && !b"lsz".contains(last) =>
        {
            word.pop();
        }
        _ if measure(word) == 1 && is_short(word) => word.push(b'e'),
        _ => {}
    }
}

/// Takes the first suffix that fits away, where what is before it allows that.
fn suffix<'a>(
    word: &mut Vec<u8>,
    endings: impl Iterator<Item = (&'a str, &'a str)>,
    condition: impl Fn(&str) -> Before,
) {
    for (ending, instead) in endings {
        if word.len() <= ending.len() || !word.ends_with(ending.as_bytes()) {
            continue;
        }
        let rest = &word[..word.len() - ending.len()];
        let fits = match condition(ending) {
            Before::Measure1 => measure(rest) > 0,
            Before::Measure2 => measure(rest) > 1,
            Before::Measure2St => measure(rest) > 1 && matches!(rest.last(), Some(b's' | b't')),
        };
        if fits {
            word.truncate(word.len() - ending.len());
            word.extend_from_slice(instead.as_bytes());
        }
        return;
    }
}

/// Step 5.
fn last_letter(word: &mut Vec<u8>) {
    if let [rest @ .., b'e'] = word.as_slice() {
        let measure = measure(rest);
        if measure > 1 || measure == 1 && !is_short(rest) {
            word.pop();
        }
    }
    if word.ends_with(b"ll") && measure(&word[..word.len() - 1]) > 1 {
        word.pop();
    }
}

/// A `y` is a vowel after a consonant.
fn is_vowel(letter: u8, after_consonant: bool) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u') || letter == b'y' && after_consonant
}

fn has_vowel(word: &[u8]) -> bool {
    word.iter().enumerate().any(|(at, letter)| is_vowel(*letter, at > 0))
}

/// How often a consonant follows a vowel.
fn measure(word: &[u8]) -> usize {
    let (mut count, mut consonant, mut vowel_before) = (0, false, false);
    for letter in word {
        consonant = !is_vowel(*letter, consonant);
        if consonant && vowel_before {
            count += 1;
        }
        vowel_before = !consonant;
    }
    count
}

/// Consonant, vowel, consonant at the end, the last one not `w`, `x` or `y`.
fn is_short(word: &[u8]) -> bool {
    let mut consonant = false;
    let mut last = [false, true, false];
    for letter in word {
        consonant = !is_vowel(*letter, consonant);
        last = [last[1], last[2], consonant];
    }
    word.len() > 2
        && last == [true, false, true]
        && !matches!(word.last(), Some(b'w' | b'x' | b'y'))
}
