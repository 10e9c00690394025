//! The camera of each kind of shot: framing, focal length, and how it moves.

use serde::Serialize;

/// What a shot is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) enum Kind {
    /// Everybody in the place.
    Establishing,
    /// The protagonist.
    Medium,
    /// The turn on a face.
    CloseUp,
    /// The conflict, over a shoulder.
    OverTheShoulder,
    /// The conflict, if the scene has no characters.
    Reverse,
    /// A thing.
    Insert,
    /// The effect on another character.
    Reaction,
    /// Another place.
    OtherPlace,
    /// A promise.
    Cutaway,
}

/// How a kind of shot is taken.
pub(super) struct Camera {
    /// At the head of the prompt.
    pub(super) label: &'static str,
    /// Size of the shot.
    pub(super) framing: &'static str,
    /// Focal length in millimetres.
    pub(super) lens: u32,
    /// Movement of variant A.
    pub(super) steady: &'static str,
    /// Movement of variant B.
    pub(super) organic: &'static str,
}

impl Kind {
    /// How it is taken.
    pub(super) fn camera(self) -> Camera {
        let (label, framing, lens, steady, organic) = match self {
            Self::Establishing => {
                ("Establishing wide", "wide shot", 24, "slow dolly in", "handheld drift")
            }
            Self::Medium => ("Medium", "medium shot", 35, "tripod", "subtle handheld"),
            Self::CloseUp => ("Close-up", "close-up", 50, "locked-off", "micro handheld"),
            Self::OverTheShoulder => {
                ("Over-the-shoulder", "over-the-shoulder shot", 35, "slow push", "handheld push")
            }
            Self::Reverse => ("Reverse", "reverse wide shot", 35, "slow push", "handheld push"),
            Self::Insert => ("Insert", "insert", 85, "macro slider", "handheld macro"),
            Self::Reaction => ("Reaction", "close-up", 50, "locked-off", "micro handheld"),
            Self::OtherPlace => {
                ("Establishing wide", "wide shot", 24, "slow dolly in", "handheld drift")
            }
            Self::Cutaway => ("Cutaway", "insert", 85, "macro slider", "handheld macro"),
        };
        Camera { label, framing, lens, steady, organic }
    }
}

/// The allowed focal length that is nearest; the shorter of two that are equally near.
pub(super) fn nearest(wanted: u32, allowed: &[u32]) -> u32 {
    allowed.iter().copied().min_by_key(|lens| (lens.abs_diff(wanted), *lens)).unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_lenses_gives_the_nearest_one() {
        assert_eq!(nearest(35, &[]), 35);
        assert_eq!(nearest(35, &[18, 40, 75]), 40);
        assert_eq!(nearest(35, &[40, 30]), 30);
    }
}
