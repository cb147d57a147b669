//! Convolutions and their transposes: products with the cells of windows.

use super::pools::{columns, exact};
use super::{by_float, count, each, is_here, is_plain, sizes_of};
use crate::dtype::DType;
use crate::interrupt;
use crate::kernel::convolve::Convolution;
use crate::kernel::element::Element;
use crate::kernel::in_turn::InTurn;
use crate::kernel::matmul::BATCHED;
use crate::kernel::pools::{self, Windows};
use crate::layout::{Dims, Layout, MemoryFormat};
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;
use std::ops::AddAssign;

/// What a convolution is made of, where everything goes together.
struct Given {
    x: Tensor,
    weight: Tensor,
    bias: Option<Tensor>,
    /// How many dimensions a window has.
    n: usize,
    groups: i64,
    /// The number of examples; 1 where there is no batch.
    batch: i64,
    channels: i64,
    sizes: Dims,
    kernel: [i64; 3],
    /// Of the result: channels last where the input or the weights lie so.
    format: MemoryFormat,
}

impl Given {
    /// From the arguments, the number of groups given; `made` is the dimension of the weights that counts the results' channels.
    fn new(args: &Args, groups: i64, made: usize) -> Result<Option<Given>> {
        let (x, weight, bias): (Tensor, Tensor, Option<Tensor>) = args.take()?;
        let n = args.op.name().bytes().find(u8::is_ascii_digit).map_or(2, |digit| (digit - b'0') as usize);
        let (sizes, of_weight) = (x.sizes(), weight.sizes());
        let alike = |t: &Tensor| is_here(t) && t.dtype() == x.dtype();
        if !is_plain(&x) || !alike(&weight) || weight.numel() == 0 || of_weight.len() != n + 2 || groups < 1 {
            return Ok(None);
        }
        if !(n + 1..=n + 2).contains(&sizes.len()) || of_weight[0] % groups != 0 {
            return Ok(None);
        }
        let results = if made == 0 { of_weight[0] } else { of_weight[1] * groups };
        if bias.as_ref().is_some_and(|bias| !alike(bias) || bias.sizes().as_slice() != [results]) {
            return Ok(None);
        }
        // Along one dimension the input is laid in order first, the weights are not.
        let weight_is_inside_out = n == 1 && weight.layout().unsqueeze(2)?.suggested_format() != MemoryFormat::Contiguous;
        if weight_is_inside_out || n == 1 && x.layout().is_contiguous() && !x.layout().is_row_major() {
            return Ok(None);
        }
        let formats = [&x, &weight].map(|t| t.layout().suggested_format());
        let format = formats.into_iter().find(|f| *f != MemoryFormat::Contiguous).unwrap_or_default();
        if format != MemoryFormat::Contiguous && sizes.len() != n + 2 {
            return Ok(None);
        }
        let (front, sizes) = sizes.split_at(sizes.len() - n);
        let channels = front[front.len() - 1];
        let wanted = if made == 0 { of_weight[1] * groups } else { of_weight[0] };
        let mut kernel = [1; 3];
        kernel[..n].copy_from_slice(&of_weight[2..]);
        let batch = if front.len() > 1 { front[0] } else { 1 };
        let sizes = Dims::from_slice(sizes);
        Ok((channels == wanted).then_some(Given { x, weight, bias, n, groups, batch, channels, sizes, kernel, format }))
    }

    /// The result in its memory format.
    fn laid(&self, made: Value) -> Result<Value> {
        let kept = self.n < 3 || self.has_library();
        match made {
            Value::Tensor(made) if kept && self.format != MemoryFormat::Contiguous => {
                Ok(exec::clone_in(&made, self.format)?.into())
            }
            made => Ok(made),
        }
    }

    /// True where PyTorch's library for float32 takes over, which has an order of its own.
    fn has_library(&self) -> bool {
        let four = self.sizes.iter().take(2).fold(self.batch * self.channels, |n, by| n.saturating_mul(*by));
        let large = self.n > 1 && self.kernel[self.n - 2..self.n].iter().all(|k| *k > 3);
        self.x.dtype() == DType::F32 && (self.groups > 1 || self.batch > 1 || large || four > 20480)
    }

