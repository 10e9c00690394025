//! Documents as another program writes them: known fields in any form or missing, unknown fields at
//! any depth. Also reads what a store holds, with types and order.

use std::collections::BTreeMap;

use mongodb::bson::oid::ObjectId;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, DateTime, Decimal128, Document, Regex, Timestamp, doc};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::instance::Instance;
use toolwright_testing::random::Random;

/// A value before it is known in which store it will be.
#[derive(Debug, Clone)]
pub(crate) enum ForeignValue {
    Json(Value),
    Id(String),
    Date(i64),
    /// One of the forms that only this store has.
    Odd(usize),
    Object(Vec<(String, ForeignValue)>),
    List(Vec<ForeignValue>),
}

/// How many odd forms there are.
const ODD: usize = 12;

/// Numbers and texts that a JSON program would write in another way.
const ODD_TEXTS: [&str; ODD] = [
    "1.0",
    "1e400",
    "123456789012345678901234567890",
    "-0.0",
    "1E5",
    "\"\\u0041\\/\"",
    "null",
    "{ \"a.b\" : [1, 2.50] }",
    "18446744073709551615",
    "0.10",
    "[ ]",
    "{\"$set\":{\"x\":1.0}}",
];

fn odd_bson(index: usize) -> Bson {
    match index {
        0 => Bson::Double(1.0),
        1 => Bson::Decimal128("12.30".parse::<Decimal128>().unwrap()),
        2 => Bson::Int32(7),
        3 => Bson::Int64(7),
        4 => Bson::DateTime(DateTime::from_millis(1_700_000_000_123)),
        5 => Bson::ObjectId(ObjectId::from_bytes([7; 12])),
        6 => Bson::Null,
        7 => doc! {"a.b": [1_i32, 2.5, 1_i64], "$gt": {"x": DateTime::from_millis(5)}}.into(),
        8 => Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes: vec![0, 255, 1] }),
        9 => Regex {
            pattern: "a.*".to_owned().try_into().unwrap(),
            options: "i".to_owned().try_into().unwrap(),
        }
        .into(),
        10 => Bson::Timestamp(Timestamp { time: 5, increment: 6 }),
        _ => Bson::Array(vec![Bson::MinKey, Bson::Symbol("s".into()), Bson::Double(f64::NAN)]),
    }
}

/// As JavaScript would write it.
fn plain(value: &Value) -> Bson {
    match value {
        Value::Null => Bson::Null,
        Value::Bool(is) => Bson::Boolean(*is),
        Value::Number(number) => {
            match number.as_i64().and_then(|whole| i32::try_from(whole).ok()) {
                Some(whole) => Bson::Int32(whole),
                None => Bson::Double(number.as_f64().unwrap()),
            }
        }
        Value::String(text) => Bson::String(text.clone()),
        Value::Array(items) => Bson::Array(items.iter().map(plain).collect()),
        Value::Object(members) => {
            Bson::Document(members.iter().map(|(name, one)| (name.clone(), plain(one))).collect())
        }
    }
}

