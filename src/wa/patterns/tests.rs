//! Packs, gating, pieces, traces and lint, on the real thing.

mod lint;
mod packs;

use super::{PackOptions, Patterns, Scope};
use crate::model::Agent;

pub(super) const LIMIT: &str = "You've hit your limit · resets 1am (Europe/Oslo)";
const REACHED: &str = "core.claude_code:usage_reached";

/// Loads one more pack, from this text.
pub(super) fn with_pack(text: &str) -> super::Result<Patterns> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.yaml");
    std::fs::write(&file, text).unwrap();
    Patterns::load(&PackOptions { files: vec![file], ..PackOptions::default() })
}

fn ids(patterns: &Patterns, text: &str, agent: Option<Agent>, scope: Scope) -> Vec<String> {
    patterns.scan(text, agent, scope).into_iter().map(|found| found.rule_id).collect()
}

#[test]
fn every_example_is_found_by_its_rule_among_all_rules_and_no_near_miss_is() {
    let patterns = Patterns::builtin().unwrap();
    let mut examples = 0;
    for rule in patterns.packs().iter().flat_map(|pack| &pack.rules) {
        assert!(!rule.fixtures.matches.is_empty() && !rule.fixtures.near_misses.is_empty());
        for agent in [None, rule.agent] {
            for example in &rule.fixtures.matches {
                let found = patterns.scan(&example.text, agent, Scope::All);
                let mine = found
                    .iter()
                    .find(|found| found.rule_id == rule.id && found.extracted == example.extracted);
                assert!(mine.is_some(), "{}: {example:?} gave {found:#?}", rule.id);
                examples += 1;
            }
            for text in &rule.fixtures.near_misses {
                let found = patterns.scan(text, agent, Scope::All);
                assert!(found.iter().all(|found| found.rule_id != rule.id), "{}: {text}", rule.id);
                examples += 1;
            }
        }
    }
    assert!(examples > 250, "{examples}");
}

