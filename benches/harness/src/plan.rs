//! How much is measured: in full, and as a smoke run.

use std::time::Duration;

/// How much is measured.
pub(crate) struct Plan {
    /// Repetitions of each figure.
    pub(crate) rounds: usize,
    /// Calls one after the other.
    pub(crate) sequential: usize,
    /// Calls with many outstanding; fewer for slow servers.
    pub(crate) pipelined: usize,
    /// Bytes of all texts of one size together.
    pub(crate) payload_bytes: usize,
    /// Starts.
    pub(crate) starts: usize,
    /// Override files in the store.
    pub(crate) files: usize,
    /// Writes into the large file.
    pub(crate) writes: usize,
    /// Modules of the config repo.
    pub(crate) modules: usize,
    /// Terminal output that rules look at.
    pub(crate) output_bytes: usize,
    /// Captured lines that are searched.
    pub(crate) lines: usize,
    /// Bytes that a pane prints at once.
    pub(crate) flood_bytes: usize,
    /// Panes that do nothing.
    pub(crate) idle_panes: usize,
    /// How long they are watched.
    pub(crate) idle_time: Duration,
    /// Baskets that a session is compared with.
    pub(crate) baskets: usize,
    /// Blocks of a large memory.
    pub(crate) blocks: usize,
    /// Blocks of the memory behind HTTP.
    pub(crate) http_blocks: usize,
    /// Calls of all HTTP clients together.
    pub(crate) http_calls: usize,
    /// Nodes of a large story.
    pub(crate) nodes: usize,
    /// Entities of a large world.
    pub(crate) entities: usize,
    /// Whether builds are timed: minutes.
    pub(crate) builds: bool,
    /// Repetitions of each build that is compared with an earlier commit.
    pub(crate) build_rounds: usize,
}

pub(crate) const FULL: Plan = Plan {
    rounds: 5,
    sequential: 20_000,
    pipelined: 100_000,
    payload_bytes: 100_000_000,
    starts: 30,
    files: 10_000,
    writes: 30,
    modules: 192,
    output_bytes: 100_000_000,
    lines: 1_000_000,
    flood_bytes: 50 << 20,
    idle_panes: 50,
    idle_time: Duration::from_secs(20),
    baskets: 10_000,
    blocks: 1_000_000,
    http_blocks: 10_000,
    http_calls: 40_000,
    nodes: 10_000,
    entities: 100_000,
    builds: true,
    build_rounds: 3,
};
pub(crate) const QUICK: Plan = Plan {
    rounds: 1,
    sequential: 500,
    pipelined: 5_000,
    payload_bytes: 2_000_000,
    starts: 3,
    files: 300,
    writes: 3,
    modules: 8,
    output_bytes: 10_000_000,
    lines: 20_000,
    flood_bytes: 2 << 20,
    idle_panes: 5,
    idle_time: Duration::from_secs(2),
    baskets: 500,
    blocks: 5_000,
    http_blocks: 1_000,
    http_calls: 1_280,
    nodes: 500,
    entities: 2_000,
    builds: false,
    build_rounds: 1,
};

/// Three sizes up to `largest`, to see how a figure grows.
pub(crate) fn sizes(largest: usize) -> [usize; 3] {
    [(largest / 100).max(1), (largest / 10).max(2), largest]
}
