//! Convolutions and their transposes: products with the cells of windows.

use super::pools::{columns, exact};
use super::shares::Task;
use super::unbounded::{self, Sums};
use super::{by_float, count, each, is_here, is_plain, sizes_of};
use crate::dtype::DType;
use crate::interrupt;
use crate::kernel::convolve::{Convolution, Order};
use crate::kernel::element::Element;
use crate::kernel::in_turn::{self, InTurn};
use crate::kernel::matmul::BATCHED;
use crate::kernel::pools::{self, Windows};
use crate::kernel::{follows_avx512, follows_intel};
use crate::layout::{Dims, Layout, MemoryFormat};
use crate::ops::{Args, exec};
use crate::settings;
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
        Given::of(x, weight, bias, n, groups, made)
    }

    fn of(x: Tensor, weight: Tensor, bias: Option<Tensor>, n: usize, groups: i64, made: usize) -> Result<Option<Given>> {
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
        let sizes = [self.batch, self.channels, self.groups];
        self.x.dtype() == DType::F32 && is_for_library(sizes, &self.sizes, &self.kernel[..self.n])
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

/// The planes that PyTorch's library for float32 takes at a time: as many as a vector has lanes, or of groups as many as divide both
/// what goes in and what comes out. None where it takes those of a group one by one.
fn lanes(groups: i64, rows: i64, inside: i64) -> Option<i64> {
    let widest = if follows_avx512() { 16 } else { 8 };
    let sizes = [widest, 8, 4];
    if groups == 1 { Some(widest) } else { sizes.into_iter().find(|n| rows % n == 0 && inside % n == 0) }
}

/// The order in which it adds up.
fn order(given: &Given, rows: i64, inside: i64) -> Order {
    match lanes(given.groups, rows, inside) {
        Some(planes) if given.kernel != [1; 3] => Order::Blocks(planes as usize),
        _ => Order::Chain,
    }
}

/// As PyTorch's library for float32 adds up, which leaves out what lies beyond the plane but where it takes the planes of groups one by one.
fn by_library(given: &Given, w: &Windows, order: Order) -> Result<Tensor> {
    let found = added_up(given, w, order)?;
    let (inside, rows) = (given.channels / given.groups, given.weight.sizes()[0] / given.groups);
    if !reaches_out(w) && (lanes(given.groups, rows, inside).is_some() || [inside, rows] == [1, 1]) {
        within(given, (w, [given.batch, given.groups, inside, rows], false), &found, |clean| added_up(clean, w, order))?;
    }
    Ok(found)
}

/// True where some window has nothing of the plane: PyTorch's library has other kernels then, which add zeros.
fn reaches_out(w: &Windows) -> bool {
    (0..3).any(|d| {
        let reach = (w.kernel[d] - 1) * w.spread[d] + 1;
        let behind = ((w.out[d] - 1) * w.step[d] + reach).saturating_sub(w.sizes[d] + w.pad[d]);
        reach <= w.pad[d] || reach <= behind
    })
}

/// Takes back what zeros beyond or between the elements made of numbers without a bound; `again` is told the same without those.
fn within(
    given: &Given,
    (windows, sizes, is_transposed): (&Windows, [i64; 4], bool),
    found: &Tensor,
    again: impl FnOnce(&Given) -> Result<Tensor>,
) -> Result<()> {
    if !exec::read::<f32, _>(found, |found| found.iter().any(|x| x.is_nan()))? {
        return Ok(());
    }
    let (x, weight) = (exec::read_vec::<f32>(&given.x)?, exec::read_vec::<f32>(&given.weight)?);
    let bias = given.bias.as_ref().map(exec::read_vec::<f32>).transpose()?;
    let sizes = sizes.map(|n| n as usize);
    let has_ends =
        is_transposed && given.groups == 1 && !reaches_out(windows) && !windows.sizes[2].is_multiple_of(windows.step[2]);
    let sums = Sums { windows, sizes, is_transposed, has_ends, x: &x, weight: &weight, bias: bias.as_deref() };
    if !exec::read::<f32, _>(found, |found| sums.may_be_wrong(found))? {
        return Ok(());
    }
    let of = |all: &[f32], like: &Tensor| exec::from_vec(&unbounded::bounded(all), &like.sizes());
    let clean = Given {
        x: of(&x, &given.x)?,
        weight: of(&weight, &given.weight)?,
        bias: given.bias.clone(),
        sizes: given.sizes.clone(),
        ..*given
    };
    let clean = exec::read_vec::<f32>(&again(&clean)?)?;
    exec::change::<f32, _>(found, |found| sums.mend(&clean, found))
}

/// In an order, or where each plane has its own window cell by cell, from the offset on.
fn added_up(given: &Given, w: &Windows, order: Order) -> Result<Tensor> {
    let Given { x, weight, groups, batch, channels, .. } = given;
    let (made, inside, places) = (weight.sizes()[0], channels / groups, w.count() as i64);
    let sizes = [*batch, made, places];
    if *groups > 1 && inside == 1 && made == *groups {
        let bias = given.bias.as_ref().map_or_else(|| Ok(vec![0.0; made as usize]), exec::read_vec::<f32>)?;
        return exec::read::<f32, _>(x, |from| {
            exec::read::<f32, _>(weight, |weight| exec::made::<f32>(&sizes, |to| in_turn::planes(w, from, weight, &bias, to)))
        })??;
    }
    if let Some(bias) = given.bias.as_ref().filter(|_| is_pointwise(given, w)) {
        let bias = exec::read_vec::<f32>(bias)?;
        return exec::read::<f32, _>(x, |from| {
            exec::read::<f32, _>(weight, |weight| exec::made::<f32>(&sizes, |to| in_turn::points(w, from, weight, &bias, to)))
        })??;
    }
    let [batch, groups, inside, rows] = [*batch, *groups, inside, made / groups].map(|n| n as usize);
    let bias = given.bias.as_ref().map(exec::read_vec::<f32>).transpose()?;
    in_strips(x, weight, bias.as_deref(), Convolution { windows: w, batch, groups, inside, rows, order, added: bias.is_some() })
}

/// Planes up to which sums over them are known to start at the offset where windows have one cell.
const PLANES: i64 = 100;

/// True where windows have one cell each, within the plane, whose sums start at the offset: on several threads.
fn is_pointwise(given: &Given, w: &Windows) -> bool {
    let few = given.channels <= PLANES && given.batch * given.weight.numel() * (w.count() as i64) < SMALL;
    few && given.groups == 1 && given.n < 3 && given.kernel == [1; 3] && w.pad == [0; 3] && settings::threads() > 1
}

/// True where PyTorch's library takes over, whether the convolution fits or not.
pub fn has_library(args: &Args) -> Result<Value> {
    let (x, weight): (Tensor, Tensor) = args.take()?;
    let n = weight.ndim().saturating_sub(2);
    let sizes = x.sizes();
    let (front, sizes) = sizes.split_at(sizes.len().saturating_sub(n));
    let kernel = weight.sizes();
    let batch = if front.len() > 1 { front[0] } else { 1 };
    let channels = front.last().copied().unwrap_or(1);
    Ok(Value::Bool(
        x.dtype() == DType::F32 && is_for_library([batch, channels, args.get(2)?], sizes, &kernel[kernel.len() - n..]),
    ))
}

/// The same for float32 of these sizes: `[batch, channels, groups]`, a plane's and a window's.
fn is_for_library([batch, channels, groups]: [i64; 3], sizes: &[i64], kernel: &[i64]) -> bool {
    let four = sizes.iter().take(2).fold(batch.saturating_mul(channels), |n, by| n.saturating_mul(*by));
    let large = kernel.len() > 1 && kernel[kernel.len() - 2..].iter().all(|k| *k > 3);
    groups > 1 || batch > 1 || large || four > 20480
}

/// A convolution as the library adds it up, of what lies in order.
pub fn convolve(args: &Args) -> Result<Value> {
    let (x, weight, bias): (Tensor, Tensor, Option<Tensor>) = args.take()?;
    let n = weight.ndim().saturating_sub(2);
    let [x, weight] = [x, weight].map(|t| exec::clone_in(&t, MemoryFormat::Contiguous));
    let given = Given::of(x?, weight?, bias, n, args.get(6)?, 0)?;
    let windows = given.as_ref().and_then(|given| windows(given, args));
    let (Some(given), Some(w)) = (given, windows) else { fault!(RuntimeError, "input, weight and bias do not fit each other") };
    let (made, inside) = (given.weight.sizes()[0], given.channels / given.groups);
    let out: Dims = w.out[3 - n..].iter().map(|n| *n as i64).collect();
    let found = by_library(&given, &w, order(&given, made / given.groups, inside))?;
    Ok(found.alias(Layout::contiguous(&given.shape(made, &out)))?.into())
}

/// The windows of a convolution of two dimensions, by its input, weights, step, borders and spread.
fn windows_of(x: &Tensor, weight: &Tensor, given: [&Value; 3]) -> Result<Windows> {
    let (sizes, kernel) = (x.sizes(), weight.sizes());
    let [Some(step), Some(pad), Some(spread)] = given.map(|value| each(value, 2)) else {
        fault!(RuntimeError, "expected two numbers for each of stride, padding and dilation");
    };
    if [sizes.len(), kernel.len()] != [4, 4] {
        fault!(RuntimeError, "expected input and weight of 4 dimensions, got {sizes:?} and {kernel:?}");
    }
    let flat = [pad[0], pad[1], 0];
    let found = exact(&sizes[2..], [[kernel[2], kernel[3], 1], step, flat, spread]);
    found.ok_or_else(|| err!(RuntimeError, "the windows do not fit"))
}

/// The convolution whose gradients of weights and offsets are shared out.
fn task<'a>(x: &Tensor, weight: &Tensor, windows: &'a Windows) -> Task<'a> {
    let [batch, channels, inside, made] = [x.sizes()[0], x.sizes()[1], weight.sizes()[1], weight.sizes()[0]].map(|n| n as usize);
    let groups = (channels / inside.max(1)).max(1);
    Task { windows, batch, groups, inside, rows: made / groups, threads: settings::threads() }
}

