//! Any text comes back as it was.

use super::super::testing::Numbers;
use super::*;

/// Whole again, from all pieces.
fn whole(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| expand(&piece.text, &piece.runs).unwrap()).collect()
}

fn check(text: &str) -> Vec<Piece> {
    let pieces = pieces(text);
    assert!(whole(&pieces) == text, "{:?}", text.get(..200));
    let mut at = 0;
    for piece in &pieces {
        assert_eq!(piece.span.start, at);
        assert!(!piece.span.is_empty() && piece.span.len() <= SEGMENT_BYTES);
        assert_eq!(expand(&piece.text, &piece.runs).unwrap(), text[piece.span.clone()]);
        at = piece.span.end;
    }
    assert_eq!(at, text.len());
    pieces
}

#[test]
fn every_text_comes_back() {
    let units = [
        "",
        "\n",
        "y\n",
        "y",
        "\r\n",
        " ",
        "é",
        "汉字",
        "\u{1f980}\n",
        "\0",
        "error: x\n",
        "error: x\nwarning: y\n",
        "\u{301}",
        "a line without end",
        "\u{feff}",
    ];
    let mut numbers = Numbers::seeded(20_260_131);
    for _ in 0..400 {
        let mut text = String::new();
        for _ in 0..numbers.below(40) {
            let times = *numbers.one(&[1, 1, 2, 3, 7, 40, 5_000, 30_000]);
            text.push_str(&numbers.one(&units).repeat(times));
        }
        check(&text);
    }
}

#[test]
fn a_repeated_line_stands_once() {
    let pieces = check(&"y\n".repeat(100_000));
    assert_eq!(pieces.len(), (2 * 100_000usize).div_ceil(SEGMENT_BYTES));
    assert!(pieces.iter().all(|piece| piece.text == "y\n" && piece.runs.len() == RUN_BYTES));
    let text = "start of it\nsame line here\nsame line here\nend\n";
    let pieces = check(text);
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].text, "start of it\nsame line here\nend\n");
    // Not worth a run.
    assert_eq!(check("\n\n\n")[0].text, "\n\n\n");
}

#[test]
fn segments_end_at_line_ends_and_only_overlong_lines_are_cut() {
    let mut text = String::new();
    for number in 0..5_000 {
        text.push_str(&format!("line {number} of the log\n"));
    }
    let pieces = check(&text);
    assert!(pieces.len() > 5);
    assert!(pieces.iter().all(|piece| piece.text.ends_with('\n')));

    let long = format!("{} tail", "x".repeat(20_000));
    assert_eq!(check(&format!("head\n{long}\nfoot\n"))[1].text, format!("{long}\n"));

    let words = "word ".repeat(30_000);
    assert!(check(&words).iter().all(|piece| piece.text.ends_with(' ')));
    let solid = "é".repeat(SEGMENT_BYTES);
    assert_eq!(check(&solid).len(), 2);
}

#[test]
fn runs_that_do_not_fit_are_refused() {
    let run = |numbers: [u32; 3]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    assert_eq!(expand("ab\n", &run([0, 3, 2])).as_deref(), Some("ab\nab\n"));
    assert_eq!(expand("ab\n", &run([2, 3, 2])), None);
    assert_eq!(expand("é\n", &run([1, 1, 2])), None);
    assert_eq!(expand("ab\n", &[1, 2, 3]), None);
}
