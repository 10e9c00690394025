//! Keys that occur twice in the arguments of a call: what a guard or a person saw could be the other one.

use serde_json::Value;
use toolwright_testing::StdioSession;

use crate::server_homes::empty_home;
use crate::sizes::SURFACES;

#[test]
fn no_tool_takes_arguments_with_a_key_twice() {
    for name in SURFACES {
        let home = empty_home(name);
        let mut client = StdioSession::start(home.server(), "duplicates");
        let mut named = 0;
        for tool in client.tools() {
            let properties = tool["inputSchema"]["properties"].as_object().cloned();
            let key = properties.unwrap_or_default().keys().next().cloned();
            let key = key.unwrap_or_else(|| "anything".to_owned());
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{{"name":{},"arguments":{{"{key}":{{"a":1}},"{key}":"b"}}}}}}"#,
                tool["name"]
            );
            client.send_line(&line);
            let answer = loop {
                let answer: Value = client.receive();
                if answer["id"] == "twice" {
                    break answer;
                }
            };
            let failed = answer["result"]["isError"] == true || answer.get("error").is_some();
            assert!(failed, "{name} {}: {answer}", tool["name"]);
            // A guard that comes before the arguments are read refuses without looking at them, as it does
            // in every tool of yarnnn.
            named += usize::from(answer.to_string().contains("the same key twice"));
        }
        assert!(named > 0 || name == "yarnnn", "{name} names no duplicate");
        client.close();
    }
}
