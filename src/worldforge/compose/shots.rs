//! Selects the shots of a scene: who is in each, and what they do.
//!
//! Always five: everybody, the protagonist, the turn, the conflict, an item. Then reactions, other
//! places and promises, up to twelve.

use super::camera::Kind;
use super::scene::{Item, Place, Scene, Subject};
use super::text::list;

/// Most shots of a scene.
const MOST: usize = 12;

/// One planned shot.
pub(super) struct Plan<'s> {
    pub(super) kind: Kind,
    /// Who is in it.
    pub(super) cast: Vec<&'s Subject>,
    /// What is in it.
    pub(super) item: Option<&'s Item>,
    /// Where it is.
    pub(super) place: Option<&'s Place>,
    /// Subject and action.
    pub(super) text: String,
}

/// The shots of a scene, in order.
pub(super) fn plan(scene: &Scene) -> Vec<Plan<'_>> {
    let mut story = Sentences { scene, next: 1 };
    let place = scene.places.first();
    let first = scene.cast.first();
    let other = counterpart(scene);
    let everybody: Vec<&Subject> = scene.cast.iter().collect();
    let who = first.map(|subject| subject.name.as_str());
    let somewhere = || place.map(|place| place.name.clone());
    let names: Vec<&str> = everybody.iter().map(|subject| subject.name.as_str()).collect();

    let all = if names.is_empty() { somewhere() } else { Some(list(&names)) };
    let opening = scene.synopsis.first().unwrap_or(&scene.title);
    let mut plans = vec![Plan {
        kind: Kind::Establishing,
        cast: everybody,
        item: None,
        place,
        text: sentence(all.as_deref(), None, opening),
    }];
    let alone: Vec<&Subject> = first.into_iter().collect();
    let subject = who.map(str::to_owned).or_else(somewhere);
    let style = &scene.style;
    let mut single = |kind, wanted: &str, (manner, word): (&Option<String>, &str)| {
        let manner = manner.as_ref().filter(|_| first.is_some()).map(|how| named(how, word));
        let action = story.or_next(wanted);
        let text = sentence(subject.as_deref(), manner.as_deref(), &action);
        Plan { kind, cast: alone.clone(), item: None, place, text }
    };
    plans.push(single(Kind::Medium, &scene.goal, (&style.pose, "pose")));
    plans.push(single(Kind::CloseUp, &scene.turn, (&style.expression, "expression")));
    plans.push(conflict(scene, first, other, place, &mut story));
    plans.push(detail(scene, place, &mut story));

    let seen = |subject: &Subject| {
        [first, other].into_iter().flatten().any(|known| known.id == subject.id)
    };
    for subject in scene.cast.iter().filter(|subject| !seen(subject)) {
        let cause = [&scene.turn, &scene.conflict].into_iter().find(|text| !text.is_empty());
        let action = cause.cloned().unwrap_or_else(|| story.or_next(""));
        let text = sentence(Some(&format!("{} reacts", subject.name)), None, &action);
        plans.push(Plan { kind: Kind::Reaction, cast: vec![subject], item: None, place, text });
    }
    for place in scene.places.iter().skip(1) {
        let text = sentence(Some(&place.name), None, &story.or_next(""));
        let place = Some(place);
        plans.push(Plan { kind: Kind::OtherPlace, cast: Vec::new(), item: None, place, text });
    }
    for promise in &scene.foreshadow {
        let text = promise.clone();
        plans.push(Plan { kind: Kind::Cutaway, cast: Vec::new(), item: None, place, text });
    }
    plans.truncate(MOST);
    plans
}

/// The opponent of the first of the cast: the first antagonist, or simply the next.
fn counterpart(scene: &Scene) -> Option<&Subject> {
    use crate::model::ParticipantRole::Antagonist;
    let rest = scene.cast.get(1..).unwrap_or_default();
    rest.iter().find(|subject| subject.role == Antagonist).or_else(|| rest.first())
}

fn conflict<'s>(
    scene: &'s Scene,
    first: Option<&'s Subject>,
    other: Option<&'s Subject>,
    place: Option<&'s Place>,
    story: &mut Sentences<'_>,
) -> Plan<'s> {
    let action = story.or_next(&scene.conflict);
    let seen = other.map(|other| other.name.as_str()).or(place.map(|place| place.name.as_str()));
    let (kind, subject) = match (first, seen) {
        (Some(first), Some(seen)) => (
            Kind::OverTheShoulder,
            Some(format!("{seen}, seen over the shoulder of {}", first.name)),
        ),
        (Some(first), None) => {
            (Kind::OverTheShoulder, Some(format!("Over the shoulder of {}", first.name)))
        }
        (None, seen) => (Kind::Reverse, seen.map(str::to_owned)),
    };
    let text = sentence(subject.as_deref(), None, &action);
    Plan { kind, cast: first.into_iter().chain(other).collect(), item: None, place, text }
}

/// An item used here, else one that a character here holds, else a detail of the place.
fn detail<'s>(scene: &'s Scene, place: Option<&'s Place>, story: &mut Sentences<'_>) -> Plan<'s> {
    let there = || scene.items.iter().filter(|item| !item.gone);
    let item =
        there().find(|item| item.used).or_else(|| there().find(|item| item.holder.is_some()));
    let detail = place.and_then(|place| place.detail.as_deref().or(Some(&place.name)));
    let subject = item.map(|item| item.name.as_str()).or(detail);
    let text = match item {
        Some(item) if scene.hook.is_empty() => match &item.status {
            Some(status) => format!("{}, {status}", item.name),
            None => item.name.clone(),
        },
        _ => sentence(subject, None, &story.or_next(&scene.hook)),
    };
    Plan { kind: Kind::Insert, cast: Vec::new(), item, place, text }
}

/// `Ana, pose upright: Finds the boat.`
fn sentence(subject: Option<&str>, manner: Option<&str>, action: &str) -> String {
    let subject = match (subject, manner) {
        (Some(subject), Some(manner)) => format!("{subject}, {manner}"),
        (Some(subject), None) => subject.to_owned(),
        (None, _) => return action.to_owned(),
    };
    match action.strip_prefix(subject.as_str()) {
        _ if action.is_empty() => subject,
        // `Ana waits.` already names the subject.
        Some(rest) if rest.starts_with([' ', ',', '\'', '’']) => action.to_owned(),
        _ => format!("{subject}: {action}"),
    }
}

/// `weary` is `expression weary`, `weary expression` stays.
fn named(how: &str, word: &str) -> String {
    if how.to_lowercase().contains(word) { how.to_owned() } else { format!("{word} {how}") }
}

/// The sentences of the synopsis after the first, for shots that the node says nothing about.
struct Sentences<'s> {
    scene: &'s Scene,
    next: usize,
}

impl Sentences<'_> {
    /// What was wanted, else the next sentence, else the title.
    fn or_next(&mut self, wanted: &str) -> String {
        if !wanted.is_empty() {
            return wanted.to_owned();
        }
        let sentence = self.scene.synopsis.get(self.next);
        self.next += 1;
        sentence.unwrap_or(&self.scene.title).clone()
    }
}
