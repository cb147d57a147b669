//! Rows that numbers name: classes in losses, rows of tables, places of ones; and distances between rows.

use super::{by_float, count, is_here, is_plain, sizes_of};
use crate::dtype::DType;
use crate::for_element;
use crate::kernel::distances::{self, Lanes, Way};
use crate::kernel::element::Element;
use crate::kernel::pieces::each;
use crate::kernel::soft::Soft;
use crate::layout::Dims;
use crate::ops::exec;
use crate::ops::{Args, args::FromValue};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;

/// What becomes of the losses of all examples.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Mean,
    Sum,
    Each,
}

/// The arguments of a loss of classes, where they go together.
struct Classes {
    x: Tensor,
    target: Tensor,
    weight: Option<Tensor>,
    ignored: i64,
    end: End,
}

impl Classes {
    fn new(args: &Args) -> Result<Option<Classes>> {
        let (x, target, weight): (Tensor, Tensor, Option<Tensor>) = args.take()?;
        let (Value::None, Value::None, Value::Str(end)) = (args.value(3), args.value(5), args.value(6)) else { return Ok(None) };
        let end = match end.as_str() {
            "mean" => End::Mean,
            "sum" => End::Sum,
            "none" => End::Each,
            _ => return Ok(None),
        };
        let (sizes, classes) = (x.sizes(), target.sizes());
        let fits = sizes.len() > 1
            && is_plain(&x)
            && is_here(&target)
            && target.dtype() == DType::I64
            && classes.len() + 1 == sizes.len()
            && classes[0] == sizes[0]
            && classes[1..] == sizes[2..]
            && super::goes_with(&weight, &x, &sizes[1..2]);
        Ok(fits.then_some(Classes { x, target, weight, ignored: args.get(4)?, end }))
    }

    /// Minus the weighed logarithm that each example has at its class. None where a class does not exist.
    fn losses<T: Element + Float>(&self, logs: &Tensor) -> Result<Option<Value>> {
        let sizes = logs.sizes();
        let (classes, inner) = (sizes[1], count(&sizes[2..]));
        let targets = exec::read_vec::<i64>(&self.target)?;
        if targets.iter().any(|class| *class != self.ignored && !(0..classes).contains(class)) {
            return Ok(None);
        }
        let weights = self.weight.as_ref().map(exec::read_vec::<T>).transpose()?;
        let weight = |class: i64| match &weights {
            _ if class == self.ignored => T::zero(),
            Some(weights) => weights[class as usize],
            None => T::one(),
        };
        let loss = |from: &[T], (n, class): (usize, &i64)| {
            if *class == self.ignored {
                return T::zero();
            }
            let (example, place) = (n / inner, n % inner);
            -from[(example * classes as usize + *class as usize) * inner + place] * weight(*class)
        };
        let losses: Vec<T> = exec::read::<T, _>(logs, |from| targets.iter().enumerate().map(|at| loss(from, at)).collect())?;
        if self.end == End::Each {
            return Ok(Some(exec::from_vec(&losses, &self.target.sizes())?.into()));
        }
        let counted = |n: usize| targets[n] != self.ignored;
        let total = in_cascade(&losses, &counted);
        let result = match self.end {
            End::Mean => total / in_cascade(&targets.iter().map(|class| weight(*class)).collect::<Vec<T>>(), &counted),
            _ => total,
        };
        Ok(Some(exec::from_vec(&[result], &[])?.into()))
    }
}

/// The sum of the numbers that count, as PyTorch adds them up here: sums of 16, of 16 of these, and so on, of which the first are of one.
fn in_cascade<T: Float>(numbers: &[T], counts: &dyn Fn(usize) -> bool) -> T {
    const LEVELS: usize = 8;
    let mut sums = [T::zero(); LEVELS];
    for (place, number) in numbers.iter().enumerate().filter(|(place, _)| counts(*place)) {
        sums[0] = sums[0] + *number;
        for level in (0..LEVELS - 1).take_while(|level| (place >> (4 * level)).is_multiple_of(16)) {
            sums[level + 1] = sums[level + 1] + sums[level];
            sums[level] = T::zero();
        }
    }
    sums.into_iter().fold(T::zero(), |whole, sum| whole + sum)
}

/// The loss of logarithms of probabilities.
pub fn nll_loss(args: &Args) -> Result<Option<Value>> {
    let Some(given) = Classes::new(args)? else { return Ok(None) };
    match given.x.dtype() {
        DType::F64 => given.losses::<f64>(&given.x),
        _ => given.losses::<f32>(&given.x),
    }
}

