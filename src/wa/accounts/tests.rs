//! Real programs (small scripts), real files, real database.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::backend::testing::script;

/// `caut` as it is published: knows `usage`.
const PUBLISHED: &str = r#"
echo "$*" >> "$0.calls"
case "$*" in
  --version) echo "caut 0.4.1"; exit 0 ;;
  "usage --provider codex --all-accounts --json") cat <<'J'
{"schemaVersion":"caut.v1","command":"usage","data":[
 {"provider":"codex","account":"work","source":"oauth","usage":{
   "primary":{"usedPercent":28.0,"windowMinutes":300,"resetsAt":"2026-02-06T01:00:00Z"},
   "secondary":{"usedPercent":59,"windowMinutes":10080,"resetsAt":"2026-02-10T00:00:00Z"},
   "identity":{"accountEmail":"work@example.com"}}},
 {"provider":"codex","account":"spare","source":"oauth","usage":{
   "primary":{"usedPercent":100,"windowMinutes":300,"resetsAt":"2026-02-06T02:00:00Z"}}}
],"errors":[]}
J
  ;;
  "usage --provider claude --all-accounts --json") cat <<'J'
{"schemaVersion":"caut.v1","data":[
 {"provider":"claude","account":"me","error":{"message":"token expired, sign in again","code":"auth"}},
 {"provider":"claude","account":"ok","usage":{"primary":{"usedPercent":10}}}],"errors":[]}
J
  exit 3 ;;
  *gemini*) echo "not configured" >&2; exit 4 ;;
  *) echo "error: unrecognized subcommand" >&2; exit 2 ;;
esac
"#;

/// The other dialect: knows `refresh`.
const OTHER: &str = r#"
case "$*" in
  "refresh --service openai --format json") cat <<'J'
{"service":"openai","refreshed_at":"2026-02-06T00:00:00Z","accounts":[
 {"id":"acct-1","name":"One","percentRemaining":42.5,"limitHours":5,"resetAt":"2026-02-06T01:00:00Z",
  "tokens_used":1000,"tokens_limit":3000},
 {"id":"acct-2","name":"Two","percent_remaining":"3%"},
 {"name":7},
 {"percent_remaining":1}]}
J
  ;;
  *) echo "error: unrecognized subcommand 'usage'" >&2; exit 2 ;;
esac
"#;

struct TestWorkspace {
    folder: tempfile::TempDir,
}

impl TestWorkspace {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn store(&self) -> Arc<Store> {
        Arc::new(Store::open(&self.folder.path().join(".wa"), &[SCHEMA]).unwrap())
    }

    fn script(&self, name: &str, body: &str) -> String {
        script(self.folder.path(), name, body).display().to_string()
    }

    fn caut(&self, body: &str) -> Accounts {
        let program = self.script("caut", body);
        Accounts::new(self.store(), Options { program, ..Options::default() })
    }

    fn command(&self, words: &[&str]) -> Accounts {
        let command = words.iter().map(|word| (*word).to_owned()).collect();
        let options = Options { source: Source::Command, command, ..Options::default() };
        Accounts::new(self.store(), options)
    }
}

fn find<'a>(listing: &'a Listing, id: &str) -> &'a Account {
    listing.accounts.iter().find(|account| account.id == id).unwrap()
}

const NOW: Millis = 1_770_335_000_000; // 2026-02-05T23:43:20Z

#[test]
fn the_published_dialect_gives_the_tightest_window_of_each_account() {
    let workspace = TestWorkspace::new();
    let accounts = workspace.caut(PUBLISHED);
    let refreshed = accounts.refresh(Some(Service::Openai), NOW).unwrap();
    assert_eq!(refreshed.accounts_updated, 2);
    assert_eq!(refreshed.caut_version.as_deref(), Some("caut 0.4.1"));
    assert!(refreshed.errors.is_empty(), "{:?}", refreshed.errors);
    let listing = accounts.list(Some(Service::Openai), NOW).unwrap();
    let work = find(&listing, "work");
    assert_eq!(work.percent_remaining, Some(41.0));
    assert_eq!(work.limit_type.as_deref(), Some("7d"));
    assert_eq!(work.resets_at, Some(1_770_681_600_000));
    assert_eq!(work.label.as_deref(), Some("work@example.com"));
    assert_eq!(work.status, AccountStatus::Available);
    assert_eq!(find(&listing, "spare").status, AccountStatus::AtLimit);
    assert_eq!(listing.selected.as_deref(), Some("work"));
    assert_eq!(listing.last_refresh, Some(NOW));
    // Once the window has reset the remaining usage is unknown: not at its limit, not best either.
    let later = accounts.list(Some(Service::Openai), 1_770_343_200_001).unwrap();
    assert_eq!(find(&later, "spare").status, AccountStatus::Unknown);
    assert_eq!(later.selected.as_deref(), Some("work"));
}

