//! Travel times, as locations define them.
//!
//! Either `attributes.travelHours` by id or name of the other location, or a relationship `travel…`
//! whose note begins with a number of hours or days: `6`, `6 h`, `2 days`, `2 dias`.

use serde_json::Value;

use crate::model::{Entity, Relationship};

/// Hours from one place to another, if one of them defines it.
pub(crate) fn hours(one: &Entity, other: &Entity) -> Option<f64> {
    stated_hours(one, other).or_else(|| stated_hours(other, one))
}

/// The longest way that an entity speaks of; zero where it speaks of none.
pub(crate) fn longest(entity: &Entity) -> f64 {
    let listed = table(entity).flat_map(|table| table.values().filter_map(Value::as_f64));
    let related = entity.relationships.iter().filter_map(noted);
    listed.chain(related).fold(0.0, f64::max)
}

fn table(entity: &Entity) -> impl Iterator<Item = &serde_json::Map<String, Value>> {
    entity.attributes.get("travelHours").and_then(Value::as_object).into_iter()
}

fn stated_hours(from: &Entity, to: &Entity) -> Option<f64> {
    let mut listed = table(from).filter_map(|table| table.get(&to.id).or(table.get(&to.name)));
    let related = || {
        let mut ways = from.relationships.iter().filter(|relation| relation.to_entity_id == to.id);
        ways.find_map(noted)
    };
    listed.next().and_then(Value::as_f64).or_else(related)
}

fn noted(relation: &Relationship) -> Option<f64> {
    let note = relation.note.as_deref().filter(|_| relation.rel_type.starts_with("travel"))?;
    let note = note.trim();
    let end = note.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(note.len());
    let number: f64 = note[..end].parse().ok()?;
    let days = note[end..].trim_start().starts_with(['d', 'D']);
    Some(if days { 24.0 * number } else { number })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::EntityType;
    use crate::story::testing::entity;

    #[test]
    fn either_end_says_it_by_id_or_name() {
        let mut dock = entity(1, EntityType::Location, "Dock");
        let mut mill = entity(2, EntityType::Location, "Mill");
        assert_eq!(hours(&dock, &mill), None);
        mill.attributes.insert("travelHours".to_owned(), json!({"Dock": 3, "Moon": 99, "x": "y"}));
        assert_eq!((hours(&dock, &mill), hours(&mill, &dock)), (Some(3.0), Some(3.0)));
        assert_eq!(longest(&mill), 99.0);
        dock.attributes.insert("travelHours".to_owned(), json!({mill.id.clone(): 2.5}));
        assert_eq!(hours(&dock, &mill), Some(2.5));
        assert_eq!(longest(&entity(3, EntityType::Item, "Ring")), 0.0);
    }

    #[test]
    fn a_note_begins_with_hours_or_days() {
        for (kind, note, expected) in [
            ("travel_to", Some("6"), Some(6.0)),
            ("travel", Some(" 1.5 h by boat"), Some(1.5)),
            ("travel_to", Some("2 dias"), Some(48.0)),
            ("travel_to", Some("far"), None),
            ("travel_to", None, None),
            ("near", Some("6"), None),
        ] {
            let relation = Relationship {
                to_entity_id: String::new(),
                rel_type: kind.to_owned(),
                note: note.map(str::to_owned),
            };
            assert_eq!(noted(&relation), expected, "{kind} {note:?}");
        }
    }
}
