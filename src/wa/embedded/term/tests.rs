use super::*;

fn terminal(columns: u16, rows: u16) -> Terminal {
    Terminal::new((columns, rows), 10_000)
}

/// All complete lines after the bytes were printed in pieces of `step`.
fn lines_in_steps(bytes: &[u8], step: usize) -> (Terminal, String) {
    let mut terminal = terminal(80, 24);
    let mut lines = String::new();
    for piece in bytes.chunks(step) {
        terminal.process(piece);
        lines.push_str(&terminal.take_lines());
    }
    (terminal, lines)
}

fn lines(bytes: &[u8]) -> String {
    let (mut terminal, mut lines) = lines_in_steps(bytes, usize::MAX);
    terminal.end();
    lines.push_str(&terminal.take_lines());
    lines
}

fn screen(terminal: &Terminal) -> String {
    terminal.text(Lines::Screen, false).text
}

#[test]
fn lines_are_logged_when_they_end() {
    let mut terminal = terminal(80, 24);
    terminal.process(b"one\r\n\r\ntw");
    assert_eq!(terminal.take_lines(), "one\n\n");
    terminal.process(b"o  \r\nthree");
    assert_eq!(terminal.take_lines(), "two\n");
    terminal.end();
    assert_eq!(terminal.take_lines(), "three\n");
    terminal.end();
    assert_eq!(terminal.take_lines(), "");
}

