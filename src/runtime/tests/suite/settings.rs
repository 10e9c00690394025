//! Settings: precedence and source of every kind, expansion, problems all at once, secrets.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use toolwright_runtime::contract::{ConfigInfo, SettingInfo, SettingKind, SurfaceInfo};
use toolwright_runtime::settings::{
    Loaded, SettingsError, Source, Sources, SurfaceSettings, load, load_typed,
};

use crate::fixture::SURFACE as BASE;

const PLAIN: SettingInfo = SettingInfo {
    key: "",
    field: "",
    kind: SettingKind::String,
    choices: &[],
    range: None,
    default: None,
    env: None,
    flag: None,
    aliases: &[],
    secret: false,
    doc: "",
};

static SETTINGS: [SettingInfo; 9] = [
    SettingInfo {
        key: "auth.tokens",
        field: "auth_tokens",
        kind: SettingKind::StringMap,
        env: Some("T_TOKENS"),
        flag: Some("--token"),
        secret: true,
        ..PLAIN
    },
    SettingInfo {
        key: "backend",
        field: "backend",
        choices: &["auto", "tmux", "wezterm"],
        default: Some("\"auto\""),
        env: Some("T_BACKEND"),
        flag: Some("--backend"),
        ..PLAIN
    },
    SettingInfo {
        key: "listen.port",
        field: "listen_port",
        kind: SettingKind::Integer,
        range: Some((0, 65535)),
        default: Some("0"),
        env: Some("T_PORT"),
        flag: Some("--port"),
        aliases: &["listen_port"],
        ..PLAIN
    },
    SettingInfo {
        key: "llm.model",
        field: "llm_model",
        default: Some("\"gpt-5\""),
        env: Some("T_MODEL"),
        flag: Some("--model"),
        ..PLAIN
    },
    SettingInfo {
        key: "modules",
        field: "modules",
        kind: SettingKind::StringList,
        default: Some("[\"std\"]"),
        env: Some("T_MODULES"),
        flag: Some("--module"),
        ..PLAIN
    },
    SettingInfo {
        key: "overrides_dir",
        field: "overrides_dir",
        kind: SettingKind::Path,
        default: Some("\"~/o\""),
        env: Some("T_OVERRIDES"),
        flag: Some("--overrides-dir"),
        aliases: &["overrides.dir", "overrides.path"],
        ..PLAIN
    },
    SettingInfo {
        key: "paths",
        field: "paths",
        kind: SettingKind::PathList,
        env: Some("T_PATHS"),
        flag: Some("--path"),
        ..PLAIN
    },
    SettingInfo { key: "token", field: "token", env: Some("T_TOKEN"), secret: true, ..PLAIN },
    SettingInfo {
        key: "verbose",
        field: "verbose",
        kind: SettingKind::Boolean,
        default: Some("false"),
        env: Some("T_VERBOSE"),
        flag: Some("--verbose"),
        ..PLAIN
    },
];

static SURFACE: SurfaceInfo = SurfaceInfo {
    settings: &SETTINGS,
    server_settings: &[],
    config: Some(ConfigInfo {
        default: "~/.config/t/config.toml",
        env: Some("T_CONFIG"),
        flag: "--config",
    }),
    name: "t",
    title: "",
    contract: "v1",
    digest: "",
    instructions: "",
    prefix: "",
    tools: &[],
    errors: &[],
    builtin: toolwright_runtime::contract::BuiltinErrors {
        invalid_arguments: BASE.builtin.invalid_arguments,
        unknown_tool: None,
        internal: BASE.builtin.internal,
    },
    envelope: toolwright_runtime::contract::Envelope { success: &[], failure: &[] },
    guards: &[],
    resources: &[],
    prompts: &[],
    icons: &[],
    roles: &[],
    identity: None,
    toolsets: &[],
};

