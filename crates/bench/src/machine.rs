//! What the process has used, as Linux tells it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the seconds since a driver spawned this process, which it notes in `BENCH_T0_NS`.
pub(crate) fn since_spawn() -> Option<f64> {
    let spawned: u128 = std::env::var("BENCH_T0_NS").ok()?.parse().ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(now.saturating_sub(spawned) as f64 / 1e9)
}

/// Returns the CPU seconds of this process, user and system, in steps of a clock tick.
pub(crate) fn cpu_seconds() -> f64 {
    /// Ticks a second on every Linux there is (`getconf CLK_TCK`).
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The command's name stands in brackets and may hold spaces; the fields count after it.
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks =
        |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / TICKS
}

/// Returns a line of `/proc/self/status` in kilobytes.
pub(crate) fn status_kb(key: &str) -> u64 {
    status_kb_of("self", key)
}

/// The same of another process.
pub(crate) fn status_kb_of(process: &str, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}
