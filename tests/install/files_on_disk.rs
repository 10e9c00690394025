//! What kind of file the client's file is: read-only, with several names, behind a link.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use crate::harness::{FILES, Machine};

fn set_mode(machine: &Machine, file: &str, mode: u32) {
    fs::set_permissions(machine.path(file), fs::Permissions::from_mode(mode)).unwrap();
}

fn empty(client: &str) -> &'static str {
    if client == "codex" { "model = 'x'\n" } else { "{\n}\n" }
}

#[test]
fn a_read_only_file_is_refused_and_left_alone() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        let verb = |verb: &str, more: &[&str]| {
            let arguments = [verb, "--client", client, "--scope", scope];
            machine.run(crate::harness::wink(), &[&arguments[..], more].concat())
        };
        machine.write(file, empty(client));
        set_mode(&machine, file, 0o444);
        let before = machine.tree();
        for more in [&[][..], &["--force"], &["--dry-run"]] {
            let done = verb("install", more).fails(1, &[file, "read-only", "chmod u+w"]);
            assert!(done.stdout.is_empty(), "{}", done.stdout);
        }
        assert_eq!(machine.tree(), before);
        set_mode(&machine, file, 0o644);
        verb("install", &[]).ok();
        set_mode(&machine, file, 0o400);
        let before = machine.tree();
        // Nothing to write is nothing to refuse.
        verb("install", &[]).ok();
        verb("uninstall", &[]).fails(1, &[file, "read-only", "chmod u+w"]);
        assert_eq!(machine.tree(), before);
    }
}

#[test]
fn every_name_of_a_file_with_several_shows_the_change() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        machine.write(file, empty(client));
        set_mode(&machine, file, 0o640);
        fs::hard_link(machine.path(file), machine.path("home/other-name")).unwrap();
        let node = |path: &str| fs::metadata(machine.path(path)).unwrap().ino();
        let before = node(file);
        machine.install(client, scope, &[]).ok();
        assert!(machine.read("home/other-name").contains("wink"), "{file}");
        assert_eq!((node(file), node("home/other-name")), (before, before));
        machine.uninstall(client, scope, &[]).ok();
        assert_eq!(machine.read("home/other-name"), empty(client));
        assert_eq!((node(file), node("home/other-name")), (before, before));
        let mode = fs::metadata(machine.path(file)).unwrap().mode() & 0o777;
        assert_eq!(mode, 0o640);
        let beside = fs::read_dir(machine.path(file).parent().unwrap()).unwrap().flatten();
        let leftover = |name: &str| name.starts_with('.') && name.ends_with(".tmp");
        assert!(!beside.into_iter().any(|it| leftover(&it.file_name().to_string_lossy())));
    }
}
