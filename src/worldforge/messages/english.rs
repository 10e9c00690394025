//! Continuity in English.

use super::Text;
use crate::continuity::Code;

const fn text(says: &'static str, mend: &'static str) -> Text {
    Text { says, mend }
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
                    "{0} goes from {1} to {2} in “{node}” although no story time passes.",
                    "Give the node a later date, or come to it by a time jump.",
                )]
            }
        }
        Code::TravelTooFast => {
            const {
                &[text(
                    "{0} comes from {1} to {2} in “{node}” in less time than the {3} hours it takes.",
                    "Date the node later, or shorten the way in the locations.",
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
                    "Take {0} out of the participants, tell it as a flashback, or let the death come later.",
                )]
            }
        }
        Code::CharResurrected => {
            const {
                &[text(
                    "{0} is dead and comes back to life in “{node}”.",
                    "Take the change out, or write a RULE that lists CHAR_RESURRECTED in `permits`.",
                )]
            }
        }
        Code::CharPosthumousLearning => {
            const {
                &[text(
                    "{0} learns “{1}” in “{node}”, but is dead.",
                    "Let {0} learn it before death, or let somebody else learn it.",
                )]
            }
        }
        Code::ItemResurrected => {
            const {
                &[text(
                    "{0} was destroyed, but becomes {1} in “{node}”.",
                    "Take the change out, or write a RULE that lists ITEM_RESURRECTED in `permits`.",
                )]
            }
        }
        Code::ItemDestroyedPresent => {
            const {
                &[text(
                    "{0} is in “{node}”, but is destroyed or lost.",
                    "Take {0} out of the node, or let it be found first by setting its status.",
                )]
            }
        }
        Code::ItemTwoHolders => {
            const {
                &[text(
                    "After “{node}” both {1} and {2} have {0}.",
                    "Take {0} out of one inventory, or set its holder to the one who has it.",
                )]
            }
        }
        Code::ItemHolderAbsent => {
            const {
                &[text(
                    "{0} is used in “{node}”, but {1}, who has it, is not there.",
                    "Add {1} to the participants, or hand {0} over before.",
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
                    "The injury “{1}” of {0} is gone in “{node}” although no time passed.",
                    "Date the node later, come to it by a time jump, or keep the injury.",
                )]
            }
        }
        Code::OutfitChangeUnmotivated => {
            const {
                &[text(
                    "{0} wore “{1}” a moment ago at the same place and wears “{2}” in “{node}”.",
                    "Keep the outfit, or let time pass between the scenes.",
                )]
            }
        }
        Code::KnowledgeLeak => {
            const {
                &[
                    text(
                        "{0} must know “{1}” in “{node}”, but has not learned it.",
                        "Let {0} learn it in an earlier node: ADD to the character's `knows`.",
                    ),
                    text(
                        "The way from “{2}” to “{node}” needs {0} to know “{1}”, which {0} never learned.",
                        "Let {0} learn it in an earlier node: ADD to the character's `knows`.",
                    ),
                ]
            }
        }
        Code::PayoffBeforeSetup => {
            const {
                &[text(
                    "“{node}” keeps the promise “{0}”, but “{1}”, which makes it, does not come before.",
                    "Make the promise on the way to this node, or keep it later.",
                )]
            }
        }
        Code::PayoffTargetMissing => {
            const {
                &[text(
                    "“{node}” keeps the promise “{0}”, which no node makes.",
                    "Add “{0}” to the foreshadowing of an earlier node, or correct the target.",
                )]
            }
        }
        Code::ForeshadowUnpaid => {
            const {
                &[text(
                    "The promise “{0}” of “{node}” is kept nowhere after it.",
                    "Add “{0}” to the payoff targets of a later node, or take the promise out.",
                )]
            }
        }
        Code::TimeOrderInversion => {
            const {
                &[text(
                    "The edge from “{0}” leads to “{1}”, which is not told later ({2}, then {3}).",
                    "Raise the order of “{1}”, or make the edge a time jump or a flashback.",
                )]
            }
        }
        Code::InworldDateRegression => {
            const {
                &[text(
                    "The date goes back from “{0}” ({2}) to “{1}” ({3}).",
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
                    "“{0}” and “{node}” lie on one path and have the same order {1}.",
                    "Give one of them another order.",
                )]
            }
        }
        Code::EdgeConditionUnsatisfiable => {
            const {
                &[text(
                    "The way from “{0}” to “{node}” is never open: {1} is false on every path.",
                    "Change the condition, or let an earlier node make it true.",
                )]
            }
        }
        Code::EdgeConditionUnknownKey => {
            const {
                &[text(
                    "The way from “{0}” to “{node}” asks for {1}, which no node ever changes.",
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
                    "The way from “{node}” to “{0}” closes a circle.",
                    "Take the edge out, or make it a time jump if the story means to go round.",
                )]
            }
        }
        Code::GraphUnreachable => {
            const {
                &[
                    text("Nothing leads from the beginning to “{node}”.", "Link it to the story."),
                    text(
                        "Every way to “{node}” is closed by a condition further up.",
                        "Check the nodes before it, and the conditions of their edges.",
                    ),
                ]
            }
        }
        Code::GraphDeadEnd => {
            const {
                &[text(
                    "The story stops at “{node}”, which is not in the last chapter.",
                    "Add an edge to what comes next, or waive this if it is an ending.",
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
                        "Create the entity, or take the participant out.",
                    ),
                    text(
                        "“{node}” has a location that does not exist: {0}.",
                        "Create the location, or take it out.",
                    ),
                    text(
                        "A change of “{node}” names an entity that does not exist: {0}.",
                        "Create the entity, or correct the id in the change.",
                    ),
                    text(
                        "“{node}” requires the knowledge of somebody who does not exist: {0}.",
                        "Create the character, or correct the requirement.",
                    ),
                    text(
                        "“{node}” names a chapter that does not exist: {0}.",
                        "Correct the chapter, or leave it to the order of the telling.",
                    ),
                    text(
                        "An edge of “{node}” leads to or from a node that does not exist: {0}.",
                        "Take the edge out, or create the node.",
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
                    text("“{node}” takes place at {0}, which is no location.", "Name a location."),
                    text(
                        "A change of “{node}” names {0}, which is not of the type that belongs there.",
                        "Correct the key or the id in the change.",
                    ),
                    text(
                        "“{node}” requires {0} to know something, but {0} is no character.",
                        "Name a character.",
                    ),
                    text("“{node}” names “{0}” as its chapter, which is none.", "Name a chapter."),
                ]
            }
        }
        Code::DeltaTypeMismatch => {
            const {
                &[text(
                    "{1} {2} in “{node}” cannot work with the value of {0}.",
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
                    "“{node}” takes {2} away from {0}, where it is not.",
                    "Take the change out, or let an earlier node add {2}.",
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
                    "{0} and {1}, both in “{node}”, are said to be allies and enemies.",
                    "Keep one of the relationships.",
                )]
            }
        }
        Code::RelationAsymmetric => {
            const {
                &[text(
                    "{0} is linked to {2} as {1}, but not the other way round.",
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
            const { &[text("The scene “{node}” lacks {0}.", "Write down what the scene is for.")] }
        }
        Code::PublishedUsesDraft => {
            const {
                &[
                    text("“{node}” is published, but {0} is a draft.", "Publish {0}."),
                    text(
                        "“{node}” is published, but {0} has changes that are not.",
                        "Publish {0} again.",
                    ),
                ]
            }
        }
        Code::StateWidened => {
            const {
                &[text(
                    "Too many paths meet in “{node}” to be kept apart; later findings may mix them.",
                    "Set the keys that differ in this node, so that the paths agree again.",
                )]
            }
        }
        Code::FlashbackUnanchored => {
            const {
                &[text(
                    "The flashback “{node}” has no date to compare, so it starts from an empty world.",
                    "Date it, and the nodes before it, on one calendar.",
                )]
            }
        }
        Code::NodeUnlinked => {
            const {
                &[text(
                    "No edge leads to “{node}”; it follows the node told before it.",
                    "Link it to the story.",
                )]
            }
        }
        Code::EdgeConditionFreeform => {
            const {
                &[text(
                    "A condition on the way from “{0}” to “{node}” is only a remark: {1}",
                    "Write it as `key == value`, `key` or `!key` if it is to be checked.",
                )]
            }
        }
    }
}
