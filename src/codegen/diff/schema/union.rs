//! Unions: variants are identified by their tag.

use super::super::recorder::At;
use super::super::rules::schemas as rules;
use super::view::{Held, Schema, reference};
use super::{Anchor, Context, Walk, elements, entries};
use crate::parse::Node;

impl<'a> Walk<'_, 'a> {
    pub(super) fn union(&mut self, anchor: &Anchor, old: &Schema<'a>, new: &Schema<'a>) {
        let (before, after) = (elements(old, "oneOf"), elements(new, "oneOf"));
        let sides = (self.out.old, self.out.new);
        let tags: Vec<String> = before.iter().map(|node| tag(node, sides.0)).collect();
        let new_tags: Vec<String> = after.iter().map(|node| tag(node, sides.1)).collect();
        let name = self.name(anchor);
        let whole = At { present: false, ..new.at("oneOf") };
        for (index, node) in
            before.iter().enumerate().filter(|(i, _)| !new_tags.contains(&tags[*i]))
        {
            let message = format!("{name} no longer has the variant `{}`", tags[index]);
            let place = (anchor.subject.as_str(), format!("{}/oneOf/{index}", anchor.pointer));
            self.report(rules::FEWER_VARIANTS, place, [here(node), whole], message)
                .values(tags[index].clone(), None);
        }
        let whole = At { present: false, ..old.at("oneOf") };
        for (index, node) in after.iter().enumerate() {
            let pointer = format!("{}/oneOf/{index}", anchor.pointer);
            match tags.iter().position(|tag| *tag == new_tags[index]) {
                Some(before_index) => {
                    let tag = &new_tags[index];
                    let path = match anchor.path.as_str() {
                        "" => format!("({tag})"),
                        path => format!("{path}({tag})"),
                    };
                    let anchor = Anchor { pointer, path, ..anchor.clone() };
                    let old = Held::element(&before[before_index]);
                    self.compare(&anchor, old, Held::element(node), Context::default());
                }
                None => {
                    let message = format!("{name} has a new variant `{}`", new_tags[index]);
                    let place = (anchor.subject.as_str(), pointer);
                    self.report(rules::MORE_VARIANTS, place, [whole, here(node)], message)
                        .values(None, new_tags[index].clone());
                }
            }
        }
    }
}

/// Identity of a variant: the value of its tag, its type, or its required members.
fn tag(node: &Node, side: super::super::locate::Side<'_>) -> String {
    let schema = Schema::new(Held::element(node), side);
    let fixed = entries(&schema, "properties")
        .iter()
        .find_map(|entry| Some(format!("{}: {}", entry.key, entry.value.text_of("const")?)));
    fixed
        .or_else(|| reference(node).map(str::to_owned))
        .unwrap_or_else(|| schema.required().join(", "))
}

fn here(node: &Node) -> At {
    At { place: Held::element(node).at, present: true }
}
