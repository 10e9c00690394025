//! Tests of whole drawings: golden files, hostile titles, and invariants.

use super::*;
use crate::compose::random_worlds::odd;
use crate::compose::testing::{World, id, node, pier};
use crate::model::{EdgeType, NodeType, Severity};

fn issue(severity: Severity, code: &str, node: u32) -> Issue {
    Issue {
        severity,
        code: code.to_owned(),
        message: "Bento is dead & speaks".to_owned(),
        node_id: id('e', node),
        entity_ids: Vec::new(),
        suggestion: Some("Let somebody else speak.".to_owned()),
    }
}

/// The pier with a choice, a flashback and an unlinked prologue.
fn branching() -> World {
    let mut world = pier();
    world.nodes.push(node(4, NodeType::Beat, "Bento \"speaks\" <again>"));
    world.nodes.push(node(
        5,
        NodeType::Scene,
        "The winter in which nobody came back to the harbour at all",
    ));
    world.nodes.push(node(6, NodeType::Chapter, "Flood"));
    world.node(4).time.order = 3;
    let mut edge = |number, from, to, kind, condition: &str| {
        let mut edge = world.edges[0].clone();
        (edge.id, edge.edge_type) = (id('f', number), kind);
        (edge.from_node_id, edge.to_node_id) = (id('e', from), id('e', to));
        edge.conditions =
            Some(condition.to_owned()).filter(|text| !text.is_empty()).into_iter().collect();
        world.edges.push(edge);
    };
    edge(3, 2, 4, EdgeType::Choice, "!boat.sold");
    edge(4, 4, 5, EdgeType::Timejump, "");
    edge(5, 5, 2, EdgeType::Flashback, "");
    edge(6, 1, 5, EdgeType::Branch, "");
    edge(7, 5, 99, EdgeType::Linear, "");
    world
}

fn issues() -> Vec<Issue> {
    vec![
        issue(Severity::Warn, "CHAR_TELEPORT", 4),
        issue(Severity::Error, "CHAR_DEAD_ACTIVE", 4),
        issue(Severity::Warn, "SCENE_NO_LOCATION", 5),
        issue(Severity::Info, "NODE_UNLINKED", 3),
        issue(Severity::Error, "REF_MISSING", 98),
    ]
}

fn drawn(format: Format, language: Language) -> String {
    let world = branching();
    draw(format, &world.project, &world.story(), &issues(), language)
}

fn golden(name: &str, text: &str) {
    let path = "../../../snapshots";
    insta::with_settings!({snapshot_path => path, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(format!("worldforge.picture.{name}"), text);
    });
}

#[test]
fn dot_reads_like_this() {
    golden("dot", &drawn(Format::Dot, Language::English));
}

#[test]
fn mermaid_reads_like_this() {
    golden("mermaid", &drawn(Format::Mermaid, Language::Portuguese));
}

#[test]
fn the_page_reads_like_this() {
    golden("html", &drawn(Format::Html, Language::English));
}

#[test]
fn findings_are_marked_by_colour_and_text() {
    let page = drawn(Format::Html, Language::English);
    assert!(page.contains("node beat error"), "colour");
    assert!(page.contains(">1 error, 1 warning</text>"), "words");
    assert!(page.contains("<code>CHAR_DEAD_ACTIVE</code> Bento is dead &amp; speaks"));
    let first = page.find("CHAR_DEAD_ACTIVE").unwrap();
    assert!(first < page.find("CHAR_TELEPORT").unwrap(), "the worst comes first");
    let dot = drawn(Format::Dot, Language::English);
    assert!(dot.contains("1 error, 1 warning") && dot.contains("#b3261e"));
    let mermaid = drawn(Format::Mermaid, Language::Portuguese);
    assert!(mermaid.contains("1 erro, 1 aviso"), "{mermaid}");
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    let page = drawn(Format::Html, Language::English);
    for foreign in ["http:", "https:", "<script", "src=", "@import", "url(h", "<link"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("<html lang=\"en\">"));
    assert!(drawn(Format::Html, Language::Portuguese).contains("<html lang=\"pt\">"));
}

#[test]
fn no_title_breaks_out_of_its_place() {
    let mut world = branching();
    let hostile = "</title><script>alert('1')</script>\" ]] --> end; \\\n\u{0}`#&{}|";
    world.project.title = hostile.to_owned();
    world.project.logline = hostile.to_owned();
    for node in &mut world.nodes {
        node.title = hostile.to_owned();
        node.time.in_world_date = Some(hostile.to_owned());
    }
    for edge in &mut world.edges {
        edge.conditions = vec![hostile.to_owned()];
    }
    let mut issues = issues();
    issues[0].message = hostile.to_owned();
    issues[0].suggestion = Some(hostile.to_owned());
    let drawn = |format| draw(format, &world.project, &world.story(), &issues, Language::English);
    let page = drawn(Format::Html);
    assert!(!page.contains("<script") && !page.contains("alert('1')"));
    assert_eq!(page.matches("</title>").count(), 1 + world.nodes.len());
    let dot = drawn(Format::Dot);
    let lines = world.nodes.iter().filter(|node| node.node_type == NodeType::Chapter).count() * 3
        + world.nodes.len()
        + world.edges.len()
        - 1
        + 6;
    assert_eq!(dot.lines().count(), lines, "{dot}");
    for line in dot.lines() {
        let quotes = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
        assert_eq!(quotes % 2, 0, "{line}");
    }
    let mermaid = drawn(Format::Mermaid);
    assert!(!mermaid.contains("<script") && !mermaid.contains('`'));
    assert!(mermaid.lines().all(|line| line.matches('"').count() % 2 == 0), "{mermaid}");
}

#[test]
fn every_link_of_the_page_leads_somewhere() {
    let page = drawn(Format::Html, Language::English);
    let targets: Vec<&str> =
        page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(targets.len() > 10);
    for target in targets {
        assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
    }
}

#[test]
fn a_world_without_a_story_has_a_page_too() {
    let mut world = pier();
    world.nodes.clear();
    world.edges.clear();
    for format in [Format::Dot, Format::Mermaid, Format::Html] {
        let text = draw(format, &world.project, &world.story(), &[], Language::English);
        assert!(text.contains("Salt Road") && text.ends_with('\n'));
    }
    let page = draw(Format::Html, &world.project, &world.story(), &[], Language::Portuguese);
    assert!(page.contains("Nada se contradiz."));
}

#[test]
fn the_same_story_gives_the_same_bytes_whatever_the_order_it_comes_in() {
    let mut turned = branching();
    turned.nodes.reverse();
    turned.edges.reverse();
    turned.entities.reverse();
    for format in [Format::Dot, Format::Mermaid, Format::Html] {
        let mut issues = issues();
        issues.reverse();
        let text = draw(format, &turned.project, &turned.story(), &issues, Language::English);
        assert_eq!(text, drawn(format, Language::English));
    }
}

#[test]
fn every_world_can_be_drawn() {
    for seed in 0..40 {
        let world = odd(seed);
        for format in [Format::Dot, Format::Mermaid, Format::Html] {
            let text = draw(format, &world.project, &world.story(), &issues(), Language::English);
            assert!(!text.contains("NaN") && !text.contains("inf "), "seed {seed}");
        }
    }
}

#[test]
fn formats_have_names() {
    for (name, format) in
        [("dot", Format::Dot), ("mermaid", Format::Mermaid), ("html", Format::Html)]
    {
        assert_eq!(Format::from_name(name), Some(format));
    }
    assert_eq!(Format::from_name("DOT"), None);
}