    /// The sizes of the result, without a batch where the input has none.
    fn shape(&self, channels: i64, out: &[i64]) -> Dims {
        let front = [self.batch, channels];
        sizes_of(if self.x.ndim() == self.n + 2 { &front } else { &front[1..] }, out)
    }
}

/// Each channel of the result is the sum of windows of the input times its weights.
pub fn convolution(args: &Args) -> Result<Option<Value>> {
    let Some(given) = Given::new(args, args.get(6)?, 0)? else { return Ok(None) };
    let Some(w) = windows(&given, args) else { return Ok(None) };
    by_float!(given.x, of_windows(&given, &w))?.map(|made| given.laid(made)).transpose()
}

fn windows(given: &Given, args: &Args) -> Option<Windows> {
    let (step, spread) = (each(args.value(3), given.n)?, each(args.value(5), given.n)?);
    let mut pad = [0; 3];
    match args.value(4) {
        Value::Str(name) if name.as_str() == "valid" => {}
        Value::Str(name) if name.as_str() == "same" && step[..given.n].iter().all(|step| *step == 1) => {
            for d in 0..given.n {
                let whole = spread[d].checked_mul(given.kernel[d] - 1).filter(|whole| whole % 2 == 0)?;
                pad[d] = whole / 2;
            }
        }
        Value::Str(_) => return None,
        other => pad = each(other, given.n)?,
    }
    exact(&given.sizes, [given.kernel, step, pad, spread])
}

/// Multiplications up to which terms are added in PyTorch's order.
const SMALL: i64 = 1 << 22;
/// Groups up to which they are.
const FEW: i64 = 8;

/// Planes up to which PyTorch's library adds products one after the other.
const MOST_IN_TURN: i64 = 16;

/// The products of few planes, each result added up in one chain.
fn in_turn(x: &Tensor, weight: &Tensor, given: &Given, w: &Windows) -> Result<Tensor> {
    let rows = given.weight.sizes()[0];
    let [batch, inside] = [given.batch, given.channels].map(|n| n as usize);
    let it = InTurn { windows: w, batch, inside, rows: rows as usize };
    let sizes = [given.batch, rows, w.count() as i64];
    let product = exec::read::<f32, _>(x, |from| {
        exec::read::<f32, _>(weight, |weight| exec::made::<f32>(&sizes, |to| it.run(from, weight, to)))
    })???;
    Ok(product)
}

/// One of the gradients of a convolution of one group of float32: of the input, the weights or the offsets.
pub fn back(args: &Args) -> Result<Value> {
    let (grad, x, weight): (Tensor, Tensor, Tensor) = args.take()?;
    let pair = |place: usize| each(args.value(place), 2);
    let (sizes, kernel) = (x.sizes(), weight.sizes());
    let (Some(step), Some(pad), Some(spread)) = (pair(3), pair(4), pair(5)) else {
        fault!(RuntimeError, "expected two numbers for each of stride, padding and dilation");
    };
    if [sizes.len(), kernel.len()] != [4, 4] || sizes[1] != kernel[1] {
        fault!(RuntimeError, "expected input and weight of 4 dimensions and as many channels, got {sizes:?} and {kernel:?}");
    }
    let flat = [pad[0], pad[1], 0];
    let Some(windows) = exact(&sizes[2..], [[kernel[2], kernel[3], 1], step, flat, spread]) else {
        fault!(RuntimeError, "the windows do not fit");
    };
    let [batch, inside, rows] = [sizes[0], sizes[1], kernel[0]].map(|n| n as usize);
    let it = InTurn { windows: &windows, batch, inside, rows };
    let grad = exec::read_vec::<f32>(&grad)?;
    if grad.len() != batch * rows * windows.count() {
        fault!(RuntimeError, "the gradient has {} elements, not one for each window", grad.len());
    }
    Ok(match args.get::<i64>(6)? {
        0 => {
            let weight = exec::read_vec::<f32>(&weight)?;
            let made = exec::made::<f32>(&sizes, |to| {
                to.fill(0.0);
                it.inputs(&grad, &weight, to);
            })?;
            made.into()
        }
        1 => exec::from_vec(&it.weights(&grad, &exec::read_vec::<f32>(&x)?), &kernel)?.into(),
        _ => exec::from_vec(&it.offsets(&grad), &kernel[..1])?.into(),
    })
}

