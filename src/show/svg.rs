//! A picture as SVG: every character in its cell of a grid, text that can be selected, rulings as lines, and the sentences that
//! say the same for who does not see it.

use super::{Doc, Style, shade};
use std::collections::HashMap;
use std::fmt::Write;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Pixels of a cell of the grid, of the space around it, and where letters stand in a cell.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 20.0;
const SPACE: f64 = 12.0;
const BASELINE: f64 = 14.5;

/// Colours by what a text is: on light paper, on dark paper. Their contrast is at least 4.5 to 1 on both.
const COLORS: &[(&str, &str, &str)] = &[
    ("paper", "#ffffff", "#16191d"),
    ("plain", "#1b1f24", "#e3e7eb"),
    ("faint", "#636b74", "#98a2ad"),
    ("number", "#005f8c", "#56b4e9"),
    ("name", "#2f4bb3", "#93b4ff"),
    ("good", "#00694f", "#35c39a"),
    ("warning", "#8a4b00", "#e69f00"),
    ("error", "#b3261e", "#ff8a75"),
    ("keyword", "#8c3a6e", "#dd9ac3"),
];

/// The class of a style, and whether it is bold.
fn class(style: Style) -> (&'static str, bool) {
    match style {
        Style::Plain => ("plain", false),
        Style::Number => ("number", false),
        Style::Text | Style::Good => ("good", false),
        Style::Keyword => ("keyword", false),
        Style::Name => ("name", false),
        Style::Faint | Style::Note => ("faint", false),
        Style::Strong | Style::Heading => ("plain", true),
        Style::Warning => ("warning", true),
        Style::Error => ("error", true),
        Style::Shade(level) if shade::is_light(level) => ("dark", false),
        Style::Shade(_) => ("light", false),
        // Its halves are drawn, and its character adds nothing.
        Style::Pixels(..) => ("none", false),
    }
}

/// The lines that a ruling character has: to the left, to the right, up, down.
fn arms(c: char) -> Option<[bool; 4]> {
    Some(match c {
        '─' => [true, true, false, false],
        '│' => [false, false, true, true],
        '┌' => [false, true, false, true],
        '┐' => [true, false, false, true],
        '└' => [false, true, true, false],
        '┘' => [true, false, true, false],
        '├' => [false, true, true, true],
        '┤' => [true, false, true, true],
        '┬' => [true, true, false, true],
        '┴' => [true, true, true, false],
        '┼' => [true, true, true, true],
        _ => return None,
    })
}

/// The whole picture as an SVG file with this title. It keeps its own paper, light or dark as the reader's system is, so that it
/// can be read on any page.
pub fn svg(doc: &Doc, title: &str) -> String {
    let lines = lines(doc);
    let columns = lines.iter().map(|line| line.iter().map(|(_, text)| text.width()).sum::<usize>()).max().unwrap_or(0).max(1);
    let (width, height) = (columns as f64 * WIDTH + 2.0 * SPACE, lines.len().max(1) as f64 * HEIGHT + 2.0 * SPACE);
    let mut out = String::new();
    let (width, height) = (short(width), short(height));
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-labelledby=\"title desc\">"
    );
    let _ = writeln!(out, "<title id=\"title\">{}</title>", escaped(title));
    let _ = writeln!(out, "<desc id=\"desc\">{}</desc>", escaped(doc.narrated().trim_end()));
    out.push_str(&style_sheet());
    let _ = writeln!(out, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>");
    write_shades(&mut out, &lines);
    let rulings = rulings(&lines);
    if !rulings.is_empty() {
        let _ = writeln!(out, "<path class=\"ruling\" d=\"{rulings}\"/>");
    }
    for (row, line) in lines.iter().enumerate() {
        write_line(&mut out, row, line);
    }
    out.push_str("</svg>\n");
    out
}

