//! The sample world with one planted contradiction per continuity code.
//!
//! Each of these worlds has exactly that finding, at the listed nodes, and no other.

use serde_json::{Value, json};

use super::build::{NodeBuilder, WorldBuilder, delta, key, relation, set};
use super::entities::{
    ALFANDEGA, CALHAU, CHAVE, DARIO, FAROL, INES, LANTERNA, LEOCADIA, MAPA, PIPO, RELOGIO, SALINAS,
    TOMAS,
};
use super::story::{CORD, CUT};
use super::{Demo, node_id, sample};
use crate::continuity::Code;
use crate::model::{
    Delta, DeltaOp, EdgeType, Entity, Id, Millis, NodeType, Participant, ParticipantRole,
    Requirement, StoryEdge, StoryNode, VersionStatus,
};

/// A world with one fault.
#[derive(Debug, Clone)]
pub struct Planted {
    /// The world.
    pub demo: Demo,
    /// Where the fault is found.
    pub node_ids: Vec<Id>,
}

/// The sample world with the fault of a code.
pub fn planted(code: Code, tenant_id: &str, user_id: &str, at: Millis) -> Planted {
    let builder = WorldBuilder::new(tenant_id, user_id, at);
    let mut planter = Planter { demo: sample(tenant_id, user_id, at), builder };
    let found = planter.plant(code);
    Planted { demo: planter.demo, node_ids: vec![node_id(found)] }
}

/// A node that some faults need.
const EXTRA: u32 = 50;

struct Planter {
    demo: Demo,
    builder: WorldBuilder,
}

impl Planter {
    /// Spoils the world; the node where that is found.
    fn plant(&mut self, code: Code) -> u32 {
        match code {
            Code::CharLocationMismatch => self.moves(17, LEOCADIA, SALINAS),
            Code::CharTeleport => {
                self.changes(12, set(who(PIPO, "location"), SALINAS));
                self.dated(13, "1893-03-03T10:00");
                self.joins(13, PIPO);
                self.changes(13, set(who(PIPO, "location"), ALFANDEGA))
            }
            Code::TravelTooFast => self.dated(4, "1893-03-01T11:00"),
            Code::CharDoubleBooked => {
                self.node(13, |node| node.locations = vec![CALHAU.to_owned()]);
                self.moves(13, INES, CALHAU);
                self.moves(13, DARIO, CALHAU);
                self.dated(13, "1893-03-03T10:00")
            }
            Code::CharDeadActive => {
                self.changes(16, set(who(TOMAS, "location"), FAROL));
                self.joins(16, TOMAS)
            }
            Code::CharResurrected => self.changes(17, set(who(TOMAS, "alive"), true)),
            Code::CharPosthumousLearning => {
                self.changes(17, delta(who(TOMAS, "knows"), DeltaOp::Add, "o fim"))
            }
            Code::ItemResurrected => self.changes(17, set(item(MAPA, "status"), "PRESENT")),
            Code::ItemDestroyedPresent => self.joins(17, MAPA),
            Code::ItemTwoHolders => self.forgets(3, &who(DARIO, "inventory")),
            Code::ItemHolderAbsent => self.joins(9, LANTERNA),
            Code::ItemTransferUnseen => self.node(15, |node| {
                node.participants.retain(|one| one.entity_id != PIPO);
            }),
            Code::InjuryVanished => {
                self.changes(17, delta(who(INES, "injuries"), DeltaOp::Add, "queimadura"));
                self.node(19, |node| node.time.in_world_date = None);
                self.changes(19, delta(who(INES, "injuries"), DeltaOp::Remove, "queimadura"))
            }
            Code::OutfitChangeUnmotivated => {
                self.node(3, |node| node.time.in_world_date = None);
                self.changes(3, set(who(INES, "outfit"), "vestido de baile"))
            }
            Code::KnowledgeLeak => self.node(4, |node| {
                let (entity_id, knows) = (INES.to_owned(), CUT.to_owned());
                node.requires.push(Requirement { entity_id, knows });
            }),
            Code::PayoffBeforeSetup => {
                self.node(2, |node| node.hooks.payoff_targets.push(CORD.to_owned()))
            }
            Code::PayoffTargetMissing => {
                self.node(2, |node| node.hooks.payoff_targets.push("o quarto sino".to_owned()))
            }
            Code::ForeshadowUnpaid => {
                self.node(20, |node| node.hooks.foreshadow.push("o quarto sino".to_owned()))
            }
            _ => self.plant_order(code),
        }
    }

    /// Faults of order, edges and graph.
    fn plant_order(&mut self, code: Code) -> u32 {
        match code {
            Code::TimeOrderInversion => self.node(3, |node| node.time.order = 25),
            Code::InworldDateRegression => self.dated(2, "1893-02-27T10:00"),
            Code::FlashbackNotEarlier => {
                self.adds(235, Some("1893-07-01"));
                self.links(17, EXTRA, EdgeType::Flashback);
                EXTRA
            }
            Code::TimeOrderDuplicate => self.node(17, |node| node.time.order = 210),
            Code::EdgeConditionUnsatisfiable => self.asks(12, 13, "rota == \"ar\""),
            Code::EdgeConditionUnknownKey => self.asks(12, 13, "rotta == \"mar\""),
            Code::EdgeConditionFreeform => self.asks(17, 18, "se a coragem bastar"),
            Code::BranchStateDivergence => {
                self.changes(13, set(who(DARIO, "outfit"), "camisa rasgada"));
                15
            }
            Code::GraphCycle => {
                self.links(15, 12, EdgeType::Linear);
                15
            }
            Code::GraphUnreachable => {
                self.adds(300, None);
                self.links(EXTRA, EXTRA, EdgeType::Timejump);
                EXTRA
            }
            Code::GraphDeadEnd => {
                let last = node_id(14);
                self.demo.edges.retain(|edge| edge.from_node_id != last);
                14
            }
            Code::ChoiceSingleOption => {
                self.edge(17, 19, |edge| edge.edge_type = EdgeType::Branch);
                17
            }
            Code::StateWidened => self.doubles(),
            Code::FlashbackUnanchored => self.dated(5, "naquele verão"),
            Code::NodeUnlinked => {
                self.adds(300, None);
                EXTRA
            }
            _ => self.plant_content(code),
        }
    }