#[test]
fn every_line_once_whatever_the_pieces() {
    let text: String = (0..1000).map(|number| format!("line {number}\r\n")).collect();
    let expected = text.replace('\r', "");
    let mut screens = vec![];
    for step in [1, 7, 100, 4095, 65_536, usize::MAX] {
        let (terminal, lines) = lines_in_steps(text.as_bytes(), step);
        assert!(lines == expected, "step {step}");
        let all = terminal.text(Lines::All, false);
        assert!(all.text == expected.trim_end(), "step {step}");
        screens.push((screen(&terminal), terminal.cursor()));
    }
    assert!(screens.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn plain_lines_among_others_look_the_same_as_one_by_one() {
    let mut text = String::from("\x1b[31mred\x1b[m start");
    for number in 0..2000 {
        text.push_str(&format!("plain {number}   \r\n"));
        if number % 500 == 250 {
            text.push_str("\x1b[1mbold\x1b[m and wïde 漢字\r\n\tindented\r\n");
            text.push_str(&format!("{}\r\n", "long ".repeat(40)));
        }
    }
    text.push_str("$ ");
    let (one, one_lines) = lines_in_steps(text.as_bytes(), 1);
    let (all, all_lines) = lines_in_steps(text.as_bytes(), usize::MAX);
    assert!(one_lines == all_lines);
    assert_eq!(one.text(Lines::All, true), all.text(Lines::All, true));
    assert_eq!(one.cursor(), all.cursor());
    assert!(all_lines.contains(&format!("\n{}\n", "long ".repeat(40).trim_end())));
    assert!(all_lines.contains("\nbold and wïde 漢字\n        indented\n"));
}

#[test]
fn colours_that_stay_on_are_kept_in_the_scrollback() {
    let mut text = String::from("\x1b[32m");
    text.extend((0..500).map(|number| format!("green {number}\r\n")));
    let (terminal, lines) = lines_in_steps(text.as_bytes(), usize::MAX);
    assert_eq!(lines.lines().count(), 500);
    let all = terminal.text(Lines::All, true).text;
    assert_eq!(all.lines().next(), Some("\x1b[32mgreen 0\x1b[m"));
}

#[test]
fn a_progress_bar_is_logged_in_its_last_state() {
    let mut text = String::new();
    text.extend((0..=100).map(|percent| format!("\rdone {percent}%")));
    assert_eq!(lines(format!("{text}\r\nnext").as_bytes()), "done 100%\nnext\n");
}

#[test]
fn clearing_neither_loses_nor_repeats() {
    assert_eq!(lines(b"a\r\nb\r\n\x1b[H\x1b[2J\x1b[3Ja\r\nb\r\n"), "a\nb\na\nb\n");
    assert_eq!(lines(b"a\r\nb\r\n\x1b[H\x1b[Ja\r\n"), "a\nb\na\n");
    assert_eq!(lines(b"a\r\n\x1bca\r\n"), "a\na\n");
    let (terminal, _) = lines_in_steps(b"a\r\nb\r\n\x1b[H\x1b[2J\x1b[3Jc", 3);
    assert_eq!(terminal.text(Lines::All, false).text, "c");
}

#[test]
fn painting_the_same_again_is_not_news_and_something_else_is_later() {
    let mut terminal = terminal(80, 24);
    terminal.process(b"head\r\nspin 1\r\nfoot\r\n");
    assert_eq!(terminal.take_lines(), "head\nspin 1\nfoot\n");
    for turn in 2..50 {
        terminal.process(format!("\x1b[2A\x1b[2Kspin {turn}\r\nfoot\r\n").as_bytes());
    }
    assert_eq!(terminal.take_lines(), "");
    assert!(terminal.waits());
    terminal.settle();
    assert_eq!(terminal.take_lines(), "spin 49\n");
    assert!(!terminal.waits());
}

#[test]
fn a_row_that_was_painted_over_is_logged_when_it_leaves() {
    let mut text = String::from("one\r\n\x1b[Atwo\r\n");
    text.extend((0..30).map(|number| format!("{number}\r\n")));
    let (_, lines) = lines_in_steps(text.as_bytes(), 5);
    assert!(lines.starts_with("one\n0\n"), "{lines}");
    assert_eq!(lines.matches("two\n").count(), 1);
}

#[test]
fn rows_that_were_placed_without_line_feeds_are_logged_too() {
    let mut terminal = terminal(80, 24);
    terminal.process(b"\x1b[3;1Hthird\x1b[5;1Hfifth\x1b[7;1H");
    assert_eq!(terminal.take_lines(), "third\nfifth\n");
}

#[test]
fn nothing_is_logged_from_the_alternate_screen() {
    for (on, off) in [("1049h", "1049l"), ("1047h", "1047l"), ("47h", "47l")] {
        let text = format!("before\r\n\x1b[?{on}secret\r\nmore\r\n\x1b[2J\x1b[?{off}after\r\n");
        let (terminal, lines) = lines_in_steps(text.as_bytes(), 3);
        assert!(lines.starts_with("before\n") && lines.ends_with("after\n"), "{on}: {lines}");
        assert!(!lines.contains("secret") && !lines.contains("more"), "{on}: {lines}");
        assert!(!terminal.screen().alternate_screen());
    }
}

#[test]
fn a_region_that_scrolls_moves_its_lines_only() {
    let mut text = String::from("\x1b[24;1Hstatus\x1b[1;23r\x1b[23;1H");
    text.extend((0..100).map(|number| format!("\r\nline {number}")));
    let (mut terminal, mut lines) = lines_in_steps(text.as_bytes(), 11);
    terminal.end();
    lines.push_str(&terminal.take_lines());
    let numbered: Vec<&str> = lines.lines().filter(|line| line.starts_with("line")).collect();
    let expected: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
    assert_eq!(numbered, expected);
    assert!(screen(&terminal).ends_with("line 99\nstatus"));
}

#[test]
fn rows_that_move_down_are_not_logged_again() {
    let mut terminal = terminal(80, 24);
    terminal.process(b"one\r\ntwo\r\nthree\r\n\x1b[1;1H\x1b[2Lnew\x1b[10;1H");
    assert_eq!(terminal.take_lines(), "one\ntwo\nthree\nnew\n");
    terminal.process(b"\x1b[1;1H\x1bM\x1b[20;1H");
    terminal.settle();
    assert_eq!(terminal.take_lines(), "");
}

#[test]
fn long_lines_are_one_line_in_the_log_and_rows_on_the_screen() {
    let long: String = ('a'..='z').cycle().take(5000).collect();
    assert_eq!(lines(format!("{long}\r\nend\r\n").as_bytes()), format!("{long}\nend\n"));
    let spaced = "word ".repeat(1000);
    let logged = lines(format!("{spaced}\r\n").as_bytes());
    assert_eq!(logged.trim_end(), spaced.trim_end());
    let (terminal, _) = lines_in_steps(format!("{}\r\n", &long[..100]).as_bytes(), 9);
    assert_eq!(screen(&terminal), format!("{}\n{}", &long[..80], &long[80..100]));
}

#[test]
fn characters_that_come_in_pieces_take_nothing_along() {
    let text = "éaéb 漢x字y👍z é\r\n";
    for step in [1, 2, 3, 5] {
        let (terminal, _) = lines_in_steps(text.as_bytes(), step);
        assert_eq!(screen(&terminal), text.trim_end(), "step {step}");
    }
}

#[test]
fn wide_characters_and_bytes_that_are_no_text() {
    assert_eq!(lines("漢字 é e\u{301} 👍\r\n".as_bytes()), "漢字 é e\u{301} 👍\n");
    assert_eq!(lines(b"a\xff\xfeb\xc3\r\nnext\r\n"), "ab\nnext\n");
    // Control sequences that never end and strings that never end do no harm.
    let mut terminal = terminal(10, 3);
    let junk: Vec<u8> =
        (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    terminal.process(&junk);
    terminal.process(b"\x18\x1bc");
    terminal.process(b"\x1b]0;");
    terminal.process(&vec![b'x'; 5 << 20]);
    terminal.process(b"ok\r\n");
    assert!(terminal.take_lines().ends_with("ok\n"));
}

#[test]
fn questions_are_answered() {
    let mut terminal = terminal(80, 24);
    terminal.process(b"abc\x1b[6n\x1b[c\x1b[5n\x1b[?6n\x1b[>c\x1b[18t\x1b[?2004$p\x1b[?2026$p");
    let answers = String::from_utf8(terminal.take_answers()).unwrap();
    let expected = "\x1b[1;4R\x1b[?62;22c\x1b[0n\x1b[?1;4R\x1b[>1;10;0c\x1b[8;24;80t\x1b[?2004;2$y\x1b[?2026;0$y";
    assert_eq!(answers, expected);
    terminal.process(b"\x1b]11;?\x07");
    assert!(String::from_utf8(terminal.take_answers()).unwrap().starts_with("\x1b]11;rgb:"));
    for _ in 0..10_000 {
        terminal.process(b"\x1b[c");
    }
    assert!(terminal.take_answers().len() <= 16 << 10);
}

#[test]
fn titles_folders_and_marks() {
    let mut terminal = terminal(80, 24);
    terminal.process(b"\x1b]0;a;b\x07\x1b]7;file:///tmp/x\x1b\\\x1b]133;A\x07$ ");
    assert_eq!(terminal.title(), Some("a;b"));
    assert_eq!(terminal.folder(), Some(Path::new("/tmp/x")));
    assert_eq!(terminal.mark(), Some(Mark::Prompt));
    terminal.process(b"\x1b]133;C\x1b");
    terminal.process(b"\\\x1b]2;later\x1b\\");
    assert_eq!((terminal.mark(), terminal.title()), (Some(Mark::Running), Some("later")));
    terminal.process(b"\x1b]133;D;1\x07");
    assert_eq!(terminal.mark(), Some(Mark::Ended));
    assert_eq!(screen(&terminal), "$");
}

#[test]
fn tails_and_what_is_above_them() {
    let text: String = (0..100).map(|number| format!("{number}\r\n")).collect();
    let (terminal, _) = lines_in_steps(text.as_bytes(), usize::MAX);
    let tail = terminal.text(Lines::Tail(3), false);
    assert_eq!((tail.text.as_str(), tail.more_above), ("97\n98\n99", true));
    let all = terminal.text(Lines::Tail(1000), false);
    assert_eq!((all.text.lines().count(), all.more_above), (100, false));
    assert!(terminal.text(Lines::Screen, false).more_above);
    assert_eq!(terminal.text(Lines::Tail(0), false).text, "");
}

#[test]
fn another_size_keeps_lines_and_repeats_none() {
    let text: String = (0..100).map(|number| format!("line {number}\r\n")).collect();
    let (mut terminal, lines) = lines_in_steps(text.as_bytes(), usize::MAX);
    let expected = lines.trim_end().to_owned();
    for size in [(80, 10), (120, 50), (60, 24), (120, 90), (200, 5), (80, 24)] {
        terminal.resize(size);
        assert_eq!(terminal.text(Lines::All, false).text, expected, "{size:?}");
        let (columns, rows) = size;
        assert_eq!(
            terminal.screen().size(),
            (NonZeroU16::new(rows).unwrap(), NonZeroU16::new(columns).unwrap())
        );
    }
    terminal.process(b"last\r\n");
    terminal.end();
    assert_eq!(terminal.take_lines(), "last\n");
}
