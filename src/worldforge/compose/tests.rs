//! Tests of whole packs: golden files, and invariants of every pack.

use serde_json::{Value, json};

use super::random_worlds::odd;
use super::testing::{World, entity, id, node, pier, with};
use super::*;
use crate::model::{EntityType, NodeType, ParticipantRole, Severity};

fn composed(world: &World, number: u32) -> Composition {
    compose(&world.project, &world.story(), &id('e', number), &[], Target::HIGGSFIELD).unwrap()
}

/// A pack in readable form.
fn read(pack: &Composition) -> String {
    let mut text = String::new();
    for pair in pack.shots.chunks(2) {
        let [a, b] = pair else { panic!("a shot without its twin") };
        let other = b.prompt.lines().find(|line| line.starts_with("Camera: ")).unwrap();
        text += &format!(
            "{}\nB {other}\nnot: {}\nrefs: {}\n\n",
            a.prompt,
            a.negative.join(" | "),
            a.refs.join(" ")
        );
    }
    text + &pack.continuity_notes.join("\n")
}

fn golden(name: &str, pack: &Composition) {
    let path = "../../../snapshots";
    insta::with_settings!({snapshot_path => path, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(format!("worldforge.compose.{name}"), read(pack));
    });
}

/// What must hold whatever the world is.
fn sound(pack: &Composition) {
    let shots = &pack.shots;
    assert!(shots.len().is_multiple_of(2) && (10..=24).contains(&shots.len()), "{}", shots.len());
    for (pair, number) in shots.chunks(2).zip(1..) {
        let [a, b] = pair else { panic!("a shot without its twin") };
        assert_eq!((&*a.shot_id, &*a.variant), (&*format!("S{number}"), "A"));
        assert_eq!((&*b.shot_id, &*b.variant), (&*a.shot_id, "B"));
        assert_eq!((&a.negative, &a.refs), (&b.negative, &b.refs));
        let lines: Vec<(&str, &str)> = a.prompt.lines().zip(b.prompt.lines()).collect();
        assert_eq!(a.prompt.lines().count(), b.prompt.lines().count());
        let differing: Vec<_> = lines.iter().filter(|(a, b)| a != b).collect();
        assert!(matches!(*differing, [(one, _)] if one.starts_with("Camera: ")), "{differing:?}");
        for shot in [a, b] {
            let length = shot.prompt.chars().count();
            assert!(length <= pack.target.max_chars, "{length}: {}", shot.prompt);
            for line in shot.prompt.lines() {
                assert_eq!(line, line.trim());
                assert!(!line.ends_with(':') && !line.ends_with(']'), "empty label: {line}");
            }
        }
    }
}

#[test]
fn every_pack_of_every_world_is_sound_and_made_again_the_same() {
    for seed in 0..40 {
        let world = odd(seed);
        let story = world.story();
        for target in [Target::HIGGSFIELD, Target::HIGGSFIELD.with_max_chars(0)] {
            for node in &world.nodes {
                let made = || compose(&world.project, &story, &node.id, &[], target).unwrap();
                let pack = made();
                sound(&pack);
                assert_eq!(pack, made(), "seed {seed}");
            }
        }
    }
}

#[test]
fn no_prompt_is_a_dump_of_json() {
    for shot in composed(&pier(), 2).shots {
        let dumped = shot.prompt.contains(['{', '}', '"']) || shot.prompt.contains("null");
        assert!(!dumped, "{}", shot.prompt);
    }
}

#[test]
fn a_scene_reads_like_this() {
    let pack = composed(&pier(), 2);
    sound(&pack);
    golden("scene", &pack);
}

#[test]
fn a_scene_without_anybody_and_anything_reads_like_this() {
    let mut world = pier();
    world.nodes.push(node(9, NodeType::Beat, "A gull"));
    let pack = composed(&world, 9);
    sound(&pack);
    golden("nothing", &pack);
}

#[test]
fn a_scene_with_a_place_and_nobody_reads_like_this() {
    let pack = composed(&pier(), 3);
    sound(&pack);
    golden("nobody", &pack);
}

