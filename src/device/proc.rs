//! What the system says of memory, on systems that have `/proc`.

/// All memory, and how much of it can be allocated now, in bytes; everything where nobody knows.
pub(super) fn memory() -> (usize, usize) {
    let line = |key| line("/proc/meminfo", key).unwrap_or(usize::MAX);
    (line("MemTotal:"), line("MemAvailable:"))
}

/// Bytes of memory that this process holds; none where nobody knows.
pub fn resident() -> usize {
    line("/proc/self/status", "VmRSS:").unwrap_or(0)
}

/// A line `key  number kB` of a file, in bytes.
fn line(file: &str, key: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|l| l.starts_with(key))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib.saturating_mul(1024))
}
