//! Broken input of every kind: the stable code, the file and the cause in the message, what to do
//! next; nothing is written, and the server goes on.
//!
//! Tokens that are missing, old, foreign or used are in `scenarios`, those that are too old in the
//! contract's example `old_token`: there the clock can be moved.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use toolwright_testing::namespace::{MOUNTS, can_mount};

use crate::sandbox::{AGENTS, PROMPT, REPO, SKILL, Sandbox, Session, confirmed};

/// One kind of broken input.
struct BadInput<'a> {
    /// Prepares the sandbox.
    given: &'a dyn Fn(&Sandbox),
    call: (&'a str, Value),
    code: &'a str,
    /// Words that the message must have: the file, the cause.
    message_has: &'a [&'a str],
}

/// Makes the call, checks the refusal, and checks that nothing else changed.
fn check(bad: &BadInput<'_>) {
    let sandbox = Sandbox::new();
    (bad.given)(&sandbox);
    let mut session = sandbox.session();
    refused(&sandbox, &mut session, bad);
}

fn refused(sandbox: &Sandbox, session: &mut Session, bad: &BadInput<'_>) -> Value {
    let before = sandbox.files();
    let (tool, arguments) = &bad.call;
    let error = session.refused(tool, arguments.clone(), bad.code);
    let message = error["message"].as_str().expect("a message");
    for word in bad.message_has {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
    assert_eq!(before, sandbox.files(), "{}", bad.code);
    session.stdio.request("ping", json!({}));
    let missing = json!({"repo": "/no/such/repo"});
    session.refused("plan", missing, "E_CONFIG_MISSING");
    error
}

#[test]
fn broken_yaml() {
    check(&BadInput {
        given: &|sandbox| _ = sandbox.repo("agentpack.yaml", "version: 1\nmodules: [\n"),
        call: ("plan", json!({})),
        code: "E_CONFIG_INVALID",
        message_has: &["agentpack.yaml", "line"],
    });
}

#[test]
fn a_field_of_the_wrong_type() {
    check(&BadInput {
        given: &|sandbox| {
            let text = sandbox.read(&format!("{REPO}/agentpack.yaml"));
            sandbox.repo("agentpack.yaml", &text.replace("scope: user", "scope: everybody"));
        },
        call: ("status", json!({})),
        code: "E_CONFIG_INVALID",
        message_has: &["agentpack.yaml", "everybody"],
    });
}

#[test]
fn an_unknown_profile() {
    check(&BadInput {
        given: &|_| (),
        call: ("plan", json!({"profile": "defualt"})),
        code: "E_PROFILE_UNKNOWN",
        message_has: &["defualt", "agentpack.yaml", "Did you mean `default`"],
    });
}

#[test]
fn an_unknown_target() {
    check(&BadInput {
        given: &|_| (),
        call: ("plan", json!({"target": "emacs"})),
        code: "E_INVALID_ARGUMENTS",
        message_has: &[],
    });
    check(&BadInput {
        given: &|sandbox| sandbox.target("emacs: {mode: files, scope: user}"),
        call: ("plan", json!({})),
        code: "E_TARGET_UNSUPPORTED",
        message_has: &["emacs"],
    });
}

#[test]
fn a_module_id_that_leaves_its_folder() {
    check(&BadInput {
        given: &|sandbox| sandbox.modules(&[("skill:../../../x", "skill", "modules/hello")]),
        call: ("deploy", json!({})),
        code: "E_CONFIG_INVALID",
        message_has: &["agentpack.yaml", "skill:../../../x", "outside"],
    });
}

#[test]
fn a_link_that_leaves_the_module() {
    check(&BadInput {
        given: &|sandbox| {
            sandbox.write("home/secret", "very secret");
            let link = sandbox.path(&format!("{REPO}/modules/hello/leak.md"));
            symlink(sandbox.path("home/secret"), link).expect("writable");
        },
        call: ("deploy", json!({})),
        code: "E_CONFIG_INVALID",
        message_has: &["skill:hello", "leak.md"],
    });
}

#[test]
fn a_module_that_is_not_what_its_type_says() {
    for (name, text, cause) in [
        ("modules/hello/SKILL.md", "no front matter", "skill:hello"),
        ("modules/hello/SKILL.md", "---\nname: hello\n---\n", "description"),
        ("modules/commands/ship.md", "---\ndescription: ''\n---\n", "description"),
        ("modules/commands/ship.md", "---\ndescription: x\n---\n!bash ls\n", "allowed-tools"),
    ] {
        let file = name.rsplit('/').next().expect("a name");
        check(&BadInput {
            given: &|sandbox| _ = sandbox.repo(name, text),
            call: ("plan", json!({})),
            code: "E_CONFIG_INVALID",
            message_has: &[file, cause],
        });
    }
}

#[test]
fn a_root_that_is_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.cursor/rules", "not a folder");
    let mut session = sandbox.session();
    let deploy = session.envelope("deploy", json!({}));
    let warnings = deploy["warnings"].to_string();
    assert!(warnings.contains(".cursor/rules") && warnings.contains("cursor"), "{warnings}");
    let token = deploy["data"]["confirm_token"].as_str().expect("a token");
    refused(
        &sandbox,
        &mut session,
        &BadInput {
            given: &|_| (),
            call: ("deploy_apply", confirmed(json!({}), token)),
            code: "E_ROOT_UNUSABLE",
            message_has: &["project/.cursor/rules", "not a folder"],
        },
    );
    // The other targets can be deployed alone.
    assert_eq!(session.deploy(json!({"target": "codex"}))["applied"], true);
}