impl ForeignValue {
    pub(crate) fn object(members: Vec<(&str, ForeignValue)>) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::Json(json!(text))
    }

    fn bson(&self) -> Bson {
        match self {
            Self::Json(value) => plain(value),
            Self::Id(id) => Bson::ObjectId(ObjectId::parse_str(id).unwrap()),
            Self::Date(millis) => Bson::DateTime(DateTime::from_millis(*millis)),
            Self::Odd(index) => odd_bson(*index),
            Self::Object(members) => Bson::Document(
                members.iter().map(|(name, one)| (name.clone(), one.bson())).collect(),
            ),
            Self::List(items) => Bson::Array(items.iter().map(Self::bson).collect()),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Id(id) => json!(id).to_string(),
            Self::Date(millis) => millis.to_string(),
            Self::Odd(index) => ODD_TEXTS[*index].to_owned(),
            Self::Object(members) => {
                let members =
                    members.iter().map(|(name, one)| format!("{}: {}", json!(name), one.json()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            Self::List(items) => {
                format!("[{}]", items.iter().map(Self::json).collect::<Vec<_>>().join(","))
            }
        }
    }

    /// Puts unknown members at random places, and sometimes a known one last that was first.
    pub(crate) fn sprinkle(&mut self, random: &mut Random) {
        match self {
            Self::Object(members) => {
                for (_, member) in members.iter_mut() {
                    member.sprinkle(random);
                }
                for number in 0..random.below(3) {
                    let name = *random.pick(&["media", "x.y", "character", "ui", "éé", "order2"]);
                    let at = random.below(members.len() + 1);
                    let inner = Self::Object(vec![("deep".into(), Self::Odd(random.below(ODD)))]);
                    let value = match random.below(4) {
                        0 => inner,
                        1 => Self::List(vec![inner, Self::Odd(random.below(ODD))]),
                        _ => Self::Odd(random.below(ODD)),
                    };
                    members.insert(at, (format!("{name}{number}"), value));
                }
                if members.len() > 1 && random.below(4) == 0 {
                    let first = members.remove(0);
                    members.push(first);
                }
            }
            Self::List(items) => items.iter_mut().for_each(|item| item.sprinkle(random)),
            _ => {}
        }
    }
}

/// A document as it is stored: leaves with their form, members in their order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    Leaf(String),
    Object(Vec<(String, Tree)>),
    List(Vec<Tree>),
}

impl Tree {
    fn of_bson(value: &Bson) -> Self {
        match value {
            Bson::Document(document) => Self::Object(
                document.iter().map(|(name, one)| (name.clone(), Self::of_bson(one))).collect(),
            ),
            Bson::Array(items) => Self::List(items.iter().map(Self::of_bson).collect()),
            leaf => Self::Leaf(format!("{leaf:?}")),
        }
    }

    fn of_json(text: &RawValue) -> Self {
        let text = text.get();
        match text.as_bytes()[0] {
            b'{' => Self::Object(
                serde_json::from_str::<Members>(text)
                    .unwrap()
                    .0
                    .into_iter()
                    .map(|(name, one)| (name, Self::of_json(&one)))
                    .collect(),
            ),
            b'[' => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(text).unwrap();
                Self::List(items.iter().map(|item| Self::of_json(item)).collect())
            }
            _ => Self::Leaf(text.to_owned()),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Self> {
        path.split('/').filter(|step| !step.is_empty()).try_fold(self, |tree, step| match tree {
            Self::Object(members) => {
                members.iter().find(|(name, _)| name == step).map(|(_, member)| member)
            }
            Self::List(items) => items.get(step.parse::<usize>().ok()?),
            Self::Leaf(_) => None,
        })
    }

    /// Paths at which two trees differ: changed, gone or new. Moved members are listed as `<order>`.
    pub(crate) fn differences(&self, after: &Self) -> Vec<String> {
        let mut found = Vec::new();
        self.compare(after, "", &mut found);
        found
    }

    fn compare(&self, after: &Self, path: &str, found: &mut Vec<String>) {
        match (self, after) {
            (Self::Object(before), Self::Object(after)) => {
                let names = |of: &[(String, Self)], other: &[(String, Self)]| -> Vec<String> {
                    let known = |name: &String| other.iter().any(|(one, _)| one == name);
                    of.iter().map(|(name, _)| name.clone()).filter(known).collect()
                };
                if names(before, after) != names(after, before) {
                    found.push(format!("{path}/<order>"));
                }
                for (name, member) in before {
                    let path = format!("{path}/{name}");
                    match after.iter().find(|(other, _)| other == name) {
                        Some((_, other)) => member.compare(other, &path, found),
                        None => found.push(path),
                    }
                }
                let new =
                    after.iter().filter(|(name, _)| !before.iter().any(|(one, _)| one == name));
                found.extend(new.map(|(name, _)| format!("{path}/{name}")));
            }
            (Self::List(before), Self::List(after)) => {
                for index in 0..before.len().max(after.len()) {
                    let path = format!("{path}/{index}");
                    match (before.get(index), after.get(index)) {
                        (Some(before), Some(after)) => before.compare(after, &path, found),
                        _ => found.push(path),
                    }
                }
            }
            (before, after) if before == after => {}
            _ => found.push(path.to_owned()),
        }
    }
}

/// The members of an object in their order.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// The tables and collections of documents.
pub(crate) const SHELVES: [(&str, &str); 5] = [
    ("projects", "projects"),
    ("entities", "entities"),
    ("nodes", "storyNodes"),
    ("edges", "storyEdges"),
    ("packs", "promptPacks"),
];

impl Instance {
    pub(crate) fn on_mongo(&self) -> bool {
        self.url.starts_with("mongodb:")
    }

    pub(crate) fn database(&self) -> mongodb::sync::Database {
        mongodb::sync::Client::with_uri_str(&self.url).unwrap().database(&self.name)
    }

    pub(crate) fn file(&self) -> rusqlite::Connection {
        let file = rusqlite::Connection::open(self.url.trim_start_matches("sqlite:")).unwrap();
        file.busy_timeout(crate::instance::WAIT).unwrap();
        file
    }

    /// Puts a document into a collection as it is. In SQLite there must be one with this id.
    pub(crate) fn plant(&self, collection: &str, id: &str, value: &ForeignValue) {
        let (table, collection) = SHELVES.into_iter().find(|(_, one)| *one == collection).unwrap();
        match self.on_mongo() {
            true => {
                let Bson::Document(document) = value.bson() else { panic!("no document") };
                let collection = self.database().collection::<Document>(collection);
                let same = doc! {"_id": ObjectId::parse_str(id).unwrap()};
                collection.replace_one(same, document).upsert(true).run().unwrap();
            }
            false => {
                let sql = format!("UPDATE {table} SET json = ?1 WHERE id = ?2");
                assert_eq!(self.file().execute(&sql, [&value.json(), id]).unwrap(), 1);
            }
        }
    }

    /// Every document of the store by collection and id, as it is stored.
    pub(crate) fn collections(&self) -> BTreeMap<(String, String), Tree> {
        let mut found = BTreeMap::new();
        for (table, collection) in SHELVES {
            if self.on_mongo() {
                let documents = self.database().collection::<Document>(collection);
                for document in documents.find(doc! {}).run().unwrap() {
                    let document = document.unwrap();
                    let id = match document.get("_id").unwrap() {
                        Bson::ObjectId(id) => id.to_hex(),
                        other => other.as_str().unwrap().to_owned(),
                    };
                    found.insert((collection.to_owned(), id), Tree::of_bson(&document.into()));
                }
                continue;
            }
            let file = self.file();
            let mut rows = file.prepare(&format!("SELECT id, json FROM {table}")).unwrap();
            let rows =
                rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
            for row in rows.unwrap() {
                let (id, text) = row.unwrap();
                let text = RawValue::from_string(text).unwrap();
                found.insert((collection.to_owned(), id), Tree::of_json(&text));
            }
        }
        found
    }
}
