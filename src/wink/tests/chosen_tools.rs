//! The settings by which a user chooses tools: what is left out is neither listed nor callable.

use serde_json::{Value, json};
use toolwright_testing::{ServerHome, StdioSession, eventually};

const READS: [&str; 3] =
    ["wink.get_section_override", "wink.get_tool_override", "wink.list_overrides"];
const WRITES: [&str; 4] = [
    "wink.delete_section_override",
    "wink.delete_tool_override",
    "wink.write_section_override",
    "wink.write_tool_override",
];

fn home() -> ServerHome {
    let home = ServerHome::of("wink").path_env("WINK_OVERRIDES_DIR", "overrides");
    std::fs::create_dir(home.path("overrides")).expect("a folder");
    home
}

/// `mcp` with these arguments, to a client that takes dots.
fn serve(home: &ServerHome, arguments: &[&str]) -> StdioSession {
    let arguments = [&["mcp", "--tool-names=canonical"], arguments].concat();
    StdioSession::start(home.command(&arguments), "chooser")
}

fn listed(session: &mut StdioSession) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    session.tools().iter().map(name).collect()
}

fn refusal(session: &mut StdioSession, tool: &str) -> Value {
    session.exchange("tools/call", json!({"name": tool, "arguments": {}}))["error"].take()
}

#[test]
fn a_read_only_server_lists_three_tools_and_refuses_the_four_others_by_name() {
    let home = home();
    for arguments in [&["--read-only"][..], &["--read-only", "--mock"]] {
        let mut session = serve(&home, arguments);
        assert_eq!(listed(&mut session), READS, "{arguments:?}");
        for tool in WRITES {
            for name in [tool.to_owned(), tool.replace('.', "_")] {
                let error = refusal(&mut session, &name);
                assert_eq!(error["code"], -32602, "{error}");
                assert_eq!(error["data"]["left_out_by"], "`--read-only`");
                let message = error["message"].as_str().expect("a message");
                assert!(message.contains(&format!("`{name}` is left out by `--read-only`")));
            }
        }
        session.ok("wink.list_overrides", json!({}));
    }
}

#[test]
fn the_environment_and_the_settings_file_choose_too_and_a_flag_wins() {
    let home = home().env("WINK_READ_ONLY", "yes");
    assert_eq!(listed(&mut serve(&home, &[])), READS);
    assert_eq!(listed(&mut serve(&home, &["--no-read-only"])).len(), 7);

    let config = home.write("wink.toml", "tools = [\"list_overrides\"]\n");
    let config = format!("--config={}", config.display());
    assert_eq!(listed(&mut serve(&home, &[&config])), ["wink.list_overrides"]);
    let both = [config.as_str(), "--tools", "wink_get_tool_override,list_overrides"];
    let names = ["wink.get_tool_override", "wink.list_overrides"];
    assert_eq!(listed(&mut serve(&home, &both)), names);
}

#[test]
fn toolsets_and_tools_add_up_and_exclusions_come_last() {
    let home = home();
    let chosen =
        ["--toolset=read_only", "--tools=write_tool_override", "--exclude-tools", "list_overrides"];
    let mut session = serve(&home, &chosen);
    let names = ["wink.get_section_override", "wink.get_tool_override", "wink.write_tool_override"];
    assert_eq!(listed(&mut session), names);
    let error = refusal(&mut session, "wink.list_overrides");
    assert_eq!(error["data"]["left_out_by"], "`--exclude-tools`");
    let error = refusal(&mut session, "wink.delete_tool_override");
    assert_eq!(error["data"]["left_out_by"], "`--toolset` and `--tools`");
}

#[test]
fn an_unknown_name_stops_the_server_and_names_the_near_one() {
    let home = home();
    for (flag, name, near) in [
        ("--toolset", "reed_only", "read_only"),
        ("--tools", "wink.list_override", "wink.list_overrides"),
        ("--exclude-tools", "get_tol_override", "get_tool_override"),
    ] {
        for verb in ["mcp", "settings"] {
            let said = home.run(&[verb, flag, name]);
            said.fails(2, &[flag, &format!("`{name}`"), &format!("did you mean `{near}`?")]);
        }
    }
    home.run(&[
        "mcp",
        "--read-only",
        "--toolset=read_only",
        "--exclude-tools=list_overrides,get_section_override,get_tool_override",
    ])
    .fails(2, &["exclude_tools", "leaves no tool to offer"]);
}

