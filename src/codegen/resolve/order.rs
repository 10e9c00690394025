//! The order in which a spec writes the properties of its objects.
//!
//! Schemas are sorted, because the digest and what is served are; only the Rust types follow the
//! author. An object is known by the names of its properties: of two objects with the same names
//! the first one read decides for both.

use std::collections::BTreeMap;

use crate::model::PropertyOrder;
use crate::parse::{Folder, Node};

/// Keys of maps whose members become fields: of a schema, and of a guard.
const MAPS: [&str; 2] = ["properties", "params"];

/// Reads all files of a surface.
pub(super) fn read(folder: &Folder) -> PropertyOrder {
    let mut order = BTreeMap::new();
    let docs = folder.types.iter().chain(&folder.tools).chain(&folder.surface);
    docs.for_each(|doc| collect(&doc.root, &mut order));
    order
}

fn collect(node: &Node, order: &mut PropertyOrder) {
    for entry in node.entries() {
        if MAPS.contains(&entry.key.as_str()) {
            let written: Vec<String> =
                entry.value.entries().iter().map(|property| property.key.clone()).collect();
            let mut sorted = written.clone();
            sorted.sort();
            order.entry(sorted).or_insert(written);
        }
        collect(&entry.value, order);
    }
    node.elements().iter().for_each(|element| collect(element, order));
}
