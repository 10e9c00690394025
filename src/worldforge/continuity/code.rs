//! The continuity codes: one table for rules, documentation and tests.
//!
//! A code is never renamed and never used for something else.

use crate::model::Severity;

/// Static facts about a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// As clients see it.
    pub name: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// One line on when it is reported.
    pub meaning: &'static str,
}

macro_rules! codes {
    ($($code:ident $name:literal $severity:ident $meaning:literal)*) => {
        /// A rule, or a note of the engine.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $meaning] $code,)*
        }

        /// Every code.
        pub static CODES: &[CodeInfo] = &[$(CodeInfo {
            code: Code::$code,
            name: $name,
            severity: Severity::$severity,
            meaning: $meaning,
        },)*];
    };
}

codes! {
    CharLocationMismatch "CHAR_LOCATION_MISMATCH" Warn
        "A participant is, after the node, somewhere other than the node's locations."
    CharTeleport "CHAR_TELEPORT" Warn
        "A character changes place, but no story time passes."
    TravelTooFast "TRAVEL_TOO_FAST" Error
        "A character changes place in less time than the trip takes."
    CharDoubleBooked "CHAR_DOUBLE_BOOKED" Error
        "A character takes part in two nodes at the same moment in different places on one path."
    CharDeadActive "CHAR_DEAD_ACTIVE" Error
        "A participant is already dead before the node."
    CharResurrected "CHAR_RESURRECTED" Error
        "A dead character is alive again, and no rule of the world permits it."
    CharPosthumousLearning "CHAR_POSTHUMOUS_LEARNING" Error
        "A character learns something after death."
    ItemResurrected "ITEM_RESURRECTED" Error
        "A destroyed item is whole again, and no rule of the world permits it."
    ItemDestroyedPresent "ITEM_DESTROYED_PRESENT" Error
        "A destroyed or lost item takes part, is taken up or is changed."
    ItemTwoHolders "ITEM_TWO_HOLDERS" Error
        "An item is in two inventories, or in one that is not its holder's."
    ItemHolderAbsent "ITEM_HOLDER_ABSENT" Warn
        "An item is used, but neither it nor its holder is in the scene."
    ItemTransferUnseen "ITEM_TRANSFER_UNSEEN" Warn
        "An item changes hands, but its former holder is not in the scene."
    InjuryVanished "INJURY_VANISHED" Warn
        "An injury is gone, but no time has passed since."
    OutfitChangeUnmotivated "OUTFIT_CHANGE_UNMOTIVATED" Warn
        "A character wears something else in the next scene, at the same place, with no time in between."
    KnowledgeLeak "KNOWLEDGE_LEAK" Error
        "A node requires knowledge that its character has not learned on the way."
    PayoffBeforeSetup "PAYOFF_BEFORE_SETUP" Error
        "A payoff comes before its setup."
    PayoffTargetMissing "PAYOFF_TARGET_MISSING" Error
        "A payoff has no setup in any node."
    ForeshadowUnpaid "FORESHADOW_UNPAID" Warn
        "A setup has no payoff downstream; INFO while nodes are drafts."
    TimeOrderInversion "TIME_ORDER_INVERSION" Error
        "A straight edge leads to a node that does not come later in the telling."
    InworldDateRegression "INWORLD_DATE_REGRESSION" Warn
        "The in-world date goes backwards along a straight edge."
    FlashbackNotEarlier "FLASHBACK_NOT_EARLIER" Warn
        "A flashback leads to a date that is not before the node that remembers."
    TimeOrderDuplicate "TIME_ORDER_DUPLICATE" Info
        "Two nodes on one path have the same order."
    EdgeConditionUnsatisfiable "EDGE_CONDITION_UNSATISFIABLE" Error
        "A condition of an edge is false on every path."
    EdgeConditionUnknownKey "EDGE_CONDITION_UNKNOWN_KEY" Warn
        "A condition of an edge checks a key that no node writes."
    BranchStateDivergence "BRANCH_STATE_DIVERGENCE" Info
        "Paths that meet here disagree on something the node shows."
    GraphCycle "GRAPH_CYCLE" Error
        "Edges form a cycle without a time jump or a flashback."
    GraphUnreachable "GRAPH_UNREACHABLE" Warn
        "No path from a beginning leads to the node."
    GraphDeadEnd "GRAPH_DEAD_END" Info
        "No edge leaves a node that is not an ending."
    ChoiceSingleOption "CHOICE_SINGLE_OPTION" Warn
        "Exactly one choice leaves a node."
    RefMissing "REF_MISSING" Error
        "A participant, location, change, requirement, chapter or edge names something that does not exist."
    RefWrongType "REF_WRONG_TYPE" Error
        "A reference names something of the wrong type."
    DeltaTypeMismatch "DELTA_TYPE_MISMATCH" Error
        "A change does not fit the type of the existing value."
    DeltaContradictory "DELTA_CONTRADICTORY" Error
        "A node sets one key to two values."
    DeltaRemoveMissing "DELTA_REMOVE_MISSING" Warn
        "A node removes something that is not there."
    RuleViolation "RULE_VIOLATION" Error
        "A rule of the world is broken; the rule can lower the severity."
    RelationContradiction "RELATION_CONTRADICTION" Warn
        "Two participants are allies and enemies of each other."
    RelationAsymmetric "RELATION_ASYMMETRIC" Info
        "A relationship between participants has no counterpart."
    SceneNoLocation "SCENE_NO_LOCATION" Warn
        "A scene has no location."
    SceneNoProtagonist "SCENE_NO_PROTAGONIST" Info
        "A scene has no protagonist."
    SceneGoalsEmpty "SCENE_GOALS_EMPTY" Info
        "A scene lacks a dramatic goal, a conflict or a turn."
    PublishedUsesDraft "PUBLISHED_USES_DRAFT" Warn
        "A published node refers to an entity that is a draft or has unpublished changes."
    StateWidened "STATE_WIDENED" Info
        "Too many paths meet to track separately; later findings may mix values of different paths."
    FlashbackUnanchored "FLASHBACK_UNANCHORED" Info
        "A flashback has no comparable date, so it starts from an empty world."
    NodeUnlinked "NODE_UNLINKED" Info
        "No edge leads to the node, so it follows the order of the telling."
    EdgeConditionFreeform "EDGE_CONDITION_FREEFORM" Info
        "A condition of an edge cannot be parsed and is kept as a remark."
}

impl Code {
    /// What is known about it.
    pub fn info(self) -> &'static CodeInfo {
        &CODES[self as usize]
    }

    /// As clients see it.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The code of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        CODES.iter().find(|info| info.name == name).map(|info| info.code)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_forty_one_rules_and_four_notes() {
        assert_eq!(CODES.len(), 45);
        let names: BTreeSet<&str> = CODES.iter().map(|info| info.name).collect();
        assert_eq!(names.len(), 45);
        let notes = &CODES[41..];
        assert!(notes.iter().all(|info| info.severity == Severity::Info));
    }

    #[test]
    fn a_code_finds_its_own_row() {
        for info in CODES {
            assert_eq!(info.code.info(), info);
            assert_eq!(Code::from_name(info.name), Some(info.code));
            assert!(info.meaning.ends_with('.'), "{}", info.name);
        }
        assert_eq!(Code::from_name("NO_SUCH_CODE"), None);
    }
}
