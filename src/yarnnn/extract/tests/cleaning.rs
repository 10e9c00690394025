//! Invisible characters are removed, joiners that a script needs stay, and every byte maps back.

use std::borrow::Cow;

use crate::extract::clean;
use crate::model::ByteSpan;

#[test]
fn a_text_without_hidden_characters_is_not_copied() {
    for text in ["", "plain\n\ttext", "déjà vu 日本語 👍"] {
        let cleaned = clean(text);
        assert!(matches!(cleaned.text, Cow::Borrowed(same) if same == text));
        assert_eq!(cleaned.removed, 0);
    }
}

#[test]
fn control_zero_width_and_direction_characters_go() {
    let rows = [
        ("a\u{200b}b", "ab", 1),
        ("\u{feff}start", "start", 1),
        ("\u{202e}evil\u{202c}", "evil", 2),
        ("bell\u{7}\u{1b}[31m", "bell[31m", 2),
        ("nul\0", "nul", 1),
        ("soft\u{ad}hyphen", "softhyphen", 1),
        ("tag\u{e0041}\u{e007f}", "tag", 2),
        ("latin\u{200d}joined", "latinjoined", 1),
        ("x\u{fe0f}y", "xy", 1),
        ("line\r\nline", "line\nline", 1),
        ("old\rmac", "old\nmac", 0),
        ("c1\u{85}x", "c1x", 1),
    ];
    for (text, wanted, removed) in rows {
        let cleaned = clean(text);
        assert_eq!((cleaned.text.as_ref(), cleaned.removed), (wanted, removed), "{text:?}");
    }
}

#[test]
fn joiners_stay_where_a_script_or_an_emoji_is_spelled_with_them() {
    for text in [
        "می\u{200c}خواهم",
        "क्\u{200d}ष",
        "👨\u{200d}👩\u{200d}👧",
        "❤\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
    ] {
        assert_eq!(clean(text).text, text, "{text:?}");
    }
}

#[test]
fn every_character_is_found_again() {
    let text = "\u{feff}é\u{200b}\u{200b}x\r\n\u{202e}日本\u{7}!\u{200b}";
    let cleaned = clean(text);
    assert_eq!(cleaned.text, "éx\n日本!");
    for (at, found) in cleaned.text.char_indices() {
        let span = cleaned.original(ByteSpan { start: at, end: at + found.len_utf8() });
        assert_eq!(&text[span.start..span.end], found.to_string());
    }
    let all = cleaned.original(ByteSpan { start: 0, end: cleaned.text.len() });
    assert_eq!(&text[all.start..all.end], "é\u{200b}\u{200b}x\r\n\u{202e}日本\u{7}!");
}
