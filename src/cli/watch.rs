//! Memory that runs out: the running statement stops with a `MemoryError` before the system kills the process.

use crate::device::{self, DeviceId};
use crate::interrupt::{self, Reason};
use std::time::Duration;

/// How often to look. A loop that fills memory at 5 GB/s takes 250 MB in this time.
const EVERY: Duration = Duration::from_millis(50);

/// Memory is scarce when less than this part of it is free.
const RESERVE: usize = 32;

/// This process is the reason when it holds more than this part of it.
const SHARE: usize = 4;

/// Starts watching. Without a thread to spare, what fills memory ends as it does in other programs.
pub(super) fn start() {
    let _ = std::thread::Builder::new().name("memory".to_string()).stack_size(1 << 16).spawn(|| {
        loop {
            std::thread::sleep(EVERY);
            if is_scarce() {
                interrupt::raise(Reason::Memory);
            }
        }
    });
}

fn is_scarce() -> bool {
    let Ok(cpu) = device::get(DeviceId::Cpu) else { return false };
    let memory = cpu.memory();
    memory.free < memory.total / RESERVE && device::resident() > memory.total / SHARE
}
