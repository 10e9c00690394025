//! Colours of the site: text can be read on what is behind it, by day and by night.

use std::collections::BTreeMap;

const STYLE: &str = include_str!("../../docs/html/style.css");

/// Text and what is behind it.
const PAIRS: [(&str, &str); 14] = [
    ("ink", "paper"),
    ("ink", "panel"),
    ("ink", "mark"),
    ("muted", "paper"),
    ("muted", "panel"),
    ("muted", "mark"),
    ("link", "paper"),
    ("link", "panel"),
    ("link", "mark"),
    ("plain-ink", "plain-paper"),
    ("notice-ink", "notice-paper"),
    ("strong-ink", "strong-paper"),
    ("danger-ink", "danger-paper"),
    ("plain-ink", "paper"),
];

#[test]
fn text_can_be_read_by_day_and_by_night() {
    let (day, night) = STYLE.split_once("prefers-color-scheme: dark").unwrap();
    let night = night.split_once("\n}\n").unwrap().0;
    for theme in [day, night] {
        let colours = colours(theme);
        for (text, behind) in PAIRS {
            let (light, dark) = (luminance(colours[text]), luminance(colours[behind]));
            let contrast = (light.max(dark) + 0.05) / (light.min(dark) + 0.05);
            assert!(contrast >= 4.5, "{text} on {behind}: {contrast:.2}");
        }
    }
}

fn colours(theme: &str) -> BTreeMap<&str, &str> {
    let lines = theme.lines().filter_map(|line| line.trim().strip_prefix("--"));
    lines.filter_map(|line| line.strip_suffix(';')?.split_once(": #")).collect()
}

/// Relative luminance, as the accessibility guidelines define it.
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
}
