//! Keys and entities by number, and the subject of a key.
//!
//! `character.<id>.location` is about an entity; the fields that rules read can be found from the
//! entity. Knows no state.

use std::collections::HashMap;

use super::paths::KeyId;
use super::travel;
use crate::model::{Entity, EntityType};

/// The number of an entity, or of an id that no entity has.
pub(crate) type EntityIndex = usize;

/// The fields with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Location,
    Alive,
    Injuries,
    Knows,
    Outfit,
    Inventory,
    Status,
    Holder,
}

const FIELDS: [(&str, Field); 8] = [
    ("location", Field::Location),
    ("alive", Field::Alive),
    ("injuries", Field::Injuries),
    ("knows", Field::Knows),
    ("outfit", Field::Outfit),
    ("inventory", Field::Inventory),
    ("status", Field::Status),
    ("holder", Field::Holder),
];

/// A key of the world.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) text: String,
    /// The entity it is about, and the type that the key names.
    pub(crate) about: Option<(EntityType, EntityIndex)>,
    pub(crate) field: Option<Field>,
    /// How many changes write it.
    pub(crate) writers: usize,
}

/// An id that something refers to.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) id: String,
    /// `None` where no entity has it.
    pub(crate) entity: Option<Entity>,
    /// The relationships, by number.
    pub(crate) relations: Vec<(EntityIndex, String)>,
    /// Every key about it.
    pub(crate) keys: Vec<KeyId>,
    fields: [Option<KeyId>; FIELDS.len()],
}

impl Known {
    /// The key of a field, where anything writes or asks for it.
    pub(crate) fn key(&self, field: Field) -> Option<KeyId> {
        self.fields[field as usize]
    }

    pub(crate) fn is(&self, kind: EntityType) -> bool {
        self.entity.as_ref().is_some_and(|entity| entity.kind == kind)
    }

    /// Its readable name.
    pub(crate) fn name(&self) -> &str {
        self.entity.as_ref().map_or(&self.id, |entity| &entity.name)
    }
}

/// Keys and entities by number.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) keys: Vec<Key>,
    pub(crate) known: Vec<Known>,
    /// Hours of the longest way that was ever spoken of.
    pub(crate) longest_way: f64,
    key_numbers: HashMap<String, KeyId>,
    numbers: HashMap<String, EntityIndex>,
}

impl Index {
    /// The number of an id, given to it now if it has none.
    pub(crate) fn who(&mut self, id: &str) -> EntityIndex {
        if let Some(&who) = self.numbers.get(id) {
            return who;
        }
        let who = self.known.len();
        self.numbers.insert(id.to_owned(), who);
        self.known.push(Known {
            id: id.to_owned(),
            entity: None,
            relations: Vec::new(),
            keys: Vec::new(),
            fields: [None; FIELDS.len()],
        });
        who
    }

    /// The number of an id that something refers to.
    pub(crate) fn find(&self, id: &str) -> Option<EntityIndex> {
        self.numbers.get(id).copied()
    }

    /// The number of a key, given to it now if it has none.
    pub(crate) fn key(&mut self, text: &str) -> KeyId {
        if let Some(&key) = self.key_numbers.get(text) {
            return key;
        }
        let key = self.keys.len() as KeyId;
        let subject = subject(text);
        let about = subject.map(|(kind, id, _)| (kind, self.who(id)));
        let field = subject.and_then(|(_, _, field)| {
            FIELDS.iter().find(|(name, _)| *name == field).map(|(_, field)| *field)
        });
        if let Some((_, who)) = about {
            self.known[who].keys.push(key);
            if let Some(field) = field {
                self.known[who].fields[field as usize] = Some(key);
            }
        }
        self.key_numbers.insert(text.to_owned(), key);
        self.keys.push(Key { text: text.to_owned(), about, field, writers: 0 });
        key
    }

    /// Puts an entity in the place of its id.
    pub(crate) fn put(&mut self, entity: Entity) -> EntityIndex {
        let who = self.who(&entity.id);
        let relations = entity
            .relationships
            .iter()
            .map(|relation| (self.who(&relation.to_entity_id), relation.rel_type.clone()))
            .collect();
        self.longest_way = self.longest_way.max(travel::longest(&entity));
        self.known[who].relations = relations;
        self.known[who].entity = Some(entity);
        who
    }
}

/// Type, id and field of a key about an entity: `character.<id>.location`.
pub(crate) fn subject(key: &str) -> Option<(EntityType, &str, &str)> {
    let (kind, rest) = key.split_once('.')?;
    let (id, field) = rest.split_once('.')?;
    let kind = match kind {
        "character" => EntityType::Character,
        "location" => EntityType::Location,
        "faction" => EntityType::Faction,
        "item" => EntityType::Item,
        "rule" => EntityType::Rule,
        "lore" => EntityType::Lore,
        _ => return None,
    };
    is_id(id).then_some((kind, id, field))
}

/// Whether a text can be an id: 24 hexadecimal digits.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef01234567";

    #[test]
    fn a_key_says_whom_it_is_about() {
        let location = format!("character.{ID}.location");
        assert_eq!(subject(&location), Some((EntityType::Character, ID, "location")));
        let deep = format!("item.{ID}.engraving.text");
        assert_eq!(subject(&deep), Some((EntityType::Item, ID, "engraving.text")));
        for free in ["threat.level", "lore.old.gods", "item.sword.status", "character", ""] {
            assert_eq!(subject(free), None, "{free}");
        }
        assert_eq!(subject(&format!("character.{ID}")), None);
    }

    #[test]
    fn fields_are_found_from_the_entity() {
        let mut index = Index::default();
        let alive = index.key(&format!("character.{ID}.alive"));
        let other = index.key(&format!("character.{ID}.alive.really"));
        let who = index.find(ID).unwrap();
        assert_eq!(index.known[who].key(Field::Alive), Some(alive));
        assert_eq!(index.known[who].key(Field::Location), None);
        assert_eq!(index.known[who].keys, [alive, other]);
        assert_eq!(index.known[who].name(), ID);
        assert_eq!(index.key(&format!("character.{ID}.alive")), alive);
    }
}
