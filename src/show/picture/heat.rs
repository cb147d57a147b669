//! `%heat x`: a matrix as an image, dark to light as its elements go from the least to the largest.

use super::explained::sentence;
use super::facets::opened;
use super::facts::Named;
use super::{counted, grouped};
use crate::dtype::{DType, Kind, general};
use crate::interrupt;
use crate::show::elements::{Shown, View};
use crate::show::shade::{ink, level};
use crate::show::survey::measure;
use crate::show::{Doc, Style};
use anyhow::Result;

/// Lines of text that an image has at most.
const LINES: usize = 20;

/// Pixels that a small matrix is blown up to across, and pixels of one element at most.
const ACROSS: usize = 32;
const BLOWN_UP: usize = 4;

/// Bands of rows and of columns whose means are told.
const BANDS: usize = 4;

/// How many digits the ends of the range have.
const DIGITS: usize = 4;

/// Elements that are read at most; of a larger matrix only some are.
const READ: i64 = 1 << 22;

/// A pixel: the mean of the elements in it, and what cannot be a shade.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pixel {
    Mean(f64),
    Nan,
    Above,
    Below,
}

impl Pixel {
    /// What stands for a pixel that has no shade.
    fn sign(self) -> Option<char> {
        match self {
            Pixel::Mean(_) => None,
            Pixel::Nan => Some('n'),
            Pixel::Above => Some('>'),
            Pixel::Below => Some('<'),
        }
    }
}

/// An image of a matrix; a tensor of one dimension is a row. `blocks` draws two pixels in a character by its colours, else a
/// character is denser the larger the number.
pub fn heat(named: &Named, blocks: bool, width: usize) -> Result<Doc> {
    let (tensor, (mut doc, found)) = (&named.tensor, opened(named, width)?);
    let Some(strided) = found else { return Ok(doc) };
    // The frame has a column at each side, behind the margin.
    let room = width.saturating_sub(3);
    let grid = if blocks { [2 * LINES, room] } else { [LINES, room / 2] };
    let image = View::open(&strided, tensor.dtype(), Shown::all(), |view| Image::of(view, grid))?;
    let drawn = if blocks { image.in_blocks() } else { image.in_ink() };
    doc.append(&drawn.told_as(image.told()));
    image.legend(&mut doc, blocks, width);
    image.notes(&mut doc, tensor.dtype(), width);
    Ok(doc)
}

/// The pixels of an image, and what they show.
struct Image {
    rows: Vec<Vec<Pixel>>,
    /// How many elements a pixel stands for, down and across.
    shrunk: [i64; 2],
    /// Of how many elements one is read, down and across.
    skipped: [usize; 2],
    /// How many pixels an element has.
    blown_up: usize,
    least: f64,
    largest: f64,
    sizes: [i64; 2],
}

impl Image {
    /// In at most so many pixels, down and across.
    fn of(view: &View, grid: [usize; 2]) -> Result<Image> {
        let layout = view.layout;
        let sizes = [layout.sizes[0], layout.sizes[1]];
        let shrunk = [0, 1].map(|k| (sizes[k] as u64).div_ceil(grid[k].max(1) as u64) as i64);
        let [down, across] = [0, 1].map(|k| (sizes[k] as u64).div_ceil(shrunk[k] as u64) as usize);
        let mut skipped = [1usize; 2];
        while sizes[0] / skipped[0] as i64 * (sizes[1] / skipped[1] as i64) > READ {
            // From the dimension of which a pixel has more.
            let longer = usize::from(shrunk[1] / skipped[1] as i64 > shrunk[0] / skipped[0] as i64);
            skipped[longer] *= 2;
        }
        let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut sums = vec![(0.0, 0u32, None); down * across];
        for i in (0..sizes[0]).step_by(skipped[0]) {
            interrupt::check()?;
            let row = (i / shrunk[0]) as usize * across;
            for j in (0..sizes[1]).step_by(skipped[1]) {
                let value = measure(view.at(layout.address(&[i, j])));
                let (sum, count, special) = &mut sums[row + (j / shrunk[1]) as usize];
                match value {
                    v if v.is_nan() => *special = Some(Pixel::Nan),
                    v if v.is_infinite() => {
                        special.get_or_insert(if v > 0.0 { Pixel::Above } else { Pixel::Below });
                    }
                    v => {
                        (least, largest) = (least.min(v), largest.max(v));
                        *sum += v;
                        *count += 1;
                    }
                }
            }
        }
        let pixels = sums.iter().map(|(sum, count, special)| special.unwrap_or(Pixel::Mean(sum / f64::from(*count))));
        let pixels: Vec<Pixel> = pixels.collect();
        let rows = pixels.chunks(across).map(<[Pixel]>::to_vec).collect();
        let blown_up = (ACROSS / across).min(grid[0] * 4 / 5 / down).min(grid[1] / across).clamp(1, BLOWN_UP);
        Ok(Image { rows, shrunk, skipped, blown_up, least, largest, sizes })
    }

    /// The shade of a pixel that has one.
    fn level(&self, pixel: Pixel) -> u8 {
        if let Pixel::Mean(mean) = pixel { level(mean, self.least, self.largest) } else { 0 }
    }

    /// The rows with each pixel as often as it is blown up.
    fn enlarged(&self) -> Vec<Vec<Pixel>> {
        let wide = |row: &Vec<Pixel>| -> Vec<Pixel> { row.iter().flat_map(|p| std::iter::repeat_n(*p, self.blown_up)).collect() };
        self.rows.iter().flat_map(|row| std::iter::repeat_n(wide(row), self.blown_up)).collect()
    }