#[test]
fn commands_are_not_restricted_and_their_help_stays_short() {
    let home = home();
    home.run(&["list", "--read-only", "--tools=get_tool_override"]).ok();
    for (words, shows) in [
        (&["mcp", "--help"][..], true),
        (&["settings", "--help"], true),
        (&["install", "--help"], true),
        (&["list", "--help"], false),
        (&["doctor", "--help"], false),
    ] {
        let help = home.run(words).ok().stdout;
        for flag in ["--read-only", "--toolset", "--tools", "--exclude-tools", "--client-profile"] {
            let shown = [" <VALUE>", "[=<BOOL>]"].map(|value| format!("{flag}{value}"));
            let shown = shown.iter().any(|flag| help.contains(flag));
            assert_eq!(shown, shows, "{flag} in {words:?}: {help}");
        }
    }
}

/// Waits for the notification that the list has changed.
fn told(session: &mut StdioSession) {
    let message = session.receive();
    assert_eq!(message["method"], "notifications/tools/list_changed", "{message}");
}

#[test]
fn a_changed_settings_file_changes_the_list_of_a_running_server() {
    let home = home();
    let log = home.path("log");
    let config = home.write("wink.toml", "log_level = 'INFO'\n");
    let mut command = home.command(&[
        "mcp",
        "--tool-names=canonical",
        "--config",
        config.to_str().expect("UTF-8"),
    ]);
    command.stderr(std::fs::File::create(&log).expect("a file"));
    let mut session = StdioSession::start(command, "chooser");
    assert_eq!(listed(&mut session).len(), 7);

    home.write("wink.toml", "log_level = 'INFO'\nread_only = true\n");
    told(&mut session);
    assert_eq!(listed(&mut session), READS);
    let error = refusal(&mut session, WRITES[0]);
    assert_eq!(error["data"]["left_out_by"], "`--read-only`");

    // What is not valid changes nothing, and the log says what is wrong with it.
    let logged = |what: &str| {
        eventually(what, || {
            let text = std::fs::read_to_string(&log).expect("a log");
            text.lines().find(|line| line.contains(what)).map(str::to_owned)
        })
    };
    for (content, why) in
        [("tools = ['get_tol_override']\n", "get_tool_override"), ("tools = [", "TOML")]
    {
        home.write("wink.toml", content);
        let line = logged(why);
        assert!(line.contains("settings.kept") && line.contains("wink.toml"), "{line}");
        assert_eq!(listed(&mut session), READS);
    }
    assert_eq!(session.notifications, [] as [Value; 0]);

    // What counts only from the next start on is named; the file may also go.
    home.write("wink.toml", "read_only = true\nlock_timeout_ms = 5\n");
    assert!(logged("settings.need_restart").contains("lock_timeout_ms"));
    std::fs::remove_file(&config).expect("removed");
    assert!(logged("cannot be read").contains("settings.kept"));
    home.write("wink.toml", "exclude_tools = ['list_overrides']\n");
    told(&mut session);
    assert_eq!(listed(&mut session).len(), 6);
    session.close();
}

#[test]
fn a_flag_wins_over_a_changed_file() {
    let home = home();
    let config = home.write("wink.toml", "read_only = false\n");
    let config = format!("--config={}", config.display());
    let mut session = serve(&home, &[&config, "--tools=list_overrides,write_tool_override"]);
    home.write("wink.toml", "tools = ['get_tool_override']\nread_only = true\n");
    told(&mut session);
    assert_eq!(listed(&mut session), ["wink.list_overrides"]);
}

#[test]
fn settings_that_can_be_read_only_once_are_read_once() {
    let home = home();
    let pipe = home.path("settings");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("runs").success());
    let config = format!("--config={}", pipe.display());
    let writer = std::thread::spawn(move || std::fs::write(pipe, "read_only = true\n"));
    assert_eq!(listed(&mut serve(&home, &[&config])), READS);
    writer.join().expect("no panic").expect("written");
}