/// A session whose codex home is a small disk, prepared by `script`. None where the machine allows
/// no mount namespaces.
fn on_disk(sandbox: &Sandbox, script: &str) -> Option<Session> {
    if !can_mount() {
        return None;
    }
    std::fs::create_dir_all(sandbox.path("home/.codex")).expect("writable");
    Some(Session::start(sandbox.unshared(&MOUNTS, script)))
}

/// What is deployed, as the server's own mount namespace has it.
fn seen(sandbox: &Sandbox, session: &Session, name: &str) -> Option<String> {
    let root = format!("/proc/{}/root", session.stdio.process_id());
    std::fs::read_to_string(format!("{root}{}", sandbox.path(name).display())).ok()
}

#[test]
fn a_read_only_root() {
    let sandbox = Sandbox::new();
    let script = "mount -t tmpfs none \"$CODEX\"; mount -o remount,ro \"$CODEX\"";
    let Some(mut session) = on_disk(&sandbox, script) else { return };
    let codex = json!({"target": "codex"});
    let token = session.token(codex.clone());
    let error = refused(
        &sandbox,
        &mut session,
        &BadInput {
            given: &|_| (),
            call: ("deploy_apply", confirmed(codex, &token)),
            code: "E_IO_PERMISSION_DENIED",
            message_has: &["home/.codex", "Read-only"],
        },
    );
    assert!(error["details"]["path"].as_str().is_some_and(|path| path.contains(".codex")));
}

#[test]
fn a_full_disk() {
    let sandbox = Sandbox::new();
    let big = "All work and no play. ".repeat(5_000);
    sandbox.repo("modules/prompts/draft.md", &big);
    let script = "mount -t tmpfs -o size=64k none \"$CODEX\"";
    let Some(mut session) = on_disk(&sandbox, script) else { return };
    let codex = json!({"target": "codex"});
    let token = session.token(codex.clone());
    refused(
        &sandbox,
        &mut session,
        &BadInput {
            given: &|_| (),
            call: ("deploy_apply", confirmed(codex.clone(), &token)),
            code: "E_IO_NO_SPACE",
            message_has: &["home/.codex/prompts", "No space left"],
        },
    );
    assert_eq!(seen(&sandbox, &session, AGENTS), None, "all or nothing");
    // The failed attempt left nothing behind: what fits is deployed.
    sandbox.repo("modules/prompts/draft.md", "Draft.\n");
    assert_eq!(session.deploy(codex)["applied"], true);
    assert_eq!(seen(&sandbox, &session, PROMPT).as_deref(), Some("Draft.\n"));
}

#[test]
fn a_write_that_fails_half_way() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    let before = sandbox.read(AGENTS);
    sandbox.repo("modules/base/AGENTS.md", "# Base\n\nBe very brief.\n");
    sandbox.repo("modules/hello/SKILL.md", "---\nname: hello\ndescription: Hi\n---\nHi.\n");
    // A file that something is mounted on can be read, but not replaced.
    let file = sandbox.path(SKILL).display().to_string();
    let Some(mut session) = on_disk(&sandbox, &format!("mount --bind '{file}' '{file}'")) else {
        return;
    };
    let codex = json!({"target": "codex"});
    let token = session.token(codex.clone());
    let error = refused(
        &sandbox,
        &mut session,
        &BadInput {
            given: &|_| (),
            call: ("deploy_apply", confirmed(codex, &token)),
            code: "E_APPLY_FAILED",
            message_has: &["hello/SKILL.md", "Nothing is changed"],
        },
    );
    assert_eq!(error["details"]["restored"], json!([sandbox.path(AGENTS)]));
    assert_eq!(sandbox.read(AGENTS), before);
    assert_eq!(session.data("doctor", json!({}))["roots"][0]["issues"], json!([]));
}

