//! The HTML page: the drawing, then the same as text, for screen readers and search.
//!
//! One file without script, fonts or external resources; light and dark follow the reader's setting.

use std::fmt::Write as _;

use super::graph::{Graph, Node};
use super::labels::Labels;
use super::layout::lay_out;
use super::svg;
use crate::model::{Issue, Project, Severity};

const STYLE: &str = include_str!("page.css");

/// The story as a page.
pub(super) fn draw(project: &Project, graph: &Graph<'_>, words: &Labels) -> String {
    let edges: Vec<(usize, usize)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let layout = lay_out(graph.nodes.len(), &edges);
    let title = escaped(&project.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n",
        words.tag()
    );
    if !project.logline.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escaped(&project.logline));
    }
    let _ = writeln!(page, "<p class=\"sum\">{}</p>\n</header>\n<main>", summary(graph, words));
    let (story, how) = (
        words.pick("Story graph", "Grafo da história"),
        words.pick(
            "From top to bottom in telling order; the same content follows as text below.",
            "De cima para baixo, na ordem da narração; o mesmo conteúdo aparece em texto abaixo.",
        ),
    );
    let _ = writeln!(
        page,
        "<section>\n<h2 id=\"drawing\">{story}</h2>\n<p id=\"drawing-how\">{how}</p>\n{}",
        legend(words)
    );
    let _ = write!(
        page,
        "<div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-labelledby=\"drawing\">\n{}</div>\n</section>\n",
        svg::draw(graph, &layout, words)
    );
    page.push_str(&findings(graph, words));
    page.push_str(&nodes(graph, words));
    page + "</main>\n</body>\n</html>\n"
}

fn summary(graph: &Graph<'_>, words: &Labels) -> String {
    let counts = [Severity::Error, Severity::Warn, Severity::Info]
        .map(|severity| words.count(severity, graph.count(severity)));
    let (nodes, edges) = (words.pick("nodes", "nós"), words.pick("edges", "ligações"));
    format!("{} {nodes}, {} {edges} · {}", graph.nodes.len(), graph.edges.len(), counts.join(", "))
}

fn legend(words: &Labels) -> String {
    let entry = |class: &str, text: &str| {
        format!(
            "<li><svg width=\"44\" height=\"12\" aria-hidden=\"true\"><path class=\"edge {class}\" \
             d=\"M2 6L42 6\"/></svg> {text}</li>\n"
        )
    };
    let box_of = |class: &str, text: &str| {
        format!("<li><span class=\"swatch {class}\" aria-hidden=\"true\"></span> {text}</li>\n")
    };
    let mut legend = String::from("<ul class=\"legend\">\n");
    legend += &entry("linear", words.pick("linear", "segue"));
    legend += &entry("branch", words.pick("branch or choice", "ramo ou escolha"));
    legend += &entry("timejump", words.pick("time jump", "salto no tempo"));
    legend += &entry("flashback", words.pick("flashback", "flashback"));
    legend += &box_of("error", words.pick("has errors", "tem erros"));
    legend += &box_of("warn", words.pick("has warnings", "tem avisos"));
    legend + "</ul>\n"
}

fn findings(graph: &Graph<'_>, words: &Labels) -> String {
    let mut section = format!("<section>\n<h2>{}</h2>\n", words.pick("Findings", "Achados"));
    let marked: Vec<(usize, &Node<'_>)> =
        graph.nodes.iter().enumerate().filter(|(_, node)| !node.issues.is_empty()).collect();
    if marked.is_empty() {
        let none = words.pick("No contradictions found.", "Nada se contradiz.");
        let _ = writeln!(section, "<p>{none}</p>");
    }
    for (index, node) in marked {
        let title = escaped(&node.node.title);
        let _ =
            writeln!(section, "<h3 id=\"f{index}\"><a href=\"#n{index}\">{title}</a></h3>\n<ul>");
        node.issues.iter().for_each(|issue| section.push_str(&finding(issue)));
        section.push_str("</ul>\n");
    }
    section + "</section>\n"
}

fn finding(issue: &Issue) -> String {
    let (class, name) = match issue.severity {
        Severity::Error => ("error", "ERROR"),
        Severity::Warn => ("warn", "WARN"),
        Severity::Info => ("info", "INFO"),
    };
    let suggestion = issue.suggestion.as_deref().map(escaped);
    let suggestion = suggestion.map(|text| format!(" <em>{text}</em>")).unwrap_or_default();
    format!(
        "<li><strong class=\"{class}\">{name}</strong> <code>{}</code> {}{suggestion}</li>\n",
        escaped(&issue.code),
        escaped(&issue.message),
    )
}

/// Every node with its chapter, where it leads and what was found.
fn nodes(graph: &Graph<'_>, words: &Labels) -> String {
    let mut section = format!(
        "<section>\n<h2>{}</h2>\n<div class=\"wide\">\n<table>\n<thead><tr><th scope=\"col\">{}</th>\
         <th scope=\"col\">{}</th><th scope=\"col\">{}</th><th scope=\"col\">{}</th>\
         <th scope=\"col\">{}</th></tr></thead>\n<tbody>\n",
        words.pick("Nodes", "Nós"),
        words.pick("Node", "Nó"),
        words.pick("Type, order, date", "Tipo, ordem, data"),
        words.pick("Chapter", "Capítulo"),
        words.pick("Leads to", "Leva a"),
        words.pick("Findings", "Achados"),
    );
    let mut leads: Vec<Vec<String>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        let title = escaped(&graph.nodes[edge.to].node.title);
        let label = edge.label(words);
        let label = if label.is_empty() { label } else { format!(" ({})", escaped(&label)) };
        leads[edge.from].push(format!("<a href=\"#n{}\">{title}</a>{label}", edge.to));
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        let chapter = node.chapter.map(|at| escaped(&graph.nodes[at].node.title));
        let mark = match node.issues.is_empty() {
            true => "–".to_owned(),
            false => {
                let mark = node.mark(words);
                let notes = words.count(Severity::Info, node.count(Severity::Info));
                let text = if mark.is_empty() { notes } else { mark };
                format!("<a href=\"#f{index}\">{text}</a>")
            }
        };
        let _ = writeln!(
            section,
            "<tr id=\"n{index}\"><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{mark}</td></tr>",
            escaped(&node.node.title),
            escaped(&node.about(words)),
            chapter.unwrap_or_else(|| "–".to_owned()),
            if leads[index].is_empty() { "–".to_owned() } else { leads[index].join(", ") },
        );
    }
    section + "</tbody>\n</table>\n</div>\n</section>\n"
}

/// A text inside of a page, in content and attributes alike.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