    /// Faults of references, changes, rules and structure.
    fn plant_content(&mut self, code: Code) -> u32 {
        match code {
            Code::RefMissing => self.joins(2, "d100000000000000000000ff"),
            Code::RefWrongType => self.node(2, |node| node.locations.push(CHAVE.to_owned())),
            Code::DeltaTypeMismatch => self.changes(2, delta("rota", DeltaOp::Inc, 1)),
            Code::DeltaContradictory => {
                self.changes(2, set("mare.atraso", 1));
                self.changes(2, set("mare.atraso", 2))
            }
            Code::DeltaRemoveMissing => {
                self.changes(2, delta(who(INES, "injuries"), DeltaOp::Remove, "febre"))
            }
            Code::RuleViolation => {
                self.forgets(18, &item(RELOGIO, "status"));
                20
            }
            Code::RelationContradiction => {
                self.entity(LEOCADIA, |one| one.relationships.push(relation(TOMAS, "ally_of")));
                self.entity(TOMAS, |one| one.relationships.push(relation(LEOCADIA, "enemy_of")));
                7
            }
            Code::RelationAsymmetric => {
                self.entity(LEOCADIA, |one| one.relationships.push(relation(TOMAS, "ally_of")));
                7
            }
            Code::SceneNoLocation => self.node(13, |node| node.locations.clear()),
            Code::SceneNoProtagonist => self.node(13, |node| {
                node.participants.iter_mut().for_each(|one| one.role = ParticipantRole::Support);
            }),
            Code::SceneGoalsEmpty => self.node(13, |node| node.goals.turn.clear()),
            // Every entity of the sample world is a draft.
            _ => self.node(13, |node| node.version.status = VersionStatus::Published),
        }
    }

    fn node(&mut self, number: u32, change: impl FnOnce(&mut StoryNode)) -> u32 {
        let id = node_id(number);
        self.demo.nodes.iter_mut().find(|node| node.id == id).map(change);
        number
    }

    fn edge(&mut self, from: u32, to: u32, change: impl FnOnce(&mut StoryEdge)) {
        let (from, to) = (node_id(from), node_id(to));
        let mut edges = self.demo.edges.iter_mut();
        edges.find(|edge| edge.from_node_id == from && edge.to_node_id == to).map(change);
    }

    fn entity(&mut self, id: &str, change: impl FnOnce(&mut Entity)) {
        self.demo.entities.iter_mut().find(|entity| entity.id == id).map(change);
    }

    fn changes(&mut self, number: u32, delta: Delta) -> u32 {
        self.node(number, |node| node.world_state_delta.push(delta))
    }

    fn forgets(&mut self, number: u32, key: &str) -> u32 {
        self.node(number, |node| node.world_state_delta.retain(|delta| delta.key != key))
    }

    fn moves(&mut self, number: u32, character: &str, place: &str) -> u32 {
        let location = who(character, "location");
        self.node(number, |node| {
            let mut deltas = node.world_state_delta.iter_mut();
            if let Some(delta) = deltas.find(|delta| delta.key == location) {
                delta.value = Value::from(place);
            }
        })
    }

    fn joins(&mut self, number: u32, entity_id: &str) -> u32 {
        let (entity_id, role) = (entity_id.to_owned(), ParticipantRole::Support);
        self.node(number, |node| node.participants.push(Participant { entity_id, role }))
    }

    fn dated(&mut self, number: u32, date: &str) -> u32 {
        self.node(number, |node| node.time.in_world_date = Some(date.to_owned()))
    }

    fn asks(&mut self, from: u32, to: u32, condition: &str) -> u32 {
        self.edge(from, to, |edge| edge.conditions = vec![condition.to_owned()]);
        to
    }

    fn links(&mut self, from: u32, to: u32, kind: EdgeType) {
        self.demo.edges.push(self.builder.edge(from, to, kind));
    }

    fn adds(&mut self, order: u64, date: Option<&str>) {
        let node = self.builder.node(EXTRA, NodeType::Beat, order, "Um instante a mais");
        self.demo.nodes.push(match date {
            Some(date) => node.on(date),
            None => node,
        });
    }

    /// Nine detours in a row, each of which counts twice as much as the one before.
    fn doubles(&mut self) -> u32 {
        let mut from = 21;
        for power in 0..9 {
            let (detour, next) = (EXTRA + 2 * power, EXTRA + 2 * power + 1);
            for number in [detour, next] {
                let order = u64::from(300 + number);
                self.demo.nodes.push(self.builder.node(
                    number,
                    NodeType::Beat,
                    order,
                    "Maré extra",
                ));
            }
            self.changes(detour, delta("mare.atraso", DeltaOp::Inc, json!(1 << power)));
            self.links(from, detour, EdgeType::Branch);
            self.links(from, next, EdgeType::Branch);
            self.links(detour, next, EdgeType::Linear);
            from = next;
        }
        from
    }
}

fn who(id: &str, field: &str) -> String {
    key("character", id, field)
}

fn item(id: &str, field: &str) -> String {
    key("item", id, field)
}