#[test]
fn a_scene_with_settings_of_its_own_reads_like_this() {
    let mut world = pier();
    world.node(2).cinematic_settings = json!({
        "shotAngle": "low angle", "shotFraming": "extreme wide shot", "focusDepth": "deep focus",
        "lightingType": "sodium lamps", "cameraType": "16 mm film camera", "lens": "21mm",
        "timeOfDay": "night", "weather": "sleet", "locationType": "exterior", "expression": "weary",
        "pose": "upright", "atmosphere": "tense", "visualStyle": "documentary", "imperfection": "light leaks",
    })
    .as_object()
    .cloned()
    .unwrap();
    let pack = composed(&world, 2);
    sound(&pack);
    golden("settings", &pack);
}

#[test]
fn there_are_never_more_than_twelve_shots_and_reactions_come_before_places_and_promises() {
    let mut world = pier();
    for number in 20..26 {
        world.entities.push(entity(
            number,
            EntityType::Character,
            &format!("Guest {number}"),
            json!({}),
        ));
        world.node(2).participants.push(with(number, ParticipantRole::Support));
    }
    world.node(2).locations.push(id('d', 4));
    world.node(2).hooks.foreshadow = (0..9).map(|label| format!("promise {label}")).collect();
    let pack = composed(&world, 2);
    sound(&pack);
    assert_eq!(pack.shots.len(), 24);
    let heads: Vec<&str> =
        pack.shots.iter().step_by(2).filter_map(|shot| shot.prompt.lines().next()).collect();
    assert!(heads[5].starts_with("[S6 Reaction] Guest 20 reacts:"), "{}", heads[5]);
    assert!(heads[10].starts_with("[S11 Reaction] Guest 25"), "{}", heads[10]);
    assert!(heads[11].starts_with("[S12 Establishing wide] Lighthouse"), "{}", heads[11]);
}

#[test]
fn every_language_is_kept_whole_and_cut_where_words_end() {
    let mut world = pier();
    let scene = world.node(2);
    scene.title = "Maré baixa".to_owned();
    scene.synopsis = "À beira-mar, a neblina não passa. 霧が出る。灯台が見えない。".to_owned();
    scene.goals.turn = "coração partido ".repeat(400);
    world.entity(1).attributes.insert("hair".to_owned(), json!("e\u{301}".repeat(500)));
    world.entity(1).summary = "🌊".repeat(500);
    let pack = composed(&world, 2);
    sound(&pack);
    let shot = &pack.shots[4].prompt;
    assert!(shot.starts_with("[S3 Close-up] Ana: coração partido"), "{shot}");
    let action = shot.lines().next().unwrap();
    assert!(action.ends_with("coração") || action.ends_with("partido"), "{action}");
    assert!(pack.shots[0].prompt.contains("À beira-mar, a neblina não passa."));
}

#[test]
fn the_shortest_target_is_kept_with_the_longest_of_everything() {
    let mut world = pier();
    let long = "extraordinary ".repeat(300);
    let scene = world.node(2);
    scene.synopsis.clone_from(&long);
    scene.time.in_world_date = Some(long.clone());
    for key in [
        "shotAngle",
        "shotFraming",
        "focusDepth",
        "cameraType",
        "lightingType",
        "weather",
        "imperfection",
    ] {
        scene.cinematic_settings.insert(key.to_owned(), Value::String(long.clone()));
    }
    scene.goals.dramatic_goal.clone_from(&long);
    for number in 1..=7 {
        world.entity(number).name = format!("{long}{number}");
        world.entity(number).summary.clone_from(&long);
    }
    let target = Target::HIGGSFIELD.with_max_chars(0);
    assert_eq!(target.max_chars, Target::LEAST_CHARS);
    let pack = compose(&world.project, &world.story(), &id('e', 2), &[], target).unwrap();
    sound(&pack);
}

#[test]
fn the_same_world_gives_the_same_bytes_whatever_the_order_it_comes_in() {
    let world = pier();
    let pack = composed(&world, 2);
    let mut turned = world.clone();
    turned.entities.reverse();
    turned.nodes.reverse();
    turned.edges.reverse();
    for entity in &mut turned.entities {
        let members: Vec<_> = entity.attributes.clone().into_iter().collect();
        entity.attributes = members.into_iter().rev().collect();
    }
    assert_eq!(composed(&turned, 2), pack);
    assert_eq!(composed(&world, 2), pack);
}

