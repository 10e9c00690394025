//! Recall: a labelled set of secrets and of harmless texts that resemble some. Families are written
//! with the part `tune`; the part `test` is only ever counted. Once a family was fixed because of a line
//! of `test`, that part becomes `tune`, and a new one is written first.

use super::super::redact;

const SET: &str = include_str!("labelled.tsv");

/// Recall and false positives of one part.
#[derive(Debug, Default)]
struct Counted {
    secrets: usize,
    missed: Vec<&'static str>,
    harmless: usize,
    taken: Vec<&'static str>,
}

fn counted(part: &str) -> Counted {
    let mut counted = Counted::default();
    for line in SET.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [of, kind, text, secret] = fields[..] else { panic!("four fields: {line:?}") };
        if of != part {
            continue;
        }
        let shown = text.replace("\\n", "\n");
        let clean = redact(&shown);
        match kind {
            "secret" => {
                assert!(text.contains(secret) && secret.len() >= 6, "{line:?}");
                counted.secrets += 1;
                // Not even a part of it may be left.
                let pieces = secret.as_bytes().windows(6);
                let told = |piece: &[u8]| clean.contains(std::str::from_utf8(piece).unwrap());
                if pieces.into_iter().any(told) {
                    counted.missed.push(text);
                }
            }
            "harmless" => {
                counted.harmless += 1;
                if clean != shown {
                    counted.taken.push(text);
                }
            }
            other => panic!("{other}: {line:?}"),
        }
    }
    let Counted { secrets, missed, harmless, taken } = &counted;
    println!(
        "{part}: {} of {secrets} secrets found (missed: {missed:#?}); {} of {harmless} harmless texts changed: {taken:#?}",
        secrets - missed.len(),
        taken.len()
    );
    counted
}

#[test]
fn the_tuning_part_is_found_completely() {
    let counted = counted("tune");
    assert!(counted.secrets >= 50 && counted.harmless >= 50, "{counted:?}");
    // A value that stands before what announces it is not found: redaction reads forward only.
    let known = |text: &&&str| text.ends_with("--password-stdin");
    assert_eq!(counted.missed.iter().filter(|text| !known(text)).count(), 0, "{counted:?}");
    assert!(counted.taken.is_empty(), "{counted:?}");
}

#[test]
fn the_part_that_was_only_counted_keeps_its_figures() {
    let counted = counted("test");
    assert!(counted.secrets >= 30 && counted.harmless >= 30, "{counted:?}");
    let found = counted.secrets - counted.missed.len();
    assert!(found * 100 >= counted.secrets * 60, "recall fell: {counted:?}");
    assert!(counted.taken.len() * 100 <= counted.harmless * 5, "false positives rose: {counted:?}");
}
