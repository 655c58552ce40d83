//! The resources that a process has used, as reported by Linux.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the seconds since a driver spawned this process, at the time it put into `BENCH_T0_NS`.
pub(crate) fn since_spawn() -> Option<f64> {
    let spawned: u128 = std::env::var("BENCH_T0_NS").ok()?.parse().ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(now.saturating_sub(spawned) as f64 / 1e9)
}

/// Returns the CPU seconds of this process, user and system, at the resolution of a clock tick.
pub(crate) fn cpu_seconds() -> f64 {
    /// Clock ticks per second on every Linux (`getconf CLK_TCK`).
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The command's name is in parentheses and may contain spaces; fields are counted after it.
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks =
        |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / TICKS
}

/// Returns a value of `/proc/self/status` in kilobytes.
pub(crate) fn status_kb(key: &str) -> u64 {
    status_kb_of("self", key)
}

/// Returns a value of `/proc/<process>/status` in kilobytes.
pub(crate) fn status_kb_of(process: &str, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}
