//! The `tsr` command.

use std::process::ExitCode;

/// The interpreter makes and drops small values all the time, for which this one needs half the time of the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tsr::cli::main()
}
