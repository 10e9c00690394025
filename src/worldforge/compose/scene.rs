//! All input of a prompt pack, collected from the story. Nothing else can change a prompt, and
//! everything in here is hashed.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::Target;
use super::facts::{attribute, attribute_phrase, first_of, phrase, phrases, references, value};
use super::text::{cut, distinct, line, sentences};
use super::visual_style::VisualStyle;
use crate::model::{
    Entity, EntityType, Id, Issue, Participant, ParticipantRole, Project, Severity, StoryNode,
    WorldState,
};
use crate::story::Story;

/// Maximum length of an identity.
const IDENTITY: usize = 240;
/// Identity attributes in their order, and how each is phrased.
const TRAITS: [(&str, &str); 9] = [
    ("age", "age"),
    ("appearance", ""),
    ("build", "build"),
    ("hair", "hair"),
    ("eyes", "eyes"),
    ("skin", "skin"),
    ("outfit", "wearing"),
    ("marks", "with"),
    ("voice", "voice"),
];
/// Statuses of items that are no longer there.
const GONE: [&str; 2] = ["destroyed", "lost"];

/// A node as its pictures need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Scene {
    pub(super) template: &'static str,
    pub(super) revision: u32,
    pub(super) target: Target,
    pub(super) node: Id,
    pub(super) title: String,
    pub(super) synopsis: Vec<String>,
    pub(super) goal: String,
    pub(super) conflict: String,
    pub(super) turn: String,
    pub(super) hook: String,
    pub(super) foreshadow: Vec<String>,
    pub(super) date: Option<String>,
    /// Protagonists, antagonists, others; each in the node's order.
    pub(super) cast: Vec<Subject>,
    pub(super) places: Vec<Place>,
    /// What is used here, is held here, or lies here.
    pub(super) items: Vec<Item>,
    pub(super) style: VisualStyle,
    /// Notes of the continuity check.
    pub(super) warnings: Vec<String>,
}

/// A character in the scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Subject {
    pub(super) id: Id,
    pub(super) name: String,
    pub(super) role: ParticipantRole,
    pub(super) identity: String,
    pub(super) outfit: Option<String>,
    pub(super) injuries: Vec<String>,
    pub(super) dead: bool,
    pub(super) refs: Vec<String>,
}

/// Somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Place {
    pub(super) id: Id,
    pub(super) name: String,
    pub(super) facts: Vec<String>,
    pub(super) detail: Option<String>,
    pub(super) refs: Vec<String>,
}

/// Something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Item {
    pub(super) id: Id,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) status: Option<String>,
    /// No longer there, and as what.
    pub(super) gone: bool,
    /// Changed by this very node, or one of its participants.
    pub(super) used: bool,
    pub(super) holder: Option<Id>,
    pub(super) place: Option<Id>,
    pub(super) refs: Vec<String>,
}

impl Scene {
    /// Collects what the node's pictures need.
    pub(super) fn of(
        project: &Project,
        story: &Story,
        node: &StoryNode,
        issues: &[Issue],
        target: Target,
    ) -> Self {
        let state = story.pre_state(&node.id).map(|moment| moment.state).unwrap_or_default();
        let style = VisualStyle::of(&node.cinematic_settings, &project.style_bible);
        let cast = cast(story, node, &state);
        let places: Vec<Place> = unique(&node.locations)
            .filter_map(|id| story.entity(id))
            .filter(|entity| entity.kind == EntityType::Location)
            .map(|entity| place(entity, &style))
            .collect();
        let items = items(story, node, &state, &cast, &places);
        Self {
            template: super::TEMPLATE,
            revision: super::TEMPLATE_REVISION,
            target,
            node: node.id.clone(),
            title: line(&node.title),
            synopsis: sentences(&node.synopsis),
            goal: line(&node.goals.dramatic_goal),
            conflict: line(&node.goals.conflict),
            turn: line(&node.goals.turn),
            hook: line(&node.hooks.hook),
            foreshadow: distinct(
                node.hooks.foreshadow.iter().map(|label| line(&label.replace('_', " "))),
            ),
            date: node.time.in_world_date.as_deref().map(line).filter(|date| !date.is_empty()),
            cast,
            places,
            items,
            style,
            warnings: issues
                .iter()
                .filter(|issue| issue.node_id == node.id && issue.severity >= Severity::Warn)
                .map(|issue| {
                    let severity = if issue.severity == Severity::Error { "ERROR" } else { "WARN" };
                    format!("{severity} {}: {}", issue.code, line(&issue.message))
                })
                .collect(),
        }
    }
}

fn unique(ids: &[Id]) -> impl Iterator<Item = &Id> {
    let mut seen = BTreeSet::new();
    ids.iter().filter(move |id| seen.insert(*id))
}

fn cast(story: &Story, node: &StoryNode, state: &WorldState) -> Vec<Subject> {
    let mut seen = BTreeSet::new();
    let mut cast: Vec<Subject> = node
        .participants
        .iter()
        .filter(|participant| seen.insert(&participant.entity_id))
        .filter_map(|participant| subject(story, participant, state))
        .collect();
    cast.sort_by_key(|subject| subject.role);
    cast
}