#[test]
fn a_manifest_with_paths_that_leave_its_root() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({"target": "codex"}));
    let victim = sandbox.write("home/victim", "mine");
    let manifest = "home/.codex/prompts/.agentpack.manifest.codex.json";
    let mut text: Value = serde_json::from_str(&sandbox.read(manifest)).expect("JSON");
    for path in [victim.display().to_string(), "../../victim".to_owned()] {
        let entry = json!({"path": path, "sha256": "0".repeat(64)});
        text["managed_files"].as_array_mut().expect("files").push(entry);
    }
    sandbox.write(manifest, &text.to_string());
    let mut session = sandbox.session();
    let plan = session.envelope("plan", json!({"target": "codex"}));
    assert_eq!(plan["data"]["changes"], json!([]));
    let warnings = plan["warnings"].to_string();
    assert!(warnings.contains(manifest) && warnings.contains("../../victim"), "{warnings}");
    sandbox.repo("modules/prompts/draft.md", "Draft two replies.\n");
    session.deploy(json!({"target": "codex"}));
    assert_eq!(std::fs::read_to_string(victim).expect("it is there"), "mine");
}

#[test]
fn a_corrupt_lockfile() {
    for (text, code, cause) in [
        ("{", "E_LOCKFILE_INVALID", "EOF"),
        (r#"{"version": 7, "modules": []}"#, "E_LOCKFILE_UNSUPPORTED_VERSION", "7"),
    ] {
        check(&BadInput {
            given: &|sandbox| _ = sandbox.repo("agentpack.lock.json", text),
            call: ("plan", json!({})),
            code,
            message_has: &["agentpack.lock.json", cause],
        });
    }
}

#[test]
fn a_snapshot_id_that_is_a_path() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    sandbox.write("home/.agentpack/state/x.json", "{}");
    let mut session = sandbox.session();
    for to in ["../x", "/etc/passwd", "", "17/../x"] {
        refused(
            &sandbox,
            &mut session,
            &BadInput {
                given: &|_| (),
                call: ("rollback", json!({"to": to, "yes": true})),
                code: "E_SNAPSHOT_NOT_FOUND",
                message_has: &["decimal", to],
            },
        );
    }
}

#[test]
fn a_damaged_snapshot() {
    let sandbox = Sandbox::new();
    let id = sandbox.deploy(json!({"target": "codex"}));
    let state = format!("home/.agentpack/state/snapshots/{id}/state/codex");
    for entry in std::fs::read_dir(sandbox.path(&state)).expect("copies").flatten() {
        std::fs::write(entry.path(), "damaged").expect("writable");
    }
    let mut session = sandbox.session();
    refused(
        &sandbox,
        &mut session,
        &BadInput {
            given: &|_| (),
            call: ("rollback", json!({"to": id, "yes": true})),
            code: "E_SNAPSHOT_INVALID",
            message_has: &[&id, "state/codex"],
        },
    );
}

#[test]
fn arguments_that_do_not_fit_are_all_named() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let arguments = json!({"profile": 7, "target": "emacs", "dry_run": "yes", "nonsense": 1});
    let error = session.refused("plan", arguments, "E_INVALID_ARGUMENTS");
    let problems = error["details"]["problems"].as_array().expect("problems");
    let mut pointers: Vec<&str> =
        problems.iter().filter_map(|problem| problem["pointer"].as_str()).collect();
    pointers.sort_unstable();
    assert_eq!(pointers, ["/dry_run", "/nonsense", "/profile", "/target"]);
    session.refused("explain", json!({}), "E_INVALID_ARGUMENTS");
    session.refused("explain", json!({"kind": "plans"}), "E_INVALID_ARGUMENTS");
    session.refused("status", json!({"only": ["gone"]}), "E_INVALID_ARGUMENTS");
    session.data("plan", json!({}));
}
