//! Lines that are the same but for the last digits of their floats.

/// Of a tolerance this part is allowed besides: numbers near zero.
const ABSOLUTE: f64 = 1e-2;

/// A piece of a line.
#[derive(Debug, PartialEq)]
enum Piece<'a> {
    /// A number with a point or an exponent, `inf` or `nan`.
    Float(f64),
    /// Anything else, blanks left out.
    Text(&'a str),
}

/// True when two lines differ by no more than a part `tolerance` of each of their floats. Ints and words have to be the same;
/// blanks do not count.
pub(super) fn close(expected: &str, actual: &str, tolerance: f64) -> bool {
    let (a, b) = (pieces(expected), pieces(actual));
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| match (a, b) {
            (Piece::Float(a), Piece::Float(b)) => near(*a, *b, tolerance),
            (a, b) => a == b,
        })
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * (a.abs().max(b.abs()) + ABSOLUTE)
}

/// A line as numbers and what stands between them.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let part = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    let mut found = vec![];
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if part(first) { word_end(rest, part) } else { first.len_utf8() };
        let (word, behind) = rest.split_at(end);
        let is_float = word.contains('.') || ["inf", "nan"].contains(&word) || exponent(word);
        match word.parse().ok().filter(|_| is_float && !word.starts_with('_')) {
            Some(number) => found.push(Piece::Float(number)),
            None => found.push(Piece::Text(word)),
        }
        rest = behind.trim_start();
    }
    found
}

/// Where a word ends; the sign of an exponent is a part of its number.
fn word_end(text: &str, part: impl Fn(char) -> bool) -> usize {
    let mut before = ' ';
    let starts_with_digit = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    for (at, c) in text.char_indices() {
        let sign = starts_with_digit && ['+', '-'].contains(&c) && ['e', 'E'].contains(&before);
        if !part(c) && !sign {
            return at;
        }
        before = c;
    }
    text.len()
}

/// `1e-05`, `2e+20`.
fn exponent(word: &str) -> bool {
    word.split_once(['e', 'E']).is_some_and(|(digits, power)| {
        !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
            && power.trim_start_matches(['+', '-']).parse::<u32>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_may_differ_in_their_last_digits() {
        let yes = [
            ("tensor(0.66667)", "tensor(0.66666)"),
            ("tensor([1., 2.5000])", "tensor([1.0000, 2.5000])"),
            ("tensor([  1.0000, -2.0001])", "tensor([1.0000, -2.0002])"),
            ("1e-05", "1.00001e-05"),
            ("(nan, inf)", "(nan, inf)"),
        ];
        let no = [
            ("tensor(0.669)", "tensor(0.667)"),
            ("size 3", "size 4"),
            ("1.0", "-1.0"),
            ("x1.0", "x2.0"),
            ("inf", "nan"),
            ("1", "1.0"),
            ("(1., 2.)", "(1., 2., 3.)"),
        ];
        for (a, b) in yes {
            assert!(close(a, b, 1e-4), "{a} {b}");
        }
        for (a, b) in no {
            assert!(!close(a, b, 1e-4), "{a} {b}");
        }
    }
}