#[derive(Debug, Deserialize)]
struct Settings {
    auth_tokens: BTreeMap<String, String>,
    backend: Backend,
    listen_port: i64,
    llm_model: String,
    modules: Vec<String>,
    overrides_dir: Option<PathBuf>,
    paths: Vec<PathBuf>,
    token: Option<String>,
    verbose: bool,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Backend {
    Auto,
    Tmux,
    Wezterm,
}

impl SurfaceSettings for Settings {
    const SURFACE: &'static SurfaceInfo = &SURFACE;
}

/// A home directory, an environment, flags.
struct SettingsFixture {
    home: tempfile::TempDir,
    env: HashMap<&'static str, String>,
    flags: BTreeMap<String, Vec<String>>,
    config: Option<String>,
}

impl SettingsFixture {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
            env: HashMap::new(),
            flags: BTreeMap::new(),
            config: None,
        }
    }

    fn env(mut self, name: &'static str, value: &str) -> Self {
        self.env.insert(name, value.to_owned());
        self
    }

    fn flag(mut self, key: &str, values: &[&str]) -> Self {
        self.flags.insert(key.to_owned(), values.iter().map(ToString::to_string).collect());
        self
    }

    fn file(self, name: &str, text: &str) -> Self {
        let path = self.home.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn default_file(self, text: &str) -> Self {
        self.file(".config/t/config.toml", text)
    }

    fn home(&self) -> &Path {
        self.home.path()
    }

    fn with<T>(&self, work: impl FnOnce(&Sources<'_>) -> T) -> T {
        work(&Sources {
            flags: self.flags.clone(),
            config: self.config.clone(),
            env: &|name| self.env.get(name).cloned(),
            home: Some(self.home().to_owned()),
            cwd: self.home().to_owned(),
        })
    }

    fn load(&self) -> Loaded {
        self.with(|sources| load(&SURFACE, sources)).unwrap()
    }

    fn fails(&self) -> SettingsError {
        self.with(|sources| load(&SURFACE, sources)).unwrap_err()
    }

    fn problem(&self) -> String {
        let error = self.fails();
        assert_eq!(error.problems.len(), 1, "{error}");
        error.problems[0].to_string()
    }
}

#[test]
fn every_kind_from_every_source() {
    // key, flag, environment, file, and what each makes of it; last the default.
    let cases = [
        ("llm.model", &["f"][..], "e", "[llm]\nmodel='c'", json!(["f", "e", "c", "gpt-5"])),
        (
            "backend",
            &["tmux"],
            "wezterm",
            "backend='auto'",
            json!(["tmux", "wezterm", "auto", "auto"]),
        ),
        ("listen.port", &["1", "2"], " 3 ", "listen.port=4", json!([2, 3, 4, 0])),
        ("verbose", &[], "on", "verbose=true", json!([true, true, true, false])),
        (
            "modules",
            &["a,b", "c"],
            "d, e,",
            "modules=['f','g']",
            json!([["a,b", "c"], ["d", "e"], ["f", "g"], ["std"]]),
        ),
        ("paths", &["/a"], "/b,/c", "paths='/d'", json!([["/a"], ["/b", "/c"], ["/d"], []])),
        (
            "auth.tokens",
            &["a=1", "b=x=y"],
            "c=3,d=4",
            "auth.tokens.e='5'",
            json!([{"a": "1", "b": "x=y"}, {"c": "3", "d": "4"}, {"e": "5"}, {}]),
        ),
        ("overrides_dir", &["/f"], "/e", "overrides_dir='/c'", json!(["/f", "/e", "/c", null])),
    ];
    for (key, flag, env, file, mut expected) in cases {
        let info = SETTINGS.iter().find(|info| info.key == key).unwrap();
        let name = info.env.unwrap();
        let none = SettingsFixture::new();
        if expected[3].is_null() {
            expected[3] = json!(none.home().join("o"));
        }
        let in_file = SettingsFixture::new().default_file(file);
        let in_env = SettingsFixture::new().default_file(file).env(name, env);
        let in_flag = SettingsFixture::new().default_file(file).env(name, env).flag(key, flag);
        let path = in_file.home().join(".config/t/config.toml");
        let line = Some(file.lines().count());
        let sources = [
            (&in_flag, Source::Flag(info.flag.unwrap())),
            (&in_env, Source::Environment(name)),
            (&in_file, Source::File { path, line }),
            (&none, Source::Default),
        ];
        for (index, (fixture, source)) in sources.into_iter().enumerate() {
            let loaded = fixture.load();
            let found = loaded.get(key).unwrap();
            assert_eq!((&found.value, &found.source), (&expected[index], &source), "{key}");
            assert_eq!(loaded.warnings, Vec::<String>::new(), "{key}");
        }
    }
}

#[test]
fn sources_have_readable_names() {
    let file = Source::File { path: PathBuf::from("/c.toml"), line: Some(3) };
    let names = [Source::Flag("--x"), Source::Environment("T_X"), file, Source::Default];
    assert_eq!(
        names.map(|source| source.to_string()),
        ["flag --x", "environment T_X", "file /c.toml:3", "default"]
    );
}

#[test]
fn typed_settings() {
    let fixture =
        SettingsFixture::new().env("T_BACKEND", "tmux").env("T_PATHS", "~/a").env("T_TOKEN", "s");
    let (settings, loaded) = fixture.with(load_typed::<Settings>).unwrap();
    assert_eq!(settings.backend, Backend::Tmux);
    assert_eq!(settings.paths, [fixture.home().join("a")]);
    assert_eq!(settings.overrides_dir, Some(fixture.home().join("o")));
    assert_eq!((settings.listen_port, settings.verbose), (0, false));
    assert_eq!((settings.llm_model.as_str(), settings.modules.len()), ("gpt-5", 1));
    assert_eq!((settings.auth_tokens.len(), settings.token.as_deref()), (0, Some("s")));
    assert_eq!(loaded.file, None);
}

#[test]
fn an_empty_variable_is_not_set() {
    let loaded = SettingsFixture::new().env("T_MODEL", "").load();
    assert_eq!(loaded.get("llm.model").unwrap().source, Source::Default);
}

#[test]
fn secrets_are_never_shown() {
    let fixture = SettingsFixture::new().env("T_TOKEN", "hush").env("T_TOKENS", "me=hush");
    let loaded = fixture.load();
    assert_eq!(loaded.get("token").unwrap().value, "hush");
    let report = loaded.report();
    assert_eq!(report["token"], json!({"value": "***", "source": "environment T_TOKEN"}));
    assert_eq!(report["backend"], json!({"value": "auto", "source": "default"}));
    assert!(!report.to_string().contains("hush"));
    assert!(!format!("{loaded:?}").contains("hush"));
    let problem = SettingsFixture::new().env("T_TOKENS", "hush").problem();
    assert!(!problem.contains("hush"), "{problem}");
    assert_eq!(
        SettingsFixture::new().load().report()["token"],
        json!({"value": null, "source": "default"})
    );
}

#[test]
fn all_problems_come_at_once_each_with_its_source() {
    let fixture = SettingsFixture::new()
        .default_file("verbose = 'yes'\n[listen]\nport = 70000\n")
        .env("T_BACKEND", "tmxu")
        .flag("modules", &["m"])
        .flag("nonsense", &["1"])
        .flag("overrides_dir", &["${NOPE}/x"]);
    let file = fixture.home().join(".config/t/config.toml");
    let file = file.display();
    let problems: Vec<String> = fixture.fails().problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "`nonsense`: is not a setting of this surface".to_owned(),
            "`backend`: must be one of auto, tmux, wezterm, not `tmxu`; did you mean `tmux`? (environment T_BACKEND)".to_owned(),
            format!("`listen.port`: must be between 0 and 65535, not 70000 (file {file}:3)"),
            "`overrides_dir`: `${NOPE}/x`: the environment variable `NOPE` is not set; set it or write the full path (flag --overrides-dir)".to_owned(),
            format!("`verbose`: must be true or false, not `\"yes\"` (file {file}:1)"),
        ]
    );
}