/// The gradient of the weights of a convolution of float32, of one group or of planes with a window of their own.
pub fn weights_back(args: &Args) -> Result<Value> {
    let (grad, x, weight): (Tensor, Tensor, Tensor) = args.take()?;
    let windows = windows_of(&x, &weight, [args.value(3), args.value(4), args.value(5)])?;
    let task = task(&x, &weight, &windows);
    let Task { batch, groups, inside, rows, .. } = task;
    let ends = task.shares().weights;
    let count = windows.count();
    let grad = exec::read_vec::<f32>(&grad)?;
    if grad.len() != batch * groups * rows * count || groups > 1 && inside * rows > 1 {
        fault!(RuntimeError, "the gradient has {} elements, not one for each window", grad.len());
    }
    let x = exec::read_vec::<f32>(&x)?;
    let it = InTurn { windows: &windows, batch, inside, rows };
    let of = |group: usize| match groups {
        1 => it.weights(&grad, &x, &ends),
        _ => it.weights(&of_plane(&grad, groups, group, count), &of_plane(&x, groups, group, windows.plane()), &ends),
    };
    Ok(exec::from_vec(&(0..groups).flat_map(of).collect::<Vec<f32>>(), &weight.sizes())?.into())
}

/// A plane of each example.
fn of_plane(all: &[f32], planes: usize, plane: usize, size: usize) -> Vec<f32> {
    all.chunks_exact(planes * size).flat_map(|example| &example[plane * size..][..size]).copied().collect()
}

