//! What several tests use.

/// A small generator (xorshift), so that a failure can be repeated.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    pub fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// What `tsr` prints for a file in a folder of `tests`.
pub fn transcript(folder: &str, arguments: &[&str], file: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut tsr = std::process::Command::new(env!("CARGO_BIN_EXE_tsr"));
    let output =
        tsr.current_dir(folder).env("LC_ALL", "C.UTF-8").env("TSR_BITS", "intel").args(arguments).arg(file).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Fails at the first statement of a transcript that differs.
pub fn same_steps(found: &str, expected: &str) {
    for (found, expected) in found.split("\n>>> ").zip(expected.split("\n>>> ")) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}
