//! Identity of a process beyond its reusable number: boot id, start time, working directory.

use std::fs;
use std::path::PathBuf;

/// Which run of the machine this is, shortened.
pub(super) fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.chars().filter(char::is_ascii_hexdigit).take(12).collect()
}

/// When a process was started, in the kernel's own count; 0 when that is unknown.
pub(super) fn start(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything; the rest are numbers.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_ascii_whitespace().nth(19).and_then(|start| start.parse().ok()).unwrap_or(0)
}

/// The working directory of a process.
pub(super) fn folder(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}
