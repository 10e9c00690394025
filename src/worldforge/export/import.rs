//! Reads a story bible back into documents, for an empty project of any tenant.
//!
//! All problems are found before anything is created. Derived parts (relationships with names,
//! counts, endings) are not read. Dangling references are left to the continuity check, except for
//! edges, which are useless without their ends.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::bible::RESOLVED;
use super::content::{Renaming, renamed};
use super::{FORMAT_VERSION, STORY_BIBLE, content_hash};
use crate::model::{Audit, Id, Millis, Project, Snapshot};
use crate::store::{World, content_hash as object_hash, filled, is_id, with_unknown};

/// Maximum number of problems reported at once.
const MOST: usize = 50;

/// For whom a world is imported.
#[derive(Debug, Clone)]
pub(crate) struct Importer {
    /// Whose it will be.
    pub tenant_id: Id,
    /// Id of the new project.
    pub project_id: Id,
    /// Who imports it, and counts as the author.
    pub user_id: Id,
    /// When.
    pub at: Millis,
}

/// Ids of the documents.
pub(crate) enum Ids<'a> {
    /// As in the bible: for a store that has never seen them.
    #[cfg(test)]
    Kept,
    /// New ones, given out in the order of the old ones.
    Fresh(&'a mut dyn FnMut() -> Id),
}

/// Something in a bible that cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl Problem {
    fn text(&self) -> String {
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        format!("{pointer}: {}", self.message)
    }
}

/// Why a bible cannot be imported: all problems, up to fifty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problems.iter().map(Problem::text).collect::<Vec<_>>().join("\n"))]
pub(crate) struct ImportError {
    /// In the order of the document.
    pub problems: Vec<Problem>,
}

/// Reads a story bible. The world's content hash equals the bible's unless it was edited.
pub(crate) fn import(
    bible: &Value,
    importer: &Importer,
    ids: Ids<'_>,
) -> Result<World, ImportError> {
    let mut reader = Reader { problems: Vec::new(), wholes: BTreeMap::new() };
    reader.format(bible);
    let old = reader.ids(bible);
    reader.edges(bible, &old);
    reader.done()?;
    let names = reader.renaming(bible, old, importer, ids);
    let mut world = World {
        project: reader.project(bible, &names, importer).ok_or_else(|| reader.error())?,
        entities: reader.documents(bible, "entities", &names, importer),
        nodes: reader.documents(bible, "storyNodes", &names, importer),
        edges: reader.documents(bible, "storyEdges", &names, importer),
        packs: Vec::new(),
        snapshots: reader.snapshots(bible, &names, importer),
        wholes: BTreeMap::new(),
    };
    reader.done()?;
    world.wholes = std::mem::take(&mut reader.wholes);
    world.snapshots.sort_by(|a, b| {
        (a.object_type, &a.object_id, a.number).cmp(&(b.object_type, &b.object_id, b.number))
    });
    Ok(world)
}

/// Whether the bible is unchanged since its export.
pub(crate) fn is_unchanged(bible: &Value, world: &World) -> bool {
    bible.get("contentHash").and_then(Value::as_str) == Some(content_hash(world).as_str())
}

struct Reader {
    problems: Vec<Problem>,
    /// Documents that hold more than is known here.
    wholes: BTreeMap<Id, Value>,
}

