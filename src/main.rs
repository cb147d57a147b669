//! The `tsr` command.

fn main() {}