#[test]
fn invalid_values() {
    for (name, value) in [
        ("T_PORT", "eighty"),
        ("T_PORT", "1.5"),
        ("T_PORT", "99999999999999999999"),
        ("T_VERBOSE", "perhaps"),
        ("T_OVERRIDES", "~other/x"),
        ("T_OVERRIDES", "${OPEN"),
    ] {
        let problem = SettingsFixture::new().env(name, value).problem();
        assert!(problem.ends_with(&format!("(environment {name})")), "{problem}");
    }
}

#[test]
fn paths_are_expanded_from_every_source() {
    let fixture = SettingsFixture::new()
        .default_file("paths = ['~', '${ROOT}/b', 'relative']")
        .env("ROOT", "/root dir")
        .env("T_OVERRIDES", "~/x/~/${ROOT}");
    let loaded = fixture.load();
    let home = fixture.home().to_str().unwrap();
    assert_eq!(loaded.get("paths").unwrap().value, json!([home, "/root dir/b", "relative"]));
    assert_eq!(loaded.get("overrides_dir").unwrap().value, json!(format!("{home}/x/~//root dir")));
}

#[test]
fn without_a_home_only_settings_that_need_it_fail() {
    let none = |_: &str| None;
    let sources = Sources {
        flags: BTreeMap::from([("overrides_dir".to_owned(), vec!["/abs".to_owned()])]),
        config: None,
        env: &none,
        home: None,
        cwd: PathBuf::from("/"),
    };
    let loaded = load(&SURFACE, &sources).unwrap();
    assert!(
        loaded.warnings[0].starts_with("the settings file is not read: "),
        "{:?}",
        loaded.warnings
    );
    let error = load(&SURFACE, &Sources { flags: BTreeMap::new(), ..sources }).unwrap_err();
    assert!(error.to_string().contains("set HOME or write an absolute path (default)"), "{error}");
}

