//! The threads that share work.

/// Makes the calling thread, which is to live as long as the process, the first of the pool: it works on what it shares, and nothing
/// waits for another thread to take work from it. Where there is a single one, or there is a pool already, all stays as it is.
pub fn enlist() {
    let wanted = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    let threads: usize = wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    if threads > 1 {
        // A pool that is there already serves as well.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build_global();
    }
}
