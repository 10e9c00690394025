//! Contracts whose texts want to be markup. None of them may become any.

use serde_json::{Value, json};
use toolwright_codegen::docs::{self, Format};
use toolwright_codegen::model::{Contract, Expect};

use crate::{contracts, tags};

/// Ends scripts, attributes, cells, code and lines, and turns text around.
const HOSTILE: &str = "x</script><script>alert(1)</script><!-- \"' onload=a | `b` ``` ~~~ **c** \
                       [d](javascript:e) &lt; \\\n# f\n- g\n\u{202e}h\u{0}\u{e0041}</details>";

/// The echo contract with the text in every place that takes one.
fn hostile() -> Contract {
    let mut contract = contracts("examples/echo/specs").remove(0);
    let text = || HOSTILE.to_owned();
    contract.title = text();
    contract.instructions = format!("{HOSTILE}\n\n{HOSTILE}");
    contract.envelope.success = json!({ HOSTILE: "$data" });
    contract.roles.insert(text(), vec!["echo".to_owned()]);
    for error in contract.errors.values_mut() {
        error.when = text();
        error.next = Some(text());
        error.aliases = vec![text()];
        error.code = format!("{}{HOSTILE}", error.code);
    }
    for setting in contract.settings.values_mut() {
        setting.doc = text();
        setting.default = Some(json!(HOSTILE));
        setting.choices = vec![text()];
        setting.env = Some(text());
    }
    for tool in &mut contract.tools {
        tool.title = text();
        tool.description = text();
        tool.since = text();
        tool.meta.insert(text(), json!(HOSTILE));
        tool.command = vec![text()];
        insert_hostile_text(&mut tool.input);
        insert_hostile_text(&mut tool.output);
        for example in &mut tool.examples {
            example.name = text();
            example.input = json!({ HOSTILE: [HOSTILE] });
            if let Expect::Output(output) = &mut example.expect {
                *output = json!({ HOSTILE: HOSTILE });
            }
        }
    }
    contract
}

fn insert_hostile_text(schema: &mut Value) {
    let properties = schema["properties"].as_object_mut().unwrap();
    for property in properties.values_mut() {
        property["description"] = json!(HOSTILE);
        property["pattern"] = json!(HOSTILE);
        property["enum"] = json!([HOSTILE]);
        property["default"] = json!(HOSTILE);
    }
    properties.insert(HOSTILE.to_owned(), json!({"type": "string"}));
}

#[test]
fn hostile_text_stays_text_in_html() {
    let contract = hostile();
    for file in docs::catalogue(&[contract], Format::Html) {
        tags::check(&file.name, &file.text);
        assert_eq!(file.text.matches("<script").count(), 1, "{}", file.name);
        assert_eq!(file.text.matches("</script").count(), 1, "{}", file.name);
        assert!(file.text.contains("x&lt;/script&gt;&lt;script&gt;alert(1)"), "{}", file.name);
        assert_visible(&file.text);
    }
}

#[test]
fn hostile_text_stays_text_in_markdown() {
    let contract = hostile();
    for file in docs::catalogue(&[contract], Format::Markdown) {
        assert_visible(&file.text);
        let (prose, raw) = parts(&file.text);
        let ours = ["<!-- Written", "<a id=\"", "</a>", "<details>", "</details>", "<summary>"];
        let ours = [&ours[..], &["</summary>", "<code>", "</code>"]].concat();
        for text in [&prose, &raw] {
            for (at, _) in text.match_indices('<') {
                let known = ours.iter().any(|tag| text[at..].starts_with(tag));
                assert!(known, "{}: {:.60}", file.name, &text[at..]);
            }
        }
        assert_eq!(raw.matches("<details>").count(), prose.matches("</details>").count());
        assert!(!prose.replace("\\]", "").contains("](javascript:"), "{}", file.name);
        assert!(!prose.contains(" **c**") && !prose.contains("\n# f") && !prose.contains("\n- g"));
        for table in prose.split("\n\n").filter(|block| block.starts_with("| ")) {
            let width = |row: &str| row.replace("\\\\", "").replace("\\|", "").matches('|').count();
            let widths: Vec<usize> = table.lines().map(width).collect();
            assert!(widths.iter().all(|other| *other == widths[0]), "{}: {table}", file.name);
        }
    }
}

fn assert_visible(page: &str) {
    assert!(!page.contains(['\u{202e}', '\u{0}', '\u{e0041}']));
    assert!(page.contains("⟨U+202E⟩h⟨U+0000⟩⟨U+E0041⟩"));
}

/// The document without fenced blocks and code spans, as a reader of Markdown finds them, and the
/// lines that are HTML.
fn parts(document: &str) -> (String, String) {
    let mut prose = String::new();
    let mut raw = String::new();
    let mut fence: Option<usize> = None;
    for line in document.lines() {
        let run = line.bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            Some(length) if run >= length && line.len() == run => fence = None,
            Some(_) => {}
            None if run >= 3 && !line[run..].contains('`') => fence = Some(run),
            None if line.starts_with("<details>") => {
                assert!(line.ends_with("</summary>"), "{line:.80}");
                raw.push_str(line);
            }
            None => {
                prose.push_str(&without_spans(line));
                prose.push('\n');
            }
        }
    }
    assert_eq!(fence, None, "a block is not closed");
    (prose, raw)
}

fn without_spans(line: &str) -> String {
    let mut prose = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        if rest[..at].ends_with('\\') {
            prose.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        }
        prose.push_str(&rest[..at]);
        let run = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        let after = &rest[at + run..];
        let ends = after.match_indices('`').map(|(start, _)| start).find(|start| {
            let run_here = after[*start..].bytes().take_while(|byte| *byte == b'`').count();
            run_here == run && !after[..*start].ends_with('`')
        });
        let Some(end) = ends else { panic!("code without an end: {line:.200}") };
        rest = &after[end + run..];
    }
    prose + rest
}