#[test]
fn the_other_dialect_is_asked_when_the_first_is_not_known() {
    let workspace = TestWorkspace::new();
    let accounts = workspace.caut(OTHER);
    let refreshed = accounts.refresh(Some(Service::Openai), NOW).unwrap();
    assert_eq!(refreshed.accounts_updated, 3);
    assert_eq!(refreshed.errors.len(), 1, "{:?}", refreshed.errors);
    assert!(refreshed.errors[0].error.contains("Entry 4 has no `id`"));
    assert_eq!(refreshed.caut_version, None);
    let listing = accounts.list(Some(Service::Openai), NOW).unwrap();
    let one = find(&listing, "acct-1");
    assert_eq!(one.percent_remaining, Some(42.5));
    assert_eq!(one.limit_type.as_deref(), Some("5h"));
    assert_eq!(one.resets_at, Some(1_770_339_600_000));
    assert_eq!(one.current_usage.as_deref(), Some("1000 of 3000 tokens"));
    assert_eq!(find(&listing, "acct-2").percent_remaining, Some(3.0));
    assert_eq!(listing.selected.as_deref(), Some("acct-1"));
    assert!(listing.reason.unwrap().contains("`acct-2` has 3.0 % left"));
}

#[test]
fn one_account_or_service_that_cannot_be_read_does_not_spoil_the_others() {
    let workspace = TestWorkspace::new();
    let accounts = workspace.caut(PUBLISHED);
    let refreshed = accounts.refresh(None, NOW).unwrap();
    let problems: Vec<_> = refreshed.errors.iter().map(|one| one.account_id.as_str()).collect();
    assert_eq!(problems, ["me", "service:google"]);
    assert_eq!(refreshed.errors[0].error_code.as_deref(), Some("auth"));
    let listing = accounts.list(None, NOW).unwrap();
    assert_eq!(find(&listing, "me").status, AccountStatus::AuthRequired);
    assert_eq!(find(&listing, "ok").percent_remaining, Some(90.0));
    assert_eq!(listing.accounts.len(), 4);
    assert_eq!(listing.selected, None, "no service was named");
    // Google was never answered about.
    assert_eq!(accounts.list(Some(Service::Google), NOW).unwrap().last_refresh, None);
}

#[test]
fn status_changes_and_removed_accounts_are_reported() {
    let workspace = TestWorkspace::new();
    let script = |json: &str| workspace.script("list", &format!("echo '{json}'"));
    let program = script(
        r#"{"accounts":[{"id":"a","service":"google","percent_remaining":50},
                        {"id":"b","service":"google","percent_remaining":50}]}"#,
    );
    let accounts = workspace.command(&[&program]);
    let refreshed = accounts.refresh(Some(Service::Google), NOW).unwrap();
    let new: Vec<_> = refreshed.changes.iter().map(|one| one.account_id.as_str()).collect();
    assert_eq!(new, ["a", "b"]);
    accounts.used(Service::Google, "a", NOW).unwrap();
    script(r#"{"accounts":[{"id":"a","service":"google","percent_remaining":0}]}"#);
    let refreshed = accounts.refresh(Some(Service::Google), NOW + COOLDOWN_MS).unwrap();
    let told: Vec<_> =
        refreshed.changes.iter().map(|one| (one.account_id.as_str(), one.new_status)).collect();
    assert_eq!(told, [("a", AccountStatus::AtLimit), ("b", AccountStatus::Unknown)]);
    let listing = accounts.list(None, NOW).unwrap();
    assert_eq!(listing.accounts.len(), 1);
    assert_eq!(find(&listing, "a").last_used_at, Some(NOW), "a refresh forgets no use");
}

