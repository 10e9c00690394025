//! The command lines of contracts whose flags collide with each other or with built-in ones: what
//! `check` lets pass has one that works.

use std::path::Path;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use toolwright::from_specs::surface_info;
use toolwright_codegen::names::argument_flag;
use toolwright_codegen::{Files, load_files};
use toolwright_commands::{SurfaceEntry, call, surface};
use toolwright_runtime::Dispatch;
use toolwright_runtime::server::Notifier;
use toolwright_runtime::settings::{Loaded, SettingsError};

const SURFACE: &str = "\
surface: demo
title: Demo
contract: v1
instructions: A surface whose flags collide.
settings:
  store.path: {type: path, flag: --path, doc: The folder of the things.}
  strict: {type: boolean, default: false, flag: --strict, doc: Refuse what is odd.}
  label: {type: string, flag: --name, doc: The flag of install.}
config: {default: ~/.config/demo.toml, flag: --config}
";

const TOOL: &str = "\
tool: get
title: Get a thing
description: Gets one thing by its path.
effects: read
open_world: false
input:
  type: object
  additionalProperties: false
  properties:
    path: {type: string, description: Path of the thing.}
    config: {type: string, description: How to read it.}
    setting-config: {type: string, description: Another way to read it.}
    no-strict: {type: string, description: What not to be strict about.}
    version: {type: string, description: Which one.}
    TenantId: {type: string, description: Whose.}
output: {type: object, additionalProperties: false, properties: {}}
examples:
  - {name: there, input: {path: a}, output: {}}
";

fn no_code(_: &Loaded, _: Option<Notifier>) -> Result<Arc<dyn Dispatch>, SettingsError> {
    unreachable!("nothing is called")
}

fn entry() -> SurfaceEntry {
    let files: Files = [("demo/surface.yaml", SURFACE), ("demo/tools/get.yaml", TOOL)]
        .map(|(name, text)| (name.to_owned(), Ok(text.as_bytes().to_vec())))
        .into();
    let loaded = load_files(Path::new("specs"), &files);
    assert!(loaded.report.diagnostics.is_empty(), "{}", loaded.report);
    SurfaceEntry::new(surface_info(&loaded.contracts[0]).unwrap(), no_code, "0.0.0")
}

/// What the innermost command of a line is given.
fn given(command: Command, line: &str) -> ArgMatches {
    let mut matches = command.try_get_matches_from(line.split(' ')).unwrap();
    while let Some((_, inner)) = matches.remove_subcommand() {
        matches = inner;
    }
    matches
}

fn text<'m>(matches: &'m ArgMatches, id: &str) -> Option<&'m str> {
    matches.get_one::<String>(id).map(String::as_str)
}

#[test]
fn an_argument_and_a_setting_of_one_flag_can_both_be_given() {
    let entry = entry();
    surface::command(&entry).debug_assert();
    let matches = given(
        surface::command(&entry),
        "demo --path a --config b get --path c --config d --no-strict e --version f --tenant-id g",
    );
    assert_eq!(text(&matches, "store.path"), Some("a"));
    assert_eq!(text(&matches, "settings file"), Some("b"));
    assert_eq!(text(&matches, "path"), Some("c"));
    assert_eq!(text(&matches, "config"), Some("d"));
    assert_eq!(text(&matches, "no-strict"), Some("e"));
    assert_eq!(text(&matches, "version"), Some("f"));
    assert_eq!(text(&matches, "TenantId"), Some("g"));
    let matches = given(surface::command(&entry), "demo get --setting-path a --path c");
    assert_eq!((text(&matches, "store.path"), text(&matches, "path")), (Some("a"), Some("c")));
    let version = surface::command(&entry).try_get_matches_from(["demo", "--version"]);
    assert_eq!(version.unwrap_err().kind(), clap::error::ErrorKind::DisplayVersion);
}

#[test]
fn a_built_in_verb_keeps_its_flags_beside_settings_of_the_same_flags() {
    let entry = entry();
    let line = "demo --name a install --client cursor --name b";
    let matches = given(surface::command(&entry), line);
    assert_eq!((text(&matches, "label"), text(&matches, "install name")), (Some("a"), Some("b")));
}

#[test]
fn calls_by_name_have_both_as_well() {
    let entries = [entry()];
    call::command(&entries).debug_assert();
    let line = "call get --config a --setting-setting-config b";
    let matches = given(call::command(&entries), line);
    assert_eq!((text(&matches, "config"), text(&matches, "settings file")), (Some("a"), Some("b")));
}

#[test]
fn the_compiler_knows_the_flags_of_arguments() {
    let mut command = surface::command(&entry());
    let get = command.find_subcommand_mut("get").unwrap();
    for argument in ["path", "setting-config", "TenantId"] {
        let arg = get.get_arguments().find(|arg| arg.get_id() == argument).unwrap();
        assert_eq!(arg.get_long(), Some(argument_flag(argument).as_str()));
    }
}
