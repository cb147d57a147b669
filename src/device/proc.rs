//! What the system says of memory, on systems that have `/proc`, and how freed memory is kept.

use std::sync::LazyLock;

/// All memory that this process may have, and how much of it can be allocated now, in bytes; everything where nobody knows.
pub(super) fn memory() -> (usize, usize) {
    let line = |key| line("/proc/meminfo", key).unwrap_or(usize::MAX);
    let machine = (line("MemTotal:"), line("MemAvailable:"));
    [group(), limit()].into_iter().flatten().fold(machine, |(all, free), (most, left)| (all.min(most), free.min(left)))
}

/// What the group of processes that this one is in may have, a container say, and what it has not taken; none without a limit.
fn group() -> Option<(usize, usize)> {
    const PLACES: [[&str; 3]; 2] = [
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"],
        [
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
            "/sys/fs/cgroup/memory/memory.stat",
        ],
    ];
    let number = |file: &str| std::fs::read_to_string(file).ok()?.trim().parse::<usize>().ok();
    PLACES.iter().find_map(|[most, taken, parts]| {
        let (most, taken) = (number(most)?, number(taken)?);
        // What files left in memory is given up when it is wanted.
        let parts = std::fs::read_to_string(parts).unwrap_or_default();
        let files = parts.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok()).unwrap_or(0);
        Some((most, most.saturating_sub(taken.saturating_sub(files))))
    })
}

/// What `ulimit -v` leaves to this process; none without a limit.
#[cfg(unix)]
fn limit() -> Option<(usize, usize)> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: writes the two numbers.
    let is_told = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0 && limit.rlim_cur != libc::RLIM_INFINITY;
    let most = usize::try_from(limit.rlim_cur).ok().filter(|_| is_told)?;
    Some((most, most.saturating_sub(line("/proc/self/status", "VmSize:").unwrap_or(0))))
}

/// Other systems have no such limit.
#[cfg(not(unix))]
fn limit() -> Option<(usize, usize)> {
    None
}

/// Bytes of memory that this process holds; none where nobody knows.
pub fn resident() -> usize {
    line("/proc/self/status", "VmRSS:").unwrap_or(0)
}

/// Bytes of the last cache before memory, which cores share; those of a common machine where nobody knows. Unit tests see a small one,
/// so that small tensors are large beside it.
pub(super) fn cache() -> usize {
    if cfg!(test) {
        return 1 << 12;
    }
    static CACHE: LazyLock<usize> = LazyLock::new(|| {
        let told = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index3/size").ok();
        let kib = told.and_then(|told| told.trim().strip_suffix('K')?.parse::<usize>().ok());
        kib.map_or(32 << 20, |kib| kib.saturating_mul(1024))
    });
    *CACHE
}

/// Lets the allocator of this process keep freed blocks of up to some MiB instead of giving each back: work that needs as much again
/// then does not wait for the system to clear pages.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_freed_memory() {
    const BLOCK: libc::c_int = 4 << 20;
    // SAFETY: both only set a number in the allocator, under its lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, BLOCK);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 16 * BLOCK);
    }
}

/// The allocator is left as it is.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_freed_memory() {}

/// A line `key  number kB` of a file, in bytes.
fn line(file: &str, key: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|l| l.starts_with(key))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib.saturating_mul(1024))
}
