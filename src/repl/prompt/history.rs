//! The file that remembers what was typed.

use etcetera::{BaseStrategy, choose_base_strategy};
use std::path::PathBuf;

/// Entries that are kept.
pub(super) const ENTRIES: usize = 10_000;

/// Where the history is: `TSR_HISTORY`, or `tsr/history` among the user's state files. None when there is no home, or when
/// `TSR_HISTORY` is empty.
pub(super) fn path(env: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    if let Some(said) = env("TSR_HISTORY") {
        return (!said.is_empty()).then(|| said.into());
    }
    let dirs = choose_base_strategy().ok()?;
    let folder = dirs.state_dir().unwrap_or_else(|| dirs.data_dir()).join("tsr");
    // Without the folder nothing is remembered; that is no reason not to work.
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_decides() {
        let with = |value: &'static str| path(move |_| Some(value.to_string()));
        assert_eq!(with("/tmp/h"), Some("/tmp/h".into()));
        assert_eq!(with(""), None);
    }
}