#[test]
fn the_file_is_found_by_flag_environment_and_default() {
    let fixture = SettingsFixture::new()
        .default_file("backend = 'tmux'")
        .file("e.yaml", "llm:\n  model: from-env\nlisten: {port: 5}\nmodules: [a]\n")
        .file("f", "# no suffix is TOML\n\"llm.model\" = 'from-flag'\n");
    assert_eq!(fixture.load().get("backend").unwrap().value, "tmux");

    let fixture = fixture.env("T_CONFIG", "~/e.yaml");
    let loaded = fixture.load();
    let model = loaded.get("llm.model").unwrap();
    assert_eq!(model.value, "from-env");
    let path = fixture.home().join("e.yaml");
    assert_eq!(model.source, Source::File { path: path.clone(), line: Some(2) });
    assert_eq!(loaded.get("listen.port").unwrap().value, 5);
    assert_eq!(loaded.get("backend").unwrap().value, "auto", "only one file is read");
    assert_eq!(loaded.file, Some(path));

    let fixture = SettingsFixture { config: Some("f".to_owned()), ..fixture };
    assert_eq!(fixture.load().get("llm.model").unwrap().value, "from-flag");
}

#[test]
fn a_named_file_must_exist_and_be_valid() {
    for (name, text, expected) in [
        ("gone.toml", None, "cannot be read"),
        ("x.json", Some("{}"), "use `.toml`, `.yaml` or `.yml`"),
        ("x.toml", Some("a = 1\nb = = 2"), "is not valid TOML in line 2"),
        ("x.toml", Some("a = 1\na = 2"), "is not valid TOML in line 2"),
        ("x.yml", Some("a: [1"), "is not valid YAML"),
        ("x.yml", Some("- a"), "must hold keys and values"),
    ] {
        let mut fixture = SettingsFixture::new();
        if let Some(text) = text {
            fixture = fixture.file(name, text);
        }
        fixture.config = Some(format!("~/{name}"));
        let problem = fixture.problem();
        assert!(problem.contains(expected) && problem.ends_with("(flag --config)"), "{problem}");
    }
}

#[test]
fn unknown_keys_are_warnings() {
    let fixture = SettingsFixture::new()
        .default_file("bakend = 'tmux'\n[llm]\nmodle = 'x'\n[other]\na = 1\n");
    let file = fixture.home().join(".config/t/config.toml");
    let file = file.display();
    assert_eq!(
        fixture.load().warnings,
        [
            format!("`bakend` is not a setting (file {file}:1); did you mean `backend`?"),
            format!("`llm.modle` is not a setting (file {file}:3); did you mean `llm.model`?"),
            format!("`other` is not a setting (file {file}:4)"),
        ]
    );
}

#[test]
fn a_value_where_a_table_belongs_is_a_problem() {
    let problem = SettingsFixture::new().default_file("llm = 'gpt-5'").problem();
    assert!(problem.starts_with("`llm`: must be a table"), "{problem}");
}

#[test]
fn aliases_work_and_the_first_name_wins() {
    let fixture = SettingsFixture::new().default_file("[overrides]\ndir = '/a'\npath = '/b'\n");
    let loaded = fixture.load();
    assert_eq!(loaded.get("overrides_dir").unwrap().value, "/a");
    assert_eq!(loaded.warnings.len(), 1);
    assert!(loaded.warnings[0].starts_with("`overrides.path` is ignored because `overrides.dir`"));
}

#[test]
fn a_report_lists_every_setting() {
    let Value::Object(rows) = SettingsFixture::new().load().report() else { panic!() };
    assert_eq!(rows.len(), SETTINGS.len());
}
