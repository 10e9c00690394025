//! The continuity messages in English.

use super::Text;
use crate::continuity::Code;

const fn text(message: &'static str, suggestion: &'static str) -> Text {
    Text { message, suggestion }
}

pub(super) fn texts(code: Code) -> &'static [Text] {
    match code {
        Code::CharLocationMismatch => {
            const {
                &[text(
                    "{0} is at {1}, but “{node}” takes place at {2}.",
                    "Set the location of {0} in this node, or add {1} to its locations.",
                )]
            }
        }
        Code::CharTeleport => {
            const {
                &[text(
                    "{0} goes from {1} to {2} in “{node}” but no story time passes.",
                    "Give the node a later date, or reach it through a time jump.",
                )]
            }
        }
        Code::TravelTooFast => {
            const {
                &[text(
                    "{0} gets from {1} to {2} in “{node}” faster than the {3} hours the trip takes.",
                    "Give the node a later date, or shorten the travel time in the locations.",
                )]
            }
        }
        Code::CharDoubleBooked => {
            const {
                &[text(
                    "{0} takes part in “{1}” and in “{node}”, at different places, both at {2}.",
                    "Change the date of one of the nodes, or leave {0} out of one.",
                )]
            }
        }
        Code::CharDeadActive => {
            const {
                &[text(
                    "{0} takes part in “{node}”, but is dead.",
                    "Remove {0} from the participants, make the node a flashback, or move the death to a later node.",
                )]
            }
        }
        Code::CharResurrected => {
            const {
                &[text(
                    "{0} is dead and comes back to life in “{node}”.",
                    "Remove the change, or add a RULE that lists CHAR_RESURRECTED in `permits`.",
                )]
            }
        }
        Code::CharPosthumousLearning => {
            const {
                &[text(
                    "{0} learns “{1}” in “{node}”, but is dead.",
                    "Let {0} learn it before dying, or let another character learn it.",
                )]
            }
        }
        Code::ItemResurrected => {
            const {
                &[text(
                    "{0} was destroyed, but becomes {1} in “{node}”.",
                    "Remove the change, or add a RULE that lists ITEM_RESURRECTED in `permits`.",
                )]
            }
        }
        Code::ItemDestroyedPresent => {
            const {
                &[text(
                    "{0} is in “{node}”, but is destroyed or lost.",
                    "Remove {0} from the node, or set its status first to show that it was found.",
                )]
            }
        }
        Code::ItemTwoHolders => {
            const {
                &[text(
                    "After “{node}” both {1} and {2} have {0}.",
                    "Remove {0} from one inventory, or set its holder to whoever has it.",
                )]
            }
        }
        Code::ItemHolderAbsent => {
            const {
                &[text(
                    "{0} is used in “{node}”, but {1}, who has it, is not there.",
                    "Add {1} to the participants, or hand {0} over earlier.",
                )]
            }
        }
        Code::ItemTransferUnseen => {
            const {
                &[text(
                    "{0} leaves the hands of {1} in “{node}”, but {1} is not there.",
                    "Add {1} to the participants, or show how {0} was lost or taken.",
                )]
            }
        }
        Code::InjuryVanished => {
            const {
                &[text(
                    "The injury “{1}” of {0} is gone in “{node}”, but no time has passed.",
                    "Give the node a later date, reach it through a time jump, or keep the injury.",
                )]
            }
        }
        Code::OutfitChangeUnmotivated => {
            const {
                &[text(
                    "{0} wears “{2}” in “{node}”, but wore “{1}” at the same place a moment ago.",
                    "Keep the outfit, or let time pass between the scenes.",
                )]
            }
        }
        Code::KnowledgeLeak => {
            const {
                &[
                    text(
                        "{0} needs to know “{1}” in “{node}”, but has not learned it.",
                        "Let {0} learn it in an earlier node: ADD to the character's `knows`.",
                    ),
                    text(
                        "The edge from “{2}” to “{node}” requires {0} to know “{1}”, which {0} never learned.",
                        "Let {0} learn it in an earlier node: ADD to the character's `knows`.",
                    ),
                ]
            }
        }
        Code::PayoffBeforeSetup => {
            const {
                &[text(
                    "“{node}” pays off “{0}”, but “{1}”, which sets it up, does not come before it.",
                    "Set it up on the path to this node, or pay it off later.",
                )]
            }
        }
        Code::PayoffTargetMissing => {
            const {
                &[text(
                    "“{node}” pays off “{0}”, which no node sets up.",
                    "Add “{0}” to the foreshadowing of an earlier node, or correct the target.",
                )]
            }
        }
        Code::ForeshadowUnpaid => {
            const {
                &[text(
                    "“{node}” sets up “{0}”, which no later node pays off.",
                    "Add “{0}” to the payoff targets of a later node, or remove it from the foreshadowing.",
                )]
            }
        }
        Code::TimeOrderInversion => {
            const {
                &[text(
                    "The edge from “{0}” leads to “{1}”, which does not come later in the telling ({2}, then {3}).",
                    "Raise the order of “{1}”, or make the edge a time jump or a flashback.",
                )]
            }
        }
        Code::InworldDateRegression => {
            const {
                &[text(
                    "The in-world date goes backwards from “{0}” ({2}) to “{1}” ({3}).",
                    "Correct a date, or make the edge a time jump or a flashback.",
                )]
            }
        }
        Code::FlashbackNotEarlier => {
            const {
                &[text(
                    "The flashback from “{0}” ({2}) leads to “{1}” ({3}), which is not earlier.",
                    "Date “{1}” before “{0}”, or make the edge a time jump.",
                )]
            }
        }
        Code::TimeOrderDuplicate => {
            const {
                &[text(
                    "“{0}” and “{node}” are on one path and have the same order, {1}.",
                    "Give one of them a different order.",
                )]
            }
        }
        Code::EdgeConditionUnsatisfiable => {
            const {
                &[text(
                    "The edge from “{0}” to “{node}” can never be taken: {1} is false on every path.",
                    "Change the condition, or let an earlier node make it true.",
                )]
            }
        }
        Code::EdgeConditionUnknownKey => {
            const {
                &[text(
                    "The edge from “{0}” to “{node}” checks {1}, which no node ever changes.",
                    "Correct the key, or let a node set it.",
                )]
            }
        }
        Code::BranchStateDivergence => {
            const {
                &[text(
                    "Paths that meet in “{node}” disagree on {0}.",
                    "Set it in this node, or give each path a node of its own.",
                )]
            }
        }
        Code::GraphCycle => {
            const {
                &[text(
                    "The edge from “{node}” to “{0}” closes a cycle.",
                    "Remove the edge, or make it a time jump if the loop is intended.",
                )]
            }
        }
        Code::GraphUnreachable => {
            const {
                &[
                    text("No path leads from the beginning to “{node}”.", "Link it to the story."),
                    text(
                        "A condition earlier in the story closes every path to “{node}”.",
                        "Check the nodes before it, and the conditions of their edges.",
                    ),
                ]
            }
        }
        Code::GraphDeadEnd => {
            const {
                &[text(
                    "The story stops at “{node}”, which is not in the last chapter.",
                    "Add an edge to what comes next, or waive this finding if it is an ending.",
                )]
            }
        }
        Code::ChoiceSingleOption => {
            const {
                &[text(
                    "Only one choice leaves “{node}”, the one to “{0}”.",
                    "Add another choice, or make the edge linear.",
                )]
            }
        }
        Code::RefMissing => {
            const {
                &[
                    text(
                        "“{node}” has a participant that does not exist: {0}.",
                        "Create the entity, or remove the participant.",
                    ),
                    text(
                        "“{node}” has a location that does not exist: {0}.",
                        "Create the location, or remove it.",
                    ),
                    text(
                        "A change of “{node}” names an entity that does not exist: {0}.",
                        "Create the entity, or correct the id in the change.",
                    ),
                    text(
                        "“{node}” requires knowledge of a character that does not exist: {0}.",
                        "Create the character, or correct the requirement.",
                    ),
                    text(
                        "“{node}” names a chapter that does not exist: {0}.",
                        "Correct the chapter, or remove it so that the order of the telling decides.",
                    ),
                    text(
                        "An edge of “{node}” leads to or from a node that does not exist: {0}.",
                        "Remove the edge, or create the node.",
                    ),
                ]
            }
        }
        Code::RefWrongType => {
            const {
                &[
                    text(
                        "{0} cannot take part in “{node}”: rules and lore do not act.",
                        "Name a character, an item, a faction or a location.",
                    ),
                    text(
                        "“{node}” takes place at {0}, which is not a location.",
                        "Name a location.",
                    ),
                    text(
                        "A change of “{node}” names {0}, which is not of the type that the key names.",
                        "Correct the key or the id in the change.",
                    ),
                    text(
                        "“{node}” requires {0} to know something, but {0} is not a character.",
                        "Name a character.",
                    ),
                    text(
                        "“{node}” names “{0}” as its chapter, but that is not a chapter.",
                        "Name a chapter.",
                    ),
                ]
            }
        }
        Code::DeltaTypeMismatch => {
            const {
                &[text(
                    "{1} {2} in “{node}” does not fit the value of {0}.",
                    "INC and DEC need a number, ADD and REMOVE a list; SET replaces anything.",
                )]
            }
        }
        Code::DeltaContradictory => {
            const {
                &[text(
                    "“{node}” sets {0} to {1} and to {2}.",
                    "Keep one of the changes, or split the node in two.",
                )]
            }
        }
        Code::DeltaRemoveMissing => {
            const {
                &[text(
                    "“{node}” removes {2} from {0}, which does not contain it.",
                    "Remove the change, or let an earlier node add {2}.",
                )]
            }
        }
        Code::RuleViolation => {
            const {
                &[text(
                    "“{node}” breaks the rule “{0}”. {1}",
                    "Change the node, or the constraint of the rule.",
                )]
            }
        }
        Code::RelationContradiction => {
            const {
                &[text(
                    "{0} and {1}, both in “{node}”, are both allies and enemies.",
                    "Keep one of the relationships.",
                )]
            }
        }
        Code::RelationAsymmetric => {
            const {
                &[text(
                    "{0} is linked to {2} as {1}, but {2} has no link back.",
                    "Link {2} to {0} as well.",
                )]
            }
        }
        Code::SceneNoLocation => {
            const { &[text("The scene “{node}” has no location.", "Add a location.")] }
        }
        Code::SceneNoProtagonist => {
            const {
                &[text(
                    "The scene “{node}” has no protagonist.",
                    "Give one of the participants the role PROTAGONIST.",
                )]
            }
        }
        Code::SceneGoalsEmpty => {
            const { &[text("The scene “{node}” lacks {0}.", "Fill in what the scene is for.")] }
        }
        Code::PublishedUsesDraft => {
            const {
                &[
                    text("“{node}” is published, but {0} is a draft.", "Publish {0}."),
                    text(
                        "“{node}” is published, but {0} has unpublished changes.",
                        "Publish {0} again.",
                    ),
                ]
            }
        }
        Code::StateWidened => {
            const {
                &[text(
                    "Too many paths meet in “{node}” to track separately; later findings may mix them.",
                    "Set the keys that differ in this node, so that the paths agree again.",
                )]
            }
        }
        Code::FlashbackUnanchored => {
            const {
                &[text(
                    "The flashback “{node}” has no comparable date, so it starts from an empty world.",
                    "Give it and the nodes before it dates in the same calendar.",
                )]
            }
        }
        Code::NodeUnlinked => {
            const {
                &[text(
                    "No edge leads to “{node}”; it follows the previous node in the telling.",
                    "Link it to the story.",
                )]
            }
        }
        Code::EdgeConditionFreeform => {
            const {
                &[text(
                    "A condition on the edge from “{0}” to “{node}” cannot be evaluated: {1}",
                    "To have it evaluated, write it as `key == value`, `key` or `!key`.",
                )]
            }
        }
    }
}