/// The gradient of the offsets of the channels of float32: of a convolution of two dimensions by all that it is made of, of others by
/// itself, in one go or example by example.
pub fn offsets_back(args: &Args) -> Result<Value> {
    let (grad, x, weight): (Tensor, Option<Tensor>, Option<Tensor>) = args.take()?;
    let [batch, results, ..] = grad.sizes()[..] else {
        fault!(RuntimeError, "expected a batch of channels, got {:?}", grad.sizes())
    };
    let elements = exec::read_vec(&grad)?;
    let [batch, made] = [batch, results].map(|n| n as usize);
    let count = elements.len() / (batch * made).max(1);
    let ends = match x.zip(weight) {
        Some((x, weight)) => {
            let windows = windows_of(&x, &weight, [args.value(3), args.value(4), args.value(5)])?;
            let ends = task(&x, &weight, &windows).shares().offsets;
            if ends.last() != Some(&(batch * count)) {
                fault!(RuntimeError, "the gradient has {count} elements, not one for each window");
            }
            ends
        }
        None if args.get(6)? => (1..=batch).map(|example| example * count).collect(),
        None => vec![batch * count],
    };
    Ok(exec::from_vec(&in_turn::offsets(&elements, batch, made, &ends), &[results])?.into())
}

/// None where the bias comes before the products.
fn of_windows<T: Element + Float + AddAssign>(given: &Given, w: &Windows) -> Result<Option<Value>> {
    let Given { x, weight, groups, batch, channels, .. } = given;
    let out: Dims = w.out[3 - given.n..].iter().map(|n| *n as i64).collect();
    let (made, places) = (weight.sizes()[0], count(&out) as i64);
    let shape = Layout::contiguous(&given.shape(made, &out));
    let (inside, cells_of) = (channels / groups, count(&given.kernel) as i64);
    let (rows, terms) = (made / groups, inside * cells_of);
    if given.has_library() {
        return Ok(Some(by_library(given, w, order(given, rows, inside))?.alias(shape)?.into()));
    }
    let small = *groups <= FEW && [*batch, weight.numel(), places].iter().fold(1, |n: i64, by| n.saturating_mul(*by)) < SMALL;
    // On processors that are not Intel's it is the sizes that tell whether sums start at the bias.
    if small && given.bias.is_some() && (rows == 1 || terms == 1 || !follows_intel()) {
        return Ok(None);
    }
    let whole = cells_of == 1 && w.step == [1; 3] && w.pad == [0; 3];
    let alone = small && rows * terms * places < BATCHED as i64;
    let product = if whole || alone || rows == 1 || places == 1 {
        let (weight, cells) = (of_sizes(weight, &[*groups, rows, terms])?, [*batch, *groups, terms, places]);
        let cells = if whole { of_sizes(x, &cells)? } else { columns::<T>(x, w, &cells)? };
        if alone { one_by_one::<T>(&weight, &cells)? } else { exec::matmul(&weight, &cells)? }
    } else {
        let [batch, groups, inside, rows] = [*batch, *groups, inside, rows].map(|n| n as usize);
        let it = Convolution { windows: w, batch, groups, inside, rows, order: Order::Product, added: false };
        in_strips::<T>(x, weight, None, it)?
    };
    moved::<T>(&product, given, places as usize)?;
    Ok(Some(product.alias(shape)?.into()))
}

