//! What is read as a figure, and how figures compare.

use super::super::token::tokens;
use super::*;

fn one(text: &str) -> Quantity {
    let mut found = quantities(&tokens(text));
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

#[test]
fn figures_and_their_units() {
    let count = |noun: &str| Unit::Count(stem::key(noun));
    for (text, unit, value) in [
        ("costs $1,200", Unit::Money("USD"), 1200.0),
        ("costs 1.5 million euros", Unit::Money("EUR"), 1.5e6),
        ("costs €150k", Unit::Money("EUR"), 150e3),
        ("uptime of 99.9 %", Unit::Percent, 99.9),
        ("about 5 percent", Unit::Percent, 5.0),
        ("in 200ms", Unit::Time, 0.2),
        ("after two weeks", Unit::Time, 1_209_600.0),
        ("within 3 business days", Unit::Time, 259_200.0),
        ("up to 25 MB", Unit::Data, 25e6),
        ("with five seats", count("seat"), 5.0),
        ("two backend engineers", count("engineer"), 2.0),
        ("on port 8080", count("port"), 8080.0),
        ("the limit is 5", count(""), 5.0),
        ("every six months", Unit::Rhythm, 2.0),
        ("twice a quarter", Unit::Rhythm, 8.0),
        ("3 times a year", Unit::Rhythm, 3.0),
    ] {
        let found = one(text);
        assert_eq!(found.unit, unit, "{text}");
        assert!((found.low - value).abs() < 1e-9 * value, "{text}: {}", found.low);
    }
}

#[test]
fn what_looks_like_a_figure_and_is_none() {
    for text in
        ["the eu-west-1 region", "p95 and k8s", "they may march on", "one of them? no: none"]
    {
        let found = quantities(&tokens(text));
        assert!(found.iter().all(|found| found.unit == Unit::Count(String::new())), "{found:?}");
    }
}

#[test]
fn figures_that_agree_and_figures_that_do_not() {
    use Relation::{Apart, Compatible, Different, Same};
    let (near, far) = (Different { far: false }, Different { far: true });
    for (left, right, relation) in [
        ("60 minutes", "1 hour", Same),
        ("$20 per month", "$240 per year", Same),
        ("$20 per month", "$20", Same),
        ("120k euros", "120,000 euros", Same),
        ("at least 3 seats", "5 seats", Compatible),
        ("at least 3 seats", "2 seats", far),
        ("at least 3 seats", "at least 2 seats", far),
        ("under 200 ms", "180 ms", Compatible),
        ("under 200 ms", "210 ms", near),
        ("3-5 days", "4 days", Compatible),
        ("3-5 days", "9 days", far),
        ("about 100 users", "95 users", Compatible),
        ("about 100 users", "70 users", far),
        ("5 seats", "5 projects", Apart),
        ("5 euros", "5 dollars", Apart),
        ("5 GB", "5 days", Apart),
        ("on March 3", "3 March", Same),
        ("on March 3", "in March", Compatible),
        ("on March 3", "in Q1", Compatible),
        ("on March 3", "in Q3", far),
        ("on March 3", "on March 4", near),
        ("on 2025-06-30", "June 30, 2025", Same),
        ("in March 2025", "in March 2026", far),
        ("on Fridays", "on Friday", Same),
        ("on Fridays", "on Mondays", near),
        ("at 2pm", "at 14:00", Same),
        ("at 2 pm", "at 2am", near),
        ("next year", "last year", near),
        ("on Fridays", "in March", Apart),
    ] {
        assert_eq!(one(left).relate(&one(right)), relation, "{left} / {right}");
        assert_eq!(one(right).relate(&one(left)), relation, "{right} / {left}");
    }
}

#[test]
fn a_year_is_a_year_only_where_it_can_be_one() {
    assert!(one("in 2025").is_moment());
    assert!(one("In 2025 revenue doubled").is_moment());
    assert!(!one("2000 customers").is_moment());
    assert!(!one("costs $2000").is_moment());
    assert!(!one("in 2000 stores").is_moment());
}