#[test]
fn all_rules_of_the_catalogue_go_by_both_names() {
    let patterns = Patterns::builtin().unwrap();
    let names = "codex.usage.warning_25 codex.usage.warning_10 codex.usage.warning_5 \
        codex.usage.reached codex.session.token_usage codex.session.resume_hint \
        codex.auth.device_code_prompt claude_code.compaction claude_code.compaction.complete \
        claude_code.banner claude_code.usage.warning claude_code.usage.reached \
        claude_code.session.cost_summary claude_code.session.end claude_code.auth.api_key_error \
        claude_code.tool_use claude_code.approval_needed claude_code.context.warning \
        claude_code.thinking claude_code.model.selected claude_code.error.network \
        claude_code.error.timeout claude_code.error.overloaded gemini.usage.warning \
        gemini.usage.reached gemini.session.summary gemini.session.resume_hint gemini.model.used \
        wezterm.mux.connection_lost wezterm.pane.exited";
    let names: Vec<&str> = names.split_whitespace().collect();
    assert_eq!(names.len(), 30);
    for name in names {
        let (agent, rest) = name.split_once('.').unwrap();
        let id = format!("core.{agent}:{}", rest.replace('.', "_"));
        let rule = patterns.rule(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(rule.id, id);
        assert_eq!(patterns.rule(&id), Some(rule));
    }
    assert_eq!(patterns.rule("codex.usage"), None);
    assert_eq!(patterns.suggest("core.codex:usage_reachd")[0], "core.codex:usage_reached");
    assert!(patterns.suggest("zzzz").is_empty());
}

#[test]
fn a_known_agent_narrows_the_rules_to_its_own_and_the_terminals() {
    let patterns = Patterns::builtin().unwrap();
    let text = format!("{LIMIT}\n\n[lost server]\nToken usage: total=13 input=8 output=5\n");
    let lost = "core.wezterm:mux_connection_lost";
    let tokens = "core.codex:session_token_usage";
    let look = |agent| ids(&patterns, &text, agent, Scope::Log);
    assert_eq!(look(None), [REACHED, lost, tokens]);
    assert_eq!(look(Some(Agent::Unknown)), [REACHED, lost, tokens]);
    assert_eq!(look(Some(Agent::ClaudeCode)), [REACHED, lost]);
    assert_eq!(look(Some(Agent::Codex)), [lost, tokens]);
    assert_eq!(look(Some(Agent::Wezterm)), [lost]);
}

#[test]
fn screen_rules_are_for_screens() {
    let patterns = Patterns::builtin().unwrap();
    let text =
        " Do you want to proceed?\n ❯ 1. Yes\n   2. No\nToken usage: total=13 input=8 output=5\n";
    let asks = "core.claude_code:approval_needed";
    let tokens = "core.codex:session_token_usage";
    assert_eq!(ids(&patterns, text, None, Scope::Log), [tokens]);
    assert_eq!(ids(&patterns, text, None, Scope::Screen), [asks]);
    assert_eq!(ids(&patterns, text, None, Scope::All), [asks, tokens]);
    for scope in [Scope::Log, Scope::Screen, Scope::All] {
        assert_eq!(ids(&patterns, LIMIT, None, scope), [REACHED]);
    }
}

#[test]
fn a_detection_has_position_and_captures() {
    let patterns = Patterns::builtin().unwrap();
    let text = format!("ä\n  ⎿  {LIMIT}\nmore");
    let found = patterns.scan(&text, None, Scope::Log);
    assert_eq!(found.len(), 1);
    assert_eq!(&text[found[0].span.0..found[0].span.1], LIMIT);
    assert_eq!(found[0].matched, LIMIT);
    assert_eq!(found[0].extracted["reset_time"], "1am (Europe/Oslo)");
    assert_eq!(found[0].pack_id, "core.claude_code");
    assert!((found[0].confidence - 0.95).abs() < 1e-9);
    let again = patterns.scan(LIMIT, None, Scope::Log);
    assert_eq!(again[0].dedupe, found[0].dedupe);
    let later = patterns.scan("You've hit your limit · resets 2am (UTC)", None, Scope::Log);
    assert_ne!(later[0].dedupe, found[0].dedupe);
}

#[test]
fn what_only_counts_up_is_the_same_thing() {
    let patterns = Patterns::builtin().unwrap();
    let dedupe = |text| patterns.scan(text, None, Scope::Screen)[0].dedupe.clone();
    let first = dedupe("Context left until auto-compact: 8%");
    assert_eq!(first, dedupe("Context left until auto-compact: 7%"));
    assert_eq!(dedupe("✻ Thinking… (1s)"), dedupe("✻ Thinking… (2s)"));
}

#[test]
fn a_rule_without_a_regex_is_found_by_its_anchor() {
    let pack = "pack: mine\nrules:\n- {id: 'mine:oom', event_type: sys.oom, severity: critical, \
                description: x, anchors: ['Out of memory', 'memory: Killed']}\n";
    let patterns = with_pack(pack).unwrap();
    let found = patterns.scan("x OUT OF MEMORY: killed process 7", Some(Agent::Codex), Scope::Log);
    assert_eq!(found.len(), 1, "anchors that overlap are one sighting: {found:?}");
    assert_eq!(found[0].rule_id, "mine:oom");
    assert_eq!(found[0].agent, Agent::Codex);
    assert!((found[0].confidence - 0.6).abs() < 1e-9);
    assert_eq!(found[0].span, (2, 15));
}

#[test]
fn a_match_in_two_pieces_is_found_once_wherever_it_is_cut() {
    let patterns = Patterns::builtin().unwrap();
    let text = format!("line before\n⎿ {LIMIT}\nline after ✻ ä\nand the rest\n");
    for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
        let mut scanner = patterns.stream();
        let mut found = scanner.feed(&text[..cut], None);
        let second = scanner.feed(&text[cut..], None);
        if let Some(second) = second.first() {
            let rest = &text[cut..];
            assert!(rest.get(second.span.0..second.span.1).is_some());
        }
        found.extend(second);
        found.extend(scanner.feed("\nnothing\n", None));
        assert_eq!(found.len(), 1, "cut at {cut}: {found:?}");
    }
}

