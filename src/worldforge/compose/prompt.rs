//! Renders a shot as text: one part per line, labels only before non-empty parts, never longer than
//! the target model accepts.

use super::camera::nearest;
use super::scene::{Item, Scene};
use super::shots::Plan;
use super::text::{cut, distinct};
use crate::model::Shot;

/// What never may happen between two shots.
const NEGATIVE: [&str; 7] = [
    "no identity change",
    "no face change",
    "no hair change",
    "no costume change",
    "no extra limbs",
    "no text overlay",
    "no watermark",
];
/// A part is never cut below this, in characters.
const LEAST: usize = 40;

/// Both variants of a shot. Only the movement of the camera differs.
pub(super) fn shots(scene: &Scene, plan: &Plan<'_>, number: usize) -> [Shot; 2] {
    let camera = plan.kind.camera();
    let head = format!("[S{number} {}] ", camera.label);
    let taken = camera_phrases(scene, plan, number);
    let moves = [camera.steady, camera.organic].map(|movement| format!("{taken}, {movement}"));
    let longest = moves.iter().map(|text| text.chars().count()).max().unwrap_or_default();
    let mut parts = [
        (head.as_str(), plan.text.clone()),
        ("Identity: ", identity(plan)),
        ("Place: ", place(scene, plan)),
        ("Light: ", scene.style.light.join(", ")),
        ("Keep: ", keep(scene, plan).join("; ")),
    ];
    fit(&mut parts, scene.target.max_chars.saturating_sub(longest + "Camera: \n".len()));
    let negative = negative(scene, plan);
    let refs = references(scene, plan);
    let [text, identity, place, light, keep] = parts.map(|(label, text)| match text.is_empty() {
        true => String::new(),
        false => format!("{label}{text}"),
    });
    let mut moves = moves.into_iter();
    ["A", "B"].map(|variant| {
        let camera = format!("Camera: {}", moves.next().unwrap_or_default());
        let lines = [&text, &identity, &place, &camera, &light, &keep];
        let lines: Vec<&str> =
            lines.into_iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
        Shot {
            shot_id: format!("S{number}"),
            variant: variant.to_owned(),
            prompt: lines.join("\n"),
            negative: negative.clone(),
            refs: refs.clone(),
        }
    })
}

/// Cuts what can be spared until all parts fit: the longest first, each where a word ends.
fn fit(parts: &mut [(&str, String); 5], most: usize) {
    loop {
        let length = |(label, text): &(&str, String)| match text.is_empty() {
            true => 0,
            false => label.chars().count() + text.chars().count() + 1,
        };
        let excess = parts.iter().map(length).sum::<usize>().saturating_sub(most);
        let longest = parts.iter_mut().max_by_key(|(_, text)| text.chars().count());
        let Some((_, text)) = longest.filter(|_| excess > 0) else { return };
        let characters = text.chars().count();
        if characters <= LEAST {
            return;
        }
        // Not all at once: two long parts share the loss.
        let wanted = characters.saturating_sub(excess).max(characters * 3 / 4).max(LEAST);
        let shorter = cut(text, wanted.min(characters - 1)).to_owned();
        *text = shorter;
    }
}

fn camera_phrases(scene: &Scene, plan: &Plan<'_>, number: usize) -> String {
    let (style, camera) = (&scene.style, plan.kind.camera());
    // The other shots are what they are by their framing.
    let framing = style.framing.as_deref().filter(|_| number == 1).unwrap_or(camera.framing);
    let lens = style.lens.unwrap_or_else(|| nearest(camera.lens, &style.lenses));
    let mut phrases = vec![framing.to_owned()];
    phrases.extend(style.angle.clone());
    phrases.push(format!("{lens} mm lens"));
    phrases.extend(style.focus.clone());
    phrases.extend(style.camera.clone());
    distinct(phrases).join(", ")
}

/// Who and what must look the same in every shot.
fn identity(plan: &Plan<'_>) -> String {
    let people = plan.cast.iter().map(|subject| (&subject.name, subject.identity.as_str()));
    let thing =
        plan.item.iter().map(|item| (&item.name, item.description.as_deref().unwrap_or_default()));
    let described = people.chain(thing).filter(|(_, identity)| !identity.is_empty());
    described.map(|(name, identity)| format!("{name}, {identity}")).collect::<Vec<_>>().join("; ")
}

fn place(scene: &Scene, plan: &Plan<'_>) -> String {
    let style = &scene.style;
    let mut phrases: Vec<String> = style.location_type.iter().cloned().collect();
    match plan.place {
        Some(place) => {
            phrases.push(place.name.clone());
            phrases.extend(place.facts.iter().cloned());
        }
        None => phrases.extend(
            [&style.atmosphere, &style.weather, &style.time_of_day].into_iter().flatten().cloned(),
        ),
    }
    phrases.extend(scene.date.clone());
    let place = distinct(phrases).join(", ");
    let props: Vec<&str> = scene
        .items
        .iter()
        .filter(|item| lies_here(item, plan) && !item.gone)
        .map(|item| item.name.as_str())
        .collect();
    if props.is_empty() { place } else { format!("{place}, with {}", props.join(", ")) }
}