#[test]
fn a_command_is_run_per_service_where_it_names_one() {
    let workspace = TestWorkspace::new();
    let program = workspace
        .script("list", r#"echo "[{\"id\":\"$1-$2; rm -rf x\",\"percent_remaining\":10}]""#);
    let accounts = workspace.command(&[&program, "{service}", "{provider}"]);
    accounts.refresh(Some(Service::Anthropic), NOW).unwrap();
    let listing = accounts.list(None, NOW).unwrap();
    assert_eq!(listing.accounts[0].id, "anthropic-claude; rm -rf x");
    assert_eq!(listing.accounts[0].service, Service::Anthropic);
}

#[test]
fn a_file_in_yaml_or_json() {
    let workspace = TestWorkspace::new();
    let file = workspace.folder.path().join("accounts.yaml");
    let text = "accounts:\n  - {id: x, service: openai, percent_remaining: 80}\n  \
                - {id: y, service: codex, status: disabled}\n  - {id: z, service: nobody}\n";
    std::fs::write(&file, text).unwrap();
    let options = Options { source: Source::File, file: Some(file.clone()), ..Options::default() };
    let accounts = Accounts::new(workspace.store(), options.clone());
    let refreshed = accounts.refresh(None, NOW).unwrap();
    assert_eq!(refreshed.errors[0].account_id, "z");
    let listing = accounts.list(Some(Service::Openai), NOW).unwrap();
    assert_eq!(find(&listing, "y").status, AccountStatus::Disabled);
    assert_eq!(listing.selected.as_deref(), Some("x"));

    std::fs::write(&file, "accounts: [").unwrap();
    let error = accounts.refresh(None, NOW + COOLDOWN_MS).unwrap_err();
    assert_eq!(error.kind, Kind::Config);
    assert!(error.message.contains("accounts.yaml") && error.message.contains("line"), "{error}");
    assert_eq!(accounts.list(None, NOW).unwrap().accounts.len(), 2, "nothing is lost");
    let gone = Options { file: Some(Path::new("/nowhere/x.json").into()), ..options };
    let error =
        Accounts::new(workspace.store(), gone).refresh(None, NOW + COOLDOWN_MS).unwrap_err();
    assert!(error.message.contains("/nowhere/x.json"), "{error}");
}

#[test]
fn broken_output_missing_programs_and_slow_ones() {
    let workspace = TestWorkspace::new();
    let table = [
        ("echo 'not json'", Kind::Config, "not JSON"),
        ("echo '{\"accounts\": 3}'", Kind::Config, "neither"),
        ("echo '3'", Kind::Config, "neither an object"),
        ("exit 9", Kind::Config, "exit status 9"),
        ("head -c 400000 /dev/zero", Kind::Config, "400000 bytes"),
    ];
    for (number, (body, kind, expected)) in table.into_iter().enumerate() {
        let program = workspace.script("list", body);
        let accounts = workspace.command(&[&program]);
        let now = NOW + COOLDOWN_MS * number as Millis;
        let error = accounts.refresh(Some(Service::Openai), now).unwrap_err();
        assert_eq!(error.kind, kind, "{body}");
        assert!(error.message.contains(expected), "{body}: {error}");
        assert!(error.hint.is_some(), "{body}");
    }
    let missing = Options { program: "/nowhere/caut".to_owned(), ..Options::default() };
    let accounts = Accounts::new(workspace.store(), missing);
    let later = NOW + COOLDOWN_MS * 10;
    let error = accounts.refresh(None, later).unwrap_err();
    assert_eq!(error.kind, Kind::Config);
    assert_eq!(error.reason.as_deref(), Some("accounts.program_missing"));
    // Nobody was asked, so there is nothing to wait for.
    assert_eq!(accounts.refresh(None, later).unwrap_err().kind, Kind::Config);

    let program = workspace.script("list", "sleep 60");
    let options = Options {
        source: Source::Command,
        command: vec![program],
        timeout: Duration::from_millis(100),
        ..Options::default()
    };
    let accounts = Accounts::new(workspace.store(), options);
    let error = accounts.refresh(Some(Service::Google), later).unwrap_err();
    assert_eq!(error.kind, Kind::Timeout);
    assert_eq!(error.reason.as_deref(), Some("accounts.timeout"));
}

#[test]
fn the_cooldown_is_shared_by_processes() {
    let workspace = TestWorkspace::new();
    let mine = workspace.caut(PUBLISHED);
    let theirs = workspace.caut(PUBLISHED);
    mine.refresh(Some(Service::Openai), NOW).unwrap();
    let error = theirs.refresh(Some(Service::Openai), NOW + COOLDOWN_MS - 1).unwrap_err();
    assert_eq!(error.kind, Kind::PolicyDenied);
    assert_eq!(error.reason.as_deref(), Some("policy.refresh_cooldown"));
    assert!(error.hint.unwrap().contains("Wait 1 s"));
    assert!(theirs.refresh(None, NOW + 1).is_err(), "all includes it");
    let calls = std::fs::read_to_string(workspace.folder.path().join("caut.calls")).unwrap();
    assert_eq!(calls.lines().filter(|line| line.starts_with("usage")).count(), 1);
    theirs.refresh(Some(Service::Anthropic), NOW + 1).unwrap();
    theirs.refresh(Some(Service::Openai), NOW + COOLDOWN_MS).unwrap();
    // A clock that was set back holds nobody up.
    mine.refresh(Some(Service::Openai), NOW - 1).unwrap();
}

#[test]
fn a_refresh_is_news() {
    let workspace = TestWorkspace::new();
    let accounts = workspace.caut(PUBLISHED);
    let count = || {
        workspace
            .store()
            .read(|reader| {
                let mut statement =
                    reader.prepare("SELECT count FROM news WHERE topic = 'accounts'")?;
                let mut rows = statement.query([])?;
                Ok(rows.next()?.map_or(0, |row| row.get::<_, i64>(0).unwrap_or(-1)))
            })
            .unwrap()
    };
    assert_eq!(count(), 0);
    accounts.refresh(Some(Service::Openai), NOW).unwrap();
    let after = count();
    assert!(after > 0);
    accounts.list(None, NOW).unwrap();
    assert_eq!(count(), after, "reading is no news");
}