#[test]
fn byte_by_byte_is_as_good_as_all_at_once() {
    let patterns = Patterns::builtin().unwrap();
    let filler = "some output ● of a build\n".repeat(300);
    let text = format!("{filler}{LIMIT}\n{filler}[lost server]\n{filler}");
    let mut scanner = patterns.stream();
    let mut found = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(7) {
        found.extend(scanner.feed(&piece.iter().collect::<String>(), None));
    }
    let rules: Vec<&str> = found.iter().map(|found| found.rule_id.as_str()).collect();
    assert_eq!(rules, [REACHED, "core.wezterm:mux_connection_lost"]);
}

#[test]
fn the_same_text_printed_again_is_found_again() {
    let patterns = Patterns::builtin().unwrap();
    let mut scanner = patterns.stream();
    let line = format!("{LIMIT}\n");
    assert_eq!(scanner.feed(&line, None).len(), 1);
    assert_eq!(scanner.feed(&line, None).len(), 1);
    assert_eq!(scanner.feed("other\n", None).len(), 0);
    scanner.feed("You've hit your", None);
    scanner.reset();
    assert_eq!(scanner.feed(" limit · resets 1am\n", None).len(), 0, "a gap is no continuation");
}

#[test]
fn far_from_its_anchor_nothing_is_found_and_floods_are_bounded() {
    let patterns = Patterns::builtin().unwrap();
    let far = format!("You've hit your usage limit.\n{}try again at 5 PM.\n", "x\n".repeat(2000));
    let found = patterns.scan(&far, None, Scope::Log);
    assert!(found[0].extracted.is_empty(), "{found:?}");
    let flood = format!("{LIMIT}\n").repeat(10_000);
    let found = patterns.scan(&flood, None, Scope::Log);
    assert_eq!(found.len(), 256);
    let long_line = "hit your ".repeat(200_000);
    assert_eq!(patterns.scan(&long_line, None, Scope::All).len(), 0);
}

#[test]
fn a_trace_explains_a_match_without_the_text() {
    let patterns = Patterns::builtin().unwrap();
    let text = format!("ok\n{LIMIT}\n2. Enter this one-time code\n   SZZY-QEPOG\n");
    let tested = patterns.test(&text, None);
    assert!(!tested.quick_rejected);
    assert_eq!(
        tested.packs_tested,
        ["core.codex", "core.claude_code", "core.gemini", "core.wezterm"]
    );
    let (detection, trace) = &tested.detections[0];
    assert_eq!(trace.rule_id, REACHED);
    assert_eq!(trace.extracted_keys, ["reset_time"]);
    let spans: Vec<(&str, &str)> =
        trace.spans.iter().map(|span| (span.kind, &text[span.start..span.end])).collect();
    assert_eq!(spans, [("anchor", "hit your"), ("regex", LIMIT)]);
    assert_eq!(detection.span, (3, 3 + LIMIT.len()));
    let stages: Vec<&str> = trace.eval_path.iter().map(|stage| stage.stage).collect();
    assert_eq!(stages, ["agent_gate", "anchor", "regex"]);
    let secret = &tested.detections[1].1;
    assert_eq!(secret.redacted_fields, ["code"]);
    assert!(!format!("{secret:?}").contains("SZZY"));
    let nothing = patterns.test("ls -la\ntotal 0\n", None);
    assert!(nothing.quick_rejected && nothing.detections.is_empty());
    assert!(!patterns.test("they approach; approaching fast", None).quick_rejected);
}
