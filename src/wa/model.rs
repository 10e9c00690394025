//! Types shared by all modules: panes, their state, agents, actors, actions, decisions.
//!
//! Plain data, with the contract's vocabulary.

use serde::{Deserialize, Serialize};

/// Epoch milliseconds.
pub type Millis = i64;

/// Where a pane lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// WezTerm, through `wezterm cli`.
    Wezterm,
    /// tmux, through its command line.
    Tmux,
    /// Embedded pseudo-terminals.
    Embedded,
}

/// A pane as its backend lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaneRow {
    /// Id that clients use; differs from `native_id` where several backends are in use.
    pub pane_id: u64,
    /// The backend's own number.
    pub native_id: u64,
    /// Which backend.
    pub backend: BackendKind,
    /// What it is through the lives of a backend: backend, socket, server start, number, root
    /// process and its start. Equal text, same pane.
    pub identity: String,
    /// Tab of the backend.
    pub tab_id: u64,
    /// Window of the backend.
    pub window_id: u64,
    /// `local`, `ssh:<host>`, `tmux`, `tmux:<socket>`, `embedded`.
    pub domain: String,
    /// Title.
    pub title: Option<String>,
    /// Working directory, as a path.
    pub cwd: Option<String>,
    /// 0-based row and column on the screen.
    pub cursor: Option<(u64, u64)>,
    /// Columns and rows.
    pub size: Option<(u64, u64)>,
    /// The focused pane of its tab.
    pub is_active: bool,
    /// `/dev/pts/3`
    pub tty: Option<String>,
    /// The process that was started in it.
    pub root_pid: Option<u32>,
    /// Whether the alternate screen is shown, where the backend says so.
    pub alt_screen: Option<bool>,
    /// Whether the program wants pastes bracketed, where the backend says so.
    pub bracketed_paste: Option<bool>,
    /// Grows when something was printed, where the backend counts. Equal number, nothing new.
    pub activity: Option<u64>,
    /// The process has ended and the backend kept the pane; its exit status where known.
    pub dead: Option<Option<i32>>,
}

/// What is known about a pane now. `None` is unknown, never "no".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaneState {
    /// A shell waits for a command.
    pub prompt_active: Option<bool>,
    /// A program runs in the foreground.
    pub command_running: Option<bool>,
    /// The alternate screen is shown.
    pub alt_screen: Option<bool>,
    /// Pastes are bracketed.
    pub bracketed_paste: Option<bool>,
    /// Names of the foreground process group's members, sorted; empty when unknown.
    pub foreground: Vec<String>,
    /// Command lines of those members (program and arguments joined by spaces), same order.
    pub foreground_commands: Vec<String>,
    /// The agent that runs here, where one is recognised.
    pub agent: Option<AgentSeen>,
    /// Output was lost and nothing verified the pane since.
    pub recent_gap: bool,
}

/// A recognised agent and what it is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSeen {
    /// Which.
    pub agent: Agent,
    /// What it is doing, read off the last lines of the screen.
    pub activity: AgentActivity,
}

/// What an agent is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentActivity {
    /// Waits for input.
    Idle,
    /// Works.
    Busy,
    /// Waits for a permission or a choice.
    Asking,
    /// Unknown.
    Unknown,
}

/// The programs that rules are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agent {
    /// OpenAI Codex.
    Codex,
    /// Claude Code.
    ClaudeCode,
    /// Gemini CLI.
    Gemini,
    /// The terminal itself.
    Wezterm,
    /// None of them, or not known.
    Unknown,
}

/// How much an event matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Look soon.
    Warning,
    /// Something has stopped.
    Critical,
}

/// Kind of actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A user on the command line; trusted.
    Human,
    /// `wa robot`.
    Robot,
    /// A client of the MCP server.
    Mcp,
    /// A workflow's step.
    Workflow,
}

/// An actor and its identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// Kind of actor.
    pub kind: ActorKind,
    /// Name that reservations and audits show.
    pub id: String,
    /// One connection, or one user of the command line: a session may not approve its own action.
    pub session: String,
}

/// What the policy decides about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Text, submitted with Enter.
    SendText,
    /// Ctrl-C.
    SendCtrlC,
    /// Ctrl-D.
    SendCtrlD,
    /// Ctrl-Z.
    SendCtrlZ,
    /// Any other key.
    SendControl,
    /// Starting a pane.
    Spawn,
    /// Closing a pane.
    Close,
    /// Starting a workflow.
    WorkflowRun,
    /// Ending a workflow.
    WorkflowAbort,
    /// Reserving a pane.
    ReservePane,
    /// Releasing a reservation.
    ReleasePane,
    /// Using an approval code.
    Approve,
    /// Running a program outside of panes, such as the accounts command.
    ExecCommand,
}

/// The policy decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Permit.
    Allow,
    /// Refuse.
    Deny,
    /// Hold for approval.
    RequireApproval,
}

/// The contract's spelling of the values of an enum, as serde writes them.
macro_rules! words {
    ($($kind:ident { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        impl $kind {
            /// The contract's spelling.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Parses the contract's spelling.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )+};
}
pub(crate) use words;

words! {
    BackendKind { Wezterm = "wezterm", Tmux = "tmux", Embedded = "embedded" }
    AgentActivity { Idle = "idle", Busy = "busy", Asking = "asking", Unknown = "unknown" }
    Agent {
        Codex = "codex", ClaudeCode = "claude_code", Gemini = "gemini", Wezterm = "wezterm",
        Unknown = "unknown",
    }
    Severity { Info = "info", Warning = "warning", Critical = "critical" }
    ActorKind { Human = "human", Robot = "robot", Mcp = "mcp", Workflow = "workflow" }
    Action {
        SendText = "send_text", SendCtrlC = "send_ctrl_c", SendCtrlD = "send_ctrl_d",
        SendCtrlZ = "send_ctrl_z", SendControl = "send_control", Spawn = "spawn", Close = "close",
        WorkflowRun = "workflow_run", WorkflowAbort = "workflow_abort",
        ReservePane = "reserve_pane", ReleasePane = "release_pane", Approve = "approve",
        ExecCommand = "exec_command",
    }
    Decision { Allow = "allow", Deny = "deny", RequireApproval = "require_approval" }
}

impl Action {
    /// Something is typed into a pane.
    pub fn is_input(self) -> bool {
        matches!(
            self,
            Self::SendText
                | Self::SendCtrlC
                | Self::SendCtrlD
                | Self::SendCtrlZ
                | Self::SendControl
        )
    }

    /// It may end what runs.
    pub fn is_destructive(self) -> bool {
        matches!(self, Self::SendCtrlC | Self::SendCtrlD | Self::Close)
    }
}
