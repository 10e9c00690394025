//! Graphviz output: chapters as clusters, findings as colour and text.

use std::fmt::Write as _;

use super::graph::{Edge, Graph, Node};
use super::labels::Labels;
use crate::model::{EdgeType, NodeType, Severity};

/// The story as a `digraph`.
pub(super) fn draw(title: &str, graph: &Graph<'_>, words: &Labels) -> String {
    let mut dot = String::from("digraph story {\n");
    let _ = writeln!(dot, "  label={};", quoted(title));
    dot.push_str(
        "  labelloc=t;\n  node [fontname=\"sans-serif\", style=filled, fillcolor=white];\n",
    );
    dot.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (index, node) in graph.nodes.iter().enumerate() {
        if node.is_chapter() {
            let _ = writeln!(dot, "  subgraph cluster_{index} {{");
            let _ = writeln!(dot, "    label={};", quoted(&node.node.title));
            let members = graph.nodes.iter().enumerate();
            for (at, member) in
                members.filter(|(at, one)| *at == index || one.chapter == Some(index))
            {
                let _ = writeln!(dot, "    {}", line(at, member, words));
            }
            dot.push_str("  }\n");
        } else if node.chapter.is_none() {
            let _ = writeln!(dot, "  {}", line(index, node, words));
        }
    }
    for edge in &graph.edges {
        let _ = writeln!(dot, "  {}", arrow(edge, words));
    }
    dot + "}\n"
}

fn line(index: usize, node: &Node<'_>, words: &Labels) -> String {
    let shape = match node.node.node_type {
        NodeType::Beat => "ellipse",
        NodeType::Scene => "box",
        NodeType::Chapter => "tab",
    };
    let mut label = format!("{}\n{}", node.node.title, node.about(words));
    let colour = match node.worst() {
        Some(severity) => {
            label.push('\n');
            label.push_str(&node.mark(words));
            match severity {
                Severity::Error => ", color=\"#b3261e\", fillcolor=\"#fde7e5\", penwidth=2",
                _ => ", color=\"#8a5a00\", fillcolor=\"#fff3d6\", penwidth=2",
            }
        }
        None => "",
    };
    let codes: Vec<&str> = node.issues.iter().map(|issue| issue.code.as_str()).collect();
    let tooltip = if codes.is_empty() {
        String::new()
    } else {
        format!(", tooltip={}", quoted(&codes.join(", ")))
    };
    format!("n{index} [shape={shape}, label={}{colour}{tooltip}];", quoted(&label))
}

fn arrow(edge: &Edge<'_>, words: &Labels) -> String {
    let style = match edge.edge.edge_type {
        EdgeType::Linear => "",
        EdgeType::Branch | EdgeType::Choice => ", arrowhead=empty",
        EdgeType::Flashback => ", style=dashed, constraint=false",
        EdgeType::Timejump => ", style=dotted",
    };
    format!("n{} -> n{} [label={}{style}];", edge.from, edge.to, quoted(&edge.label(words)))
}

/// A text of the language: quotes and backslashes are escaped, lines are kept.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