/// The loss of what has not become probabilities yet.
pub fn cross_entropy(args: &Args) -> Result<Option<Value>> {
    let smooth = args.value(7).as_number().is_none_or(|share| share.to_f64() != 0.0);
    let Some(given) = Classes::new(args)?.filter(|_| !smooth) else { return Ok(None) };
    let logs = exec::soft(Soft::LogShare, &given.x, 1, given.x.dtype())?;
    match given.x.dtype() {
        DType::F64 => given.losses::<f64>(&logs),
        _ => given.losses::<f32>(&logs),
    }
}

/// The rows of a table, with the parameters of `torch.nn.functional.embedding`.
pub fn embedding(args: &Args) -> Result<Option<Value>> {
    let (indices, table): (Tensor, Tensor) = args.take()?;
    let row = i64::from_value(args.value(2));
    let sizes = table.sizes();
    let fits = match (args.value(2), row) {
        (Value::None, _) => true,
        (_, Some(row)) => sizes.first().is_some_and(|size| (-*size..*size).contains(&row)),
        _ => false,
    };
    if !fits || !matches!(args.value(3), Value::None) {
        return Ok(None);
    }
    rows_of(&table, &indices)
}

/// The rows of a table, with the parameters of `torch.embedding`.
pub fn embedding_of(args: &Args) -> Result<Option<Value>> {
    rows_of(&args.get(0)?, &args.get(1)?)
}

fn rows_of(table: &Tensor, indices: &Tensor) -> Result<Option<Value>> {
    let sizes = table.sizes();
    let numbers = matches!(indices.dtype(), DType::I64 | DType::I32);
    if sizes.len() != 2 || table.numel() == 0 || !is_here(table) || !is_here(indices) || !numbers || indices.numel() == 0 {
        return Ok(None);
    }
    let indices_of = exec::read_vec::<i64>(indices)?;
    if indices_of.iter().any(|index| !(0..sizes[0]).contains(index)) {
        return Ok(None);
    }
    let (wide, shape) = (sizes[1] as usize, sizes_of(&indices.sizes(), &sizes[1..]));
    Ok(Some(for_element!(table.dtype(), E => rows::<E>(table, &indices_of, wide, &shape))?.into()))
}

fn rows<E: Element>(table: &Tensor, indices: &[i64], wide: usize, shape: &[i64]) -> Result<Tensor> {
    exec::read::<E, _>(table, |from| {
        exec::made::<E>(shape, |to| {
            each(to, wide, wide / 2, |row, to| to.copy_from_slice(&from[indices[row] as usize * wide..][..wide]));
        })
    })?
}

/// A row per number with a 1 at its place.
pub fn one_hot(args: &Args) -> Result<Option<Value>> {
    let (x, given): (Tensor, i64) = args.take()?;
    if !is_here(&x) || x.dtype() != DType::I64 || x.numel() == 0 {
        return Ok(None);
    }
    let places = exec::read_vec::<i64>(&x)?;
    let (least, most) = places.iter().fold((i64::MAX, i64::MIN), |(least, most), place| (least.min(*place), most.max(*place)));
    let classes = if given < 0 { most.saturating_add(1) } else { given };
    if least < 0 || most >= classes || given < -1 {
        return Ok(None);
    }
    let ones = exec::zeros(&sizes_of(&x.sizes(), &[classes]), DType::I64, x.device())?;
    exec::change::<i64, _>(&ones, |to| {
        to.chunks_mut(classes as usize).zip(&places).for_each(|(row, place)| row[*place as usize] = 1);
    })?;
    Ok(Some(ones.into()))
}

/// The distances between all pairs of rows.
pub fn pdist(args: &Args) -> Result<Option<Value>> {
    let (x, p): (Tensor, f64) = (args.get(0)?, args.value(1).as_number().map_or(f64::NAN, |p| p.to_f64()));
    let way = match p {
        1.0 => Way::Sum,
        2.0 => Way::Squares,
        f64::INFINITY => Way::Largest,
        _ => return Ok(None),
    };
    let sizes = x.sizes();
    if sizes.len() != 2 || !is_plain(&x) || sizes[0] < 2 {
        return Ok(None);
    }
    let pairs: Dims = sizes_of(&[], &[sizes[0] * (sizes[0] - 1) / 2]);
    by_float!(x, of_pairs(&x, sizes[1] as usize, way, &pairs)).map(Some)
}

fn of_pairs<T: Element + Lanes>(x: &Tensor, wide: usize, way: Way, shape: &[i64]) -> Result<Value> {
    let out = exec::read::<T, _>(x, |from| exec::made::<T>(shape, |to| distances::of_pairs(from, wide, way, to)))??;
    Ok(out.into())
}
