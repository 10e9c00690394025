//! How much is found: a labelled set of secrets and of harmless texts that look like some. One half was
//! there while families were written; the other was only ever counted.

use super::super::redact;

const SET: &str = include_str!("labelled.tsv");

/// Recall and false positives of one half.
#[derive(Debug, Default)]
struct Counted {
    secrets: usize,
    missed: Vec<&'static str>,
    harmless: usize,
    taken: Vec<&'static str>,
}

fn counted(half: &str) -> Counted {
    let mut counted = Counted::default();
    for line in SET.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [of, kind, text, secret] = fields[..] else { panic!("four fields: {line:?}") };
        if of != half {
            continue;
        }
        let shown = text.replace("\\n", "\n");
        let clean = redact(&shown);
        match kind {
            "secret" => {
                assert!(text.contains(secret) && secret.len() >= 6, "{line:?}");
                counted.secrets += 1;
                // Not even a part of it may be left.
                let parts = secret.as_bytes().windows(6);
                let told = |part: &[u8]| clean.contains(std::str::from_utf8(part).unwrap());
                if parts.into_iter().any(told) {
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
        "{half}: {} of {secrets} secrets found (missed: {missed:#?}); {} of {harmless} harmless texts changed: {taken:#?}",
        secrets - missed.len(),
        taken.len()
    );
    counted
}

#[test]
fn the_half_that_families_were_written_with_is_told_apart() {
    let counted = counted("tune");
    assert!(counted.secrets >= 50 && counted.harmless >= 50, "{counted:?}");
    assert!(counted.missed.is_empty() && counted.taken.is_empty(), "{counted:?}");
}

#[test]
fn the_half_that_was_only_counted_keeps_its_figures() {
    let counted = counted("test");
    assert!(counted.secrets >= 50 && counted.harmless >= 50, "{counted:?}");
    let found = counted.secrets - counted.missed.len();
    assert!(found * 100 >= counted.secrets * 80, "recall fell: {counted:?}");
    assert!(counted.taken.len() * 100 <= counted.harmless * 5, "false positives rose: {counted:?}");
}