/// The pieces of each line; empty lines at the end left out.
fn lines(doc: &Doc) -> Vec<Vec<(Style, String)>> {
    let mut lines = vec![vec![]];
    for (style, text) in doc.spans() {
        for (k, part) in text.split('\n').enumerate() {
            if k > 0 {
                lines.push(vec![]);
            }
            if let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) {
                line.push((style, part.to_string()));
            }
        }
    }
    while lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn style_sheet() -> String {
    let rules = |pick: fn(&(&str, &'static str, &'static str)) -> &'static str| {
        let rule = |color: &(&'static str, &'static str, &'static str)| format!(".{}{{fill:{}}}", color.0, pick(color));
        let faint = COLORS.iter().find(|c| c.0 == "faint").map_or("", pick);
        COLORS.iter().map(rule).collect::<String>() + &format!(".ruling{{fill:none;stroke:{faint}}}")
    };
    format!(
        "<style>text{{font-family:monospace;font-size:14px;white-space:pre}}\
         .b{{font-weight:bold}}.dark{{fill:#000000}}.light{{fill:#ffffff}}.none{{fill:none}}{}@media (prefers-color-scheme:dark){{{}}}</style>\n",
        rules(|c| c.1),
        rules(|c| c.2)
    )
}

/// The pixels of images, below the text.
fn write_shades(out: &mut String, lines: &[Vec<(Style, String)>]) {
    for (row, line) in lines.iter().enumerate() {
        let mut column = 0;
        for (style, text) in line {
            let (x, wide) = (short(SPACE + column as f64 * WIDTH), short(text.width() as f64 * WIDTH));
            let top = SPACE + row as f64 * HEIGHT;
            let parts = match *style {
                Style::Shade(level) => vec![(level, top, HEIGHT)],
                Style::Pixels(upper, lower) => vec![(upper, top, HEIGHT / 2.0), (lower, top + HEIGHT / 2.0, HEIGHT / 2.0)],
                _ => vec![],
            };
            for (level, y, high) in parts {
                let [r, g, b] = shade::rgb(level);
                let (y, high) = (short(y), short(high));
                let _ = writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" fill=\"#{r:02x}{g:02x}{b:02x}\" shape-rendering=\"crispEdges\"/>"
                );
            }
            column += text.width();
        }
    }
}

/// The text of a line: each word where its cells are, ruling characters left out.
fn write_line(out: &mut String, row: usize, line: &[(Style, String)]) {
    let mut words = String::new();
    let mut column = 0;
    for (style, text) in line {
        for (at, word) in pieces(text) {
            let left = column + text.get(..at).unwrap_or_default().width();
            let (class, bold) = class(*style);
            let weight = if bold { " b" } else { "" };
            let (x, length) = (short(SPACE + left as f64 * WIDTH), short(word.width() as f64 * WIDTH));
            let _ = write!(words, "<tspan x=\"{x}\" textLength=\"{length}\" class=\"{class}{weight}\">{}</tspan>", escaped(word));
        }
        column += text.width();
    }
    if !words.is_empty() {
        let y = short(SPACE + row as f64 * HEIGHT + BASELINE);
        let _ = writeln!(out, "<text y=\"{y}\">{words}</text>");
    }
}

/// The pieces of a text that two blanks or a ruling character divide, each with the byte where it begins.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut found: Vec<(usize, &str)> = vec![];
    let mut end = 0;
    for (at, word) in text.match_indices(|c: char| c != ' ' && arms(c).is_none()) {
        match found.last_mut() {
            Some((start, piece)) if text.get(end..at).is_some_and(|gap| gap.is_empty() || gap == " ") => {
                *piece = text.get(*start..at + word.len()).unwrap_or_default();
            }
            _ => found.push((at, word)),
        }
        end = at + word.len();
    }
    found
}

/// Half a line of a ruling: where it begins and ends, in pixels.
type Segment = [f64; 4];

