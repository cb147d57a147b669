//! Writing elements to places, where several may fall on one.

use crate::dtype::Class;
use crate::kernel::element::Element;
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;
use num_complex::Complex;

/// What happens where an element falls on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduce {
    /// The later one stays.
    Assign,
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Mean of all.
    Mean,
    /// The greatest.
    Amax,
    /// The least.
    Amin,
}

/// Lanes that can be reduced.
pub(super) trait Lane: Element {
    fn reduce(self, other: Self, how: Reduce) -> Self;
    fn divide(self, count: i64) -> Self;
    fn start(how: Reduce) -> Self;
}

macro_rules! real_lanes {
    ($($t:ty, $least:expr, $most:expr, |$a:ident, $b:ident| $sum:expr, $product:expr, $max:expr, $min:expr, |$c:ident| $divide:expr;)*) => { $(impl Lane for $t {
        fn reduce(self, other: Self, how: Reduce) -> Self {
            let ($a, $b) = (self, other);
            match how {
                Reduce::Assign => $b,
                Reduce::Sum | Reduce::Mean => $sum,
                Reduce::Prod => $product,
                Reduce::Amax => $max,
                Reduce::Amin => $min,
            }
        }
        fn divide(self, count: i64) -> Self {
            let ($a, $c) = (self, count);
            $divide
        }
        fn start(how: Reduce) -> Self {
            match how {
                Reduce::Prod => 1 as $t,
                Reduce::Amax => $least,
                Reduce::Amin => $most,
                _ => 0 as $t,
            }
        }
    })* };
}

real_lanes! {
    i64, i64::MIN, i64::MAX, |a, b| a.wrapping_add(b), a.wrapping_mul(b), a.max(b), a.min(b), |c| a.div_euclid(c);
    u64, 0, u64::MAX, |a, b| a.wrapping_add(b), a.wrapping_mul(b), a.max(b), a.min(b), |c| a / c as u64;
    f32, f32::NEG_INFINITY, f32::INFINITY, |a, b| a + b, a * b, if a.is_nan() || a > b { a } else { b }, if a.is_nan() || a < b { a } else { b }, |c| a / c as f32;
    f64, f64::NEG_INFINITY, f64::INFINITY, |a, b| a + b, a * b, if a.is_nan() || a > b { a } else { b }, if a.is_nan() || a < b { a } else { b }, |c| a / c as f64;
}

macro_rules! complex_lanes {
    ($($t:ty),*) => { $(impl Lane for Complex<$t> {
        fn reduce(self, other: Self, how: Reduce) -> Self {
            match how {
                Reduce::Sum | Reduce::Mean => self + other,
                Reduce::Prod => self * other,
                _ => other,
            }
        }
        fn divide(self, count: i64) -> Self {
            self / count as $t
        }
        fn start(how: Reduce) -> Self {
            Complex::new(if how == Reduce::Prod { 1.0 } else { 0.0 }, 0.0)
        }
    })* };
}

complex_lanes!(f32, f64);

/// A copy of `x`, row-major, with the elements of `source` (in order, cast to x's dtype) reduced into these places.
///
/// Without `include_self`, the elements of `x` at these places do not count.
pub(super) fn accumulate(x: &Tensor, places: &[usize], source: &Tensor, how: Reduce, include_self: bool) -> Result<Tensor> {
    let source = exec::cast(source, x.dtype())?;
    if how == Reduce::Assign {
        return assign(x, places, &source);
    }
    match x.dtype().class() {
        Class::I64 => reduce::<i64>(x, places, &source, how, include_self),
        Class::U64 => reduce::<u64>(x, places, &source, how, include_self),
        Class::F32 => reduce::<f32>(x, places, &source, how, include_self),
        Class::F64 => reduce::<f64>(x, places, &source, how, include_self),
        Class::C64 => reduce::<Complex<f32>>(x, places, &source, how, include_self),
        Class::C128 => reduce::<Complex<f64>>(x, places, &source, how, include_self),
    }
}

fn assign(x: &Tensor, places: &[usize], source: &Tensor) -> Result<Tensor> {
    let (mut bytes, from, size) = (exec::bytes(x)?, exec::bytes(source)?, x.dtype().size());
    for (place, element) in places.iter().zip(from.chunks(size)) {
        bytes[place * size..(place + 1) * size].copy_from_slice(element);
    }
    exec::from_bytes(&bytes, &x.sizes(), x.dtype())
}

fn reduce<T: Lane>(x: &Tensor, places: &[usize], source: &Tensor, how: Reduce, include_self: bool) -> Result<Tensor> {
    let mut lanes: Vec<T> = exec::read_vec(x)?;
    let mut counts = vec![include_self as i64; lanes.len()];
    if !include_self {
        places.iter().for_each(|p| lanes[*p] = T::start(how));
    }
    for (&place, element) in places.iter().zip(exec::read_vec::<T>(source)?) {
        lanes[place] = lanes[place].reduce(element, how);
        counts[place] += 1;
    }
    if how == Reduce::Mean {
        lanes.iter_mut().zip(&counts).filter(|(_, n)| **n > 1).for_each(|(lane, n)| *lane = lane.divide(*n));
    }
    exec::cast(&exec::from_vec(&lanes, &x.sizes())?, x.dtype())
}