/// None where the bias comes before the products.
fn of_windows<T: Element + Float + AddAssign>(given: &Given, w: &Windows) -> Result<Option<Value>> {
    let Given { x, weight, groups, batch, channels, .. } = given;
    let out: Dims = w.out[3 - given.n..].iter().map(|n| *n as i64).collect();
    let (made, places) = (weight.sizes()[0], count(&out) as i64);
    let (inside, cells_of) = (channels / groups, count(&given.kernel) as i64);
    let (rows, terms) = (made / groups, inside * cells_of);
    let small = *groups <= FEW && [*batch, weight.numel(), places].iter().fold(1, |n: i64, by| n.saturating_mul(*by)) < SMALL;
    let library = given.has_library();
    if small && !library && given.bias.is_some() && (rows == 1 || terms == 1) {
        return Ok(None);
    }
    let turns = inside > 1 && cells_of > 1 && (*groups == 1 || inside % 16 == 0 && rows % 16 == 0);
    let cells_first = small && library && turns;
    if small && library && *groups == 1 && inside <= MOST_IN_TURN {
        let product = in_turn(x, &turned(weight, &[made, inside, cells_of, 1])?, given, w)?;
        moved::<f32>(&product, given, places as usize)?;
        return Ok(Some(product.alias(Layout::contiguous(&given.shape(made, &out)))?.into()));
    }
    let flat = |weight: &Tensor| of_sizes(weight, &[*groups, rows, terms]);
    let weight = match cells_first {
        true => flat(&turned(weight, &[made, inside, cells_of, 1])?)?,
        false => flat(weight)?,
    };
    let whole = cells_of == 1 && w.step == [1; 3] && w.pad == [0; 3];
    let alone = small && (library && rows == 1 || rows * terms * places < BATCHED as i64);
    let product = if whole || alone || rows == 1 || places == 1 {
        let shape = [*batch, *groups, terms, places];
        let cells = if whole { of_sizes(x, &shape)? } else { columns::<T>(x, w, &shape)? };
        let cells = match cells_first {
            true => of_sizes(&turned(&cells, &[batch * groups, inside, cells_of, places])?, &shape)?,
            false => cells,
        };
        if alone { one_by_one::<T>(&weight, &cells, library)? } else { exec::matmul(&weight, &cells)? }
    } else {
        let [batch, groups, inside, rows] = [*batch, *groups, inside, rows].map(|n| n as usize);
        in_strips::<T>(x, &weight, Convolution { windows: w, batch, groups, inside, rows, cells_first })?
    };
    moved::<T>(&product, given, places as usize)?;
    Ok(Some(product.alias(Layout::contiguous(&given.shape(made, &out)))?.into()))
}

/// A copy with dimensions 1 and 2 exchanged, of what has these sizes.
fn turned(x: &Tensor, sizes: &[i64]) -> Result<Tensor> {
    let x = of_sizes(x, sizes)?;
    exec::contiguous(&x.alias(x.layout().transpose(1, 2)?)?)
}

/// The products of a batch, for some windows at a time.
fn in_strips<T: Element + Float>(x: &Tensor, weight: &Tensor, it: Convolution) -> Result<Tensor> {
    let shape = [it.batch, it.groups, it.rows, it.windows.count()].map(|n| n as i64);
    let of = |from: &[T], weight: &[T]| exec::made::<T>(&shape, |to| it.run(from, weight, to));
    let product = exec::read::<T, _>(x, |from| exec::read::<T, _>(weight, |weight| of(from, weight)))???;
    interrupt::check()?;
    Ok(product)
}

/// The products of a batch, each as one product of two matrices is added up; one row as if there were two.
fn one_by_one<T: Element + Float>(weight: &Tensor, cells: &Tensor, twice: bool) -> Result<Tensor> {
    let (of_weight, of_cells) = (weight.sizes(), cells.sizes());
    let [groups, rows, terms] = of_weight[..] else { fault!(RuntimeError, "weights in groups have three dimensions") };
    let (batch, places) = (of_cells[0], of_cells[3]);
    let mut found: Vec<T> = Vec::with_capacity((batch * groups * rows * places) as usize);
    let at =
        |x: &Tensor, sizes: [i64; 2], step: i64, start: i64| x.alias(Layout::new(&sizes, &[step, 1], x.layout().offset + start));
    for place in 0..batch * groups {
        let left = match twice && rows == 1 {
            true => at(weight, [2, terms], 0, place % groups * terms)?,
            false => at(weight, [rows, terms], terms, place % groups * rows * terms)?,
        };
        let right = at(cells, [terms, places], places, place * terms * places)?;
        let product: Vec<T> = exec::read_vec(&exec::matmul(&left, &right)?)?;
        found.extend_from_slice(&product[..(rows * places) as usize]);
    }
    exec::from_vec(&found, &[batch, groups, rows, places])
}