/// All rulings as one path; halves that meet in a straight line are one.
fn rulings(lines: &[Vec<(Style, String)>]) -> String {
    let mut across: Vec<Segment> = vec![];
    let mut down: HashMap<usize, Vec<Segment>> = HashMap::new();
    for (row, line) in lines.iter().enumerate() {
        let mut column = 0;
        for c in line.iter().flat_map(|(_, text)| text.chars()) {
            let (left, top) = (SPACE + column as f64 * WIDTH, SPACE + row as f64 * HEIGHT);
            let (middle, centre) = (left + WIDTH / 2.0, top + HEIGHT / 2.0);
            if let Some([to_left, to_right, up, below]) = arms(c) {
                let (from, to) = (if to_left { left } else { middle }, if to_right { left + WIDTH } else { middle });
                extend(&mut across, [from, centre, to, centre]);
                let (from, to) = (if up { top } else { centre }, if below { top + HEIGHT } else { centre });
                extend(down.entry(column).or_default(), [middle, from, middle, to]);
            }
            column += c.width().unwrap_or(0);
        }
    }
    let mut columns: Vec<_> = down.into_iter().collect();
    columns.sort_by_key(|(column, _)| *column);
    let path = |[x, y, to_x, to_y]: Segment| {
        if y == to_y {
            format!("M{} {}H{}", short(x), short(y), short(to_x))
        } else {
            format!("M{} {}V{}", short(x), short(y), short(to_y))
        }
    };
    across.into_iter().chain(columns.into_iter().flat_map(|(_, segments)| segments)).map(path).collect()
}

/// Adds a segment, or makes the last one longer that it goes on with.
fn extend(segments: &mut Vec<Segment>, new: Segment) {
    let near = |a: f64, b: f64| (a - b).abs() < 0.01;
    if near(new[0], new[2]) && near(new[1], new[3]) {
        return;
    }
    match segments.last_mut() {
        Some(last) if near(last[2], new[0]) && near(last[3], new[1]) => (last[2], last[3]) = (new[2], new[3]),
        _ => segments.push(new),
    }
}

/// A number with one decimal at most.
fn short(n: f64) -> String {
    let text = format!("{n:.1}");
    text.strip_suffix(".0").map_or(text.clone(), String::from)
}

/// A text as XML; characters that XML does not allow become blanks.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\n' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_their_cells() {
        assert_eq!(pieces(" a b  │ <3> │"), [(1, "a b"), (10, "<3>")]);
        let mut doc = Doc::plain("x  ");
        doc.push(Style::Number, "日 1").newline();
        let text = svg(&doc, "a < b");
        assert!(text.contains("<title id=\"title\">a &lt; b</title>"), "{text}");
        let line = "<text y=\"26.5\"><tspan x=\"12\" textLength=\"8.4\" class=\"plain\">x</tspan>\
                    <tspan x=\"37.2\" textLength=\"33.6\" class=\"number\">日 1</tspan></text>\n";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn rulings_are_few_lines() {
        let doc = Doc::plain("┌──┬─┐\n│ab│1│\n└──┴─┘\n");
        let text = svg(&doc, "box");
        let path = text.split(" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert_eq!(path, "M16.2 22H58.2M16.2 62H58.2M16.2 22V62M41.4 22V62M58.2 22V62");
    }

    #[test]
    fn colors_can_be_read_on_their_paper() {
        let channel = |hex: &str| {
            let c = f64::from(u8::from_str_radix(hex, 16).unwrap()) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let light = |color: &str| 0.2126 * channel(&color[1..3]) + 0.7152 * channel(&color[3..5]) + 0.0722 * channel(&color[5..]);
        let ratio = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        let (_, white, black) = COLORS[0];
        for (name, on_white, on_black) in &COLORS[1..] {
            assert!(ratio(light(on_white), light(white)) >= 4.5, "{name} on light paper");
            assert!(ratio(light(on_black), light(black)) >= 4.5, "{name} on dark paper");
        }
    }
}