fn subject(story: &Story, participant: &Participant, state: &WorldState) -> Option<Subject> {
    let entity = story.entity(&participant.entity_id)?;
    if !matches!(entity.kind, EntityType::Character | EntityType::Faction) {
        return None;
    }
    let now = |what: &str| value(state, "character", &entity.id, what);
    let outfit = now("outfit").and_then(phrase).or_else(|| attribute_phrase(entity, "outfit"));
    Some(Subject {
        id: entity.id.clone(),
        name: line(&entity.name),
        role: participant.role,
        identity: identity(entity, outfit.as_deref()),
        outfit,
        injuries: now("injuries").map(phrases).unwrap_or_default(),
        dead: now("alive") == Some(&Value::Bool(false)),
        refs: references(entity),
    })
}

/// Age, hair, outfit …, then the first sentence of the summary.
fn identity(entity: &Entity, outfit: Option<&str>) -> String {
    let mut traits: Vec<String> = TRAITS
        .iter()
        .filter_map(|(key, word)| {
            let trait_ = match *key {
                "outfit" => outfit.map(str::to_owned),
                key => attribute_phrase(entity, key),
            }?;
            let named = word.is_empty() || trait_.to_lowercase().contains(word);
            Some(if named { trait_ } else { format!("{word} {trait_}") })
        })
        .collect();
    traits.extend(first_sentence(&entity.summary));
    cut(&distinct(traits).join(", "), IDENTITY).to_owned()
}

/// Without its full stop, as part of a list.
fn first_sentence(text: &str) -> Option<String> {
    let first = sentences(text).into_iter().next()?;
    Some(first.trim_end_matches('.').to_owned())
}

fn place(entity: &Entity, style: &VisualStyle) -> Place {
    let own =
        |setting: &Option<String>, key| setting.clone().or_else(|| attribute_phrase(entity, key));
    let facts = [
        attribute_phrase(entity, "era"),
        style.atmosphere.clone().or_else(|| attribute_phrase(entity, "mood")),
        own(&style.weather, "weather"),
        own(&style.time_of_day, "timeOfDay"),
    ];
    let detail = ["detail", "details", "landmark"];
    Place {
        id: entity.id.clone(),
        name: line(&entity.name),
        facts: distinct(facts.into_iter().flatten()),
        detail: detail.iter().find_map(|key| {
            attribute(entity, key).and_then(|value| phrases(value).into_iter().next())
        }),
        refs: references(entity),
    }
}

/// Used by a delta, participating, held by the cast, lying here: in this order.
fn items(
    story: &Story,
    node: &StoryNode,
    state: &WorldState,
    cast: &[Subject],
    places: &[Place],
) -> Vec<Item> {
    let used: Vec<&str> = node
        .world_state_delta
        .iter()
        .filter_map(|delta| subject_of(&delta.key, "item"))
        .chain(node.participants.iter().map(|participant| participant.entity_id.as_str()))
        .collect();
    let mut held: Vec<(usize, &str)> = Vec::new();
    let mut here: Vec<(usize, &str)> = Vec::new();
    for (key, value) in state {
        let member = |id: &str| cast.iter().position(|subject| subject.id == id);
        if let (Some(item), Some(other)) = (subject_of(key, "item"), value.as_str()) {
            match key.rsplit('.').next() {
                Some("holder") => held.extend(member(other).map(|at| (at, item))),
                Some("location") => {
                    let at = places.iter().position(|place| place.id == other);
                    here.extend(at.map(|at| (at, item)));
                }
                _ => {}
            }
        }
        let holder = subject_of(key, "character").filter(|_| key.ends_with(".inventory"));
        if let (Some(at), Some(list)) = (holder.and_then(member), value.as_array()) {
            held.extend(list.iter().filter_map(Value::as_str).map(|item| (at, item)));
        }
    }
    held.sort_unstable();
    here.sort_unstable();
    let holder_of = |id: &str| held.iter().find(|(_, item)| *item == id).map(|(at, _)| *at);
    let place_of = |id: &str| here.iter().find(|(_, item)| *item == id).map(|(at, _)| *at);
    let mut seen = BTreeSet::new();
    used.iter()
        .copied()
        .chain(held.iter().map(|(_, id)| *id))
        .chain(here.iter().map(|(_, id)| *id))
        .filter(|id| seen.insert(*id))
        .filter_map(|id| story.entity(id))
        .filter(|entity| entity.kind == EntityType::Item)
        .map(|entity| {
            let status = value(state, "item", &entity.id, "status")
                .and_then(phrase)
                .map(|status| status.to_lowercase().replace('_', " "));
            Item {
                id: entity.id.clone(),
                name: line(&entity.name),
                description: first_of(
                    &entity.attributes,
                    &["appearance", "description", "material"],
                )
                .or_else(|| first_sentence(&entity.summary))
                .map(|text| cut(&text, IDENTITY).to_owned()),
                gone: status.as_deref().is_some_and(|status| GONE.contains(&status)),
                status,
                used: used.contains(&entity.id.as_str()),
                holder: holder_of(&entity.id).map(|at| cast[at].id.clone()),
                place: place_of(&entity.id).map(|at| places[at].id.clone()),
                refs: references(entity),
            }
        })
        .collect()
}

/// The id in `item.<id>.status`.
fn subject_of<'a>(key: &'a str, kind: &str) -> Option<&'a str> {
    let rest = key.strip_prefix(kind)?.strip_prefix('.')?;
    Some(rest.split_once('.')?.0)
}
