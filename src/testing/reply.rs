//! What a tool call came to, over either transport or in this process.

use serde_json::{Value, json};
use toolwright_runtime::Outcome;

/// Where surfaces put the code of an error.
const CODES: [&str; 3] = ["/code", "/error_code", "/errors/0/code"];

/// The reply to a `tools/call`.
#[derive(Debug, Clone)]
pub struct ToolReply {
    /// The structured content; the data of a JSON-RPC error.
    pub body: Value,
    /// The call failed.
    pub is_error: bool,
    /// The code where it is a JSON-RPC error.
    pub protocol_code: Option<i64>,
    /// The whole response.
    pub response: Value,
}

impl ToolReply {
    /// Reads a JSON-RPC response.
    pub fn of(response: Value) -> Self {
        let error = response.get("error");
        let result = &response["result"];
        Self {
            body: match error {
                Some(error) => error["data"].clone(),
                None => result["structuredContent"].clone(),
            },
            is_error: error.is_some() || result["isError"] == true,
            protocol_code: error.and_then(|error| error["code"].as_i64()),
            response,
        }
    }

    /// The code of a failure.
    pub fn code(&self) -> Option<&str> {
        let mut codes = CODES.iter().filter_map(|place| self.body.pointer(place)?.as_str());
        self.is_error.then(|| codes.next()).flatten()
    }

    /// What the result's `_meta` has under this key.
    #[track_caller]
    pub fn meta(&self, key: &str) -> &Value {
        let found = self.response["result"]["_meta"].get(key);
        found.unwrap_or_else(|| panic!("no `{key}` in {}", self.response))
    }

    /// The body of a call that must have succeeded.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(!self.is_error, "{}", self.response);
        self.body
    }

    /// The body of a call that must have failed with this code.
    #[track_caller]
    pub fn fails(self, code: &str) -> Value {
        assert_eq!(self.code(), Some(code), "{}", self.response);
        self.body
    }
}

impl From<Outcome> for ToolReply {
    /// Reads what a call in this process came to, as the response that would carry it. Panics when
    /// it is a question: nobody can be asked here.
    fn from(outcome: Outcome) -> Self {
        Self::of(match outcome {
            Outcome::Answer(answer) => {
                let body: Value = serde_json::from_str(&answer.body).expect("an answer is JSON");
                json!({"result": {
                    "structuredContent": body, "isError": answer.is_error, "_meta": answer.meta,
                }})
            }
            Outcome::Protocol(error) => {
                let data = error.data.unwrap_or_default();
                json!({"error": {"code": error.code, "message": error.message, "data": data}})
            }
            Outcome::NeedsInput(input) => panic!("nobody can be asked here: {input:?}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_a_code_wherever_the_surface_puts_it() {
        for body in
            [json!({"code": "C"}), json!({"error_code": "C"}), json!({"errors": [{"code": "C"}]})]
        {
            let result = json!({"result": {"isError": true, "structuredContent": body}});
            ToolReply::of(result).fails("C");
            let error = ToolReply::of(json!({"error": {"code": -32001, "data": body}}));
            assert_eq!((error.code(), error.protocol_code), (Some("C"), Some(-32001)));
        }
        let good = json!({"result": {"isError": false, "structuredContent": {"code": "C"}}});
        assert_eq!(ToolReply::of(good.clone()).code(), None);
        assert_eq!(ToolReply::of(good).ok()["code"], "C");
    }
}