impl Reader {
    fn problem(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem { pointer: pointer.into(), message: message.into() });
    }

    fn error(&mut self) -> ImportError {
        let mut problems = std::mem::take(&mut self.problems);
        problems.truncate(MOST);
        ImportError { problems }
    }

    fn done(&mut self) -> Result<(), ImportError> {
        if self.problems.is_empty() { Ok(()) } else { Err(self.error()) }
    }

    fn format(&mut self, bible: &Value) {
        if bible.get("format").and_then(Value::as_str) != Some(STORY_BIBLE) {
            self.problem("/format", format!("not a story bible; expected `{STORY_BIBLE}`"));
            return;
        }
        match bible.get("formatVersion").and_then(Value::as_u64) {
            Some(FORMAT_VERSION) => {}
            Some(other) => self.problem(
                "/formatVersion",
                format!("format {other} is unknown; this version reads format {FORMAT_VERSION}"),
            ),
            None => self.problem("/formatVersion", format!("must be {FORMAT_VERSION}")),
        }
        if !bible.get("project").is_some_and(Value::is_object) {
            self.problem("/project", "the project is missing");
        }
        for list in ["entities", "storyNodes", "storyEdges", "versions"] {
            let optional = list == "versions" && bible.get(list).is_none();
            if !optional && !bible.get(list).is_some_and(Value::is_array) {
                self.problem(format!("/{list}"), "must be a list");
            }
        }
    }

    /// Ids of all documents by list.
    fn ids<'a>(&mut self, bible: &'a Value) -> BTreeMap<&'static str, BTreeSet<&'a str>> {
        let mut found = BTreeMap::new();
        for list in ["entities", "storyNodes", "storyEdges"] {
            let mut ids = BTreeSet::new();
            for (index, document) in elements(bible, list) {
                let pointer = format!("/{list}/{index}/_id");
                match document.get("_id").and_then(Value::as_str) {
                    Some(id) if is_id(id) && ids.insert(id) => {}
                    Some(id) if is_id(id) => self.problem(pointer, format!("{id} is listed twice")),
                    _ => self.problem(pointer, "must be an id of 24 hexadecimal digits"),
                }
            }
            found.insert(list, ids);
        }
        found
    }

    fn edges(&mut self, bible: &Value, ids: &BTreeMap<&'static str, BTreeSet<&str>>) {
        let nodes = ids.get("storyNodes");
        let mut ways = BTreeSet::new();
        for (index, edge) in elements(bible, "storyEdges") {
            let text = |key: &str| edge.get(key).and_then(Value::as_str);
            let from = text("fromNodeId");
            if from.is_some() && !ways.insert((from, text("toNodeId"), text("edgeType"))) {
                self.problem(format!("/storyEdges/{index}"), "is listed twice");
            }
            for end in ["fromNodeId", "toNodeId"] {
                let node = edge.get(end).and_then(Value::as_str).unwrap_or_default();
                if !nodes.is_some_and(|nodes| nodes.contains(node)) {
                    let message = format!("no node in this bible has the id `{node}`");
                    self.problem(format!("/storyEdges/{index}/{end}"), message);
                }
            }
        }
    }

    /// Old id to new id, in the same order.
    fn renaming(
        &mut self,
        bible: &Value,
        old: BTreeMap<&'static str, BTreeSet<&str>>,
        importer: &Importer,
        ids: Ids<'_>,
    ) -> Renaming {
        let old: BTreeSet<&str> = old.into_values().flatten().collect();
        let mut names: Renaming = match ids {
            #[cfg(test)]
            Ids::Kept => Renaming::new(),
            Ids::Fresh(fresh) => {
                let mut new = BTreeSet::new();
                // An id that is given out twice is asked for again, but not forever.
                for _ in 0..old.len() * 2 + 8 {
                    if new.len() == old.len() {
                        break;
                    }
                    new.insert(fresh());
                }
                if new.len() < old.len() {
                    self.problem("", "there are not enough new ids");
                }
                old.into_iter().map(str::to_owned).zip(new).collect()
            }
        };
        let project = bible.get("project");
        let id = |key: &str| project.and_then(|project| project.get(key)).and_then(Value::as_str);
        let owners = [(id("_id"), &importer.project_id), (id("tenantId"), &importer.tenant_id)];
        for (old, new) in owners {
            if let Some(old) = old.filter(|old| is_id(old)) {
                names.entry(old.to_owned()).or_insert_with(|| new.clone());
            }
        }
        names
    }

    fn project(&mut self, bible: &Value, names: &Renaming, importer: &Importer) -> Option<Project> {
        self.named("/project", bible.get("project")?, "title");
        let mut project = renamed(bible.get("project")?.clone(), names);
        let members = project.as_object_mut()?;
        members.insert("_id".to_owned(), json!(importer.project_id));
        members.insert("tenantId".to_owned(), json!(importer.tenant_id));
        members.insert("createdAt".to_owned(), json!(importer.at));
        self.whole("/project".to_owned(), "project", project)
    }

    fn documents<T: Serialize + DeserializeOwned>(
        &mut self,
        bible: &Value,
        list: &str,
        names: &Renaming,
        importer: &Importer,
    ) -> Vec<T> {
        let mut documents = Vec::new();
        for (index, document) in elements(bible, list) {
            match list {
                "entities" => self.named(&format!("/{list}/{index}"), document, "name"),
                "storyNodes" => self.named(&format!("/{list}/{index}"), document, "title"),
                _ => {}
            }
            let mut document = renamed(document.clone(), names);
            if let Some(members) = document.as_object_mut() {
                owned(members, importer);
                members.remove(RESOLVED);
                if list != "storyEdges" {
                    versioned(members);
                }
            }
            documents.extend(self.whole(format!("/{list}/{index}"), list, document));
        }
        documents
    }

    fn snapshots(&mut self, bible: &Value, names: &Renaming, importer: &Importer) -> Vec<Snapshot> {
        let mut snapshots = Vec::new();
        for (index, version) in elements(bible, "versions") {
            let pointer = format!("/versions/{index}");
            let mut version = renamed(version.clone(), names);
            let Some(members) = version.as_object_mut() else {
                self.problem(pointer, "must be an object");
                continue;
            };
            members.insert("tenantId".to_owned(), json!(importer.tenant_id));
            members.insert("projectId".to_owned(), json!(importer.project_id));
            members.insert("publishedBy".to_owned(), json!(importer.user_id));
            members.entry("publishedAt").or_insert_with(|| json!(importer.at));
            members.entry("contentHash").or_insert_with(|| json!(""));
            if let Some(Value::Object(snapshot)) = members.get_mut("snapshot") {
                owned(snapshot, importer);
                versioned(snapshot);
            }
            let Some(mut snapshot) = self.read::<Snapshot>(pointer.clone(), version) else {
                continue;
            };
            match object_hash(&filled(snapshot.object_type, &snapshot.snapshot)) {
                Ok(hash) => snapshot.content_hash = hash,
                Err(_) => self.problem(pointer, "the snapshot is unreadable"),
            }
            snapshots.push(snapshot);
        }
        snapshots
    }

    /// Nothing goes without a name; what is no text at all is told by [`Self::read`].
    fn named(&mut self, pointer: &str, document: &Value, key: &str) {
        let name = document.get(key).and_then(Value::as_str);
        if name.is_some_and(|name| name.trim().is_empty()) {
            self.problem(format!("{pointer}/{key}"), "must not be empty");
        }
    }

    /// Reads a document and keeps what else it holds.
    fn whole<T: Serialize + DeserializeOwned>(
        &mut self,
        pointer: String,
        list: &str,
        value: Value,
    ) -> Option<T> {
        let document: T = self.read(pointer, value.clone())?;
        if let Some(whole) = with_unknown(list, &document, value)
            && let Some(id) = whole.get("_id").and_then(Value::as_str)
        {
            self.wholes.insert(id.to_owned(), whole);
        }
        Some(document)
    }

    fn read<T: DeserializeOwned>(&mut self, pointer: String, value: Value) -> Option<T> {
        match serde_json::from_value(value) {
            Ok(document) => Some(document),
            Err(error) => {
                self.problem(pointer, error.to_string());
                None
            }
        }
    }
}

fn elements<'a>(bible: &'a Value, list: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    bible.get(list).and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// What has no version is a draft.
fn versioned(members: &mut Map<String, Value>) {
    members.entry("version").or_insert_with(|| json!({"status": "DRAFT", "number": 1}));
}

/// Puts a document into the new project, as if its importer had just created it.
fn owned(members: &mut Map<String, Value>, importer: &Importer) {
    members.insert("tenantId".to_owned(), json!(importer.tenant_id));
    members.insert("projectId".to_owned(), json!(importer.project_id));
    let audit = json!(Audit {
        created_by: importer.user_id.clone(),
        updated_by: importer.user_id.clone(),
        updated_at: importer.at,
        revision: 1,
    });
    match (members.get_mut("audit"), audit) {
        (Some(Value::Object(before)), Value::Object(audit)) => before.extend(audit),
        (_, audit) => {
            members.insert("audit".to_owned(), audit);
        }
    }
}
