//! Escaping, links and marks; the rest is tested over HTTP and in a browser.

use super::html::{short, text};
use super::links::ReviewLinks;
use super::source::marked;
use crate::engine::Reviewed;
use crate::extract::Report;
use crate::model::{ByteSpan, Operation, SemanticType};
use crate::records::Source;
use crate::records::proposals::{Proposal, Status};

fn statement(start: usize, end: usize) -> Operation {
    Operation::CreateBlock {
        semantic_type: SemanticType::Fact,
        title: String::new(),
        content: "content".to_owned(),
        confidence: 0.7,
        spans: vec![ByteSpan { start, end }],
        metadata: std::collections::BTreeMap::new(),
    }
}

fn proposal(operations: Vec<Operation>) -> Reviewed {
    let proposal = Proposal {
        id: "p".to_owned(),
        basket_id: "b".to_owned(),
        dump_id: "d".to_owned(),
        operations,
        report: Report::default(),
        extractor: "rules".to_owned(),
        status: Status::Proposed,
        mode: "manual".to_owned(),
        reasons: Vec::new(),
        confidence: 0.7,
        blast_radius: "Local".to_owned(),
        source: Source { user_id: "u".to_owned(), host: "claude".to_owned(), session: None },
        created_at: 0,
        reviewed_by: None,
        review_notes: None,
    };
    Reviewed { proposal, steps: Vec::new() }
}

/// The text of a page, as a reader sees it.
fn read(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for found in html.chars() {
        match found {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => text.push(found),
            _ => {}
        }
    }
    text
}

#[test]
fn no_text_is_markup_or_invisible() {
    assert_eq!(
        text("<img src=x onerror='a(\"&\")'>\u{200b}\u{202e}"),
        "&lt;img src=x onerror=&#39;a(&quot;&amp;&quot;)&#39;&gt;"
    );
    assert_eq!(short("<<<<", 2), "&lt;&lt;…");
    assert_eq!(short("ab", 2), "ab");
}

#[test]
fn marks_lie_over_the_text_and_change_none_of_it() {
    let body = "We use <b>Stripe</b> é and Adyen & co.";
    let all = proposal(vec![
        statement(0, 20),
        statement(7, 30),
        statement(21, 22),
        statement(900, 950),
        statement(5, 5),
    ]);
    let html = marked(body, &all);
    assert!(!html.contains("<b>"), "{html}");
    assert_eq!(html.matches("<mark").count(), html.matches("</mark>").count());
    // The first mark of each statement can be gone to, once.
    for id in ["said-1", "said-2"] {
        assert_eq!(html.matches(&format!("id=\"{id}\"")).count(), 1, "{html}");
    }
    let seen: String = read(&html).chars().filter(|c| !c.is_ascii_digit()).collect();
    assert_eq!(seen, text(body));
}

#[test]
fn of_a_long_text_the_statements_and_what_is_around_them_are_shown() {
    let body = format!("{}We use Stripe.{}", "a ".repeat(40_000), " é".repeat(40_000));
    let html = marked(&body, &proposal(vec![statement(80_000, 80_014)]));
    assert!(html.contains("We use Stripe.") && html.contains("bytes without statements"));
    assert!(html.len() < 5_000, "{}", html.len());
}

#[test]
fn the_setting_names_the_page_before_the_address_does() {
    let links = ReviewLinks::default();
    assert_eq!(links.list(), None);
    links.listening("http://127.0.0.1:8080");
    assert_eq!(links.proposal("p").as_deref(), Some("http://127.0.0.1:8080/review/proposals/p"));
    let links = ReviewLinks::new(Some("https://memory.example.com/".to_owned()));
    links.listening("http://127.0.0.1:8080");
    assert_eq!(links.list().as_deref(), Some("https://memory.example.com/review"));
}