    /// A pixel is two characters of a line, which are as wide as they are high.
    fn in_ink(&self) -> Doc {
        let rows = self.enlarged();
        framed(&rows, 2, |doc, row| {
            for pixel in row {
                match pixel.sign() {
                    Some(sign) => doc.push(Style::Strong, &format!("{sign}{sign}")),
                    None => {
                        let level = self.level(*pixel);
                        doc.push(Style::Shade(level), &String::from_iter([ink(level); 2]))
                    }
                };
            }
        })
    }

    /// A character is two pixels, one above the other.
    fn in_blocks(&self) -> Doc {
        let mut rows = self.enlarged();
        if !rows.len().is_multiple_of(2) {
            // A last half line of its own would look darker than it is.
            rows.extend(rows.last().cloned());
        }
        let pairs: Vec<Vec<[Pixel; 2]>> =
            rows.chunks(2).map(|two| two[0].iter().zip(&two[1]).map(|(upper, lower)| [*upper, *lower]).collect()).collect();
        framed(&pairs, 1, |doc, row| {
            for [upper, lower] in row {
                match upper.sign().or(lower.sign()) {
                    Some(sign) => doc.push(Style::Strong, &sign.to_string()),
                    None => doc.push(Style::Pixels(self.level(*upper), self.level(*lower)), "▀"),
                };
            }
        })
    }

    /// The ends of the range with the shades between them.
    fn legend(&self, doc: &mut Doc, blocks: bool, width: usize) {
        if self.least > self.largest {
            return sentence(doc, Style::Note, "no element is finite", width);
        }
        let [least, largest] = [self.least, self.largest].map(|end| general(end, DIGITS));
        if self.least == self.largest {
            return sentence(doc, Style::Note, &format!("all finite elements are {least}"), width);
        }
        let mut line = Doc::plain(" ");
        line.push(Style::Plain, &format!("{least} ["));
        for n in 0..10u8 {
            let level = n * 28 + u8::from(n > 0) * 3;
            match blocks {
                true => line.push(Style::Pixels(level, level), "▀"),
                false => line.push(Style::Shade(level), &ink(level).to_string()),
            };
        }
        line.push(Style::Plain, &format!("] {largest}")).newline();
        doc.append(&line.told_as(format!("The elements go from {least} to {largest}.")));
    }

    fn notes(&self, doc: &mut Doc, dtype: DType, width: usize) {
        let mut note = |text: String| sentence(doc, Style::Note, &text, width);
        let has = |pixel: Pixel| self.rows.iter().flatten().any(|p| *p == pixel);
        let shrinks = self.shrunk != [1, 1];
        let what = if shrinks { "a pixel with" } else { "an element that is" };
        for (pixel, word) in [(Pixel::Nan, "nan"), (Pixel::Above, "inf"), (Pixel::Below, "-inf")] {
            if has(pixel) {
                note(format!("{} marks {what} {word}", pixel.sign().unwrap_or_default()));
            }
        }
        if dtype.kind() == Kind::Complex {
            note("shades are of magnitudes".to_string());
        }
        if shrinks {
            let [down, across] = self.shrunk;
            let elements = counted(down * across, "element");
            note(format!("each pixel is the mean of up to {elements}, {down} down and {across} across"));
        }
        let [down, across] = self.skipped;
        if down * across > 1 {
            note(format!("1 of {} elements was read, for the range too", grouped(down * across)));
        }
    }

    /// The means of some bands of rows, each from left to right.
    fn told(&self) -> String {
        let mut out = String::new();
        let bands = |count: usize| -> Vec<std::ops::Range<usize>> {
            let bands = count.min(BANDS);
            (0..bands).map(|b| b * count / bands..(b + 1) * count / bands).collect()
        };
        let across = self.rows.first().map_or(0, Vec::len);
        for rows in bands(self.rows.len()) {
            let mean = |columns: std::ops::Range<usize>| {
                let pixels = self.rows[rows.clone()].iter().flat_map(|row| &row[columns.clone()]);
                let means: Vec<f64> = pixels.filter_map(|p| if let Pixel::Mean(m) = p { Some(*m) } else { None }).collect();
                let sum: f64 = means.iter().sum();
                if means.is_empty() { "no numbers".to_string() } else { general(sum / means.len() as f64, DIGITS) }
            };
            let means: Vec<String> = bands(across).into_iter().map(mean).collect();
            let first = rows.start as i64 * self.shrunk[0];
            let last = (rows.end as i64 * self.shrunk[0]).min(self.sizes[0]) - 1;
            let which = if first == last { format!("Row {first}") } else { format!("Rows {first} to {last}") };
            out.push_str(&format!("{which}, means from left to right: {}.\n", means.join(", ")));
        }
        out
    }
}

/// Rows of pixels, so many characters each, in a frame.
fn framed<T>(rows: &[Vec<T>], wide: usize, mut write: impl FnMut(&mut Doc, &[T])) -> Doc {
    let ruling = "─".repeat(rows.first().map_or(0, Vec::len) * wide);
    let mut doc = Doc::new();
    doc.push(Style::Faint, &format!(" ┌{ruling}┐")).newline();
    for row in rows {
        doc.push(Style::Faint, " │");
        write(&mut doc, row);
        doc.push(Style::Faint, "│").newline();
    }
    doc.push(Style::Faint, &format!(" └{ruling}┘")).newline();
    doc
}