/// The elements in order as a tensor of these sizes.
fn of_sizes(x: &Tensor, sizes: &[i64]) -> Result<Tensor> {
    let x = exec::contiguous(x)?;
    let offset = x.layout().offset;
    x.alias(Layout { offset, ..Layout::contiguous(sizes) })
}

/// Adds the offset of each channel to a new tensor of lines of channels.
fn moved<T: Element + AddAssign>(made: &Tensor, given: &Given, length: usize) -> Result<()> {
    let Some(bias) = &given.bias else { return Ok(()) };
    let bias = exec::read_vec::<T>(bias)?;
    exec::change::<T, _>(made, |to| {
        crate::kernel::pieces::each(to, length, length, |line, to| {
            let offset = bias[line % bias.len()];
            to.iter_mut().for_each(|x| *x += offset);
        });
    })
}

/// The map whose matrix is the transpose of a convolution's.
pub fn transposed(args: &Args) -> Result<Option<Value>> {
    let Some(given) = Given::new(args, args.get(6)?, 1)? else { return Ok(None) };
    let Some((w, out)) = spread_windows(&given, args) else { return Ok(None) };
    let whole = (0..3).map(|d| ((w.sizes[d] + 2 * w.pad[d]) as i64).max(1));
    let work = [given.weight.numel(), given.batch].into_iter().chain(whole).fold(1, |n: i64, by| n.saturating_mul(by));
    let by_library = given.groups == 1 && w.spread == [1; 3] && given.has_library();
    if by_library && (work < FEW_ZEROS || w.step == [1; 3]) {
        return backwards(&given, &w, &out)?.map(|made| given.laid(made)).transpose();
    }
    given.laid(by_float!(given.x, onto_windows(&given, &w, &out))?).map(Some)
}

/// Multiplications up to which those with the zeros between the elements are made, too.
const FEW_ZEROS: i64 = 1 << 24;

/// As PyTorch's library for float32 adds up: a convolution of the input with zeros between its elements. Here both the input and
/// the result lie from the last element to the first, since the weights stay as they are.
fn backwards(given: &Given, w: &Windows, out: &[i64]) -> Result<Option<Value>> {
    let Given { x, weight, batch, channels, n, .. } = given;
    let made = weight.sizes()[1];
    let mut over = Windows { out: w.sizes, step: [1; 3], pad: [0; 3], ..w.clone() };
    for d in 0..3 {
        over.sizes[d] = w.sizes[d] + w.kernel[d] - 1;
    }
    let wide = exec::read::<f32, _>(x, |from| widened(from, w, &over, batch * channels))??;
    let sizes: Dims = over.sizes[3 - n..].iter().map(|size| *size as i64).collect();
    let weight = turned(weight, &[1, *channels, made, count(&given.kernel) as i64])?;
    let kernel: Dims = [made, *channels].into_iter().chain(given.kernel[..*n].iter().copied()).collect();
    let wide = of_sizes(&wide, &sizes_of(&[*batch, *channels], &sizes))?;
    let as_usual = Given { x: wide, weight: of_sizes(&weight, &kernel)?, bias: given.bias.clone(), sizes, ..*given };
    let Some(Value::Tensor(result)) = of_windows::<f32>(&as_usual, &over)? else { return Ok(None) };
    exec::change::<f32, _>(&result, |to| to.chunks_exact_mut(count(out).max(1)).for_each(<[f32]>::reverse))?;
    Ok(Some(result.alias(Layout::contiguous(&given.shape(made, out)))?.into()))
}

