use std::collections::BTreeSet;

use super::decide::*;
use super::*;

/// What a careful agent proposes: nothing objects to it.
const HARMLESS: Assessment = Assessment {
    validator_confidence: 0.95,
    operations: 1,
    conflicts: 0,
    complexity: 0.1,
    scope_promotion: false,
    blast_radius: BlastRadius::Local,
};
const AGENT: ReviewRequest =
    ReviewRequest { require_approval: false, confidence: None, origin: Origin::Agent };

fn smart() -> Settings {
    Settings { manual_edit: Mode::Hybrid, graph_action: Mode::Hybrid, ..Settings::default() }
}

fn ruling(assessment: Assessment) -> Ruling {
    decide(&smart(), &AGENT, &assessment)
}

/// Governance, mode, validator required, origin; then a letter for each confidence (low, unsure,
/// high), first without and then with `require_approval`. A: applied at once, M: waits.
const TABLE: &str = "
    on  proposal no  agent  MMM MMM
    on  proposal no  human  MMM MMM
    on  proposal yes agent  MMM MMM
    on  proposal yes human  MMM MMM
    on  direct   no  agent  MMM MMM
    on  direct   no  human  MMM MMM
    on  direct   yes agent  MMM MMM
    on  direct   yes human  MMM MMM
    on  hybrid   no  agent  MMA MMM
    on  hybrid   no  human  MMM MMM
    on  hybrid   yes agent  MMM MMM
    on  hybrid   yes human  MMM MMM
    off proposal no  agent  AAA MMM
    off proposal no  human  AAA MMM
    off proposal yes agent  AAA MMM
    off proposal yes human  AAA MMM
    off direct   no  agent  AAA MMM
    off direct   no  human  AAA MMM
    off direct   yes agent  AAA MMM
    off direct   yes human  AAA MMM
    off hybrid   no  agent  AAA MMM
    off hybrid   no  human  AAA MMM
    off hybrid   yes agent  AAA MMM
    off hybrid   yes human  AAA MMM
";

/// The letter of the table for one case.
fn by_hand(row: &str, require_approval: bool, band: usize) -> char {
    let rows: Vec<_> = TABLE
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.len() == 6 && words[..4].join(" ") == row)
        .collect();
    assert_eq!(rows.len(), 1, "{row} stands once in the table");
    rows[0][4 + usize::from(require_approval)].chars().nth(band).unwrap()
}

