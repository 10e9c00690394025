//! Many faults at once: none hides another. Single faults of a real contract, and random
//! combinations of them, whose seed is told and can be set with `TOOLWRIGHT_TEST_SEED`.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use toolwright_codegen::diagnostics::{Colour, Report};
use toolwright_codegen::{Files, load_files, read_folder};

use toolwright_testing::random::Random;

/// A fault: in this file this text, which is there once, becomes that. Lines stay where they are.
struct Fault {
    file: &'static str,
    from: &'static str,
    to: &'static str,
    /// What must be reported on the very line.
    code: &'static str,
}

const fn fault(
    file: &'static str,
    from: &'static str,
    to: &'static str,
    code: &'static str,
) -> Fault {
    Fault { file, from, to, code }
}

const TOOL: &str = "wink/tools/write_section_override.yaml";
const LIST: &str = "wink/tools/list_overrides.yaml";
const OTHER: &str = "wink/tools/write_tool_override.yaml";
const SURFACE: &str = "wink/surface.yaml";
const TYPES: &str = "wink/types.yaml";

const FAULTS: &[Fault] = &[
    fault(TOOL, "tool: write_section", "tool: write_sektion", "TW010"),
    fault(TOOL, "title: Write", "titel: Write", "TW003"),
    fault(TOOL, "open_world: false", "open_world: maybe", "TW004"),
    fault(TOOL, "[write-section]", "[Write]", "TW009"),
    fault(TOOL, "section_path, body]", "section_path, bodi]", "TW032"),
    fault(TOOL, ", description: Namespace of the prompt.", "", "TW040"),
    fault(TOOL, "prompt: {type: string", "prompt: {type: strnig", "TW030"),
    fault(TOOL, "default: latest", "default: 7", "TW042"),
    fault(
        TOOL,
        "section_path: {type: string, minLength",
        "section_path: {type: string, minLenght",
        "TW031",
    ),
    fault(TOOL, "maxLength: 4000000", "maxLength: many", "TW030"),
    fault(
        TOOL,
        "expected_hash: {type: string,",
        "expected_hash: {type: string, pattern: \"(\",",
        "TW030",
    ),
    fault(
        TOOL,
        "descriptor_version: {type: integer,",
        "descriptor_version: {type: integer, exclusiveMinimum: 0,",
        "TW032",
    ),
    fault(
        TOOL,
        "descriptor_hash: {type: string,",
        "descriptor_hash: {type: string, format: sha256,",
        "TW035",
    ),
    fault(
        TOOL,
        "confirm: {type: boolean, default: false",
        "confirm: {type: boolean, default: 0",
        "TW042",
    ),
    fault(TOOL, "$defs/SectionChange", "$defs/SectionChang", "TW020"),
    fault(TOOL, "no_descriptor, hash_mismatch", "no_descriptor, hash_mismatsh", "TW050"),
    fault(TOOL, "field: confirm", "field: confrim", "TW064"),
    fault(TOOL, "definition_tokens: 1100", "definition_tokens: 100", "TW090"),
    fault(
        TOOL,
        "first_override, given: described, input: {ns: demo.app",
        "first_override, given: described, input: {ns: 7",
        "TW072",
    ),
    fault(
        TOOL,
        "output: {changed: true, previous_status: current",
        "output: {changed: ja, previous_status: current",
        "TW073",
    ),
    fault(TOOL, "name: edit_seeded", "name: another_tag", "TW012"),
    fault(
        TOOL,
        "{name: unknown_placeholder, given: golden",
        "{name: unknown_placeholder, givn: golden",
        "TW003",
    ),
    fault(
        TOOL,
        "{name: locked_section, given: golden, input",
        "{name: locked_section, given: golden, output: {}, input",
        "TW008",
    ),
    fault(SURFACE, "surface: wink", "surface: wonk", "TW011"),
    fault(SURFACE, "contract: v1", "contract: one", "TW009"),
    fault(SURFACE, "hint: $error.hint", "hint: $error.hnt", "TW080"),
    fault(SURFACE, "exit: 70", "exit: 700", "TW008"),
    fault(
        SURFACE,
        "when: the prompt has no such section",
        "whn: the prompt has no such section",
        "TW003",
    ),
    fault(SURFACE, "has_guard: confirm}", "has_guard: confrim}", "TW060"),
    fault(SURFACE, "maximum: 600, default: 20", "maximum: 600, default: 9000", "TW083"),
    fault(SURFACE, "[list_overrides, \"get_*\"]", "[list_overides, \"get_*\"]", "TW023"),
    fault(SURFACE, "definition_tokens: 6500", "definition_tokens: 65", "TW091"),
    fault(
        TYPES,
        "message: {type: string, description: What it means and what to do.}",
        "message: {type: string}",
        "TW040",
    ),
    fault(TYPES, "enum: [none, export_file,", "enum: [none, None, export_file,", "TW043"),
    fault(
        TYPES,
        "version: {type: integer, minimum: 1",
        "version: {type: integer, minimum: one",
        "TW030",
    ),
    fault(LIST, "aliases: {namespace: ns}", "aliases: {namespace: nss}", "TW064"),
    fault(LIST, "default: 50", "default: 5000", "TW042"),
    fault(OTHER, "boolean, default: false", "boolean, default: true", "TW076"),
    fault(LIST, "input: {limit: 0}", "input: {limit: 7}", "TW074"),
];

