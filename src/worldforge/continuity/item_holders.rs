//! Item possession: one holder at a time, and no hand-over without its holder in the scene.
//!
//! The holder is set by the item (`item.<id>.holder`) or by an inventory (`character.<id>.inventory`).

use super::code::Code;
use super::finding::Finding;
use super::items;
use super::scope::Scope;
use crate::model::{DeltaOp, EntityType};
use crate::story::index::{EntityIndex, Field};
use crate::story::paths::{KeyId, Share, State};
use crate::story::values::ValueId;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let mut taken: Vec<EntityIndex> = scope.steps(Field::Holder).map(|(item, _)| item).collect();
    taken.extend(scope.scene.gains.iter().map(|gain| gain.item));
    taken.sort_unstable();
    taken.dedup();
    for &item in &taken {
        two_holders(scope, item, found);
        transfer(scope, item, found);
    }
    for item in items::present(scope) {
        if !taken.contains(&item) && used(scope, item) {
            holder_absent(scope, item, found);
        }
    }
}

/// Who has an item on one path.
struct Possession {
    holder: Option<EntityIndex>,
    /// Whose inventories have it.
    carriers: Vec<EntityIndex>,
    here: bool,
}

impl Possession {
    fn all(&self) -> impl Iterator<Item = EntityIndex> {
        self.holder.into_iter().chain(self.carriers.iter().copied())
    }
}

/// Who has an item, on every path.
fn having(scope: &Scope<'_>, state: State, item: EntityIndex) -> Vec<Possession> {
    let mut keys: Vec<KeyId> = Vec::new();
    let holder = scope.key(item, Field::Holder);
    let location = scope.key(item, Field::Location);
    let mut inventories = scope.story.shared.inventories.get(&item).cloned().unwrap_or_default();
    inventories.sort_by_key(|key| &scope.story.index.keys[*key as usize].text);
    keys.extend(holder.iter().chain(&location).chain(&inventories));
    if keys.is_empty() {
        return Vec::new();
    }
    let has = |inventory: ValueId| {
        scope.values().elements(inventory).iter().any(|element| scope.names(*element, item))
    };
    let rows = scope.world.paths.together(state, &keys);
    let read = |row: &[ValueId]| {
        let mut row = row.iter().copied();
        let holder = holder.and_then(|_| row.next()).and_then(|holder| scope.named(holder));
        let here = location.and_then(|_| row.next()).is_some_and(|place| scope.is_here(place));
        let carriers = inventories
            .iter()
            .zip(row)
            .filter(|(_, inventory)| has(*inventory))
            .filter_map(|(key, _)| Some(scope.story.index.keys[*key as usize].about?.1))
            .collect();
        Possession { holder, carriers, here }
    };
    rows.chunks(keys.len()).map(read).collect()
}

fn two_holders(scope: &Scope<'_>, item: EntityIndex, found: &mut Vec<Finding>) {
    let mut names: Option<(EntityIndex, EntityIndex)> = None;
    let share = Share::of(having(scope, scope.around.post, item).iter().map(|having| {
        let mut hands = having.all();
        let first = hands.next();
        let second = hands.find(|who| Some(*who) != first);
        names = names.or(first.zip(second));
        second.is_some()
    }));
    if let Some((one, other)) = names {
        let finding = Finding::new(Code::ItemTwoHolders).on(share).about([item, one, other]);
        found.push(
            finding
                .with_arg(scope.name(item))
                .with_arg(scope.name(one))
                .with_arg(scope.name(other)),
        );
    }
}

fn transfer(scope: &Scope<'_>, item: EntityIndex, found: &mut Vec<Finding>) {
    let gains = |who: EntityIndex| {
        let set = scope.steps(Field::Holder).any(|(other, step)| {
            other == item && step.op == DeltaOp::Set && scope.names(step.value, who)
        });
        let inventory = scope.key(who, Field::Inventory);
        let mut gains = scope.scene.gains.iter();
        set || gains.any(|gain| gain.item == item && Some(gain.inventory) == inventory)
    };
    let mut former = None;
    let share = Share::of(having(scope, scope.around.pre, item).iter().map(|having| {
        let unseen = having.all().find(|who| {
            scope.known(*who).is(EntityType::Character) && !scope.plays(*who) && !gains(*who)
        });
        former = former.or(unseen);
        unseen.is_some()
    }));
    if let Some(former) = former {
        let finding = Finding::new(Code::ItemTransferUnseen).on(share).about([item, former]);
        found.push(finding.with_arg(scope.name(item)).with_arg(scope.name(former)));
    }
}

/// Whether an item is more than moved or given: it takes part, or something else of it changes.
fn used(scope: &Scope<'_>, item: EntityIndex) -> bool {
    let changed = scope.scene.steps.iter().any(|step| {
        let key = &scope.story.index.keys[step.key as usize];
        let moved = matches!(key.field, Some(Field::Holder | Field::Location));
        key.about == Some((EntityType::Item, item)) && !moved
    });
    scope.plays(item) || changed
}

fn holder_absent(scope: &Scope<'_>, item: EntityIndex, found: &mut Vec<Finding>) {
    if scope.before(item, Field::Status, items::destroyed) != Share::None {
        return;
    }
    let mut holder = None;
    let share = Share::of(having(scope, scope.around.pre, item).iter().map(|having| {
        let away = having.all().next().filter(|_| {
            !having.here
                && !having.all().any(|who| scope.plays(who) || scope.scene.places.contains(&who))
        });
        holder = holder.or(away);
        away.is_some()
    }));
    if let Some(holder) = holder {
        let finding = Finding::new(Code::ItemHolderAbsent).on(share).about([item, holder]);
        found.push(finding.with_arg(scope.name(item)).with_arg(scope.name(holder)));
    }
}
