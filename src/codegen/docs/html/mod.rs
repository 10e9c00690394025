//! Pages as HTML: one file each, with its style and its script inside, that loads nothing.
//!
//! Every text of a contract is escaped. The policy in the head lets the browser run this style and
//! this script alone, so that nothing else could run or load even if an escape were forgotten.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::page::{Block, Inline, Item, Page, Row, Section, Table, Target, Text, Tone};
use super::prose::visible;
use super::{Format, SIGNATURE};

/// The style of every page: the look it shares with the page of the HTTP server, and its own.
const STYLE: &str = concat!(include_str!("../../../contract/theme.css"), include_str!("style.css"));
/// Search and keys. Without it the page is complete, only not searchable.
const SCRIPT: &str = include_str!("search.js");

/// Most characters of code that stay on one line; they fit on a phone.
const UNBROKEN: usize = 24;

/// The page.
pub(super) fn write(page: &Page) -> String {
    let mut out = String::new();
    out.push_str(&format!("<!doctype html>\n<!-- {SIGNATURE} -->\n<html lang=\"en\">\n"));
    out.push_str(&head(page));
    out.push_str("<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
    out.push_str(&header(page));
    out.push_str("<div class=\"columns\">\n");
    out.push_str(&navigation(page));
    out.push_str(&format!(
        "<main id=\"content\">\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n",
        escape(&page.title),
        inlines(&page.lead)
    ));
    page.sections.iter().for_each(|section| write_section(section, 2, &mut out));
    out.push_str("</main>\n</div>\n");
    out.push_str(&format!("<script>{SCRIPT}</script>\n</body>\n</html>\n"));
    out
}

fn head(page: &Page) -> String {
    let title = match page.in_catalogue {
        true => format!("{} – catalogue", page.title),
        false => page.title.clone(),
    };
    format!(
        "<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n",
        hash(STYLE),
        hash(SCRIPT),
        escape(&title),
    )
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// Where one is, and the search, which only the script can show.
fn header(page: &Page) -> String {
    let home = match page.in_catalogue {
        true => format!("<a href=\"{}\">Catalogue</a> / ", Format::Html.file("index")),
        false => String::new(),
    };
    format!(
        "<header>\n<p class=\"where\">{home}<span>{}</span></p>\n\
         <form role=\"search\" hidden>\n<label for=\"search\">Search</label>\n\
         <input id=\"search\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" \
         placeholder=\"Name or text\" aria-describedby=\"keys\">\n\
         <kbd aria-hidden=\"true\">/</kbd>\n\
         <span id=\"keys\">Slash to search, arrows and Enter to go to a match, Escape to clear.\
         </span>\n\
         <output id=\"count\" for=\"search\"></output>\n</form>\n</header>\n",
        escape(&page.title)
    )
}

fn navigation(page: &Page) -> String {
    let mut out = String::from("<nav aria-label=\"Contents\">\n<ul>\n");
    for section in &page.sections {
        let Some(link) = contents_link(section) else { continue };
        out.push_str(&format!("<li>{link}"));
        let inner: Vec<String> = section.sections.iter().filter_map(contents_link).collect();
        if !inner.is_empty() {
            let items: Vec<String> = inner.iter().map(|link| format!("<li>{link}</li>")).collect();
            out.push_str(&format!("\n<ul>\n{}\n</ul>\n", items.join("\n")));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n</nav>\n");
    out
}

fn contents_link(section: &Section) -> Option<String> {
    let anchor = section.anchor.as_ref()?;
    let name = section.title.first().map(inline).unwrap_or_default();
    Some(format!("<a href=\"#{}\">{name}</a>", escape(anchor)))
}

fn write_section(section: &Section, level: usize, out: &mut String) {
    let title = inlines(&section.title);
    let level_tag = level.min(6);
    match &section.anchor {
        Some(anchor) => {
            let anchor = escape(anchor);
            out.push_str(&format!("<section id=\"{anchor}\"{}>\n", item(section.item)));
            let link = format!("<a class=\"self\" href=\"#{anchor}\">{title}</a>");
            out.push_str(&format!("<h{level_tag}>{link}</h{level_tag}>\n"));
        }
        None => out.push_str(&format!("<section>\n<h{level_tag}>{title}</h{level_tag}>\n")),
    }
    write_blocks(&section.blocks, out);
    section.sections.iter().for_each(|inner| write_section(inner, level + 1, out));
    out.push_str("</section>\n");
}

/// What the search finds it as.
fn item(item: Option<Item>) -> &'static str {
    match item {
        None => "",
        Some(Item::Tool) => " data-item=\"tool\"",
        Some(Item::Error) => " data-item=\"error\"",
        Some(Item::Setting) => " data-item=\"setting\"",
    }
}

fn write_blocks(blocks: &[Block], out: &mut String) {
    let list = |items: &[Text]| -> String {
        items.iter().map(|item| format!("<li>{}</li>\n", inlines(item))).collect()
    };
    for block in blocks {
        match block {
            Block::Paragraph(text) => out.push_str(&format!("<p>{}</p>\n", inlines(text))),
            Block::List(items) => out.push_str(&format!("<ul>\n{}</ul>\n", list(items))),
            Block::Steps(items) => out.push_str(&format!("<ol>\n{}</ol>\n", list(items))),
            Block::Facts(facts) => {
                out.push_str("<dl>\n");
                for (label, text) in facts {
                    let (label, text) = (escape(label), inlines(text));
                    out.push_str(&format!("<div><dt>{label}</dt><dd>{text}</dd></div>\n"));
                }
                out.push_str("</dl>\n");
            }
            Block::Table(table) => write_table(table, out),
            Block::Code(_, text) => {
                out.push_str(&format!("<pre><code>{}</code></pre>\n", escape(text)));
            }
            Block::Fold(summary, blocks) => {
                out.push_str(&format!("<details>\n<summary>{}</summary>\n", inlines(summary)));
                write_blocks(blocks, out);
                out.push_str("</details>\n");
            }
        }
    }
}

fn write_table(table: &Table, out: &mut String) {
    out.push_str(&format!(
        "<div class=\"scroll\">\n<table aria-label=\"{}\">\n<thead><tr>",
        escape(&table.label)
    ));
    for column in &table.columns {
        out.push_str(&format!("<th scope=\"col\">{}</th>", escape(column)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        write_row(row, &table.columns, out);
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

fn write_row(row: &Row, columns: &[String], out: &mut String) {
    let anchor = row.anchor.as_deref().map(escape);
    let id = anchor.as_ref().map(|anchor| format!(" id=\"{anchor}\"")).unwrap_or_default();
    let depth = match row.depth.min(4) {
        0 => String::new(),
        depth => format!(" class=\"d{depth}\""),
    };
    out.push_str(&format!("<tr{id}{depth}{}>", item(row.item)));
    for (index, cell) in row.cells.iter().enumerate() {
        let content = match (index, &anchor, cell.split_first()) {
            (0, Some(anchor), Some((name, rest))) => {
                let name = inline(name);
                format!("<a class=\"self\" href=\"#{anchor}\">{name}</a>{}", inlines(rest))
            }
            _ => inlines(cell),
        };
        if index == 0 {
            out.push_str(&format!("<th scope=\"row\">{content}</th>"));
            continue;
        }
        let nothing = matches!(cell.as_slice(), [Inline::Text(text)] if text == "–");
        let class = if nothing { " class=\"none\"" } else { "" };
        let label = columns.get(index).map(|column| escape(column)).unwrap_or_default();
        out.push_str(&format!("<td{class} data-label=\"{label}\">{content}</td>"));
    }
    out.push_str("</tr>\n");
}

/// A run of text as HTML.
fn inlines(text: &[Inline]) -> String {
    text.iter().map(inline).collect()
}

fn inline(one: &Inline) -> String {
    match one {
        Inline::Text(text) => escape(text),
        Inline::Code(code) => {
            let class = if code.chars().count() > UNBROKEN { " class=\"long\"" } else { "" };
            format!("<code{class}>{}</code>", escape(code))
        }
        Inline::Break => "<br>".to_owned(),
        Inline::Link(target, inner) => {
            format!("<a href=\"{}\">{}</a>", escape(&address(target)), inline(inner))
        }
        Inline::Badge(tone, label) => {
            let class = match tone {
                Tone::Plain => "plain",
                Tone::Notice => "notice",
                Tone::Strong => "strong",
                Tone::Danger => "danger",
            };
            format!("<span class=\"badge {class}\">{}</span>", escape(label))
        }
    }
}

fn address(target: &Target) -> String {
    match target {
        Target::Here(anchor) => format!("#{anchor}"),
        Target::Page(page, None) => Format::Html.file(page),
        Target::Page(page, Some(anchor)) => format!("{}#{anchor}", Format::Html.file(page)),
    }
}

/// Text escaped for HTML content and attributes.
pub(super) fn escape(text: &str) -> String {
    let text = visible(text);
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
