//! Converts settings into the engine's options.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolwright_runtime::clock::{Ids as _, SystemClock, SystemIds};

use super::accounts::{self, Source};
use super::backend::{TmuxOptions, WeztermOptions};
use super::engine::{Backends, Setup};
use super::history::Retention;
use super::model::ActorKind;
use super::patterns::{self, PackOptions};
use super::policy::{self, ApprovalMode, Dcg, DcgMode};
use super::workflow;
use crate::generated::{Settings, SettingsApprovalsByClient, SettingsBackend, SettingsPolicyDcg};

/// The setup of this process. Paths in settings are taken from the workspace.
pub fn from_settings(settings: &Settings, actor: ActorKind) -> Setup {
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let workspace = match &settings.workspace {
        Some(path) => cwd.join(path),
        // Some hosts start servers in the root folder, which is nobody's workspace.
        None if cwd == Path::new("/") => std::env::home_dir().unwrap_or(cwd),
        None => cwd,
    };
    let folder = workspace.join(".wa");
    let ids = SystemIds;
    Setup {
        backends: backends(settings, &folder),
        include: settings.watch_include.clone(),
        exclude: settings.watch_exclude.clone(),
        packs: packs(settings, &workspace, &folder),
        policy: policy(settings, &workspace, &folder),
        workflows: workflows(settings),
        accounts: accounts(settings, &workspace),
        redact_text: settings.redact_text,
        wait_max: seconds(settings.wait_max_secs),
        run_wait: milliseconds(settings.workflows_run_wait_ms),
        retention: Retention {
            days: u32::try_from(settings.storage_retention_days).unwrap_or(0),
            max_bytes: unsigned(settings.storage_max_megabytes) << 20,
        },
        owner: settings.owner.clone(),
        actor,
        session: session(actor, &ids),
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(ids),
        folder,
    }
}

/// A server is one session; all calls of one user on the command line are another.
fn session(actor: ActorKind, ids: &SystemIds) -> String {
    match actor {
        ActorKind::Robot | ActorKind::Human => {
            format!("{actor}:{}", rustix::process::getuid().as_raw())
        }
        ActorKind::Mcp | ActorKind::Workflow => format!("{actor}:{}", ids.hex(8)),
    }
}

/// The terminal backends of these settings.
fn backends(settings: &Settings, folder: &Path) -> Backends {
    let wanted = match settings.backend {
        SettingsBackend::Auto => "auto",
        SettingsBackend::Wezterm => "wezterm",
        SettingsBackend::Tmux => "tmux",
        SettingsBackend::Embedded => "embedded",
    };
    let timeout = milliseconds(settings.backend_timeout_ms);
    let env: BTreeMap<String, String> = std::env::vars().collect();
    // Inside tmux, $TMUX names the server.
    let around = env.get("TMUX").and_then(|tmux| tmux.split(',').next());
    let around = around.filter(|path| !path.is_empty()).map(str::to_owned);
    Backends {
        wanted: wanted.to_owned(),
        tmux: TmuxOptions {
            program: settings.tmux_program.clone(),
            socket: settings.tmux_socket.clone().or(around),
            timeout,
        },
        wezterm: WeztermOptions {
            program: settings.wezterm_program.clone(),
            socket: settings.wezterm_socket.clone(),
            timeout,
        },
        folder: folder.to_owned(),
        host_command: host_command(folder),
        env,
    }
}

/// What starts the host of embedded panes: this program itself.
fn host_command(folder: &Path) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("wa"));
    let folder = folder.display().to_string();
    vec![program.display().to_string(), super::PANE_HOST.to_owned(), folder]
}

fn packs(settings: &Settings, workspace: &Path, folder: &Path) -> PackOptions {
    let mut files = patterns::pack_files(&folder.join("rules")).unwrap_or_default();
    files.extend(settings.patterns_files.iter().map(|file| workspace.join(file)));
    // A rule's id has a colon or a dotted alias of three parts; a pack's has neither.
    let (rules, packs) = settings
        .patterns_disabled
        .iter()
        .cloned()
        .partition(|id| id.contains(':') || id.matches('.').count() > 1);
    PackOptions { files, disabled_packs: packs, disabled_rules: rules, ..PackOptions::default() }
}

fn policy(settings: &Settings, workspace: &Path, folder: &Path) -> policy::Options {
    let own = settings.policy_rules.as_ref().map(|file| workspace.join(file));
    policy::Options {
        per_pane_per_minute: count(settings.policy_per_pane_per_minute),
        global_per_minute: count(settings.policy_per_minute),
        require_prompt: settings.policy_require_prompt,
        block_alt_screen: settings.policy_block_alt_screen,
        approvals: match settings.approvals_by_client {
            SettingsApprovalsByClient::Off => ApprovalMode::Off,
            SettingsApprovalsByClient::OtherSession => ApprovalMode::OtherClient,
            SettingsApprovalsByClient::On => ApprovalMode::On,
        },
        approval_ttl_ms: settings.approvals_ttl_secs.saturating_mul(1000),
        rules_optional: own.is_none(),
        rules_file: Some(own.unwrap_or_else(|| folder.join("policy.yaml"))),
        dcg: Dcg {
            mode: match settings.policy_dcg {
                SettingsPolicyDcg::Off => DcgMode::Off,
                SettingsPolicyDcg::Opportunistic => DcgMode::Opportunistic,
                SettingsPolicyDcg::Required => DcgMode::Required,
            },
            ..Dcg::default()
        },
        reservation_default_secs: unsigned(settings.reservations_ttl_secs),
        reservation_max_secs: unsigned(settings.reservations_max_secs),
        workspace: workspace.display().to_string(),
    }
}

fn workflows(settings: &Settings) -> workflow::Options {
    workflow::Options {
        enabled: settings.workflows_enabled.iter().cloned().collect(),
        auto_run: settings.workflows_auto_run.iter().cloned().collect(),
        auto_handle: settings.workflows_auto_handle,
        ..workflow::Options::default()
    }
}

fn accounts(settings: &Settings, workspace: &Path) -> accounts::Options {
    let source = match (&settings.accounts_file, settings.accounts_command.is_empty()) {
        (Some(_), _) => Source::File,
        (None, false) => Source::Command,
        (None, true) => Source::Caut,
    };
    accounts::Options {
        source,
        command: settings.accounts_command.clone(),
        file: settings.accounts_file.as_ref().map(|file| workspace.join(file)),
        ..accounts::Options::default()
    }
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn seconds(number: i64) -> Duration {
    Duration::from_secs(unsigned(number))
}

fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(unsigned(number))
}
