//! What is written: absolute commands, the client's own form, and nothing that was not asked for.

use serde_json::json;

use crate::harness::{FILES, Machine, TOOLWRIGHT, servers, wink};

#[test]
fn each_client_gets_its_own_form() {
    let forms = [
        (
            "claude-code",
            "home/.claude.json",
            "{\n  \"mcpServers\": {\n    \"wink\": {\n      \"type\": \"stdio\",\n      \
             \"command\": \"WINK\",\n      \"args\": [\"mcp\", \"--client-profile=claude\"]\n    }\n  }\n}\n",
        ),
        (
            "claude-desktop",
            "home/.config/Claude/claude_desktop_config.json",
            "{\n  \"mcpServers\": {\n    \"wink\": {\n      \"command\": \"WINK\",\n      \
             \"args\": [\"mcp\", \"--client-profile=claude\"]\n    }\n  }\n}\n",
        ),
        (
            "codex",
            "home/.codex/config.toml",
            "[mcp_servers.wink]\ncommand = \"WINK\"\nargs = [\"mcp\", \"--client-profile=openai\"]\n",
        ),
        (
            "vscode",
            "home/.config/Code/User/mcp.json",
            "{\n  \"servers\": {\n    \"wink\": {\n      \"type\": \"stdio\",\n      \
             \"command\": \"WINK\",\n      \"args\": [\"mcp\", \"--client-profile=portable\"]\n    }\n  }\n}\n",
        ),
    ];
    let absolute = std::fs::canonicalize(wink()).unwrap();
    for (client, file, expected) in forms {
        let machine = Machine::new();
        let done = machine.run(wink(), &["install", "--client", client]).ok();
        assert_eq!(machine.read(file), expected.replace("WINK", absolute.to_str().unwrap()));
        assert!(done.stdout.starts_with("--- /dev/null\n"), "{}", done.stdout);
        assert!(done.stdout.contains("+++ ") && done.stdout.contains("@@"), "{}", done.stdout);
        assert!(done.stderr.contains(file), "{}", done.stderr);
    }
}

#[test]
fn variables_profile_settings_and_further_arguments_are_passed_on() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        let more = [
            "--name",
            "my-wink",
            "--client-profile",
            "gemini",
            "--env",
            "A=1=2",
            "--env",
            "B=\\\"é",
            "--overrides-dir",
            "~/o",
            "--",
            "--log-level",
            "debug",
        ];
        machine.install(client, scope, &more).ok();
        let entry = servers(client, &machine.read(file))["my-wink"].clone();
        let args =
            ["mcp", "--overrides-dir=~/o", "--client-profile=gemini", "--log-level", "debug"];
        assert_eq!(entry["args"], json!(args));
        assert_eq!(entry["env"], json!({"A": "1=2", "B": "\\\"é"}));
        machine.uninstall(client, scope, &["--name", "my-wink"]).ok();
    }
}

/// The arguments that wink gets, once it is installed.
#[track_caller]
fn args(machine: &Machine, scope: &str, more: &[&str]) -> Vec<String> {
    machine.install("cursor", scope, more).ok();
    let file = if scope == "user" { "home/.cursor/mcp.json" } else { "project/.cursor/mcp.json" };
    let args = servers("cursor", &machine.read(file))["wink"]["args"].clone();
    machine.uninstall("cursor", scope, &[]).ok();
    serde_json::from_value(args).unwrap()
}

#[test]
fn relative_paths_are_absolute_where_the_client_is_not_in_the_project() {
    let machine = Machine::new();
    let here = machine.path("project");
    let here = here.to_str().unwrap();
    let paths = ["--config", "./x.toml", "--descriptors", "d", "--descriptors", "../e"];
    let profile = "--client-profile=portable";
    assert_eq!(
        args(&machine, "user", &[&paths[..], &["--overrides-dir", "."]].concat()),
        [
            "mcp",
            &format!("--config={here}/x.toml"),
            &format!("--descriptors={here}/d"),
            &format!("--descriptors={here}/../e"),
            &format!("--overrides-dir={here}"),
            profile
        ]
    );
    assert_eq!(
        args(&machine, "project", &paths),
        ["mcp", "--config=./x.toml", "--descriptors=d", "--descriptors=../e", profile]
    );
    let expanded = ["--descriptors", "~/d", "--descriptors", "${D}/e", "--overrides-dir", "/o"];
    assert_eq!(
        args(&machine, "user", &expanded),
        ["mcp", "--descriptors=~/d", "--descriptors=${D}/e", "--overrides-dir=/o", profile]
    );
}

#[test]
fn paths_below_a_root_that_was_chosen_stay_below_it() {
    let machine = Machine::new();
    let dir = ["--overrides-dir", "o"];
    let root = format!("--workspace-root={}", machine.path("project/r").display());
    for (more, known) in [
        (&["--workspace-root", "r"][..], Some(root.as_str())),
        (&["--env", "WINK_WORKSPACE_ROOT=/r"], None),
    ] {
        let args = args(&machine, "user", &[&dir[..], more].concat());
        assert!(args.contains(&"--overrides-dir=o".to_owned()), "{args:?}");
        assert_eq!(args.iter().find(|it| it.starts_with("--workspace")).map(String::as_str), known);
    }
}

