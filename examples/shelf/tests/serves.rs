//! The server over real standard streams, and its tool commands.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::pty::{self, OpenptFlags};
use serde_json::{Value, json};
use toolwright_runtime::client::Client;

const PROGRAM: &str = env!("CARGO_BIN_EXE_shelf");

fn client(folder: &Path) -> Client {
    Client::start(PROGRAM, &["mcp", "--file", "shelf.json"], folder, "test").unwrap()
}

/// A twin of a tool, as a person would type it.
fn shelf(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(words).current_dir(folder).env("SHELF_FILE", "shelf.json").output().unwrap()
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_book_is_added_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client(folder.path());
    let added = client.call("add", json!({"title": "Solaris", "author": "Lem"})).unwrap();
    assert!(!added.is_error, "{}", added.body);
    let listed = client.call("list", json!({"text": "SOL"})).unwrap();
    assert_eq!(listed.body["books"], json!([added.body]));

    let id = &added.body["id"];
    let refused = client.call("remove", json!({"id": id})).unwrap();
    assert_eq!(refused.body["code"], "confirm_required");
    let removed = client.call("remove", json!({"id": id, "confirm": true})).unwrap();
    assert_eq!(removed.body, added.body);
    assert_eq!(client.call("list", json!({})).unwrap().body["books"], json!([]));
}

#[test]
fn the_books_are_a_resource() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client(folder.path());
    client.call("add", json!({"title": "Walden"})).unwrap();
    let read = client.request("resources/read", json!({"uri": "shelf://books"})).unwrap();
    let text = read["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("Walden"), "{text}");
}

#[test]
fn every_tool_has_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let added = json_of(&shelf(folder.path(), &["add", "--title", "Solaris"]));
    let id = added["id"].as_str().unwrap();
    assert_eq!(json_of(&shelf(folder.path(), &["list"]))["books"], json!([added]));
    assert_eq!(shelf(folder.path(), &["remove", "--id", id]).status.code(), Some(3));
    assert!(shelf(folder.path(), &["remove", "--id", id, "--confirm"]).status.success());
    assert_eq!(json_of(&shelf(folder.path(), &["add"]))["code"], "invalid_arguments");
}

/// `clear` at a terminal where the user types this; whether it went well, and what the terminal showed.
fn clear_at_a_terminal(folder: &Path, typed: &str) -> (bool, String) {
    let ours = pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    pty::grantpt(&ours).unwrap();
    pty::unlockpt(&ours).unwrap();
    let name = pty::ptsname(&ours, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = Command::new(PROGRAM);
    command.arg("clear").current_dir(folder).env("SHELF_FILE", "shelf.json");
    command.stdin(terminal.try_clone().unwrap()).stderr(terminal).stdout(Stdio::null());
    let mut ours = File::from(ours);
    ours.write_all(typed.as_bytes()).unwrap();
    let status = command.status().unwrap();
    drop(command);
    let mut shown = Vec::new();
    // On Linux the end of the other side is an error.
    let _ = ours.read_to_end(&mut shown);
    (status.success(), String::from_utf8_lossy(&shown).into_owned())
}

#[test]
fn a_tool_that_must_ask_asks_at_the_terminal_and_needs_a_flag_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let add = || assert!(shelf(folder.path(), &["add", "--title", "Walden"]).status.success());
    let books = || json_of(&shelf(folder.path(), &["list"]))["books"].as_array().unwrap().len();
    add();
    let refused = shelf(folder.path(), &["clear"]);
    assert_eq!(refused.status.code(), Some(3));
    assert_eq!(json_of(&refused)["code"], "not_agreed");
    let talk = String::from_utf8(refused.stderr).unwrap();
    assert!(talk.contains("at a terminal, or add --yes"), "{talk}");
    for no in ["n\n", "\n", "yess\n"] {
        let (cleared, shown) = clear_at_a_terminal(folder.path(), no);
        assert!(!cleared && shown.contains("off the shelf for good? [y/N]"), "{no:?}: {shown}");
    }
    assert_eq!(books(), 1);
    assert!(clear_at_a_terminal(folder.path(), "y\n").0);
    assert_eq!(books(), 0);
    add();
    assert_eq!(json_of(&shelf(folder.path(), &["clear", "--yes"]))["removed"], 1);
}

#[test]
fn servers_at_the_same_file_lose_no_book() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for server in 0..4 {
            let mut client = client(folder.path());
            scope.spawn(move || {
                for book in 0..10 {
                    let title = format!("book {book} of server {server}");
                    assert!(!client.call("add", json!({"title": title})).unwrap().is_error);
                }
            });
        }
    });
    let listed = client(folder.path()).call("list", json!({})).unwrap();
    assert_eq!(listed.body["books"].as_array().unwrap().len(), 40);
}
