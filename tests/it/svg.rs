//! Reads the SVG files that tsr writes, so that tests can compare them with the pictures they show.

use std::collections::BTreeMap;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What a file shows.
pub struct Picture {
    pub title: String,
    pub description: String,
    /// Its words and rulings in the cells of a terminal.
    pub text: String,
    /// The elements that draw, as written.
    pub body: String,
}

/// Pixels of a cell and of the space around all of them.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 20.0;
const SPACE: f64 = 12.0;

/// Reads a file. Fails when it is not well-formed, names no title and description, or draws outside its paper.
pub fn read(file: &str) -> Result<Picture, String> {
    let elements = elements(file)?;
    let one = |name: &str| {
        let mut found = elements.iter().filter(|e| e.name == name);
        found.next().filter(|_| found.next().is_none()).ok_or(format!("not one <{name}>"))
    };
    let (root, title, description) = (one("svg")?, one("title")?, one("desc")?);
    let (width, height) = (root.number("width")?, root.number("height")?);
    if root.attribute("viewBox")? != format!("0 0 {width} {height}") {
        return Err("the viewBox is not the whole paper".into());
    }
    let labels = [title.attribute("id")?, description.attribute("id")?].join(" ");
    if root.attribute("role")? != "img" || root.attribute("aria-labelledby")? != labels || description.text.is_empty() {
        return Err("a screen reader does not find what it is".into());
    }
    let mut grid = Grid::default();
    let mut row = 0;
    for element in &elements {
        match element.name {
            "text" => row = ((element.number("y")? - SPACE) / HEIGHT) as usize,
            "tspan" => {
                let (x, length) = (element.number("x")?, element.number("textLength")?);
                if x < 0.0 || x + length > width || (row + 1) as f64 * HEIGHT > height {
                    return Err(format!("{:?} is outside", element.text));
                }
                if (length - element.text.width() as f64 * WIDTH).abs() > 0.1 {
                    return Err(format!("{:?} is not as wide as its cells", element.text));
                }
                grid.write(row, ((x - SPACE) / WIDTH).round() as usize, &element.text);
            }
            "path" => {
                for segment in element.attribute("d")?.split('M').skip(1) {
                    let (from, to, down) = ruling(segment).ok_or(format!("a path with {segment}"))?;
                    if [from.0, to.0].iter().any(|x| *x > width) || [from.1, to.1].iter().any(|y| *y > height) {
                        return Err(format!("{segment} is outside"));
                    }
                    grid.rule(from, to, down);
                }
            }
            _ => {}
        }
    }
    let draws = |line: &&str| line.starts_with("<text ") || line.starts_with("<path ");
    let body = file.lines().filter(draws).map(|line| format!("{line}\n")).collect();
    Ok(Picture { title: title.text.clone(), description: description.text.clone(), text: grid.text(), body })
}

type Point = (f64, f64);

/// `12 22H58.2` or `12 22V58.2`: both ends, and whether it goes down.
fn ruling(segment: &str) -> Option<(Point, Point, bool)> {
    let down = segment.contains('V');
    let (from, to) = segment.split_once(['H', 'V'])?;
    let (x, y) = from.split_once(' ')?;
    let (x, y, to): (f64, f64, f64) = (x.parse().ok()?, y.parse().ok()?, to.parse().ok()?);
    Some(((x, y), if down { (x, to) } else { (to, y) }, down))
}

/// The cells of a terminal.
#[derive(Default)]
struct Grid {
    words: BTreeMap<(usize, usize), char>,
    /// Which halves of a cell a ruling crosses: to the left, to the right, up, down.
    arms: BTreeMap<(usize, usize), [bool; 4]>,
}

impl Grid {
    fn write(&mut self, row: usize, mut column: usize, text: &str) {
        for c in text.chars() {
            self.words.insert((row, column), c);
            column += c.width().unwrap_or(0);
        }
    }

    fn rule(&mut self, from: Point, to: Point, down: bool) {
        let half = |at: f64, cell: f64| ((at - SPACE) / cell * 2.0).round() as usize;
        let (x, y) = (half(from.0, WIDTH), half(from.1, HEIGHT));
        let range = if down { y..half(to.1, HEIGHT) } else { x..half(to.0, WIDTH) };
        for k in range {
            let (row, column) = if down { (k / 2, x / 2) } else { (y / 2, k / 2) };
            let arm = 2 * usize::from(down) + k % 2;
            self.arms.entry((row, column)).or_default()[arm] = true;
        }
    }

    fn text(&self) -> String {
        let mut cells = self.words.clone();
        for (place, arms) in &self.arms {
            let c = match arms.map(u8::from) {
                [1, 1, 0, 0] => '─',
                [0, 0, 1, 1] => '│',
                [0, 1, 0, 1] => '┌',
                [1, 0, 0, 1] => '┐',
                [0, 1, 1, 0] => '└',
                [1, 0, 1, 0] => '┘',
                [0, 1, 1, 1] => '├',
                [1, 0, 1, 1] => '┤',
                [1, 1, 0, 1] => '┬',
                [1, 1, 1, 0] => '┴',
                [1, 1, 1, 1] => '┼',
                _ => '?',
            };
            cells.insert(*place, c);
        }
        let mut out = String::new();
        let (mut row, mut column) = (0, 0);
        for ((at, left), c) in cells {
            while row < at {
                out.push('\n');
                (row, column) = (row + 1, 0);
            }
            out.push_str(&" ".repeat(left.saturating_sub(column)));
            out.push(c);
            column = left + c.width().unwrap_or(0);
        }
        out + "\n"
    }
}

/// An element with the text right behind its tag.
struct Element<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
    text: String,
}

impl Element<'_> {
    fn attribute(&self, name: &str) -> Result<&str, String> {
        let found = self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        found.ok_or(format!("<{}> without {name}", self.name))
    }

    fn number(&self, name: &str) -> Result<f64, String> {
        self.attribute(name)?.parse().map_err(|e| format!("{name}: {e}"))
    }
}

/// All elements in order. Fails unless every one is closed in its order and every attribute quoted.
fn elements(text: &str) -> Result<Vec<Element<'_>>, String> {
    let mut found: Vec<Element> = vec![];
    let mut open: Vec<&str> = vec![];
    let mut parts = text.split('<');
    plain(parts.next().unwrap_or_default())?;
    for part in parts {
        let (tag, behind) = part.split_once('>').ok_or("a tag without an end")?;
        let behind = plain(behind)?;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        found.push(Element { name, attributes: read_attributes(attributes)?, text: behind });
        if !empty {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(found) } else { Err(format!("{open:?} stay open")) }
}

fn read_attributes(mut text: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut found = vec![];
    while !text.trim().is_empty() {
        let (name, rest) = text.split_once("=\"").ok_or(format!("an attribute {text}"))?;
        let (value, rest) = rest.split_once('"').ok_or(format!("quotes in {text}"))?;
        plain(value)?;
        found.push((name.trim(), value));
        text = rest;
    }
    Ok(found)
}

/// The text that an XML text stands for.
fn plain(text: &str) -> Result<String, String> {
    const ENTITIES: [(&str, &str); 4] = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
    let known = |part: &str| ENTITIES.iter().any(|(name, _)| part.starts_with(&name[1..]));
    if let Some(part) = text.split('&').skip(1).find(|part| !known(part)) {
        return Err(format!("&{part}"));
    }
    Ok(ENTITIES.iter().fold(text.to_string(), |text, (name, sign)| text.replace(name, sign)))
}
