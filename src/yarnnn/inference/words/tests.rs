use super::*;

fn texts(text: &str) -> Vec<&str> {
    words(text).map(|word| word.text).collect()
}

#[test]
fn words_keep_what_is_inside_them() {
    assert_eq!(
        texts("Don't use Node.js v1.2, re-run `snake_case` (now)."),
        ["Don't", "use", "Node.js", "v1.2", "re-run", "snake_case", "now"]
    );
    assert_eq!(texts(" -- … "), [""; 0]);
    assert_eq!(texts("größer 東京 x"), ["größer", "東京", "x"]);
}

#[test]
fn the_places_where_a_capital_says_nothing_are_known() {
    let opens: Vec<&str> =
        words("We met. Then: Bob\nleft, Ann too").filter(|w| w.opens).map(|w| w.text).collect();
    assert_eq!(opens, ["We", "Then", "Bob", "left"]);
}

#[test]
fn one_and_many_and_possessives_are_compared_alike() {
    for (word, other) in [
        ("Refunds", "refund"),
        ("companies", "Company"),
        ("Stripe’s", "stripe"),
        ("invoiced", "invoices"),
    ] {
        let stems: Vec<_> = [word, other].map(|word| terms(word).into_keys().next()).into();
        assert!(stems[0].is_some());
        assert_eq!(stems[0], stems[1], "{word} {other}");
    }
    assert_eq!(terms("process status analysis Refunds refund").len(), 4);
    let shown: Vec<String> = terms("companies company refunds").into_values().collect();
    assert_eq!(shown, ["company", "refunds"]);
}

#[test]
fn keywords_are_the_most_said_topics() {
    let text = "The billing team wants billing to be fast. Refunds wait. A refund costs. Invoices!";
    assert_eq!(keywords(text, 3), ["billing", "refunds", "costs"]);
    assert_eq!(keywords("the and of it was", 9), [""; 0]);
}

#[test]
fn names_are_found_and_sentence_openings_are_not() {
    let text = "Yesterday we talked to Ada Lovelace about Stripe. Pricing is open. \
                Stripe wants a contract with New York Office; GitHub said no.";
    assert_eq!(entities(text, 12), ["Stripe", "Ada Lovelace", "GitHub", "New York", "Office"]);
}

#[test]
fn names_stop_at_commas_and_possessives() {
    assert_eq!(
        entities("we asked Anna, Bert and Carl's Engine people", 9),
        ["Anna", "Bert", "Carl", "Engine"]
    );
}

#[test]
fn limits_hold() {
    let many: String = (0..50).map(|n| format!("met Name{n} and wordy{n}x ")).collect();
    assert_eq!(entities(&many, 12).len(), 12);
    assert_eq!(keywords(&many, 12).len(), 12);
    assert_eq!(keywords(&many, 0).len(), 0);
}

#[test]
fn a_line_is_cut_between_words_and_never_inside_a_character() {
    assert_eq!(one_line("  two\n\twords\u{7} here ", 80), "two words here");
    assert_eq!(one_line("alpha beta gamma", 12), "alpha beta");
    assert_eq!(one_line("ééééééé", 3), "ééé");
    assert_eq!(one_line("\u{1b}[31mred", 9), "[31mred");
    assert_eq!(one_line("", 9), "");
}

#[test]
fn a_word_of_megabytes_is_noise() {
    let text = format!("Billing talks to X{} and Stripe", "x".repeat(2_000_000));
    assert_eq!(keywords(&text, 9), ["billing", "stripe", "talks"]);
    assert_eq!(entities(&text, 9), ["Stripe"]);
    assert_eq!(one_line(&"x".repeat(2_000_000), 10).len(), 10);
}
