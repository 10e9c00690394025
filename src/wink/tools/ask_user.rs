//! The question before a delete, for clients that can ask their user.

use toolwright_runtime::ask::{Question, excerpt};

use crate::engine::FileFacts;

/// How much of a text is shown, in characters.
const SHOWN: usize = 600;

/// Asks about an entry of a file. A yes is for the file as it is now.
pub(super) fn question(entry: &str, file: &FileFacts, text: &str, last: bool) -> Question {
    let FileFacts { ns, prompt, tag, .. } = file;
    let whole = if last { "\nIt is the last one: the file is removed with it." } else { "" };
    let text = excerpt(text, SHOWN);
    let path = excerpt(&file.backing_file_path, SHOWN);
    Question::new(format!(
        "Delete the override of {entry} in {ns}/{prompt} (tag {tag})?\nFile: {path}{whole}\n\n{text}"
    ))
    .about(file.content_hash.clone().unwrap_or_default())
}