#[test]
fn the_truth_table_holds() {
    let bands = [0.5, 0.65, 0.9];
    let mut cases = 0;
    for governance_enabled in [true, false] {
        for mode in Mode::ALL {
            for validator_required in [false, true] {
                for origin in Origin::ALL {
                    for require_approval in [false, true] {
                        for (band, confidence) in bands.into_iter().enumerate() {
                            let settings = Settings {
                                governance_enabled,
                                validator_required,
                                manual_edit: mode,
                                ..Settings::default()
                            };
                            let on = if governance_enabled { "on" } else { "off" };
                            let required = if validator_required { "yes" } else { "no" };
                            let row =
                                format!("{on} {} {required} {}", mode.as_str(), origin.as_str());
                            let expected = match by_hand(&row, require_approval, band) {
                                'A' => Review::Auto,
                                _ => Review::Manual,
                            };
                            // The band can come from the validator, from the caller, or from both.
                            for (caller, validator_confidence) in [
                                (None, confidence),
                                (Some(confidence), 0.95),
                                (Some(1.0), confidence),
                            ] {
                                let request =
                                    ReviewRequest { require_approval, confidence: caller, origin };
                                let assessment = Assessment { validator_confidence, ..HARMLESS };
                                let ruling = decide(&settings, &request, &assessment);
                                assert_eq!(
                                    ruling.mode, expected,
                                    "{row} {request:?} {assessment:?}"
                                );
                                assert_eq!(ruling.effective_confidence, confidence);
                            }
                            cases += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(cases, 144);
}

#[test]
fn each_rule_speaks_from_its_threshold_on() {
    let passes =
        |assessment| assert_eq!(ruling(assessment).reasons, ["smart_review"], "{assessment:?}");
    let objects = |assessment, reason| {
        let ruling = ruling(assessment);
        assert_eq!((ruling.mode, ruling.reasons), (Review::Manual, vec![reason]), "{assessment:?}");
    };
    passes(HARMLESS);
    passes(Assessment { operations: 3, conflicts: 2, complexity: 0.8, ..HARMLESS });
    passes(Assessment {
        blast_radius: BlastRadius::Scoped,
        validator_confidence: 0.700_001,
        ..HARMLESS
    });
    objects(Assessment { operations: 4, ..HARMLESS }, "many_operations");
    objects(Assessment { conflicts: 3, ..HARMLESS }, "many_conflicts");
    objects(Assessment { complexity: 0.800_001, ..HARMLESS }, "complex");
    objects(Assessment { complexity: f64::NAN, ..HARMLESS }, "complex");
    objects(Assessment { complexity: f64::INFINITY, ..HARMLESS }, "complex");
    objects(Assessment { scope_promotion: true, ..HARMLESS }, "scope_promotion");
    objects(Assessment { blast_radius: BlastRadius::Global, ..HARMLESS }, "global_radius");
    objects(Assessment { validator_confidence: 0.7, ..HARMLESS }, "unsure_confidence");
    objects(Assessment { validator_confidence: 0.6, ..HARMLESS }, "unsure_confidence");
    objects(Assessment { validator_confidence: 0.599_999, ..HARMLESS }, "low_confidence");
    objects(Assessment { validator_confidence: f64::NAN, ..HARMLESS }, "low_confidence");
}

#[test]
fn sums_of_tenths_meet_their_thresholds() {
    // 0.1 + 0.2 + 0.4 is 0.7000000000000001 in floating point.
    let sum = 0.1 + 0.2 + 0.4;
    assert!(sum > AUTO_CONFIDENCE);
    let assessment = Assessment { validator_confidence: sum, ..HARMLESS };
    assert_eq!(ruling(assessment).reasons, ["unsure_confidence"]);
}

#[test]
fn all_rules_that_spoke_are_named_in_order() {
    let settings = Settings { validator_required: true, ..smart() };
    let request =
        ReviewRequest { require_approval: true, confidence: Some(0.1), origin: Origin::Human };
    let assessment = Assessment {
        operations: 9,
        conflicts: 9,
        complexity: 0.9,
        scope_promotion: true,
        blast_radius: BlastRadius::Global,
        ..HARMLESS
    };
    let expected = [
        "require_approval",
        "validator_required",
        "human_origin",
        "low_confidence",
        "scope_promotion",
        "many_operations",
        "many_conflicts",
        "complex",
        "global_radius",
    ];
    assert_eq!(decide(&settings, &request, &assessment).reasons, expected);
    let review_all = Settings { manual_edit: Mode::Proposal, ..settings };
    let expected = ["require_approval", "review_all", "validator_required"];
    assert_eq!(decide(&review_all, &request, &assessment).reasons, expected);
    let off = Settings { governance_enabled: false, ..review_all };
    assert_eq!(decide(&off, &request, &assessment).reasons, ["require_approval"]);
    let request = ReviewRequest { require_approval: false, ..request };
    assert_eq!(decide(&off, &request, &assessment).reasons, ["governance_off"]);
}

#[test]
fn a_caller_can_lower_the_confidence_but_never_raise_it() {
    assert_eq!(effective_confidence(None, 0.8), 0.8);
    assert_eq!(effective_confidence(Some(0.3), 0.8), 0.3);
    assert_eq!(effective_confidence(Some(1.0), 0.8), 0.8);
    assert_eq!(effective_confidence(Some(7.0), 0.8), 0.8);
    assert_eq!(effective_confidence(Some(-1.0), 0.8), 0.0);
    assert_eq!(effective_confidence(None, 7.0), 1.0);
    for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(effective_confidence(Some(strange), 0.8), 0.0);
        assert_eq!(effective_confidence(Some(1.0), strange), 0.0);
    }
}

#[test]
fn the_table_of_rules_explains_every_reason() {
    let codes: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.code).collect();
    assert_eq!(codes.len(), Rule::ALL.len());
    let mut spoken = BTreeSet::new();
    for settings in every_settings() {
        for request in every_asked() {
            for assessment in every_judged() {
                let ruling = decide(&settings, &request, &assessment);
                assert!(!ruling.reasons.is_empty());
                let places: Vec<_> = ruling
                    .reasons
                    .iter()
                    .map(|code| Rule::ALL.iter().position(|rule| rule.code == *code).unwrap())
                    .collect();
                assert!(places.is_sorted(), "{:?}", ruling.reasons);
                for code in ruling.reasons {
                    assert_eq!(rule(code).unwrap().leads_to, ruling.mode, "{code}");
                    spoken.insert(code);
                }
            }
        }
    }
    assert_eq!(spoken, codes);
}

fn every_settings() -> Vec<Settings> {
    let mut all = Vec::new();
    for bits in 0..8_u8 {
        for manual_edit in Mode::ALL {
            for graph_action in Mode::ALL {
                for other in Mode::ALL {
                    for default_blast_radius in BlastRadius::ALL {
                        all.push(Settings {
                            governance_enabled: bits & 1 > 0,
                            validator_required: bits & 2 > 0,
                            direct_substrate_writes: bits & 4 > 0,
                            onboarding_dump: other,
                            manual_edit,
                            graph_action,
                            timeline_restore: other,
                            default_blast_radius,
                        });
                    }
                }
            }
        }
    }
    all
}

fn every_asked() -> Vec<ReviewRequest> {
    let mut all = Vec::new();
    for require_approval in [false, true] {
        for confidence in [None, Some(0.5), Some(0.65)] {
            for origin in Origin::ALL {
                all.push(ReviewRequest { require_approval, confidence, origin });
            }
        }
    }
    all
}

fn every_judged() -> Vec<Assessment> {
    (0..32_u8)
        .map(|bits| Assessment {
            validator_confidence: 0.95,
            operations: if bits & 1 > 0 { 9 } else { 1 },
            conflicts: if bits & 2 > 0 { 9 } else { 0 },
            complexity: if bits & 4 > 0 { 0.9 } else { 0.1 },
            scope_promotion: bits & 8 > 0,
            blast_radius: if bits & 16 > 0 { BlastRadius::Global } else { BlastRadius::Local },
        })
        .collect()
}

#[test]
fn what_the_canon_forbids_gives_way() {
    let wild = Settings {
        governance_enabled: true,
        validator_required: false,
        direct_substrate_writes: true,
        onboarding_dump: Mode::Proposal,
        manual_edit: Mode::Direct,
        graph_action: Mode::Direct,
        timeline_restore: Mode::Hybrid,
        default_blast_radius: BlastRadius::Global,
    };
    let tame = Settings {
        governance_enabled: true,
        validator_required: false,
        direct_substrate_writes: false,
        onboarding_dump: Mode::Direct,
        manual_edit: Mode::Proposal,
        graph_action: Mode::Proposal,
        timeline_restore: Mode::Proposal,
        default_blast_radius: BlastRadius::Scoped,
    };
    assert_eq!(wild.coerced(), tame);
    assert_eq!(smart().coerced(), smart());
    assert_eq!(Settings::default().coerced(), Settings::default());
    for settings in every_settings() {
        assert_eq!(settings.coerced().coerced(), settings.coerced());
    }
}

#[test]
fn the_flags_say_what_decide_does() {
    for settings in every_settings() {
        let flags = Flags::of(&settings);
        assert_ne!(flags.auto_approve(), flags.manual_review());
        let best = decide(&settings, &AGENT, &HARMLESS).mode;
        assert_eq!(best == Review::Auto, flags.auto_approve(), "{settings:?}");
    }
}

#[test]
fn what_is_written_is_what_is_read() {
    for settings in every_settings() {
        for auto in [true, false] {
            let wanted = Change { auto_approve: Some(auto), manual_review: None };
            let after = change(&settings, Role::Owner, wanted).unwrap();
            assert_eq!(after.flags.auto_approve(), auto, "{settings:?}");
            assert_eq!(after.flags, Flags::of(&after.settings));
            assert_eq!(after.changed, Flags::of(&settings).auto_approve() != auto);
            assert_eq!(after.changed, after.settings != settings);
            let again = change(&after.settings, Role::Owner, wanted).unwrap();
            assert_eq!((again.changed, &again.settings), (false, &after.settings));
        }
    }
}

#[test]
fn a_switch_covers_edits_and_relations_and_leaves_nothing_forbidden() {
    let stored = Settings { direct_substrate_writes: true, ..Settings::default() };
    let on = Change { auto_approve: Some(true), manual_review: None };
    assert_eq!(change(&stored, Role::Admin, on).unwrap().settings, smart());
    let off = Change { auto_approve: None, manual_review: Some(true) };
    assert_eq!(change(&smart(), Role::Admin, off).unwrap().settings, Settings::default());
}

#[test]
fn either_flag_or_both_can_be_given() {
    let by = |auto_approve, manual_review| {
        let change = Change { auto_approve, manual_review };
        change.wanted().map(|flags| flags.map(Flags::auto_approve))
    };
    assert_eq!(by(None, None), Ok(None));
    assert_eq!(by(Some(true), None), Ok(Some(true)));
    assert_eq!(by(None, Some(true)), Ok(Some(false)));
    assert_eq!(by(None, Some(false)), Ok(Some(true)));
    assert_eq!(by(Some(true), Some(false)), Ok(Some(true)));
    assert_eq!(by(Some(false), Some(true)), Ok(Some(false)));
    for both in [true, false] {
        let error = by(Some(both), Some(both)).unwrap_err();
        assert_eq!(error, FlagsError::Contradictory { both });
        let text = error.to_string();
        assert!(text.contains("`auto_approve`") && text.contains("`manual_review`"), "{text}");
    }
}

#[test]
fn members_read_and_owners_and_admins_write() {
    let settings = Settings::default();
    let on = Change { auto_approve: Some(true), manual_review: None };
    let contradictory = Change { manual_review: Some(true), ..on };
    for role in Role::ALL {
        let read = change(&settings, role, Change::default()).unwrap();
        assert_eq!((read.changed, read.flags.manual_review()), (false, true));
    }
    for role in [Role::Owner, Role::Admin] {
        assert!(change(&settings, role, on).unwrap().flags.auto_approve());
        let error = change(&settings, role, contradictory).unwrap_err();
        assert_eq!(error.code(), "SETTINGS_CONTRADICTORY");
    }
    let same = Change { auto_approve: Some(false), manual_review: None };
    for wanted in [on, same, contradictory] {
        let error = change(&settings, Role::Member, wanted).unwrap_err();
        assert_eq!(error, FlagsError::Forbidden { role: Role::Member });
    }
}

#[test]
fn stored_words_are_read_back_and_others_are_not() {
    assert!(Mode::ALL.into_iter().all(|mode| Mode::parse(mode.as_str()) == Some(mode)));
    assert!(Role::ALL.into_iter().all(|role| Role::parse(role.as_str()) == Some(role)));
    assert!(Origin::ALL.into_iter().all(|origin| Origin::parse(origin.as_str()) == Some(origin)));
    for radius in BlastRadius::ALL {
        assert_eq!(BlastRadius::parse(radius.as_str()), Some(radius));
    }
    assert_eq!(Mode::parse("Direct"), None);
    assert_eq!(Role::parse(""), None);
    assert_eq!(Origin::parse("robot"), None);
    assert_eq!(BlastRadius::parse("global"), None);
}

#[test]
fn the_page_for_people_has_every_rule() {
    let page = include_str!("../README.md");
    for rule in Rule::ALL {
        let row = format!("| `{}` | {} | {} |", rule.code, rule.leads_to.as_str(), rule.condition);
        assert!(page.contains(&row), "{row}");
    }
}
