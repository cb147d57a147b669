//! Shell commands and their pictures, as reviewed: in Unicode, and in ASCII with characters of the same width.

use crate::support::{same_steps, transcript};

#[test]
fn commands_draw_as_reviewed() {
    same_steps(&transcript("pictures", &["--echo"], "commands.tsr"), include_str!("../pictures/commands.out"));
}

#[test]
fn the_ascii_picture_is_the_other_one_with_its_characters_exchanged() {
    let ascii = transcript("pictures", &["--echo", "--ascii"], "commands.tsr");
    assert!(ascii.is_ascii());
    let (lines, plain) = (include_str!("../pictures/commands.out").lines(), ascii.lines());
    assert_eq!(lines.clone().count(), plain.clone().count());
    for (line, plain) in lines.zip(plain) {
        assert_eq!(line.chars().count(), plain.chars().count(), "{line}\n{plain}");
    }
}
