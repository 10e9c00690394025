//! What wa's tests ask of a session: calls that must succeed, calls that must fail, and bounded waits.
//! Every answer is checked against the contract's schemas.

use std::ops::{Deref, DerefMut};

use serde_json::{Value, json};
use toolwright_testing::{StdioSession, eventually};

use super::schemas;

pub(crate) struct Session(pub(crate) StdioSession);

impl Deref for Session {
    type Target = StdioSession;

    fn deref(&self) -> &StdioSession {
        &self.0
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut StdioSession {
        &mut self.0
    }
}

impl Session {
    /// kill -9 of the server.
    pub(crate) fn kill(self) {
        self.0.kill();
    }

    /// Says goodbye as a host does.
    pub(crate) fn close(self) {
        self.0.close();
    }

    /// Calls a tool; its envelope, held against the contract.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin_call(tool, &arguments);
        self.answer(tool, id)
    }

    /// The envelope of a call that was begun.
    pub(crate) fn answer(&mut self, tool: &str, id: u64) -> Value {
        let response = self.wait(id);
        let mut result = response["result"].clone();
        assert!(result.is_object(), "{tool}: {response}");
        let envelope = result["structuredContent"].take();
        schemas::check(tool, &envelope);
        assert_eq!(result["isError"] == true, envelope["ok"] == false, "{tool}: {envelope}");
        let text: Value = result["content"][0]["text"]
            .as_str()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        assert_eq!(text, envelope, "{tool} says one thing as text and another as data");
        envelope
    }

    /// The data of a call that must go well.
    pub(crate) fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let mut envelope = self.call(tool, arguments.clone());
        assert_eq!(envelope["ok"], true, "{tool} {arguments}: {envelope}");
        envelope["data"].take()
    }

    /// The refusal of a call that must fail with this code. Every refusal says what to do next.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value, code: &str) -> Refusal {
        let envelope = self.call(tool, arguments);
        Refusal::of(tool, &envelope, code)
    }

    /// Calls until the data is as wanted.
    pub(crate) fn until(
        &mut self,
        what: &str,
        tool: &str,
        arguments: Value,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        let mut last = Value::Null;
        // The last answer tells more than that it never came.
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            eventually(what, || {
                last = self.data(tool, arguments.clone());
                wanted(&last).then(|| last.clone())
            })
        }));
        found.unwrap_or_else(|_| panic!("{what}: {tool} {arguments} last said {last:#}"))
    }

    /// Waits until a shell is at its prompt.
    pub(crate) fn wait_for_prompt(&mut self, pane: u64) {
        self.until("a prompt", "wa.state", json!({"pane_id": pane}), |panes| {
            panes[0]["pane_state"]["prompt_active"] == true
        });
        self.until("a prompt", "wa.get_text", json!({"pane_id": pane}), |data| {
            text(&data["text"]).trim_end().ends_with('$')
        });
    }

    /// Waits until the pane's text, scrollback included, is as wanted.
    pub(crate) fn wait_for_text(&mut self, pane: u64, wanted: impl Fn(&str) -> bool) -> String {
        let arguments = json!({"pane_id": pane, "tail": 0});
        let data =
            self.until("a text", "wa.get_text", arguments, |data| wanted(text(&data["text"])));
        text(&data["text"]).to_owned()
    }

    /// Waits until a pane is in this state.
    pub(crate) fn wait_for_state(&mut self, pane: u64, flag: &str, value: bool) -> Value {
        self.until(flag, "wa.state", json!({"pane_id": pane}), |panes| {
            panes[0]["pane_state"][flag] == value
        })
    }

    /// Waits until a notification is as wanted, and takes it out of `notifications`.
    pub(crate) fn wait_for_notification(
        &mut self,
        what: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        eventually(what, || {
            // An exchange brings whatever the server has said meanwhile.
            self.request("ping", json!({}));
            let place = self.notifications.iter().position(&wanted)?;
            Some(self.notifications.remove(place))
        })
    }

    /// The approval code of an action that must be held by this rule.
    pub(crate) fn held(&mut self, tool: &str, arguments: Value, rule: &str) -> String {
        let refusal = self.refused(tool, arguments, "WA-MCP-0006");
        assert_eq!(refusal.reason(), rule, "{refusal:?}");
        refusal.code().unwrap_or_else(|| panic!("no approval code: {refusal:?}"))
    }
}

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) error: String,
    pub(crate) hint: String,
}

impl Refusal {
    pub(crate) fn of(tool: &str, envelope: &Value, code: &str) -> Self {
        assert_eq!(envelope["error_code"], code, "{tool}: {envelope}");
        let hint = text(&envelope["hint"]).to_owned();
        assert!(!hint.trim().is_empty(), "{tool} gives no hint: {envelope}");
        Self { error: text(&envelope["error"]).to_owned(), hint }
    }

    /// The finer code in front of the message.
    pub(crate) fn reason(&self) -> &str {
        self.error.split_once(": ").map_or("", |(reason, _)| reason)
    }

    /// The approval code in the hint.
    pub(crate) fn code(&self) -> Option<String> {
        let words = self.hint.split(|c: char| !c.is_ascii_alphanumeric());
        let is_code = |word: &&str| {
            word.len() == 8 && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        };
        let mut codes = words.filter(is_code);
        codes.next().map(str::to_owned)
    }
}

/// A string of an answer.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
