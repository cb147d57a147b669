//! Shades: how far a number lies in a range, as a colour from dark to light that colour-blind readers can tell apart, and as a
//! character that is denser the larger the number.

use anstyle::{Ansi256Color, Color, RgbColor};

/// Characters from empty to dense.
pub const RAMP: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// Colours from dark violet over blue and green to yellow, evenly apart; their lightness rises.
const STOPS: [[f64; 3]; 5] =
    [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];

/// Where a number lies between two others, from 0 to 255; in the middle of nothing.
pub fn level(value: f64, low: f64, high: f64) -> u8 {
    // Halves, so that a range wider than the largest float has a width.
    let range = high / 2.0 - low / 2.0;
    if range > 0.0 { ((value / 2.0 - low / 2.0) / range * 255.0).round().clamp(0.0, 255.0) as u8 } else { 128 }
}

/// The character of a level.
pub fn ink(level: u8) -> char {
    RAMP[usize::from(level) * RAMP.len() / 256]
}

/// The colour of a level: red, green, blue.
pub fn rgb(level: u8) -> [u8; 3] {
    let place = f64::from(level) / 255.0 * (STOPS.len() - 1) as f64;
    let below = (place as usize).min(STOPS.len() - 2);
    let part = place - below as f64;
    std::array::from_fn(|c| (STOPS[below][c] * (1.0 - part) + STOPS[below + 1][c] * part).round() as u8)
}

/// True when dark letters can be read on a level's colour.
pub fn is_light(level: u8) -> bool {
    let [r, g, b] = rgb(level).map(f64::from);
    0.299 * r + 0.587 * g + 0.114 * b > 140.0
}

/// The colour of a level as a terminal has it: any, or the nearest of its cube of 6 by 6 by 6.
pub fn ansi(level: u8, truecolor: bool) -> Color {
    let [r, g, b] = rgb(level);
    if truecolor {
        return RgbColor(r, g, b).into();
    }
    let step = |c: u8| match c {
        0..48 => 0,
        48..115 => 1,
        c => (c - 35) / 40,
    };
    Ansi256Color(16 + 36 * step(r) + 6 * step(g) + step(b)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_span_the_range() {
        assert_eq!([level(1.0, 1.0, 3.0), level(2.0, 1.0, 3.0), level(3.0, 1.0, 3.0), level(5.0, 5.0, 5.0)], [0, 128, 255, 128]);
        assert_eq!([level(-1e308, -1e308, 1e308), level(1e308, -1e308, 1e308)], [0, 255]);
        assert_eq!([ink(0), ink(25), ink(26), ink(255)], [' ', ' ', '.', '@']);
    }

    #[test]
    fn colours_get_lighter() {
        let light = |level: u8| {
            let [r, g, b] = rgb(level).map(f64::from);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        assert!((1..=255).all(|n| light(n) >= light(n - 1) - 0.5));
        assert_eq!([rgb(0), rgb(255)], [[68, 1, 84], [253, 231, 37]]);
        assert_eq!(ansi(0, false), Ansi256Color(16 + 36 + 1).into());
        assert_eq!(ansi(255, false), Ansi256Color(16 + 36 * 5 + 6 * 4).into());
    }
}