#[test]
fn the_hash_follows_what_is_shown_and_nothing_else() {
    let world = pier();
    let before = composed(&world, 2).input_hash;
    let hash = |change: &dyn Fn(&mut World)| {
        let mut world = world.clone();
        change(&mut world);
        composed(&world, 2).input_hash
    };
    let silent: [&dyn Fn(&mut World); 5] = [
        &|world| world.node(2).audit.updated_at += 1,
        &|world| world.entity(1).audit.revision += 1,
        &|world| world.entity(4).name = "Elsewhere".to_owned(),
        &|world| world.project.logline = "Another".to_owned(),
        &|world| world.node(3).synopsis = "Later".to_owned(),
    ];
    for (at, change) in silent.iter().enumerate() {
        assert_eq!(hash(*change), before, "{at}");
    }
    let telling: [&dyn Fn(&mut World); 7] = [
        &|world| world.node(2).title.push('!'),
        &|world| world.node(2).goals.turn.push('!'),
        &|world| world.entity(1).name.push('!'),
        &|world| world.entity(2).version.number += 1,
        &|world| world.node(1).world_state_delta.clear(),
        &|world| world.project.style_bible.clear(),
        &|world| world.node(2).participants.reverse(),
    ];
    for (at, change) in telling.iter().enumerate() {
        // Roles decide about the order, so the last one changes nothing.
        assert_eq!(hash(*change) == before, at == 6, "{at}");
    }
    let shorter = Target::HIGGSFIELD.with_max_chars(900);
    let shorter = compose(&world.project, &world.story(), &id('e', 2), &[], shorter).unwrap();
    assert_ne!(shorter.input_hash, before);
}

#[test]
fn findings_become_notes_unless_they_are_only_worth_knowing() {
    let world = pier();
    let issue = |severity, code: &str, node: u32| Issue {
        severity,
        code: code.to_owned(),
        message: "Ana is\nelsewhere".to_owned(),
        node_id: id('e', node),
        entity_ids: Vec::new(),
        suggestion: None,
    };
    let issues = [
        issue(Severity::Error, "CHAR_DEAD_ACTIVE", 2),
        issue(Severity::Warn, "CHAR_TELEPORT", 2),
        issue(Severity::Info, "NODE_UNLINKED", 2),
        issue(Severity::Error, "GRAPH_CYCLE", 3),
    ];
    let target = Target::HIGGSFIELD;
    let pack = compose(&world.project, &world.story(), &id('e', 2), &issues, target).unwrap();
    let last = &pack.continuity_notes[pack.continuity_notes.len() - 2..];
    assert_eq!(
        last,
        ["ERROR CHAR_DEAD_ACTIVE: Ana is elsewhere", "WARN CHAR_TELEPORT: Ana is elsewhere"]
    );
    assert_ne!(pack.input_hash, composed(&world, 2).input_hash);
}

#[test]
fn only_those_in_the_shot_are_in_its_prompt() {
    let pack = composed(&pier(), 2);
    for shot in &pack.shots {
        let secret =
            shot.prompt.contains("never in a prompt") || shot.prompt.contains("Lighthouse");
        assert!(!secret, "{}", shot.prompt);
    }
    let close_up = &pack.shots[4];
    assert!(close_up.prompt.contains("Ana") && !close_up.prompt.contains("Bento"));
    assert!(close_up.refs.contains(&"https://pictures.example/ana.png".to_owned()));
    assert!(!close_up.refs.iter().any(|reference| reference.starts_with("file:")));
    let insert = &pack.shots[8].prompt;
    assert!(insert.starts_with("[S5 Insert] Brass Compass: Why does"), "{insert}");
    assert!(insert.contains("Keep: Ana holds Brass Compass"), "{insert}");
}

#[test]
fn a_node_that_is_not_there_has_no_pack() {
    let world = pier();
    assert!(
        compose(&world.project, &world.story(), &id('e', 99), &[], Target::HIGGSFIELD).is_none()
    );
}

#[test]
fn unknown_participants_and_places_are_left_out() {
    let mut world = pier();
    world.node(2).participants =
        vec![with(77, ParticipantRole::Protagonist), with(5, ParticipantRole::Support)];
    world.node(2).locations = vec![id('d', 1), id('d', 88)];
    let pack = composed(&world, 2);
    sound(&pack);
    assert!(pack.shots[8].prompt.starts_with("[S5 Insert] Brass Compass"));
}
