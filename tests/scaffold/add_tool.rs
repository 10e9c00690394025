//! `toolwright add-tool`: a tool that passes and answers, or nothing at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::package::{ROOT, cargo, program, settle};
use crate::{new_package as package, toolwright};
use toolwright_testing::ServerHome;
use toolwright_testing::files::copy;

/// Every file below a folder.
fn picture(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            files.extend(picture(&entry.path()));
        } else {
            files.insert(entry.path(), std::fs::read(entry.path()).unwrap());
        }
    }
    files
}

#[test]
fn added_tools_build_and_their_commands_answer() {
    let name = format!("grown_{}", std::process::id());
    let (_folder, package) = package(&name);
    settle(&package);
    for (tool, effects) in
        [("look", "read"), ("keep", "write"), ("shelf.dropAll", "destructive"), ("move", "read")]
    {
        let output = toolwright(&package, &["add-tool", &name, tool, "--effects", effects]);
        assert!(output.succeeded(), "{tool}: {}", output.stderr);
    }
    let modules = std::fs::read_to_string(package.join("src/tools/mod.rs")).unwrap();
    let expected = "mod greet;\nmod keep;\nmod look;\nmod r#move;\nmod shelf_drop_all;\n";
    assert!(modules.ends_with(expected), "{modules}");
    let check = toolwright(&package, &["check"]);
    assert!(check.succeeded(), "{}", check.stdout);

    let output = cargo(&package, "build");
    assert!(output.succeeded(), "{}", output.stderr);
    let home = ServerHome::for_program(program(&name));
    for words in [
        &["look", "--text", "hello"][..],
        &["keep", "--text", "hello", "--confirm"],
        &["shelf", "drop-all", "--text", "hello", "--confirm"],
        &["move", "--text", "hello"],
    ] {
        let answer = home.run(words);
        assert!(answer.succeeded(), "{words:?}: {}", answer.stderr);
        assert_eq!(answer.stdout.trim(), r#"{"text":"hello"}"#, "{words:?}");
    }
    assert!(!home.run(&["keep", "--text", "hello"]).succeeded(), "nobody confirmed it");
    std::fs::remove_file(program(&name)).unwrap();
}

#[test]
fn only_one_line_of_a_handwritten_file_changes() {
    let (_folder, package) = package("shelf");
    let before = picture(&package);
    let output = toolwright(&package, &["add-tool", "shelf", "list"]);
    assert!(output.stdout.contains("one line, `mod list;`"), "{}", output.stdout);
    assert!(output.stdout.contains("`shelf list --text hello`"), "{}", output.stdout);
    let after = picture(&package);
    let changed: Vec<_> = after
        .iter()
        .filter(|(path, text)| before.get(*path) != Some(*text))
        .map(|(path, _)| path.strip_prefix(&package).unwrap().to_str().unwrap())
        .collect();
    assert_eq!(changed, ["specs/shelf/tools/list.yaml", "src/tools/list.rs", "src/tools/mod.rs"]);
    let modules = package.join("src/tools/mod.rs");
    let text = String::from_utf8(after[&modules].clone()).unwrap();
    assert_eq!(text.replacen("mod list;\n", "", 1).as_bytes(), before[&modules]);
}

#[test]
fn tools_of_every_surface_here_pass_with_the_guards_of_their_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(ROOT).join("specs"), &folder.path().join("specs"));
    // The budget of wink is spent.
    let wink = folder.path().join("specs/wink/surface.yaml");
    let text = std::fs::read_to_string(&wink).unwrap();
    let (head, _) = text.rsplit_once("\nbudget:").unwrap();
    std::fs::write(&wink, format!("{head}\nbudget: {{definition_tokens: 20000}}\n")).unwrap();
    for surface in ["agentpack", "wa", "wink", "worldforge", "yarnnn"] {
        let tools = format!("src/{surface}/tools");
        copy(&Path::new(ROOT).join(&tools), &folder.path().join(&tools));
        for effects in ["read", "write", "destructive"] {
            let tool = format!("entity.some_{effects}");
            let words = ["add-tool", surface, &tool, "--effects", effects];
            let output = toolwright(folder.path(), &words);
            assert!(output.succeeded(), "{surface}, {effects}: {}", output.stderr);
        }
    }
    let check = toolwright(folder.path(), &["check"]);
    assert!(check.succeeded(), "{}", check.stdout);
    let path = folder.path().join("specs/worldforge/tools/entity.some_read.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("- role: {") && text.contains("$tenantId"), "{text}");
    for (surface, form) in [
        ("wa", "impl HandleGuarded<EntitySomeWrite, Pass> for Wa {"),
        ("worldforge", "impl Handle<EntitySomeWrite> for Worldforge {"),
        ("yarnnn", "impl HandleGuarded<EntitySomeWrite, Caller> for Yarnnn {"),
    ] {
        let path = folder.path().join(format!("src/{surface}/tools/entity_some_write.rs"));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(form), "{text}");
    }
}

#[test]
fn what_cannot_be_added_changes_nothing() {
    let (_folder, package) = package("shelf");
    std::fs::write(package.join("src/tools/taken.rs"), "//! Mine.\n").unwrap();
    let before = picture(&package);
    for (surface, tool, said) in [
        ("shelf", "greet", "already has a tool `greet`"),
        ("shelf", "Greet", "`Greet` is not a valid tool name"),
        ("shelf", "a-b", "`a-b` is not a valid tool name"),
        ("shelf", "../x", "`../x` is not a valid tool name"),
        ("shelf", "self", "`self` is not a valid tool name"),
        ("shelf", "taken", "src/tools/taken.rs` already exists"),
        ("shelf", "mod", "src/tools/mod.rs` already exists"),
        ("shlef", "list", "did you mean `shelf`?"),
        ("shelf", "settings", "`settings` is reserved by the command line"),
        ("shelf", "mcp.list", "`mcp` is reserved by the command line"),
        ("shelf", "a_tool_whose_name_is_longer_than_hosts_can_take", "error[TW"),
    ] {
        let output = toolwright(&package, &["add-tool", surface, tool]);
        assert!(!output.succeeded(), "{tool}");
        assert!(output.stderr.contains(said), "{tool}: {}", output.stderr);
        assert_eq!(picture(&package), before, "{tool}");
    }
}

#[test]
fn a_surface_with_findings_is_mended_first() {
    let (_folder, package) = package("shelf");
    let spec = package.join("specs/shelf/tools/greet.yaml");
    let text = std::fs::read_to_string(&spec).unwrap();
    std::fs::write(&spec, text.replace("effects:", "efects:")).unwrap();
    let output = toolwright(&package, &["add-tool", "shelf", "list"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("`toolwright check`"), "{}", output.stderr);
    assert!(!package.join("src/tools/list.rs").exists());
}
