//! `wa.get_text`

use toolwright_runtime::page::budget_bytes;
use toolwright_runtime::{Call, Handle, Tool as _};

use crate::engine::Engine;
use crate::generated::{
    GetText, GetTextRequest, GetTextResponse, PaneText, Result, TruncationInfo,
};
use crate::mux::Lines;
use crate::{Wa, error};

/// Longer texts are cut from the front: half of what the answer may have, as JSON needs room.
const MAX_BYTES: usize = budget_bytes(GetText::INFO.budget.result_tokens) / 2;

impl Handle<GetText> for Wa {
    async fn handle(&self, _: &Call, request: GetTextRequest) -> Result<GetTextResponse> {
        self.run(move |engine| read(engine, &request)).await
    }
}

fn read(engine: &Engine, request: &GetTextRequest) -> error::Result<PaneText> {
    let found = engine.find(request.pane_id)?;
    let all = found.mux.text(found.row.native_id, Lines::All, request.escapes)?;
    let all = engine.redact_shown(&all.text);
    let kept = tail(&all, usize::try_from(request.tail).unwrap_or(usize::MAX));
    let cut = kept.len() < all.len();
    Ok(PaneText {
        pane_id: request.pane_id,
        tail_lines: request.tail,
        escapes_included: request.escapes,
        truncated: cut.then_some(true),
        truncation_info: cut.then(|| TruncationInfo {
            original_bytes: Some(all.len() as u64),
            returned_bytes: Some(kept.len() as u64),
            original_lines: Some(lines(&all)),
            returned_lines: Some(lines(kept)),
        }),
        text: kept.to_owned(),
    })
}

/// The last `count` lines that fit; 0 means all.
fn tail(text: &str, count: usize) -> &str {
    let by_lines = match count {
        0 => 0,
        _ => text.rmatch_indices('\n').nth(count - 1).map_or(0, |(at, _)| at + 1),
    };
    let by_bytes = match text.len().checked_sub(MAX_BYTES) {
        // Whole lines, unless one line alone is too long.
        Some(over) if over > 0 => {
            let over = text.ceil_char_boundary(over);
            text[over..].find('\n').map_or(over, |at| over + at + 1)
        }
        _ => 0,
    };
    &text[by_lines.max(by_bytes)..]
}

fn lines(text: &str) -> u64 {
    text.lines().count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept() {
        assert_eq!(tail("a\nb\nc", 2), "b\nc");
        assert_eq!(tail("a\nb\nc", 3), "a\nb\nc");
        assert_eq!(tail("a\nb\nc", 9), "a\nb\nc");
        assert_eq!(tail("a\nb\nc", 0), "a\nb\nc");
        assert_eq!(tail("", 5), "");
    }

    #[test]
    fn a_long_text_is_cut_at_a_line() {
        let text = format!("{}\nend", "ä".repeat(MAX_BYTES));
        assert_eq!(tail(&text, 0), "end");
        let one_line = "ä".repeat(MAX_BYTES);
        assert_eq!(tail(&one_line, 0).len(), MAX_BYTES);
    }
}