/// A copy with dimensions 1 and 2 exchanged, of what has these sizes.
fn turned(x: &Tensor, sizes: &[i64]) -> Result<Tensor> {
    let x = of_sizes(x, sizes)?;
    exec::contiguous(&x.alias(x.layout().transpose(1, 2)?)?)
}

/// The products of a batch, for some windows at a time, added to the offsets of the results.
fn in_strips<T: Element + Float>(x: &Tensor, weight: &Tensor, bias: Option<&[T]>, it: Convolution) -> Result<Tensor> {
    let shape = [it.batch, it.groups, it.rows, it.windows.count()].map(|n| n as i64);
    let places = it.windows.count().max(1);
    let of = |from: &[T], weight: &[T]| {
        exec::made::<T>(&shape, |to| {
            if let Some(bias) = bias {
                to.chunks_exact_mut(places).zip(bias.iter().cycle()).for_each(|(line, offset)| line.fill(*offset));
            }
            it.run(from, weight, to);
        })
    };
    let product = exec::read::<T, _>(x, |from| exec::read::<T, _>(weight, |weight| of(from, weight)))???;
    interrupt::check()?;
    Ok(product)
}

/// The products of a batch, each as one product of two matrices is added up.
fn one_by_one<T: Element + Float>(weight: &Tensor, cells: &Tensor) -> Result<Tensor> {
    let (of_weight, of_cells) = (weight.sizes(), cells.sizes());
    let [groups, rows, terms] = of_weight[..] else { fault!(RuntimeError, "weights in groups have three dimensions") };
    let (batch, places) = (of_cells[0], of_cells[3]);
    let mut found: Vec<T> = Vec::with_capacity((batch * groups * rows * places) as usize);
    let at = |x: &Tensor, sizes: [i64; 2], start: i64| {
        x.alias(Layout { offset: x.layout().offset + start, ..Layout::contiguous(&sizes) })
    };
    for place in 0..batch * groups {
        let left = at(weight, [rows, terms], place % groups * rows * terms)?;
        let right = at(cells, [terms, places], place * terms * places)?;
        found.extend(exec::read_vec::<T>(&exec::matmul(&left, &right)?)?);
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
    let by_library = w.spread == [1; 3] && given.has_library() && (work < FEW_ZEROS || w.step == [1; 3]);
    if let Some(order) = order_back(&given, &w).filter(|_| by_library) {
        return given.laid(backwards(&given, &w, &out, order)?.into()).map(Some);
    }
    given.laid(by_float!(given.x, onto_windows(&given, &w, &out))?).map(Some)
}

/// Multiplications up to which those with the zeros between the elements are made, too.
const FEW_ZEROS: i64 = 1 << 24;

/// As PyTorch's library for float32 adds up: a convolution of the input with zeros between its elements. Here both the input and
/// the result lie from the last element to the first, since the weights stay as they are.
fn backwards(given: &Given, w: &Windows, out: &[i64], order: Order) -> Result<Tensor> {
    let found = turned_back(given, w, out, order)?;
    let size = [given.batch, given.groups, given.channels / given.groups, given.weight.sizes()[1]];
    within(given, (w, size, true), &found, |clean| turned_back(clean, w, out, order))?;
    Ok(found)
}

fn turned_back(given: &Given, w: &Windows, out: &[i64], order: Order) -> Result<Tensor> {
    let Given { x, weight, groups, batch, channels, n, .. } = given;
    let [inside, rows] = [channels / groups, weight.sizes()[1]];
    let mut over = Windows { out: w.sizes, step: [1; 3], pad: [0; 3], ..w.clone() };
    for d in 0..3 {
        over.sizes[d] = w.sizes[d] + w.kernel[d] - 1;
    }
    let wide = exec::read::<f32, _>(x, |from| widened(from, w, &over, batch * channels))??;
    let sizes: Dims = over.sizes[3 - n..].iter().map(|size| *size as i64).collect();
    let weight = turned(weight, &[*groups, inside, rows, count(&given.kernel) as i64])?;
    let kernel: Dims = [rows * groups, inside].into_iter().chain(given.kernel[..*n].iter().copied()).collect();
    let wide = of_sizes(&wide, &sizes_of(&[*batch, *channels], &sizes))?;
    let as_usual = Given { x: wide, weight: of_sizes(&weight, &kernel)?, bias: None, sizes, ..*given };
    let result = added_up(&as_usual, &over, order)?;
    let length = count(out).max(1);
    exec::change::<f32, _>(&result, |to| to.chunks_exact_mut(length).for_each(<[f32]>::reverse))?;
    moved::<f32>(&result, given, length)?;
    result.alias(Layout::contiguous(&given.shape(rows * groups, out)))
}

/// The order in which PyTorch's library adds up the opposite of a convolution. Where windows are apart it takes all planes at once, and
/// column by column when the width is a multiple of how far they are. None for groups whose planes it takes one by one.
fn order_back(given: &Given, w: &Windows) -> Option<Order> {
    let (inside, rows) = (given.channels / given.groups, given.weight.sizes()[1]);
    if [inside, rows] == [1, 1] {
        return Some(Order::Chain);
    }
    Some(match (lanes(given.groups, rows, inside)? as usize, w.step) {
        (_, [1, 1, 1]) if given.groups == 1 && given.kernel == [1; 3] => Order::Chain,
        (planes @ 4, _) | (planes, [1, 1, 1]) => Order::Blocks(planes),
        _ if w.sizes[2].is_multiple_of(w.step[2]) => Order::Columns,
        _ => Order::Blocks(inside as usize),
    })
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
    let (inside, places) = (channels / groups, count(&given.sizes) as i64);
    let cells = if given.has_library() {
        let weight = turned(weight, &[*groups, inside, results, 1])?;
        let windows = Windows { sizes: w.out, out: w.out, kernel: [1; 3], step: [1; 3], pad: [0; 3], spread: [1; 3] };
        let [batch, groups, inside, rows] = [*batch, *groups, inside, results].map(|n| n as usize);
        in_strips::<T>(
            x,
            &weight,
            None,
            Convolution { windows: &windows, batch, groups, inside, rows, order: Order::Chain, added: false },
        )?
    } else {
        let weight = of_sizes(weight, &[*groups, inside, results])?;
        let weight = weight.alias(weight.layout().transpose(1, 2)?)?;
        let x = of_sizes(x, &[*batch, *groups, inside, places])?;
        let alone = *groups == 1 && results * channels * places < BATCHED as i64;
        if alone { each_alone::<T>(&weight, &x, results)? } else { exec::matmul(&weight, &x)? }
    };
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