/// A finding: code, file, line and column.
type Found = (&'static str, String, usize, usize);

fn files() -> Files {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let mut files = read_folder(&specs).unwrap();
    files.retain(|name, _| name.starts_with("wink/"));
    files
}

fn text(files: &Files, name: &str) -> String {
    String::from_utf8(files[name].clone().unwrap()).unwrap()
}

impl Fault {
    /// Line of the fault, from 1.
    fn line(&self, sound: &Files) -> usize {
        let text = text(sound, self.file);
        assert_eq!(text.matches(self.from).count(), 1, "`{}` in {}", self.from, self.file);
        text[..text.find(self.from).unwrap()].matches('\n').count() + 1
    }

    fn commit(&self, files: &mut Files) {
        let text = text(files, self.file).replacen(self.from, self.to, 1);
        files.insert(self.file.to_owned(), Ok(text.into_bytes()));
    }
}

fn report(faults: &[&Fault]) -> Report {
    let mut files = files();
    faults.iter().for_each(|fault| fault.commit(&mut files));
    load_files(Path::new("specs"), &files).report
}

fn found(report: &Report) -> BTreeSet<Found> {
    let place = |finding: &toolwright_codegen::diagnostics::Diagnostic| {
        let (line, column) = report.sources.line_column(&finding.span);
        (finding.code, finding.span.file.to_str().unwrap().to_owned(), line, column)
    };
    report.diagnostics.iter().map(place).collect()
}

#[test]
fn each_fault_alone_is_reported_on_its_line() {
    let sound = files();
    let mut complaints = String::new();
    for fault in FAULTS {
        let report = report(&[fault]);
        let place = (fault.code, format!("specs/{}", fault.file), fault.line(&sound));
        let there =
            found(&report).into_iter().any(|(code, file, line, _)| (code, file, line) == place);
        if !there {
            complaints += &format!("{place:?}:\n{}\n", report.render(Colour::Never));
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

/// Pairs of which the first fault truly takes the ground from under the second: an output whose
/// schema is not there cannot be held against it.
const DEPENDENT: &[(&str, &str)] =
    &[("$defs/SectionChange", "output: {changed: true, previous_status: current")];

fn depends(lost: &Fault, on: &[&Fault]) -> bool {
    on.iter().any(|fault| DEPENDENT.contains(&(fault.from, lost.from)))
}

/// Whatever each fault brings about alone is there when they come together.
fn none_is_lost(faults: &[&Fault], alone: &dyn Fn(&Fault) -> BTreeSet<Found>) -> Vec<String> {
    let report = report(faults);
    let together = found(&report);
    assert!(together.iter().all(|(code, ..)| *code != "TW000"), "{}", report.render(Colour::Never));
    let mut lost = Vec::new();
    for fault in faults {
        for finding in alone(fault).difference(&together) {
            if !depends(fault, faults) {
                let others: Vec<_> =
                    faults.iter().map(|other| other.to).filter(|to| *to != fault.to).collect();
                lost.push(format!("{finding:?} of `{}` is lost beside {others:?}", fault.to));
            }
        }
    }
    lost
}

#[test]
fn faults_in_any_combination_hide_none_of_each_other() {
    let singles: Vec<BTreeSet<Found>> =
        FAULTS.iter().map(|fault| found(&report(&[fault]))).collect();
    let alone = |fault: &Fault| {
        let index = FAULTS.iter().position(|other| other.from == fault.from).unwrap();
        singles[index].clone()
    };
    let mut random = Random::seeded();
    let mut lost = Vec::new();
    for round in 0..60 {
        let many = if round % 2 == 0 { 2 } else { 10 };
        let mut chosen: Vec<&Fault> = Vec::new();
        while chosen.len() < many {
            let fault = random.pick(FAULTS);
            if chosen.iter().all(|other| other.from != fault.from) {
                chosen.push(fault);
            }
        }
        lost.extend(none_is_lost(&chosen, &alone));
    }
    lost.extend(none_is_lost(&FAULTS.iter().collect::<Vec<_>>(), &alone));
    lost.sort_by_key(String::len);
    lost.dedup();
    let shown = lost.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(lost.is_empty(), "{} findings are lost, such as:\n{shown}", lost.len());
}

/// The same files, one of which is no YAML at its end.
fn with_syntax_error(mut files: Files, file: &str) -> Report {
    let broken = text(&files, file) + "\n]: [\n";
    files.insert(file.to_owned(), Ok(broken.into_bytes()));
    load_files(Path::new("specs"), &files).report
}

#[test]
fn a_file_that_is_no_yaml_is_one_finding_and_nothing_follows_from_it() {
    for file in [TOOL, LIST, SURFACE, TYPES] {
        let report = with_syntax_error(files(), file);
        let codes: Vec<_> = report.diagnostics.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["TW001"], "{file}:\n{}", report.render(Colour::Never));
    }
}

#[test]
fn a_file_that_is_no_yaml_hides_nothing_in_the_others() {
    // What the other files say about what only the broken one declares.
    let unknowable = |broken: &str, fault: &Fault| match broken {
        // Error kinds and guards.
        SURFACE => {
            ["TW050", "TW074", "TW076"].contains(&fault.code) || fault.from.starts_with("field:")
        }
        // The types that outputs are made of.
        TYPES => ["TW020", "TW073"].contains(&fault.code),
        // Which tools there are, and how much all of them take.
        _ => fault.code == "TW023" || fault.code == "TW091",
    };
    let sound = files();
    for broken in [TOOL, LIST, SURFACE, TYPES] {
        let others: Vec<&Fault> = FAULTS
            .iter()
            .filter(|fault| fault.file != broken && !unknowable(broken, fault))
            .collect();
        let mut files = files();
        others.iter().for_each(|fault| fault.commit(&mut files));
        let report = with_syntax_error(files, broken);
        let found = found(&report);
        assert!(found.iter().any(|(code, ..)| *code == "TW001"));
        for fault in others.iter().filter(|fault| !depends(fault, &others)) {
            let (file, line) = (format!("specs/{}", fault.file), fault.line(&sound));
            let there =
                found.iter().any(|(code, f, l, _)| (*code, f, *l) == (fault.code, &file, line));
            assert!(there, "{} in {file}:{line} is lost beside {broken}", fault.code);
        }
    }
}
