//! Story nodes: create, change, read.

use serde_json::{Map, Value, json};
use toolwright_runtime::problem::join;

use super::entities::fresh;
use super::patch::patched;
use super::{Actor, Edit, Engine, EngineError, Problem, Result, begun, edited};
use crate::model::StoryNode;
use crate::store::{Change, Collection, Scope, content_hash};

/// What a change of the world can have.
const DELTA: [&str; 3] = ["key", "op", "value"];

impl Engine {
    /// Adds a node.
    pub fn create_node(
        &self,
        actor: &Actor,
        scope: &Scope,
        fields: &Map<String, Value>,
    ) -> Result<StoryNode> {
        let fields = self.tidied(fields, "/node")?;
        self.edit(actor, scope, |_| {
            let (version, audit) = begun(actor, self.now());
            let bare = json!({
                "_id": self.id(), "tenantId": scope.tenant, "projectId": scope.project,
                "version": version, "audit": audit,
            });
            let node: StoryNode = patched(bare, &fields, "/node")?;
            self.check_node(scope, &node, &fields, "/node")?;
            Ok(put(node, None))
        })
    }

    /// Changes exactly the fields of the patch.
    pub fn update_node(
        &self,
        actor: &Actor,
        scope: &Scope,
        id: &str,
        patch: &Map<String, Value>,
        expected: Option<u64>,
    ) -> Result<StoryNode> {
        let patch = self.tidied(patch, "/patch")?;
        self.edit(actor, scope, |_| {
            let before = self.store().node(scope, id)?;
            fresh(before.audit.revision, expected)?;
            let mut node: StoryNode = patched(json!(before), &patch, "/patch")?;
            self.check_node(scope, &node, &patch, "/patch")?;
            if content_hash(&node)? == content_hash(&before)? {
                let object = before.id.clone();
                return Ok(Edit { done: before, changes: Vec::new(), object });
            }
            edited(&mut node.version, &mut node.audit, actor, self.now());
            Ok(put(node, Some(before)))
        })
    }

    /// A node, as JSON.
    pub fn node(&self, scope: &Scope, id: &str) -> Result<String> {
        self.document(scope, Collection::Nodes, id)
    }

    /// Checks beyond the schema: titles are not blank, deltas have no unknown members.
    fn tidied(&self, fields: &Map<String, Value>, pointer: &str) -> Result<Map<String, Value>> {
        self.storable(fields, pointer)?;
        let mut fields = fields.clone();
        // 7.0 is a whole number to the schema.
        if let Some(order) = fields.get_mut("time").and_then(|time| time.get_mut("order"))
            && let Some(whole) = order.as_f64().filter(|_| order.is_f64())
        {
            *order = Value::from(whole as u64);
        }
        if let Some(title) = fields.get("title").and_then(Value::as_str) {
            let title = self.named(&format!("{pointer}/title"), title)?;
            fields.insert("title".to_owned(), Value::from(title));
        }
        let deltas = fields.get("worldStateDelta").and_then(Value::as_array);
        let mut problems = Vec::new();
        for (index, delta) in deltas.into_iter().flatten().enumerate() {
            let stray = delta.as_object().into_iter().flat_map(Map::keys);
            for name in stray.filter(|name| !DELTA.contains(&name.as_str())) {
                let pointer = join(&format!("{pointer}/worldStateDelta/{index}"), name);
                let message = self.language().pick(
                    "is not a field of a change; allowed are key, op and value",
                    "não faz parte de uma mudança; ela tem key, op e value",
                );
                problems.push(Problem { pointer, message: message.to_owned() });
            }
        }
        if problems.is_empty() { Ok(fields) } else { Err(EngineError::Invalid(problems)) }
    }
}

fn put(node: StoryNode, before: Option<StoryNode>) -> Edit<StoryNode> {
    let object = node.id.clone();
    let (document, replaces) = (Box::new(node.clone()), before.map(Box::new));
    Edit { done: node, changes: vec![Change::Node { document, replaces }], object }
}