#[test]
fn a_workspace_and_a_store_are_those_of_the_folder_in_which_they_were_given() {
    let machine = Machine::new();
    let file = "home/.config/Claude/claude_desktop_config.json";
    for (program, surface, more) in [
        (toolwright_testing::program("wa"), "wa", ["--workspace", "."]),
        (toolwright_testing::program("yarnnn"), "yarnnn", ["--database-file", "y.db"]),
    ] {
        let verb = ["install", "--client", "claude-desktop", "--env", "YARNNN_TOKEN=t"];
        machine.run(program, &[&verb[..], &more].concat()).ok();
        let args = servers("claude-desktop", &machine.read(file))[surface]["args"].clone();
        let path = machine.path("project").join(more[1]);
        let path: std::path::PathBuf = path.components().collect();
        let expected = format!("{}={}", more[0], path.display());
        assert!(args.as_array().unwrap().contains(&json!(expected)), "{args}");
    }
}

#[test]
fn the_profile_that_the_person_chose_is_not_overridden() {
    let machine = Machine::new();
    machine.write("project/x.toml", "client_profile = 'gemini'\n");
    machine.write("project/y.toml", "log_level = 'DEBUG'\n");
    let config = |name: &str| format!("--config={}", machine.path("project").join(name).display());
    let chosen = |more: &[&str], expected: &[&str]| {
        assert_eq!(args(&machine, "user", more), [&["mcp"], expected].concat());
    };
    chosen(&["--", "--client-profile", "openai"], &["--client-profile", "openai"]);
    chosen(&["--env", "WINK_CLIENT_PROFILE=gemini"], &[]);
    chosen(&["--config", "x.toml"], &[&config("x.toml")]);
    chosen(&["--env", "WINK_CONFIG=x.toml"], &[]);
    chosen(&["--", "--config", "x.toml"], &["--config", "x.toml"]);
    // What says nothing about it chooses nothing.
    chosen(&["--config", "y.toml"], &[&config("y.toml"), "--client-profile=portable"]);
    chosen(&["--config", "none.toml"], &[&config("none.toml"), "--client-profile=portable"]);
    let twice = ["--client-profile", "gemini", "--", "--client-profile", "openai"];
    machine.install("cursor", "user", &twice).fails(2, &["multiple times"]);
    machine.write("home/.config/wink/config.toml", "client_profile = 'gemini'\n");
    chosen(&[], &[]);
}

#[test]
fn toolwright_registers_the_binary_beside_it_or_else_itself() {
    let machine = Machine::new();
    let install = ["install", "wink", "--client", "cursor"];
    machine.run(TOOLWRIGHT, &install).ok();
    let wink = std::fs::canonicalize(wink()).unwrap();
    let entry = |machine: &Machine| {
        servers("cursor", &machine.read("home/.cursor/mcp.json"))["wink"].clone()
    };
    assert_eq!(entry(&machine)["command"], json!(wink));
    machine.run(TOOLWRIGHT, &["uninstall", "wink", "--client", "cursor"]).ok();

    machine.program("bin/toolwright", TOOLWRIGHT);
    let alone = machine.path("bin/toolwright");
    machine.run(alone.to_str().unwrap(), &install).ok();
    assert_eq!(
        entry(&machine),
        json!({"command": alone, "args": ["serve", "wink", "--client-profile=portable"]})
    );
}

#[test]
fn the_homes_of_clients_and_of_settings_can_be_elsewhere() {
    let machine = Machine::new();
    for (client, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", "elsewhere/.claude.json"),
        ("codex", "CODEX_HOME", "elsewhere/config.toml"),
        ("claude-desktop", "XDG_CONFIG_HOME", "elsewhere/Claude/claude_desktop_config.json"),
        ("vscode", "XDG_CONFIG_HOME", "elsewhere/Code/User/mcp.json"),
    ] {
        let mut command = machine.command(wink());
        command.env(variable, machine.path("elsewhere")).args(["install", "--client", client]);
        assert!(command.status().unwrap().success());
        assert!(machine.read(file).contains("wink"), "{file}");
    }
}

#[test]
fn a_dry_run_shows_the_change_and_touches_nothing() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        let empty = machine.tree();
        let shown = machine.install(client, scope, &["--dry-run"]).ok();
        assert!(
            shown.stdout.contains("wink") && shown.stderr.contains("--dry-run"),
            "{}",
            shown.stdout
        );
        assert_eq!(machine.tree(), empty);
        machine.install(client, scope, &[]).ok();
        let full = machine.tree();
        let shown = machine.uninstall(client, scope, &["--dry-run"]).ok();
        assert!(shown.stdout.contains("-") && shown.stdout.contains("wink"), "{}", shown.stdout);
        assert_eq!(machine.tree(), full, "{file}");
    }
}

#[test]
fn a_second_time_changes_nothing_and_says_so() {
    for (client, scope, _) in FILES {
        let machine = Machine::new();
        machine.install(client, scope, &["--env", "A=b"]).ok();
        let before = machine.tree();
        let again = machine.install(client, scope, &["--env", "A=b"]).ok();
        assert!(again.stdout.is_empty() && again.stderr.contains("already"), "{}", again.stderr);
        assert_eq!(machine.tree(), before);
    }
}
