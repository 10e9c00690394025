//! Colours of the shared theme: text has enough contrast to its background, in light and dark mode.

use std::collections::BTreeMap;

const STYLE: &str = include_str!("../../../contract/theme.css");

/// Text and its background.
const PAIRS: [(&str, &str); 18] = [
    ("text", "background"),
    ("text", "card"),
    ("text", "inset"),
    ("text", "accent-soft"),
    ("text", "warn-soft"),
    ("muted", "background"),
    ("muted", "card"),
    ("muted", "inset"),
    ("accent", "background"),
    ("accent", "card"),
    ("accent", "inset"),
    ("accent", "accent-soft"),
    ("on-accent", "accent"),
    ("good", "good-soft"),
    ("bad", "bad-soft"),
    ("warn", "warn-soft"),
    ("bad", "card"),
    ("string", "inset"),
];

#[test]
fn text_has_enough_contrast_in_light_and_dark_mode() {
    let (light, dark) = STYLE.split_once("prefers-color-scheme: dark").unwrap();
    let dark = dark.split_once("\n}\n").unwrap().0;
    for theme in [light, dark] {
        let colours = colours(theme);
        for (text, background) in PAIRS {
            let (light, dark) = (luminance(colours[text]), luminance(colours[background]));
            let contrast = (light.max(dark) + 0.05) / (light.min(dark) + 0.05);
            assert!(contrast >= 4.5, "{text} on {background}: {contrast:.2}");
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
