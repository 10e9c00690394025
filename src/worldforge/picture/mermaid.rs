//! Mermaid output for Markdown: chapters as subgraphs, findings as classes and text.

use std::fmt::Write as _;

use super::graph::{Edge, Graph, Node};
use super::labels::Labels;
use crate::model::{EdgeType, NodeType, Severity};

/// The story as a flowchart.
pub(super) fn draw(title: &str, graph: &Graph<'_>, words: &Labels) -> String {
    let mut chart = String::from("flowchart TD\n");
    let _ = writeln!(chart, "  accTitle: {}", one_line(title));
    for (index, node) in graph.nodes.iter().enumerate() {
        if node.is_chapter() {
            let _ = writeln!(chart, "  subgraph c{index} [{}]", quoted(&node.node.title));
            chart.push_str("    direction TB\n");
            let members = graph.nodes.iter().enumerate();
            for (at, member) in
                members.filter(|(at, one)| *at == index || one.chapter == Some(index))
            {
                let _ = writeln!(chart, "    {}", line(at, member, words));
            }
            chart.push_str("  end\n");
        } else if node.chapter.is_none() {
            let _ = writeln!(chart, "  {}", line(index, node, words));
        }
    }
    for edge in &graph.edges {
        let _ = writeln!(chart, "  {}", arrow(edge, words));
    }
    chart.push_str("  classDef error fill:#fde7e5,stroke:#b3261e,color:#410e0b,stroke-width:2px\n");
    chart.push_str("  classDef warn fill:#fff3d6,stroke:#8a5a00,color:#3d2800,stroke-width:2px\n");
    for (severity, class) in [(Severity::Error, "error"), (Severity::Warn, "warn")] {
        let marked = graph.nodes.iter().enumerate();
        let marked: Vec<String> = marked
            .filter(|(_, node)| node.worst() == Some(severity))
            .map(|(index, _)| format!("n{index}"))
            .collect();
        if !marked.is_empty() {
            let _ = writeln!(chart, "  class {} {class}", marked.join(","));
        }
    }
    chart
}

fn line(index: usize, node: &Node<'_>, words: &Labels) -> String {
    let mut label = format!("{}\n{}", node.node.title, node.about(words));
    if node.worst().is_some() {
        label.push('\n');
        label.push_str(&node.mark(words));
    }
    let (open, close) = match node.node.node_type {
        NodeType::Beat => ("(", ")"),
        NodeType::Scene => ("[", "]"),
        NodeType::Chapter => ("[[", "]]"),
    };
    format!("n{index}{open}{}{close}", quoted(&label))
}

fn arrow(edge: &Edge<'_>, words: &Labels) -> String {
    let line = match edge.edge.edge_type {
        EdgeType::Flashback | EdgeType::Timejump => "-.->",
        _ => "-->",
    };
    let label = edge.label(words);
    let label = if label.is_empty() { label } else { format!("|{}|", quoted(&label)) };
    format!("n{} {line}{label} n{}", edge.from, edge.to)
}

/// A quoted text: what the language or HTML would read is written as an entity.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("#quot;"),
            '#' => quoted.push_str("#35;"),
            '&' => quoted.push_str("#amp;"),
            '<' => quoted.push_str("#lt;"),
            '>' => quoted.push_str("#gt;"),
            '`' => quoted.push_str("#96;"),
            '\n' => quoted.push_str("<br/>"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// For a statement that ends with its line and knows no quotes.
fn one_line(text: &str) -> String {
    let plain = |c: char| !c.is_control() && !"<>\"`;#{}".contains(c);
    let line: String = text.chars().map(|c| if plain(c) { c } else { ' ' }).collect();
    line.trim().to_owned()
}
