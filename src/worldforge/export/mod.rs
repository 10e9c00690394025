//! A world as one JSON document, and back.
//!
//! Two exports: the story bible, which `import` reads, and the shot prompts by chapter. Both carry a
//! content hash that is equal for equal content, in any tenant and under any ids: see `content.rs`.
//! Prompt packs are derived from the world and are not part of the bible. Knows no tool and reads no
//! store.

mod bible;
mod content;
mod import;
mod packs;

#[cfg(test)]
mod tests;

pub(crate) use self::bible::content_hash;
pub use self::bible::story_bible;
pub(crate) use self::import::{Ids, Importer, import, is_unchanged};
pub(crate) use self::packs::{NotAChapter, shot_prompt_pack};

/// Version of both formats; grows when an older reader could no longer read them.
pub const FORMAT_VERSION: u64 = 1;
/// Names the story bible.
pub const STORY_BIBLE: &str = "worldforge.storyBible";
/// Names the export of prompt packs.
pub const SHOT_PROMPT_PACK: &str = "worldforge.shotPromptPack";