fn lies_here(item: &Item, plan: &Plan<'_>) -> bool {
    item.holder.is_none() && plan.place.is_some_and(|place| item.place.as_ref() == Some(&place.id))
}

/// Story facts about the subjects of the shot.
fn keep(scene: &Scene, plan: &Plan<'_>) -> Vec<String> {
    let mut phrases = Vec::new();
    for subject in &plan.cast {
        phrases.extend(subject_facts(scene, subject));
    }
    for item in scene.items.iter().filter(|item| concerns(item, plan)) {
        phrases.extend(gone(item));
    }
    if let Some(item) = plan.item {
        let holder = scene.cast.iter().find(|subject| item.holder.as_ref() == Some(&subject.id));
        phrases.extend(holder.map(|holder| format!("{} holds {}", holder.name, item.name)));
    }
    distinct(phrases)
}

/// Continuity locks of a subject, beside the identity.
pub(super) fn subject_facts(scene: &Scene, subject: &super::scene::Subject) -> Vec<String> {
    let mut phrases = Vec::new();
    if subject.dead {
        phrases.push(format!("{} is dead", subject.name));
    }
    phrases.extend(subject.injuries.iter().map(|injury| format!("{} has {injury}", subject.name)));
    phrases.extend(subject.outfit.iter().map(|outfit| format!("{} wears {outfit}", subject.name)));
    let held = scene.items.iter().filter(|item| item.holder.as_ref() == Some(&subject.id));
    phrases.extend(
        held.filter(|item| !item.gone).map(|item| format!("{} holds {}", subject.name, item.name)),
    );
    phrases
}

/// `Probe stays destroyed`
pub(super) fn gone(item: &Item) -> Option<String> {
    let status = item.status.as_deref().filter(|_| item.gone)?;
    Some(format!("{} stays {status}", item.name))
}

/// Whether the item is with a subject of the shot, is in this place, or is the topic of the scene.
fn concerns(item: &Item, plan: &Plan<'_>) -> bool {
    let held = |id: &String| plan.cast.iter().any(|subject| subject.id == *id);
    item.used || item.holder.as_ref().is_some_and(held) || lies_here(item, plan)
}

fn negative(scene: &Scene, plan: &Plan<'_>) -> Vec<String> {
    let costumes = plan.cast.iter().filter_map(|subject| {
        let outfit = subject.outfit.as_deref()?;
        Some(format!("no outfit of {} other than {outfit}", subject.name))
    });
    let ruins = scene.items.iter().filter(|item| item.gone && concerns(item, plan));
    let ruins = ruins.map(|item| format!("no intact {}", item.name));
    let style = scene.style.negative.iter().cloned();
    distinct(NEGATIVE.map(str::to_owned).into_iter().chain(costumes).chain(ruins).chain(style))
}

fn references(scene: &Scene, plan: &Plan<'_>) -> Vec<String> {
    let people = plan.cast.iter().flat_map(|subject| &subject.refs);
    let thing = plan.item.iter().flat_map(|item| &item.refs);
    let place = plan.place.iter().flat_map(|place| &place.refs);
    let props = scene.items.iter().filter(|item| lies_here(item, plan) && !item.gone);
    let props = props.flat_map(|item| &item.refs);
    let mut refs: Vec<String> = Vec::new();
    for reference in people.chain(thing).chain(place).chain(props) {
        if !refs.contains(reference) {
            refs.push(reference.clone());
        }
    }
    refs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_parts_share_the_loss_and_short_ones_stay() {
        let words = "word ".repeat(100);
        let mut parts = [
            ("[S1] ", "short".to_owned()),
            ("Identity: ", words.trim().to_owned()),
            ("Place: ", words.trim().to_owned()),
            ("Light: ", String::new()),
            ("Keep: ", "short".to_owned()),
        ];
        fit(&mut parts, 500);
        let total: usize = parts
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(label, text)| label.len() + text.len() + 1)
            .sum();
        assert!((350..=500).contains(&total), "{total}");
        assert_eq!((parts[0].1.as_str(), parts[4].1.as_str()), ("short", "short"));
        assert!(parts[1].1.ends_with("word") && parts[2].1.len() > 100);
    }

    #[test]
    fn nothing_is_cut_to_nothing() {
        let words = "word ".repeat(100);
        let mut parts = ["a ", "b ", "c ", "d ", "e "].map(|label| (label, words.clone()));
        fit(&mut parts, 10);
        assert!(parts.iter().all(|(_, text)| text.len() >= LEAST - 5));
    }
}