/// Planes of the sizes of `over`, with the elements of each plane backwards where the cells of the windows `w` put them.
fn widened(from: &[f32], w: &Windows, over: &Windows, planes: i64) -> Result<Tensor> {
    // The first element lies before the last cell of a window, less what is cut off.
    let place = |d: usize, at: usize| {
        let forwards = (w.kernel[d] - 1 + at * w.step[d]).checked_sub(w.pad[d])?;
        (over.sizes[d] - 1).checked_sub(forwards)
    };
    let [_, high, wide] = w.out;
    exec::made::<f32>(&[planes, over.plane() as i64], |to| {
        to.fill(0.0);
        for (from, to) in from.chunks_exact(w.count().max(1)).zip(to.chunks_exact_mut(over.plane().max(1))) {
            for (line, from) in from.chunks_exact(wide.max(1)).enumerate() {
                let (Some(layer), Some(row)) = (place(0, line / high), place(1, line % high)) else { continue };
                let to = &mut to[(layer * over.sizes[1] + row) * over.sizes[2]..][..over.sizes[2]];
                for (at, x) in from.iter().enumerate() {
                    if let Some(at) = place(2, at) {
                        to[at] = *x;
                    }
                }
            }
        }
    })
}

/// The windows whose cells the results add up, and the sizes of the results.
fn spread_windows(given: &Given, args: &Args) -> Option<(Windows, Dims)> {
    let n = given.n;
    let at = |place: usize| each(args.value(place), n);
    let (step, pad, more, spread) = (at(3)?, at(4)?, at(5)?, at(7)?);
    let mut out = Dims::new();
    for d in 0..n {
        let fits = step[d] > 0 && spread[d] > 0 && pad[d] >= 0 && (0..step[d].max(spread[d])).contains(&more[d]);
        let reach = spread[d].checked_mul(given.kernel[d] - 1)?;
        let whole = (given.sizes[d] - 1).checked_mul(step[d])?.checked_add(reach)?.checked_add(1 + more[d])?;
        let size = whole.checked_sub(pad[d].checked_mul(2)?)?;
        if !fits || size < 1 {
            return None;
        }
        out.push(size);
    }
    let windows = Windows {
        sizes: super::pools::three(&out, 1),
        out: super::pools::three(&given.sizes, 1),
        kernel: super::pools::three(&given.kernel[..n], 1),
        step: super::pools::three(&step[..n], 1),
        pad: super::pools::three(&pad[..n], 0),
        spread: super::pools::three(&spread[..n], 1),
    };
    Some((windows, out))
}

/// The products of one matrix and those of a batch, each as one product of two matrices is added up.
fn each_alone<T: Element + Float>(weight: &Tensor, x: &Tensor, results: i64) -> Result<Tensor> {
    let [batch, _, channels, places] = x.sizes()[..] else { fault!(RuntimeError, "a batch of matrices has four dimensions") };
    let left = weight.alias(weight.layout().select(0, 0)?)?;
    let mut found: Vec<T> = Vec::with_capacity((batch * results * places) as usize);
    for i in 0..batch {
        let offset = x.layout().offset + i * channels * places;
        let right = x.alias(Layout { offset, ..Layout::contiguous(&[channels, places]) })?;
        found.extend(exec::read_vec::<T>(&exec::matmul(&left, &right)?)?);
    }
    exec::from_vec(&found, &[batch, 1, results, places])
}

fn onto_windows<T: Element + Float + AddAssign>(given: &Given, w: &Windows, out: &[i64]) -> Result<Value> {
    let Given { x, weight, groups, batch, channels, .. } = given;
    let made = weight.sizes()[1] * groups;
    let results = made / groups * count(&given.kernel) as i64;
    let weight = of_sizes(weight, &[*groups, channels / groups, results])?;
    let weight = weight.alias(weight.layout().transpose(1, 2)?)?;
    let places = count(&given.sizes) as i64;
    let x = of_sizes(x, &[*batch, *groups, channels / groups, places])?;
    let alone = *groups == 1 && results * channels * places < BATCHED as i64;
    let cells = if alone { each_alone::<T>(&weight, &x, results)? } else { exec::matmul(&weight, &x)? };
    let sizes = given.shape(made, out);
    let result = exec::read::<T, _>(&cells, |from| {
        exec::made::<T>(&sizes, |to| {
            to.fill(T::zero());
            pools::scatter(w, from, to);
        })
    })??;
    moved::<T>(&result, given, count(out))?;
    Ok(result.into())
}
