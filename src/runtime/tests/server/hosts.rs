//! The spelling of tool names that each known host is served, and everybody else.

use serde_json::{Value, json};
use toolwright_runtime::contract::Profile;
use toolwright_runtime::server::{HttpOptions, ServeOptions, ToolNames};

use crate::client::Client;
use crate::http::Server;
use crate::surface::modern_meta;

/// Client, host, what it does with dots, and the evidence for both.
const HOSTS: &str = include_str!("../../server/hosts.tsv");

fn auto() -> ServeOptions {
    ServeOptions { tool_names: ToolNames::Auto, ..ServeOptions::default() }
}

fn first(list: &Value) -> &Value {
    &list["tools"][0]["name"]
}

/// The list for a client that sends its name with the request.
fn modern_list(client: &mut Client, name: &str) -> Value {
    let mut meta = modern_meta();
    let info = json!({"name": name, "version": "1"});
    meta.insert("io.modelcontextprotocol/clientInfo".to_owned(), info);
    client.request("tools/list", json!({"_meta": meta}))
}

#[test]
fn every_host_of_the_table_is_served_the_spelling_that_it_takes() {
    let rows = HOSTS.lines().filter(|line| !line.starts_with('#')).skip(1);
    for row in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let name = cells[0].replace('*', "1");
        let expected = if cells[2] == "refused" { "test_ask" } else { "test.ask" };
        let mut client = Client::legacy_with("2025-11-25", &name, auto());
        assert_eq!(first(&client.request("tools/list", json!({}))), expected, "{row}");
        assert_eq!(first(&modern_list(&mut client, &name)), expected, "{row}");
        for tool in ["test.echo", "test_echo"] {
            assert_eq!(client.call(tool, json!({}))["isError"], false, "{row}");
        }
        client.close().unwrap();
    }
}

#[test]
fn a_client_that_is_not_in_the_table_is_served_the_names_of_the_contract() {
    for name in ["mcp", "an unknown client", ""] {
        let mut client = Client::legacy_with("2025-11-25", name, auto());
        assert_eq!(first(&client.request("tools/list", json!({}))), "test.ask", "{name}");
        client.close().unwrap();
    }
}

#[test]
fn a_list_that_depends_on_the_client_is_for_this_client_alone() {
    let mut client = Client::raw(auto());
    let list = modern_list(&mut client, "cursor-vscode");
    assert_eq!((first(&list), &list["cacheScope"]), (&json!("test_ask"), &json!("private")));
    let list = modern_list(&mut client, "new");
    assert_eq!((first(&list), &list["cacheScope"]), (&json!("test.ask"), &json!("private")));
    client.close().unwrap();

    let mut client = Client::raw(ServeOptions { profile: Some(Profile::Portable), ..auto() });
    let list = modern_list(&mut client, "new");
    assert_eq!((first(&list), &list["cacheScope"]), (&json!("test_ask"), &json!("public")));
    client.close().unwrap();
}

#[test]
fn over_http_a_request_without_a_name_is_known_by_its_user_agent() {
    let server = Server::start(HttpOptions::default(), auto());
    let mut web = server.connect();
    for (agent, expected) in [
        ("Cursor/1.7 (linux x64)", "test_ask"),
        ("claude-code/2.1.0 (cli)", "test.ask"),
        ("python-httpx/0.28", "test.ask"),
    ] {
        let list = web.legacy(&[("User-Agent", agent)], "tools/list", json!({}));
        assert_eq!(first(&list["result"]), expected, "{agent}");
    }
    let named = web.modern(&[("User-Agent", "Cursor/1.7")], "tools/list", json!({}));
    assert_eq!(first(&named["result"]), "test.ask", "the request's own name counts");
}
